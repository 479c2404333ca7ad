/**
 * Validates the meaning of a well-formed submission and builds its circuit, or lists every fault.
 *
 * A check whose fields are missing is skipped, so a body with malformed fields still has its other faults
 * listed.
 */
import {
  type DynamicCircuit,
  measuredQubits,
  type Qubit,
  withFinalMeasurement,
} from '../../circuit/circuit.ts';
import {
  type CircuitLimits,
  DEFAULT_MAX_ROUNDS,
  MAX_CIRCUIT_QUBITS,
  tooManyQubits,
} from '../../circuit/circuit-limits.ts';
import { LIMIT_EXCEEDED, type OpenQasmError } from '../../circuit/errors.ts';
import { FaultList } from '../../circuit/fault-list.ts';
import {
  noisyCircuitFromGateObjects,
  openCircuitFromGateObjects,
} from '../../circuit/gate-objects.ts';
import { inputColumns } from '../../circuit/input-columns.ts';
import { type PauliSum, parseObservables } from '../../circuit/observable.ts';
import { readOpenQasm } from '../../circuit/openqasm/parse-openqasm.ts';
import { type BasisState, NO_RESULTS, type ProgramResult } from '../../circuit/openqasm/results.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { factsOf, requestFor } from '../../circuit/outputs.ts';
import { readSweep } from '../../circuit/read-sweep.ts';
import { CodedError, type Fault } from '../../errors/coded-error.ts';
import { didYouMean } from '../../errors/nearest-names.ts';
import {
  type CircuitRun,
  type Fitting,
  isSimulator,
  type Processor,
  type ProcessorSpec,
} from '../../fleet/processor.ts';
import type { SerializedCircuit } from '../../fleet/workers/sent-circuit.ts';
import type { ProcessorDirectory } from '../directories.ts';
import { RequestInvalidError } from '../errors.ts';
import { type CircuitBody, type Output, output } from '../schemas/circuits.ts';
import { readBasisStates } from './basis-states.ts';
import { targetWithDevice } from './caller-device.ts';
import { checkOperations } from './check-device.ts';
import {
  type ChosenMethod,
  checkMethod,
  methodRequestOf,
  warningsUnder,
  withModel,
} from './check-method.ts';
import { checkAsked, checkDeviceOutputs, checkFields, namesOf } from './check-outputs.ts';
import { type Detection, readDetection } from './detection-events.ts';
import {
  type EmulatedRun,
  emulatedCircuit,
  namesDeviceQubits,
  numReadableQubits,
  observedQubits,
  onObserved,
} from './emulated-circuit.ts';
import { emulatedDeviceOf, readNoise } from './emulated-noise.ts';
import {
  type FilledField,
  fieldsOf,
  type ReadSource,
  type RequestedGradient,
  requestedGradient,
} from './program-results.ts';

/** Greatest number of outcome bits of all shots together: 32 MiB of memory. */
export const MAX_OUTCOME_BITS = 2 ** 28;

const isOutput = (field: FilledField): field is FilledField & Output =>
  output.options.some((name) => name === field);

/** Why a circuit is checked. */
type Purpose = 'run' | 'compile';

/** Properties of a processor that submissions are checked against. */
export interface Target {
  readonly spec: ProcessorSpec;
  readonly available: boolean;
}

/** Current state of the processors as targets, as plain data for a thread. */
export function targetsOf(fleet: ProcessorDirectory): readonly Target[] {
  return fleet.processors.map((processor) => ({
    spec: processor.spec,
    available: processor.availability().available,
  }));
}

/**
 * Processors as targets that read a processor's state only when it is first needed, because a submission
 * concerns one processor.
 */
export function liveTargetsOf(fleet: ProcessorDirectory): readonly Target[] {
  return fleet.processors.map((processor) => new LiveTarget(processor));
}

class LiveTarget implements Target {
  readonly #processor: Processor;
  #spec: ProcessorSpec | undefined;
  #available: boolean | undefined;

  constructor(processor: Processor) {
    this.#processor = processor;
  }

  get spec(): ProcessorSpec {
    this.#spec ??= this.#processor.spec;
    return this.#spec;
  }

  get available(): boolean {
    this.#available ??= this.#processor.availability().available;
    return this.#available;
  }
}

/** Well-formed fields of a body. */
export type BodyParts = { readonly [K in keyof CircuitBody]?: CircuitBody[K] | undefined };

/** Circuit that its target accepts, as plain data. */
export interface CheckedCircuit extends ChosenMethod {
  /** Id of the target processor. */
  readonly target: string;
  /** The circuit with its final measurement and its noise. */
  readonly circuit: DynamicCircuit | SerializedCircuit;
  /** Present if the circuit was fitted to an emulated device. */
  readonly fitting?: Fitting;
  /** Qubits of the submitted circuit; one for a device may run on others. */
  readonly numQubits: number;
  /** True if the submitted circuit has no measurement and a final measurement of all qubits was added. */
  readonly isMeasurementAdded: boolean;
  readonly numBits: number;
  /** The qubit measured into each classical bit; null for a bit that is never written. */
  readonly measuredQubits: readonly (Qubit | null)[];
  readonly outputs: readonly Output[];
  /** Those of the request, then those of the program, on the qubits of `circuit`. */
  readonly observables: readonly PauliSum[];
  /** Number of observables of the request. */
  readonly numRequested: number;
  /** Results that the program requests, in order. */
  readonly results: readonly ProgramResult[];
  /** Present if the program requests a gradient. */
  readonly gradient?: RequestedGradient;
  /** Basis states of the request whose amplitudes it asks for. */
  readonly basisStates: readonly BasisState[];
  /** Present if the request declares detectors or logical observables. */
  readonly detection?: Detection;
  /** Statements of the program that were accepted but ignored. */
  readonly warnings: readonly ProgramWarning[];
}

/**
 * Checks a well-formed body and builds its circuit.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @param purpose - What is compiled need not fit the target's device yet.
 * @throws {RequestInvalidError} listing every fault of meaning.
 * @throws {StepsSpentError} if a program takes more steps.
 */
export function checkCircuit(
  body: CircuitBody,
  targets: readonly Target[],
  maxSteps?: number,
  purpose: Purpose = 'run',
): CheckedCircuit {
  const faults = new FaultList();
  const checked = checkParts(body, Object.keys(body), targets, faults, { maxSteps, purpose });
  if (faults.count > 0) throw new RequestInvalidError(faults.kept);
  if (checked === undefined) throw new Error('unreachable: no circuit and no fault');
  return checked;
}

/**
 * Faults of meaning in a body that is also malformed.
 *
 * @param given - Names of the given fields, including malformed ones.
 */
export function meaningFaults(
  parts: BodyParts,
  given: readonly string[],
  targets: readonly Target[],
  maxSteps?: number,
): readonly Fault[] {
  const faults = new FaultList();
  checkParts(parts, given, targets, faults, { maxSteps, purpose: 'run' });
  return faults.kept;
}

/** Shots and outputs requested from the processor. */
export function runRequest(
  checked: CheckedCircuit,
  shots: number,
  seed: number,
): CircuitRun['request'] {
  const { observables, method } = checked;
  const names = namesOf(checked);
  const draws = names.some((name) => factsOf(name).reads === 'shots') || method === 'trajectories';
  const amplitudes = basisStatesOf(checked).map(({ index }) => index);
  return {
    shots: draws ? shots : 0,
    seed,
    ...methodRequestOf(checked),
    ...requestFor(names, { observables, amplitudes }),
  };
}

/** All basis states whose amplitudes are asked for: those of the request, then those of the program's results in order. */
function basisStatesOf({
  basisStates,
  results,
}: Pick<CheckedCircuit, 'basisStates' | 'results'>): readonly BasisState[] {
  const ofProgram = results.flatMap((result) => (result.type === 'amplitude' ? result.states : []));
  return [...basisStates, ...ofProgram];
}

/** Method of a circuit that is compiled and not run. */
const NO_RUN: ChosenMethod = { method: 'statevector', methodReason: 'Nothing runs.' };

/** Whether a circuit is written out compiled, so that the width of states does not matter. */
function isWritten(purpose: Purpose, spec: ProcessorSpec | undefined): boolean {
  return purpose === 'compile' && (spec?.device !== undefined || spec?.family === 'qvm');
}

function checkParts(
  parts: BodyParts,
  given: readonly string[],
  targets: readonly Target[],
  faults: FaultList,
  { maxSteps, purpose }: { readonly maxSteps: number | undefined; readonly purpose: Purpose },
): CheckedCircuit | undefined {
  const named = checkTarget(parts.target_processor, targets, faults);
  const isMalformed = given.includes('device') && !('device' in parts);
  const target = targetWithDevice(named, parts.device, faults, isMalformed);
  checkSource(given, faults);
  const limits = { ...limitsOf(target, targets), ...(maxSteps !== undefined && { maxSteps }) };
  const device = purpose === 'run' ? emulatedDeviceOf(target?.spec) : undefined;
  const noise = readNoise(parts.noise, purpose === 'run' ? target?.spec : undefined, faults);
  const program = attempt(faults, () => readProgram(parts, readLimitsOf(target, limits), faults));
  const written = program?.circuit;
  const measured = written === undefined ? undefined : withFinalMeasurement(written);
  const outputs = parts.return ?? ['counts'];
  // A malformed list of outputs does not say what was requested.
  if (parts.return !== undefined || !given.includes('return')) {
    checkFields('circuit', outputs, given, faults);
  }
  if (target?.available) checkShots(parts.shots, target.spec, faults);
  if (measured === undefined || program === undefined) return undefined;
  const warnings = warningsUnder(noise, program.warnings);
  const { results } = program.results;
  const requested = parts.observables ?? [];
  const observables = attempt(faults, () =>
    parseObservables(
      [...requested, ...program.results.observables],
      numReadableQubits(measured, device),
      'observables',
    ),
  );
  const source = parts.qasm === undefined ? 'circuit' : 'qasm';
  const asked = { outputs, results, shots: parts.shots };
  if (target?.spec.device !== undefined && purpose === 'run') {
    checkDeviceOutputs('circuit', asked, target.spec, faults);
    checkOperations(measured, target.spec.device, source, faults);
  }
  const needsDevice = target !== undefined && device !== undefined;
  if (needsDevice && (faults.count > 0 || noise === undefined || observables === undefined)) {
    return undefined;
  }
  const observed = device && observables && observedQubits(observables);
  const run: EmulatedRun | undefined =
    needsDevice && noise !== undefined && observed !== undefined
      ? emulatedCircuit(
          measured,
          {
            id: target.spec.id,
            device,
            noise,
            observed,
            isRead: namesOf(asked).some((name) => factsOf(name).reads !== 'state'),
            source,
            isPlaced: namesDeviceQubits(parts.qasm),
            mayTakeLong: maxSteps === undefined,
          },
          faults,
        )
      : { circuit: withModel(measured, noise, faults) };
  if (run === undefined) return undefined;
  const { circuit } = run;
  const chosen = isWritten(purpose, target?.spec)
    ? NO_RUN
    : target &&
      checkMethod(
        { ...parts, ...asked, circuit, mayTakeLong: maxSteps === undefined },
        sizedSpec(target, limits),
        faults,
      );
  checkAsked(circuit, asked, chosen?.method, faults);
  checkOutcomeBits(circuit, parts.shots, faults);
  const basisStates = readBasisStates(parts.basis_states ?? [], circuit.numQubits, faults);
  const detection = readDetection(parts, circuit, outputs, parts.shots, faults);
  if (observables === undefined) return undefined;
  const gradient = requestedGradient(program, observables.slice(requested.length), limits, faults);
  if (target === undefined || chosen === undefined) return undefined;
  return {
    target: target.spec.id,
    circuit,
    ...(run.fitting !== undefined && { fitting: run.fitting }),
    ...chosen,
    isMeasurementAdded: measured !== written,
    numQubits: measured.numQubits,
    numBits: measured.numBits,
    measuredQubits: measuredQubits(measured),
    outputs: [...new Set([...outputs, ...fieldsOf(results, measured.numQubits).filter(isOutput)])],
    observables: observed === undefined ? observables : onObserved(observables, observed),
    numRequested: requested.length,
    results,
    basisStates,
    ...(gradient !== undefined && { gradient }),
    ...(detection !== undefined && { detection }),
    warnings,
  };
}

export function checkTarget(
  id: string | undefined,
  targets: readonly Target[],
  faults: FaultList,
): Target | undefined {
  if (id === undefined) return undefined;
  const target = targets.find(({ spec }) => spec.id === id);
  if (target === undefined) {
    const known = targets.map(({ spec }) => spec.id);
    const problem = `There is no processor ${JSON.stringify(id)}; there are ${known.join(', ')}.`;
    faults.add('target_processor', `${problem}${didYouMean(id, known)}`);
  }
  return target;
}

export function checkSource(given: readonly string[], faults: FaultList): void {
  const hasObjects = given.includes('circuit');
  const hasText = given.includes('qasm');
  if (hasObjects && hasText) faults.add('qasm', 'Give either circuit or qasm, not both.');
  if (!hasObjects && !hasText) faults.add('circuit', 'Required: circuit, or qasm instead.');
}

/**
 * Limits of the target. If it is unknown or unavailable, those of the widest processor are used: an offline
 * processor may have no limits, and its caller should learn that it is offline. Other emulated devices do not count,
 * because they simulate only some of their qubits.
 */
export function limitsOf(target: Target | undefined, targets: readonly Target[]): CircuitLimits {
  const others = targets.filter(({ spec }) => spec.device?.emulation === undefined);
  const given = target === undefined ? [] : [target];
  const specs = (target?.available ? given : [...given, ...others]).map(({ spec }) => spec);
  const maxQubits = Math.max(1, ...specs.map((spec) => spec.maxQubits));
  const stateMemory = specs.find((spec) => spec.maxQubits === maxQubits)?.stateMemory;
  return {
    maxQubits,
    maxGates: Math.max(1, ...specs.map((spec) => spec.maxGates)),
    maxRounds: Math.max(...specs.map((spec) => spec.maxRounds ?? DEFAULT_MAX_ROUNDS)),
    ...(stateMemory === undefined ? {} : { stateMemory }),
    ...widerElsewhere(target, targets),
  };
}

/** What a caller of a simulator of state vectors alone may try with a wide circuit. */
function widerElsewhere(
  target: Target | undefined,
  targets: readonly Target[],
): Pick<CircuitLimits, 'widerElsewhere'> {
  if (target === undefined || !isSimulator(target)) return {};
  const wide = targets.find(({ spec }) => spec.family === 'qvm');
  return wide === undefined ? {} : { widerElsewhere: `${wide.spec.id} ${TAKES_WIDER}` };
}

const TAKES_WIDER = `takes up to ${MAX_CIRCUIT_QUBITS.toLocaleString('en-US')} qubits of circuits that are Clifford or little entangled.`;

/** Limits of reading: a processor that chooses methods says itself which of them take a wide circuit. */
export function readLimitsOf(target: Target | undefined, limits: CircuitLimits): CircuitLimits {
  if (target?.spec.family !== 'qvm') return limits;
  const { stateMemory: _, ...others } = limits;
  return { ...others, maxQubits: MAX_CIRCUIT_QUBITS };
}

/** The target with the width limit that its circuits are checked against. */
export function sizedSpec({ spec }: Target, { maxQubits }: CircuitLimits): ProcessorSpec {
  return { ...spec, maxQubits };
}

function readProgram(
  { circuit, qasm, inputs, qubits }: BodyParts,
  limits: CircuitLimits,
  faults: FaultList,
): ReadSource | undefined {
  if (circuit !== undefined) {
    const options = { limits, ...(qubits === undefined ? {} : { numQubits: qubits }) };
    const read =
      inputs === undefined
        ? noisyCircuitFromGateObjects(circuit, options)
        : openCircuitFromGateObjects(circuit, options, inputColumns(inputs), 0).circuit;
    return { circuit: read, registers: [], warnings: [], results: NO_RESULTS };
  }
  if (qasm === undefined) return undefined;
  const further: OpenQasmError[] = [];
  const read = attempt(faults, () =>
    readText(qasm, inputs ?? {}, limits, (fault) => further.push(fault)),
  );
  for (const { message, code } of further) faults.add('qasm', message, code);
  if (read === undefined) return undefined;
  if (qubits === undefined) return read;
  const wide = widened(read.circuit, qubits, limits, faults);
  return wide === undefined ? undefined : { ...read, circuit: wide };
}

/** Reads a text, with the formulas of its angles if it requests a gradient. */
function readText(
  qasm: string,
  inputs: NonNullable<CircuitBody['inputs']>,
  limits: CircuitLimits,
  onFurtherFault: (fault: OpenQasmError) => void,
): ReadSource {
  const read = readOpenQasm(qasm, limits, { inputs, onFurtherFault });
  if (!read.results.results.some(({ type }) => type === 'adjoint_gradient')) return read;
  return { ...read, sweep: readSweep({ qasm }, inputColumns(inputs), limits) };
}

/** Extends the circuit to `numQubits` qubits; the text declares only the first ones. */
function widened(
  circuit: DynamicCircuit,
  numQubits: number,
  limits: CircuitLimits,
  faults: FaultList,
): DynamicCircuit | undefined {
  if (numQubits < circuit.numQubits) {
    faults.add('qubits', `The text declares ${circuit.numQubits} qubits, not ${numQubits}.`);
  } else if (numQubits > limits.maxQubits) {
    const problem = tooManyQubits(`The circuit has ${numQubits} qubits`, numQubits, limits);
    faults.add('qubits', problem, LIMIT_EXCEEDED);
  } else {
    return { ...circuit, numQubits };
  }
  return undefined;
}

export function checkShots(
  shots: number | undefined,
  spec: ProcessorSpec,
  faults: FaultList,
): void {
  if (shots === undefined || shots <= spec.maxShots) return;
  const problem = `${shots} shots; the limit max_shots of ${spec.id} is ${spec.maxShots}.`;
  faults.add('shots', problem, LIMIT_EXCEEDED);
}

export function checkOutcomeBits(
  circuit: DynamicCircuit,
  shots: number | undefined,
  faults: FaultList,
): void {
  if (shots === undefined || circuit.numBits * shots <= MAX_OUTCOME_BITS) return;
  const most = Math.floor(MAX_OUTCOME_BITS / circuit.numBits);
  const problem = `${shots} shots of ${circuit.numBits} classical bits; the limit is ${most} shots (2^28 bits in all).`;
  faults.add('shots', problem, LIMIT_EXCEEDED);
}

/** Returns the result of `read`, or adds the faults of a thrown CodedError and returns undefined. */
export function attempt<T>(faults: FaultList, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    for (const fault of error.faults)
      faults.add(fault.path, fault.message, fault.code ?? error.code);
    if (error.faults.length === 0) faults.add('circuit', error.message, error.code);
    return undefined;
  }
}
