/**
 * A body of POST /quantum/compile → the text of its answer: the circuit as the compiler left it and
 * what each pass did, without running anything. Pure; it runs where large bodies are read.
 *
 * A circuit that measures nothing keeps the state it makes of |0…0⟩; one that measures keeps the
 * distribution of what it measures, and what that cannot show is dropped.
 */
import { type Circuit, isStatic } from '../../circuit/circuit.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { compile } from '../../compiler/compile.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import { circuitOf } from '../../fleet/workers/sent-circuit.ts';
import { viewCompilation } from '../backend-view.ts';
import { RequestInvalidError } from '../errors.ts';
import type { Reading } from '../reading/reading.ts';
import { COMPILE_FORMATS, type CompileFormat } from '../schemas/compile.ts';
import { type CheckedCircuit, checkCircuit, type Target } from './check-circuit.ts';
import { type CircuitContext, circuitBodyOf } from './read-circuit.ts';

/** Fields of a submission that POST /quantum/compile refuses, since nothing runs. */
export const RUN_FIELDS = ['shots', 'seed', 'priority', 'return', 'observables'] as const;

/** Compiling does more to a circuit than reading it. */
const COMPILE_CPU_FACTOR = 10;

/** Compiles the circuit of a body of POST /quantum/compile in a process: the text of the answer's data. */
export const COMPILE_READING: Reading<CircuitContext, string> = {
  name: 'compile',
  cpuFactor: COMPILE_CPU_FACTOR,
  read: (body, { targets }) => compileCircuitJson(body, targets),
};

/**
 * Compiles the circuit of a body for its target.
 *
 * @throws {RequestInvalidError} listing every fault.
 * @throws {ProcessorUnavailableError} if the target has nothing to compile for.
 * @throws {OpenQasmUnprintableError} if the format cannot say what the circuit does.
 */
export function compileCircuitJson(value: unknown, targets: readonly Target[]): string {
  const { format, fields } = readFormat(value);
  const checked = checkCircuit(circuitBodyOf(fields, targets), targets);
  const target = targets.find(({ spec }) => spec.id === checked.target);
  if (!target?.spec.target) {
    throw new ProcessorUnavailableError(checked.target, 'It has no compiler target.');
  }
  const warnings = compileWarnings(checked);
  const started = performance.now();
  const keepState = checked.isMeasurementAdded;
  const written = circuitAsWritten(checked);
  const { circuit, report } = compile(written, target.spec.target, { keepState });
  const compileMs = performance.now() - started;
  return JSON.stringify({
    processor: checked.target,
    qubits: circuit.numQubits,
    format,
    ...(format === 'json'
      ? { circuit: gateObjectsFromCircuit(circuit) }
      : { qasm: printOpenQasm(circuit, format === 'qasm2' ? '2' : '3') }),
    compilation: viewCompilation(report),
    timing: { compile_ms: Math.round(compileMs * 1000) / 1000 },
    ...(warnings.length > 0 && { warnings }),
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
  return { format, fields: { ...fields, shots: 1 } };
}

/** Warnings of the program, and one where it asks for results that only a run has. */
function compileWarnings({ warnings, outputs }: CheckedCircuit): readonly ProgramWarning[] {
  const [asked] = outputs.filter((name) => name !== 'counts');
  if (asked === undefined) return warnings;
  const message = 'The results that the program asks for are left out: nothing runs.';
  return [...warnings, { code: 'CIRCUIT_RESULT_IGNORED', message }];
}

const NOT_PRINTED: Fault = {
  path: 'qasm',
  message:
    'A program with loops on measured bits, or with values computed from them, can be run but not written out compiled. Submit it to POST /api/v1/quantum/circuits.',
  code: 'CIRCUIT_OPENQASM_UNSUPPORTED',
};

/** Without the measurement that only a run would need. */
function circuitAsWritten({ circuit: checked, isMeasurementAdded }: CheckedCircuit): Circuit {
  const circuit = circuitOf(checked);
  if (!isStatic(circuit)) throw new RequestInvalidError([NOT_PRINTED]);
  if (!isMeasurementAdded) return circuit;
  return { ...circuit, numBits: 0, operations: circuit.operations.slice(0, -1) };
}
