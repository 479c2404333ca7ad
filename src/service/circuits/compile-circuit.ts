/**
 * A body of POST /quantum/compile → the text of its answer: the circuit as the compiler left it and
 * what each pass did, without running anything. Pure; it runs in the offload thread.
 */
import { withFinalMeasurement } from '../../circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import { compile } from '../../compiler/compile.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import { circuitOf } from '../../fleet/serialized-circuit.ts';
import { RequestInvalidError } from '../errors.ts';
import { COMPILE_FORMATS, type CompileFormat } from '../schemas/compile.ts';
import { prepareCircuit, type Target } from './circuit-submission.ts';
import { compilationFields } from './compilation-fields.ts';
import { circuitBodyOf } from './read-submission.ts';

/** Fields of a submission that mean nothing where nothing runs. */
const RUN_FIELDS = ['shots', 'seed', 'priority', 'observables'];

/**
 * Compiles the circuit of a body for its target.
 *
 * @throws {RequestInvalidError} listing every fault.
 * @throws {ProcessorUnavailableError} if the target has nothing to compile for.
 * @throws {OpenQasmUnprintableError} if the format cannot say what the circuit does.
 */
export function compileCircuitJson(value: unknown, targets: readonly Target[]): string {
  const { format, fields } = readFormat(value);
  const prepared = prepareCircuit(circuitBodyOf(fields, targets), targets);
  const target = targets.find(({ spec }) => spec.id === prepared.processorId);
  if (!target?.spec.target) {
    throw new ProcessorUnavailableError(prepared.processorId, 'It has no compiler target.');
  }
  const started = performance.now();
  const keepState = prepared.outputs.some(
    (output) => output !== 'counts' && output !== 'probabilities',
  );
  const { circuit, report } = compile(circuitOf(prepared.circuit), target.spec.target, {
    keepState,
  });
  const compileMs = performance.now() - started;
  return JSON.stringify({
    processor: prepared.processorId,
    qubits: circuit.numQubits,
    format,
    ...(format === 'json'
      ? { circuit: gateObjectsFromCircuit(withFinalMeasurement(circuit)) }
      : { qasm: printOpenQasm(circuit, format === 'qasm2' ? '2' : '3') }),
    compilation: compilationFields(report),
    timing: { compile_ms: Math.round(compileMs * 1000) / 1000 },
  });
}

/** The format, and the rest as the fields of a submission. */
function readFormat(value: unknown): { format: CompileFormat; fields: unknown } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { format: 'json', fields: value };
  }
  const { format: asked = 'json', ...fields }: Readonly<Record<string, unknown>> = { ...value };
  const faults: Fault[] = RUN_FIELDS.filter((name) => name in fields).map((name) => ({
    path: name,
    message: 'There is no such field: nothing runs.',
  }));
  const format = COMPILE_FORMATS.find((known) => known === asked);
  if (format === undefined) {
    faults.push({ path: 'format', message: `Must be one of ${COMPILE_FORMATS.join(', ')}.` });
  }
  if (format === undefined || faults.length > 0) throw new RequestInvalidError(faults);
  // The circuit is checked as one that is to run once.
  const observables = wantsExpectation(fields) ? { observables: [{ pauli: 'I' }] } : {};
  return { format, fields: { ...fields, ...observables, shots: 1 } };
}

function wantsExpectation(fields: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(fields['return']) && fields['return'].includes('expectation');
}
