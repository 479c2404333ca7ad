/**
 * Compiles the body of POST /quantum/compile and returns the text of the answer: the compiled circuit and the
 * changes of each pass. Pure; it runs in the process that reads large bodies.
 *
 * A circuit without measurements keeps the state that it makes of |0…0⟩. A circuit with measurements keeps
 * the distribution of their outcomes; gates that cannot affect it are dropped.
 */

import type { z } from 'zod';
import { type Circuit, isNoisy, isStatic } from '../../circuit/circuit.ts';
import { FaultList } from '../../circuit/errors.ts';
import { gateObjectsFromCircuit } from '../../circuit/gate-objects-from-circuit.ts';
import { printOpenQasm } from '../../circuit/openqasm/print-openqasm.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { printQir } from '../../circuit/qir/print-qir.ts';
import { ALL_GATES, findGateSet } from '../../circuit/synthesis/gate-set.ts';
import { twirled } from '../../circuit/synthesis/pauli-twirl.ts';
import { printStim } from '../../compiler/clifford/print-stim.ts';
import { compile, rewrite } from '../../compiler/compile.ts';
import { gateFigures } from '../../compiler/report.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults } from '../../errors/form-faults.ts';
import { ProcessorUnavailableError } from '../../fleet/errors.ts';
import type { ProcessorSpec } from '../../fleet/processor.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import { viewCompilation, viewFitting } from './backend-view.ts';
import { targetWithDevice } from './caller-device.ts';
import { type CheckedCircuit, checkCircuit } from './check-circuit.ts';
import {
  COMPILE_FORMATS,
  type CompileFormat,
  type compiledCircuit,
  RUN_FIELDS,
  twirlField,
} from './compile-schema.ts';
import { FIXED_LAYOUT_SEED, fitted } from './fitted-circuit.ts';
import type { CircuitContext } from './program-jobs.ts';
import { circuitBodyOf } from './read-circuit.ts';
import { errorBoundField } from './result-json.ts';
import type { Target } from './targets.ts';

/** CPU time of compiling relative to reading. */
const COMPILE_CPU_FACTOR = 10;

/** Reading that compiles the body of POST /quantum/compile in a process and returns the text of `data`. */
export const COMPILE_READING: Reading<CircuitContext, string> = {
  name: 'compile',
  cpuFactor: COMPILE_CPU_FACTOR,
  read: (body, { targets }) => compileCircuitJson(body, targets),
};

/**
 * Compiles the circuit of a body for its target.
 *
 * @throws {RequestInvalidError} listing every fault.
 * @throws {ProcessorUnavailableError} if the target has no hardware to compile for.
 * @throws {OpenQasmUnprintableError | StimUnprintableError | QirUnprintableError} if the format cannot express the circuit.
 */
export function compileCircuitJson(value: unknown, targets: readonly Target[]): string {
  const { format, twirl, body, checked } = readBody(value, targets);
  const named = targets.find(({ spec }) => spec.id === checked.target);
  const target = targetWithDevice(named, body.device, new FaultList());
  const warnings = compileWarnings(checked);
  const started = performance.now();
  const { circuit, compilation } = twirledAs(twirl, compiled(checked, target?.spec), target?.spec);
  const compileMs = performance.now() - started;
  return JSON.stringify({
    processor: checked.target,
    qubits: circuit.numQubits,
    format,
    ...written(circuit, format),
    ...errorBoundField(checked),
    compilation,
    timing: { compile_ms: Math.round(compileMs * 1000) / 1000 },
    ...(warnings.length > 0 && { warnings }),
  });
}

/** The field of the answer that has the circuit. */
function written(circuit: Circuit, format: CompileFormat) {
  switch (format) {
    case 'json':
      return { circuit: gateObjectsFromCircuit(circuit) };
    case 'stim':
      return { stim: printStim(circuit) };
    case 'qir':
      return { qir: printQir(circuit) };
    default:
      return { qasm: printOpenQasm(circuit, format === 'qasm2' ? '2' : '3') };
  }
}

/** The compiled circuit with Paulis around its two-qubit gates, if these are asked for. */
function twirledAs(
  twirl: Twirl | undefined,
  { circuit, compilation }: Compiled,
  spec: ProcessorSpec | undefined,
): Compiled {
  if (twirl === undefined) return { circuit, compilation };
  const gates = spec?.device === undefined ? ALL_GATES : findGateSet(spec.device.nativeGates);
  if (gates === undefined) throw new Error('unreachable: a device without a universal gate set');
  const whole = twirled(circuit, twirl.seed, gates);
  const { gatesAfter, depthAfter } = gateFigures(circuit, whole);
  return {
    circuit: whole,
    compilation: {
      ...compilation,
      gates: { ...compilation.gates, after: gatesAfter },
      depth: { ...compilation.depth, after: depthAfter },
    },
  };
}

/** A circuit as it is answered, and what the compiler did. */
interface Compiled {
  readonly circuit: Circuit;
  readonly compilation: z.output<typeof compiledCircuit>['compilation'];
}

type Twirl = NonNullable<z.output<typeof twirlField>>;

/** Compiles for the engine of a simulator, or for a device. */
function compiled(checked: CheckedCircuit, spec: ProcessorSpec | undefined): Compiled {
  if (spec?.device !== undefined) {
    // A device gives counts alone, so its circuit keeps the added measurement.
    const { circuit, fitting } = fitted(staticCircuit(checked), spec.device, FIXED_LAYOUT_SEED);
    return { circuit, compilation: viewFitting(fitting) };
  }
  if (!spec?.target) {
    throw new ProcessorUnavailableError(checked.target, 'It has no compiler target.');
  }
  const written = circuitAsWritten(checked);
  const options = { keepState: checked.isMeasurementAdded, keepVerbatim: true };
  const { circuit, report } =
    written.numQubits > spec.target.maxQubits
      ? rewrite(written, options)
      : compile(written, spec.target, options);
  return { circuit, compilation: viewCompilation(report) };
}

/** Reads and checks a body: its format, and its circuit as that of a submission with one shot. */
function readBody(value: unknown, targets: readonly Target[]) {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  const given: Readonly<Record<string, unknown>> = isObject ? { ...value } : {};
  const faults: Fault[] = RUN_FIELDS.filter((name) => name in given).map((name) => ({
    path: name,
    message: 'There is no such field: nothing runs.',
  }));
  const { format: asked = 'json' } = given;
  const format = COMPILE_FORMATS.find((known) => known === asked);
  if (format === undefined) {
    faults.push({ path: 'format', message: `Must be one of ${COMPILE_FORMATS.join(', ')}.` });
  }
  const twirl = twirlField.safeParse(given['twirl']);
  if (!twirl.success)
    faults.push(...formFaults(twirl.error, twirlField, given['twirl'], ['twirl']));
  const others = Object.entries(given).filter(
    ([name]) => !['format', 'twirl'].includes(name) && !RUN_FIELDS.includes(name),
  );
  const submitted = isObject ? { ...Object.fromEntries(others), shots: 1 } : value;
  try {
    const body = circuitBodyOf(submitted, targets);
    const checked = checkCircuit(body, targets, undefined, 'compile');
    if (format !== undefined && twirl.success && faults.length === 0) {
      return { format, twirl: twirl.data, body, checked };
    }
  } catch (error) {
    if (!(error instanceof RequestInvalidError)) throw error;
    faults.push(...error.faults);
  }
  throw new RequestInvalidError(faults);
}

/** Warnings of the program, and one if it requests results that only a run has. */
function compileWarnings({ warnings, results }: CheckedCircuit): readonly ProgramWarning[] {
  if (results.length === 0) return warnings;
  const message = 'The results that the program asks for are left out: nothing runs.';
  return [...warnings, { code: 'CIRCUIT_RESULT_IGNORED', message }];
}

const NOT_PRINTED: Fault = {
  path: '',
  message:
    'A program with loops on measured bits, or with values computed from them, can be run but not written out compiled. Submit it to POST /api/v1/quantum/circuits.',
  code: 'CIRCUIT_OPENQASM_UNSUPPORTED',
};

const NOISE_NOT_COMPILED: Fault = {
  path: '',
  message:
    'The circuit has noise, which belongs to the gates as they are written. It can be run but not written out compiled; leave the noise out.',
};

/** Removes the final measurement that was added for a run. */
function circuitAsWritten(checked: CheckedCircuit): Circuit {
  const circuit = staticCircuit(checked);
  if (!checked.isMeasurementAdded) return circuit;
  return { ...circuit, numBits: 0, operations: circuit.operations.slice(0, -1) };
}

/** @throws {RequestInvalidError} if the circuit has noise or computes while it runs. */
function staticCircuit({ circuit, recorded }: CheckedCircuit): Circuit {
  if (isNoisy(circuit)) throw new RequestInvalidError([NOISE_NOT_COMPILED]);
  if (!isStatic(circuit)) {
    const path = recorded === undefined ? 'qasm' : 'qir';
    throw new RequestInvalidError([{ ...NOT_PRINTED, path }]);
  }
  return circuit;
}
