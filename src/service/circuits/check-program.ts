/**
 * Checks a program that was read, for its target, and makes the circuits that run there. A circuit is a program with
 * one point. Whatever the form of a request, its program comes here, so that the order of the checks is one:
 * observables, device, noise, method, outputs.
 */
import {
  type DynamicCircuit,
  hasChannels,
  isNoisy,
  measuredQubits,
  preparedState,
  type Qubit,
  savesOf,
} from '../../circuit/circuit.ts';
import type { CircuitLimits } from '../../circuit/circuit-limits.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import type { FaultList } from '../../circuit/errors.ts';
import type { InputColumns } from '../../circuit/input-columns.ts';
import type { NoiseModel } from '../../circuit/noise/read-noise-model.ts';
import {
  type ObservableObject,
  type PauliSum,
  parseObservables,
} from '../../circuit/observable.ts';
import { factsOf } from '../../circuit/outputs.ts';
import { CodedError } from '../../errors/coded-error.ts';
import type { Fitting, ProcessorSpec } from '../../fleet/processor.ts';
import { circuitWork } from '../../fleet/schedule/scheduled-run.ts';
import { emulatedDeviceOf } from './caller-device.ts';
import { checkLoss } from './check-loss.ts';
import { type ChosenMethod, checkMethod, type MethodFields, withModel } from './check-method.ts';
import {
  type Asked,
  checkAsked,
  checkOutcomeBits,
  checkSavesTaken,
  namesOf,
} from './check-outputs.ts';
import { SOURCES, type SourceField } from './circuit-schema.ts';
import {
  checkDevice,
  emulatedGroups,
  namesDeviceQubits,
  numReadableQubits,
  observedQubits,
  onObserved,
} from './emulated-circuit.ts';
import { type PointGroup, typicalCircuit } from './point-groups.ts';
import { sizedSpec, type Target } from './targets.ts';

/** Why a circuit is checked. */
export type Purpose = 'run' | 'compile';

/** A program that was read, and all that is asked of it. */
export interface ProgramQuestion extends Asked, MethodFields {
  readonly form: 'circuit' | 'batch';
  /** With their final measurements; at least one, all with the same numbers of qubits and bits. */
  readonly groups: readonly PointGroup[];
  /** Undefined where the circuit was read for its one point alone. */
  readonly inputs: InputColumns | undefined;
  /** Field that the program came in. */
  readonly source: SourceField;
  /** Text of an OpenQASM program; undefined for other programs. */
  readonly qasm: string | undefined;
  readonly observables: readonly ObservableObject[];
  /** As in `MethodQuestion`. */
  readonly whyAsked?: string;
}

/** Context in which a program is checked. */
export interface ProgramContext {
  readonly target: Target | undefined;
  readonly limits: CircuitLimits;
  /** Model of the noise, its own on an emulated device; undefined where there is none, or it has faults. */
  readonly noise: NoiseModel | undefined;
  readonly purpose: Purpose;
}

/** A program that its target accepts, if there are no faults. */
export interface CheckedGroups {
  /** The circuits that run, with their noise. */
  readonly groups: readonly PointGroup[];
  /** Present if the first circuit was fitted to an emulated device. */
  readonly fitting?: Fitting;
  /** Undefined where no target is known, or no method serves. */
  readonly chosen: ChosenMethod | undefined;
  /** On the qubits of the circuits that run; undefined where they have faults. */
  readonly observables: readonly PauliSum[] | undefined;
  /** Qubits of the circuit as it was submitted; a circuit for a device may run on others. */
  readonly numQubits: number;
  readonly numBits: number;
  /** Present if qubits may be lost: bits that have a mark beside the `numBits` bits, as in a circuit. */
  readonly lossMarks?: readonly Bit[];
  /** The qubit measured into each classical bit; null for a bit that is never written. */
  readonly measuredQubits: readonly (Qubit | null)[];
}

/** Checks a program; undefined after adding faults beyond which there is nothing to check. */
export function checkProgram(
  question: ProgramQuestion,
  { target, limits, noise, purpose }: ProgramContext,
  faults: FaultList,
): CheckedGroups | undefined {
  const { form, groups: written, inputs, source, qasm } = question;
  const { circuit } = written[0]!;
  const mayTakeLong = limits.maxSteps === undefined;
  const device = purpose === 'run' ? emulatedDeviceOf(target?.spec) : undefined;
  const observables = attempt(faults, () =>
    parseObservables(question.observables, numReadableQubits(circuit, device), 'observables'),
  );
  const isDevice = purpose === 'run' && target?.spec.device !== undefined;
  if (isDevice && preparedState(circuit) !== undefined) {
    const problem = `${target.spec.id} is a device, which begins in a basis or product state. Simulators, such as qvm, begin in any.`;
    faults.add('initial_state', problem);
    return undefined;
  }
  if (purpose === 'compile')
    checkSavesTaken(circuit, 'a compiled circuit has no snapshots, because nothing runs.', faults);
  else if (isDevice)
    checkSavesTaken(circuit, `${target.spec.id} is a device; qvm takes it.`, faults);
  const saved = [...new Set(savesOf(circuit).map(({ output }) => output.what))];
  if (source === 'stim') checkStim(question, purpose === 'run' ? target?.spec : undefined, faults);
  if (target !== undefined && purpose === 'run') {
    const circuits = written.map((group) => group.circuit);
    checkDevice(form, circuits, question, source, target.spec, faults);
  }
  const observed = device && observables && observedQubits(observables);
  let groups: readonly PointGroup[];
  let fitting: Fitting | undefined;
  if (target !== undefined && device !== undefined) {
    if (faults.count > 0 || noise === undefined || observed === undefined) return undefined;
    const names = namesOf(question);
    const request = {
      id: target.spec.id,
      device,
      noise,
      observed,
      isRead: names.some((name) => factsOf(name).reads !== 'state'),
      source,
      isPlaced: namesDeviceQubits(qasm),
      mayTakeLong,
    } as const;
    const emulated = emulatedGroups(written, inputs, names, request, faults);
    if (emulated === undefined) return undefined;
    ({ groups, fitting } = emulated);
  } else {
    groups = written.map((group) => ({
      ...group,
      circuit: withModel(group.circuit, noise, namesOf({ ...question, saved }), faults),
    }));
  }
  const chosen = isWritten(purpose, target?.spec)
    ? NO_RUN
    : target &&
      methodOfGroups(
        { ...question, saved, ...(observables?.length && { sums: observables }) },
        groups,
        sizedSpec(target, limits),
        mayTakeLong,
        faults,
      );
  for (const group of groups) checkAsked(group.circuit, question, chosen?.method, faults);
  checkLoss(
    groups.map((group) => group.circuit),
    question,
    faults,
  );
  checkOutcomeBits(groups[0]!.circuit, question.shots, faults);
  const { numQubits, numBits } = circuit;
  const { lossMarks } = groups[0]!.circuit;
  const isRepeated = circuit.operations.some(({ kind }) => kind === 'repeat');
  return {
    groups,
    ...(fitting !== undefined && { fitting }),
    chosen,
    observables: observables && observed ? onObserved(observables, observed) : observables,
    numQubits,
    numBits,
    ...(lossMarks !== undefined && { lossMarks }),
    // A list as long as the record of a text with loops would be of no use.
    measuredQubits: isRepeated ? [] : measuredQubits(circuit),
  };
}

/**
 * Adds a fault where noise would be added to a text in Stim's format: it would disturb the qubit on which heralds and constants
 * are measured, and gates have other names there.
 */
function checkStim(
  { noise }: Pick<ProgramQuestion, 'noise'>,
  spec: ProcessorSpec | undefined,
  faults: FaultList,
): void {
  if (noise !== undefined)
    faults.add('noise', 'Not taken with stim: the text has its noise itself.');
  if (spec?.device === undefined) return;
  const problem = `A text in Stim's format runs on simulators, such as qvm, and ${spec.id} is a device. Send it as circuit or qasm.`;
  faults.add('stim', problem);
}

/** Method of a circuit that is compiled and not run. */
const NO_RUN: ChosenMethod = { method: 'statevector', methodReason: 'Nothing runs.' };

/** Whether a circuit is written out compiled, so that the width of states does not matter. */
function isWritten(purpose: Purpose, spec: ProcessorSpec | undefined): boolean {
  return purpose === 'compile' && (spec?.device !== undefined || spec?.family === 'qvm');
}

/** Method of all points: that of the first circuit with channels or other noise, or else of one that measures in mid-circuit. */
function methodOfGroups(
  question: ProgramQuestion,
  groups: readonly PointGroup[],
  spec: ProcessorSpec,
  mayTakeLong: boolean,
  faults: FaultList,
): ChosenMethod | undefined {
  const group =
    groups.find(({ circuit }) => hasChannels(circuit)) ??
    groups.find(({ circuit }) => isNoisy(circuit)) ??
    groups.find(({ circuit }) => circuitWork(circuit).isBranching) ??
    groups[0]!;
  const { circuit } = group;
  const own = groups.length === 1 ? undefined : (): DynamicCircuit => circuit;
  const typicalPoint = typicalCircuit(group, question.inputs) ?? own;
  return checkMethod({ ...question, circuit, typicalPoint, mayTakeLong }, spec, faults);
}

/** The field that a program comes in. Adds a fault unless a body has one of them. */
export function checkSource(given: readonly string[], faults: FaultList): SourceField {
  const [first, second] = SOURCES.filter((source) => given.includes(source));
  if (second !== undefined) faults.add(second, `Give either ${first} or ${second}, not both.`);
  if (first === undefined)
    faults.add('circuit', 'Required: circuit, or qasm, stim or qir instead.');
  return first ?? 'circuit';
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
