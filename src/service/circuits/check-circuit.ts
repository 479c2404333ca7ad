/**
 * Validates the meaning of a well-formed submission and builds its circuit, or lists every fault.
 *
 * A check whose fields are missing is skipped, so a body with malformed fields still has its other faults
 * listed.
 */
import { type BasisState, readBasisStates } from '../../circuit/basis-states.ts';
import {
  type DynamicCircuit,
  type Qubit,
  savesOf,
  withFinalMeasurement,
} from '../../circuit/circuit.ts';
import { type CircuitLimits, tooManyQubits } from '../../circuit/circuit-limits.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { FaultList, LIMIT_EXCEEDED, type OpenQasmError } from '../../circuit/errors.ts';
import { evolvedCircuitFromGateObjects } from '../../circuit/gate-objects.ts';
import { inputColumns } from '../../circuit/input-columns.ts';
import { withoutLoss } from '../../circuit/loss/loss-facts.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import { readOpenQasm } from '../../circuit/openqasm/parse-openqasm.ts';
import { NO_RESULTS, type ProgramResult } from '../../circuit/openqasm/results.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import {
  factsOf,
  givesMeans,
  MAX_UNITARY_OUTPUT_QUBITS,
  outputsOf,
  requestFor,
} from '../../circuit/outputs.ts';
import { withoutSaves } from '../../circuit/prefixes.ts';
import { readQir } from '../../circuit/qir/read-qir.ts';
import type { RecordedOutput } from '../../circuit/qir/recorded-output.ts';
import { readSweep } from '../../circuit/read-sweep.ts';
import { readStim } from '../../circuit/stim/read-stim.ts';
import type { ShotFormat } from '../../circuit/stim/shot-formats.ts';
import { type Parities, sizesOf } from '../../compiler/clifford/error-walk.ts';
import type { Fault } from '../../errors/coded-error.ts';
import type { CircuitRun, Fitting } from '../../fleet/processor.ts';
import { RequestInvalidError } from '../http/errors.ts';
import { readNoise, targetWithDevice } from './caller-device.ts';
import { checkLossLabels } from './check-loss.ts';
import { type ChosenMethod, methodRequestOf, warningsUnder } from './check-method.ts';
import { checkFields, checkShots, namesOf } from './check-outputs.ts';
import { attempt, checkProgram, checkSource, type Purpose } from './check-program.ts';
import { type CircuitBody, type Output, output } from './circuit-schema.ts';
import {
  checkShotFormat,
  DEFAULT_SHOT_FORMAT,
  type Detection,
  declaredParities,
  readDetection,
} from './detection-events.ts';
import { begunIn, readInitialState } from './initial-state.ts';
import type { AskedLabelFormat } from './outcome-labels.ts';
import {
  type FilledField,
  fieldsOf,
  type ReadSource,
  type RequestedGradient,
  requestedGradient,
} from './program-results.ts';
import { type SavedForm, savedForm } from './saved-outputs.ts';
import { checkTarget, limitsOf, readLimitsOf, type Target } from './targets.ts';

const isOutput = (field: FilledField): field is FilledField & Output =>
  output.options.some((name) => name === field);

/** Well-formed fields of a body. */
export type BodyParts = { readonly [K in keyof CircuitBody]?: CircuitBody[K] | undefined };

/** Circuit that its target accepts, as plain data. */
export interface CheckedCircuit extends ChosenMethod {
  /** Id of the target processor. */
  readonly target: string;
  /** The circuit with its final measurement and its noise. */
  readonly circuit: DynamicCircuit;
  /** Present if the circuit was fitted to an emulated device. */
  readonly fitting?: Fitting;
  /** Qubits of the submitted circuit; one for a device may run on others. */
  readonly numQubits: number;
  /** True if the submitted circuit has no measurement and a final measurement of all qubits was added. */
  readonly isMeasurementAdded: boolean;
  readonly numBits: number;
  /** As in `CheckedGroups`. */
  readonly lossMarks?: readonly Bit[];
  /** The qubit measured into each classical bit; null for a bit that is never written. */
  readonly measuredQubits: readonly (Qubit | null)[];
  readonly outputs: readonly Output[];
  /** Form of the labels of counts and memory. */
  readonly labelFormat: AskedLabelFormat;
  /** Form of detection events and measurements. */
  readonly shotFormat: ShotFormat;
  /** Those of the request, then those of the program, on the qubits of `circuit`. */
  readonly observables: readonly PauliSum[];
  /** Number of observables of the request. */
  readonly numRequested: number;
  /** Results that the program requests, in order. */
  readonly results: readonly ProgramResult[];
  /** Present if the program requests a gradient. */
  readonly gradient?: RequestedGradient;
  /** Set if the state vector is kept for download, and not listed. */
  readonly keepsState?: true;
  /** Present if it has snapshots, in order. */
  readonly saves?: readonly SavedForm[];
  /** Basis states of the request whose amplitudes it asks for. */
  readonly basisStates: readonly BasisState[];
  /** Present if the request declares detectors or logical observables. */
  readonly detection?: Detection;
  /** Bound on the error of the circuit's product formulas, in spectral norm; absent where it has none. */
  readonly errorBound?: number;
  /** Values that a program in QIR records, in its order. */
  readonly recorded?: readonly RecordedOutput[];
  /** Statements of the program that were accepted but ignored. */
  readonly warnings: readonly ProgramWarning[];
}

/**
 * Checks a well-formed body and builds its circuit.
 *
 * @param maxSteps - Limit of steps of a program; no limit unless given.
 * @param purpose - A circuit to compile need not fit the target's device yet.
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
  const draws = names.some((name) => factsOf(name).reads === 'shots') || givesMeans(method);
  const amplitudes = basisStatesOf(checked).map(({ index }) => index);
  return {
    shots: draws ? shots : 0,
    seed,
    ...methodRequestOf(checked),
    ...requestFor(names, { observables, amplitudes }),
  };
}

/** All requested basis states for amplitudes: those of the request, then those of the program's results. */
function basisStatesOf({
  basisStates,
  results,
}: Pick<CheckedCircuit, 'basisStates' | 'results'>): readonly BasisState[] {
  const ofProgram = results.flatMap((result) => (result.type === 'amplitude' ? result.states : []));
  return [...basisStates, ...ofProgram];
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
  const source = checkSource(given, faults);
  const limits = { ...limitsOf(target, targets), ...(maxSteps !== undefined && { maxSteps }) };
  const noise = readNoise(parts.noise, purpose === 'run' ? target?.spec : undefined, faults);
  const program = attempt(faults, () =>
    readProgram(parts, readLimitsOf(target, limits), faults, true),
  );
  const outputs = parts.return ?? ['counts'];
  // A malformed list of outputs leaves the request unknown.
  if (parts.return !== undefined || !given.includes('return')) {
    checkFields('circuit', outputs, given, faults, source);
  }
  if (target?.available) checkShots(parts.shots, target.spec, faults);
  const keepsState = parts.statevector_format === 'binary';
  if (outputs.includes('unitary')) checkUnitary(parts, program, limits, faults);
  if (program === undefined) return undefined;
  const { tracked, repeated } = program.parities ?? {};
  const runsTracked = tracked !== undefined && outputs.includes('detection_events');
  if (repeated !== undefined && purpose === 'compile') {
    const problem = 'The text is too long to be written without its REPEAT blocks.';
    faults.add('stim', problem, LIMIT_EXCEEDED);
    return undefined;
  }
  const needs = runsTracked
    ? TRACKED
    : repeated !== undefined
      ? REPEATED
      : outputs.includes('reference_sample')
        ? REFERENCE
        : undefined;
  if (needs !== undefined) checkFrames(needs, outputs, parts.method, faults);
  if (repeated !== undefined && faults.count > 0) return undefined;
  const measured = withFinalMeasurement(runsTracked ? tracked.circuit : program.circuit);
  const { results } = program.results;
  const { observables: requested = [], qasm, shots } = parts;
  const checked = checkProgram(
    {
      ...parts,
      ...(needs && { method: 'stabilizer', whyAsked: `${needs.what}.` }),
      form: 'circuit',
      groups: [{ circuit: measured, points: undefined }],
      inputs: undefined,
      source,
      qasm,
      outputs,
      keepsState,
      results,
      observables: [...requested, ...program.results.observables],
    },
    { target, limits, noise, purpose },
    faults,
  );
  if (checked === undefined) return undefined;
  const { groups, chosen, observables, numQubits, ...facts } = checked;
  const { circuit } = groups[0]!;
  const { numBits, lossMarks } = facts;
  if (lossMarks !== undefined) {
    if (tracked !== undefined) faults.add('stim', TRACKED_WITH_LOSS, 'CIRCUIT_INVALID');
    checkLossLabels(numBits, outputs, parts.label_format, faults);
  }
  const { shot_format: shotFormat = DEFAULT_SHOT_FORMAT } = parts;
  const basisStates = readBasisStates(parts.basis_states ?? [], circuit.numQubits, faults);
  const parities = parityListsOf(program.parities) ?? declaredParities(parts);
  const sizes = parities && sizesOf(parities);
  const numParities = sizes && sizes.numDetectors + sizes.numObservables;
  const widths = {
    ...(outputs.includes('measurements') && { measurements: numBits }),
    ...(outputs.includes('detection_events') && { detection_events: numParities ?? 0 }),
  };
  checkShotFormat(shotFormat, shots ?? 0, widths, faults);
  if (outputs.includes('reference_sample')) {
    checkShotFormat(shotFormat, 1, { reference_sample: numBits }, faults);
  }
  const detection =
    parities &&
    readDetection(
      parities,
      parts.detector_error_model,
      {
        // That of a text has its noise, and the resets that no run needs.
        circuit: withoutSaves(
          lossMarks !== undefined
            ? withoutLoss(measured)
            : program.parities === undefined
              ? circuit
              : (tracked?.circuit ?? measured),
        ),
        losesQubits: lossMarks !== undefined,
        outputs,
        mayTakeLong: maxSteps === undefined,
      },
      faults,
    );
  if (observables === undefined) return undefined;
  const ofProgram = observables.slice(requested.length);
  const gradient = requestedGradient(program, ofProgram, limits, faults);
  if (target === undefined || chosen === undefined) return undefined;
  const saves = savesOf(circuit);
  return {
    ...facts,
    ...chosen,
    target: target.spec.id,
    circuit,
    numQubits,
    isMeasurementAdded: measured !== program.circuit,
    outputs: [...new Set([...outputs, ...fieldsOf(results, numQubits).filter(isOutput)])],
    labelFormat: parts.label_format ?? 'automatic',
    shotFormat,
    observables,
    numRequested: requested.length,
    results,
    ...(keepsState && { keepsState }),
    ...(saves.length > 0 && { saves: saves.map(savedForm) }),
    basisStates,
    ...(gradient !== undefined && { gradient }),
    ...(detection !== undefined && { detection }),
    ...(program.errorBound !== undefined && { errorBound: program.errorBound }),
    ...(program.recorded !== undefined && { recorded: program.recorded }),
    warnings: [
      ...warningsUnder(noise, program.warnings),
      ...(detection?.warnings ?? []),
      ...(purpose === 'compile' ? warningsOfParities(program.parities) : []),
    ],
  };
}

/** Refuses the unitary of a circuit that does not begin in any state, or whose run on twice its qubits is too wide. */
function checkUnitary(
  { initial_state }: BodyParts,
  program: ReadSource | undefined,
  { maxQubits }: CircuitLimits,
  faults: FaultList,
): void {
  if (initial_state !== undefined) {
    const problem = 'Not taken with unitary, which is that of a circuit from any state.';
    faults.add('initial_state', problem);
  }
  const width = 2 * (program?.circuit.numQubits ?? 0);
  if (width <= maxQubits || width > 2 * MAX_UNITARY_OUTPUT_QUBITS) return;
  const problem = `unitary is computed on twice the qubits, ${width}, and this processor has ${maxQubits}.`;
  faults.add('return', problem, LIMIT_EXCEEDED);
}

/** Problem of a text whose observables have Pauli operators, and whose qubits may be lost. */
export const TRACKED_WITH_LOSS =
  'Observables of Pauli operators do not work with loss of qubits: whether an error flips one then depends on the qubits that are lost.';

/** Detectors and observables of a text; bits that track observables stand for these. */
export function parityListsOf(parities: ReadSource['parities']): Parities | undefined {
  if (parities === undefined) return undefined;
  const { tracked, ...lists } = parities;
  if (tracked === undefined) return lists;
  return { ...lists, logicalObservables: tracked.logicalObservables };
}

/** What only stabilizers run, and its outputs. */
interface NeedsFrames {
  readonly what: string;
  readonly outputs: readonly Output[];
}

const TRACKED: NeedsFrames = {
  what: 'An observable of the text has Pauli operators',
  outputs: ['detection_events', 'detector_error_model'],
};

const REPEATED: NeedsFrames = {
  what: 'The text is so long that its REPEAT blocks are kept as loops',
  outputs: ['detection_events', 'measurements', 'reference_sample', 'detector_error_model'],
};

const REFERENCE: NeedsFrames = {
  what: 'A reference sample is asked for',
  outputs: outputsOf('circuit').filter((name) => factsOf(name).by.stabilizer !== 'never'),
};

/** Adds faults where a run that only stabilizers compute is asked for by another method, or for what it does not give. */
function checkFrames(
  { what, outputs: given }: NeedsFrames,
  outputs: readonly Output[],
  method: BodyParts['method'],
  faults: FaultList,
): void {
  const others = outputs.filter((name) => !given.includes(name));
  if (others.length > 0) {
    const list = `${given.slice(0, -1).join(', ')} and ${given.at(-1)}`;
    const problem = `${what}: its run gives ${list}, and not ${others.join(', ')}.`;
    faults.add('return', problem);
  }
  if (method === undefined || method === 'automatic' || method === 'stabilizer') return;
  faults.add('method', `${what}: only the method stabilizer takes it, not ${method}.`);
}

/** Warning that a circuit is written out without the parities of its text. */
function warningsOfParities(parities: ReadSource['parities']): readonly ProgramWarning[] {
  if (parities === undefined) return [];
  if (parities.detectors.length + parities.logicalObservables.length === 0) return [];
  const message = 'The detectors and observables of the text are left out: nothing runs.';
  return [{ code: 'CIRCUIT_DETECTORS_IGNORED', message }];
}

/**
 * Reads the program of a body; undefined after adding its faults.
 *
 * @param takesLoops - Whether a text in Stim's format may have loops, where it exceeds limits without them.
 */
export function readProgram(
  parts: BodyParts,
  limits: CircuitLimits,
  faults: FaultList,
  takesLoops = false,
): ReadSource | undefined {
  const { circuit, stim, initial_state, qubits } = parts;
  if (initial_state === undefined) return readWithoutState(parts, limits, faults, takesLoops);
  const start = readInitialState(initial_state, stim !== undefined, faults);
  if (start === undefined) return undefined;
  const width = circuit === undefined ? qubits : (qubits ?? start.numQubits);
  const read = readWithoutState({ ...parts, qubits: width }, limits, faults, takesLoops);
  const begun = read && begunIn(read.circuit, start, faults);
  return begun && { ...read, circuit: begun };
}

function readWithoutState(
  { circuit, qasm, stim, qir, inputs, qubits }: BodyParts,
  limits: CircuitLimits,
  faults: FaultList,
  takesLoops: boolean,
): ReadSource | undefined {
  if (circuit !== undefined) {
    const options = { limits, ...(qubits === undefined ? {} : { numQubits: qubits }) };
    const columns = inputs && inputColumns(inputs);
    const read = evolvedCircuitFromGateObjects(circuit, options, columns);
    return { ...read, registers: [], warnings: [], results: NO_RESULTS };
  }
  const read =
    qasm !== undefined
      ? readQasm(qasm, inputs, limits, faults)
      : stim !== undefined
        ? readStimText(stim, inputs, limits, takesLoops, faults)
        : qir !== undefined
          ? readQirProgram(qir, inputs, limits, faults)
          : undefined;
  if (read === undefined) return undefined;
  if (qubits === undefined) return read;
  const wide = widened(read.circuit, qubits, limits, faults);
  return wide === undefined ? undefined : { ...read, circuit: wide };
}

function readQasm(
  qasm: string,
  inputs: BodyParts['inputs'],
  limits: CircuitLimits,
  faults: FaultList,
): ReadSource | undefined {
  const further: OpenQasmError[] = [];
  const read = attempt(faults, () =>
    readText(qasm, inputs ?? {}, limits, (fault) => further.push(fault)),
  );
  for (const { message, code } of further) faults.add('qasm', message, code);
  return read;
}

/** Reads a text in Stim's format with its parities. */
function readStimText(
  text: string,
  inputs: BodyParts['inputs'],
  limits: CircuitLimits,
  takesLoops: boolean,
  faults: FaultList,
): ReadSource | undefined {
  if (inputs !== undefined) faults.add('inputs', "A text in Stim's format has no inputs.");
  const read = attempt(faults, () => readStim(text, limits, { takesLoops }));
  if (read === undefined) return undefined;
  const { circuit, warnings, ...parities } = read;
  return { circuit, registers: [], warnings, results: NO_RESULTS, parities };
}

/** Reads a program in QIR. */
function readQirProgram(
  source: string,
  inputs: BodyParts['inputs'],
  limits: CircuitLimits,
  faults: FaultList,
): ReadSource | undefined {
  if (inputs !== undefined) faults.add('inputs', 'A program in QIR has no inputs.');
  const read = attempt(faults, () => readQir(source, limits));
  return read && { ...read, registers: [], warnings: [], results: NO_RESULTS };
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
