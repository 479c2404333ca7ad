/**
 * Circuits: a flat, immutable list of operations on numbered qubits and classical bits.
 *
 * A list rather than a graph: the order of operations has meaning, passes that need dependencies build them,
 * and plain objects cross threads by structured clone.
 *
 * Conventions of the whole project: qubit 0 is the least significant bit of a basis index and the rightmost
 * character of a label; `targets[0]` is the least significant bit of a gate matrix's index; angles are in
 * radians.
 */
import type { ComplexMatrix } from '../math/complex-matrix.ts';
import type { BasisState } from './basis-states.ts';
import {
  type Bit,
  bitsRead,
  type ClassicalExpression,
  renumbered,
} from './classical-expression.ts';
import type { Channel } from './noise/channel.ts';
import type { PauliSum } from './observable.ts';
import type { Qubit } from './qubit.ts';

export type { Qubit } from './qubit.ts';

/** Condition of an operation: the classical `bits`, `bits[0]` least significant, must read `value`. */
export interface Condition {
  readonly bits: readonly Bit[];
  readonly value: number;
}

/**
 * Role of an operation in the statement that it was written from, where the statement became several operations. Noise
 * models read it, because they describe statements; runs do not heed it.
 *
 * `opening` and `closing` operations come before and after the one that stands for the gate, and have neither noise nor
 * duration of their own. Of operations under exclusive conditions all but the last are a `choice`: each has the noise,
 * and the last the duration.
 */
export type StatementRole = 'opening' | 'closing' | 'choice';

/**
 * A gate of the gate table. Its matrix acts on `targets` where every control is |1⟩; `controls` holds the
 * gate's own controls (one for CX) and any further ones alike.
 */
export interface GateOperation {
  readonly kind: 'gate';
  /** Canonical name in the gate table. */
  readonly gate: string;
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
  /** Radians, in the order of the gate's `parameters`. */
  readonly angles: readonly number[];
  readonly condition?: Condition;
  readonly role?: StatementRole;
  /** Set in a verbatim box, whose gates a compiled circuit has as they were written. Runs do not heed it. */
  readonly isVerbatim?: true;
}

/** An explicit unitary on one to six targets, with any number of controls. */
export interface UnitaryOperation {
  readonly kind: 'unitary';
  readonly controls: readonly Qubit[];
  readonly targets: readonly Qubit[];
  readonly matrix: ComplexMatrix;
  readonly condition?: Condition;
  readonly role?: StatementRole;
  /** Set in a verbatim box, as for a gate. */
  readonly isVerbatim?: true;
}

/** Measures `qubits[i]` in the computational basis into classical bit `bits[i]`. */
export interface MeasureOperation {
  readonly kind: 'measure';
  readonly qubits: readonly Qubit[];
  readonly bits: readonly Bit[];
  readonly condition?: Condition;
  readonly role?: StatementRole;
  /**
   * Set where it measures whether a qubit is lost, 1 if so, and not its value. Runs never see one: `lowerLoss` replaces
   * it.
   */
  readonly readsLoss?: true;
}

/** Returns each qubit to |0⟩, whatever it was entangled with, and loads it again if it was lost. */
export interface ResetOperation {
  readonly kind: 'reset';
  readonly qubits: readonly Qubit[];
  readonly condition?: Condition;
  readonly role?: StatementRole;
}

/** Keeps passes from moving operations on its qubits across it. Engines never see one. */
interface BarrierOperation {
  readonly kind: 'barrier';
  readonly qubits: readonly Qubit[];
  /**
   * Nanoseconds that the qubits then wait together. Noise models turn it into relaxation; users of circuits with noise
   * remove such barriers (`withoutDelays`) once the noise is in.
   */
  readonly duration?: number;
}

/** One entry of a circuit. */
export type Operation =
  | GateOperation
  | UnitaryOperation
  | MeasureOperation
  | ResetOperation
  | BarrierOperation;

/** A circuit on qubits 0 … numQubits − 1 that starts in |0…0⟩, unless an operation says otherwise. */
export interface Circuit {
  readonly numQubits: number;
  /** Bits of an outcome; all read 0 at the start. */
  readonly numBits: number;
  readonly operations: readonly Operation[];
}

/** Assigns a value computed from classical bits to classical bits, `bits[0]` least significant. */
export interface AssignOperation {
  readonly kind: 'assign';
  readonly bits: readonly Bit[];
  readonly value: ClassicalExpression;
  readonly condition?: Condition;
}

/** Loop that runs its body while the condition holds; the condition is tested before each round. */
export interface WhileOperation {
  readonly kind: 'while';
  readonly condition: Condition;
  readonly body: readonly DynamicOperation[];
}

/** Resources of a circuit's classical computation. */
export interface ClassicalControl {
  /** Bits from the circuit's `numBits` on, which are not part of an outcome. */
  readonly numScratchBits: number;
  /** Rounds that one shot may take in all its loops together; a shot that takes more fails the run. */
  readonly maxRounds: number;
}

/** Sends the state of qubits through a channel; `qubits[0]` is its first operand. */
export interface NoiseOperation {
  readonly kind: 'noise';
  readonly qubits: readonly Qubit[];
  readonly channel: Channel;
  readonly condition?: Condition;
}

/**
 * Misreads classical bits that a measurement has just written, each by itself: a 0 becomes 1 with the first
 * probability, a 1 becomes 0 with the second. The state does not change.
 */
export interface MisreadOperation {
  readonly kind: 'misread';
  readonly bits: readonly Bit[];
  readonly p1Given0: number;
  readonly p0Given1: number;
  readonly condition?: Condition;
}

/**
 * Toggles a bit of each shot whose errors have flipped a Pauli string or, so far, an odd number of measured bits.
 *
 * It measures nothing, so that strings of several such operations need not commute. Stabilizer runs alone compute it.
 */
export interface TrackOperation {
  readonly kind: 'track';
  /** Qubits with an X or a Y in the string. */
  readonly flips: readonly Qubit[];
  /** Qubits with a Z or a Y. */
  readonly signs: readonly Qubit[];
  /** The measured bits. */
  readonly reads: readonly Bit[];
  readonly bit: Bit;
  readonly condition?: undefined;
}

/**
 * Runs its body a number of times. Its bits are those of the first round; they are `numBits` higher in each next one,
 * also those that conditions read, which may lie before the loop.
 *
 * Only texts have it whose rounds are too many to be written one by one. Stabilizer runs alone compute it.
 */
export interface RepeatOperation {
  readonly kind: 'repeat';
  readonly count: number;
  /** Bits that a round measures. */
  readonly numBits: number;
  readonly body: readonly DynamicOperation[];
  readonly condition?: undefined;
}

/** A state of all qubits: amplitudes, or the entries of a density matrix; interleaved re, im. */
export type PreparedState =
  /** Length 2·2^numQubits; their squares sum to 1. */
  | { readonly kind: 'pure'; readonly amplitudes: Float64Array }
  /** Row-major; length 2·4^numQubits; Hermitian, not negative, of trace 1. */
  | { readonly kind: 'mixed'; readonly entries: Float64Array };

/** Begins in a state other than |0…0⟩. Only the first operation of a circuit is one, and it is about all qubits. */
export interface InitializeOperation {
  readonly kind: 'initialize';
  /** All qubits, ascending. */
  readonly qubits: readonly Qubit[];
  readonly state: PreparedState;
  readonly condition?: undefined;
}

/** An output of the state at a place of a circuit, as the output of its name is of the final state. */
export type SavedOutput =
  | { readonly what: 'expectation'; readonly observables: readonly PauliSum[] }
  /** Distribution of the values of qubits; bit i of a value is `of[i]`. */
  | { readonly what: 'probabilities'; readonly of: readonly Qubit[] }
  | { readonly what: 'statevector' }
  /** Density matrix of these qubits, `of[0]` least significant; the others are traced out. */
  | { readonly what: 'density_matrix'; readonly of: readonly Qubit[] }
  | { readonly what: 'amplitudes'; readonly basisStates: readonly BasisState[] };

/** Saves an output of the state at its place. It changes nothing, and nothing is moved across it. */
export interface SaveOperation {
  readonly kind: 'save';
  /** All qubits, ascending; in a program, the places of all qubits. */
  readonly qubits: readonly Qubit[];
  readonly label: string;
  /** Index in the caller's list of operations. */
  readonly index: number;
  readonly output: SavedOutput;
  readonly condition?: undefined;
}

/** One entry of a dynamic circuit. */
export type DynamicOperation =
  | Operation
  | SaveOperation
  | InitializeOperation
  | AssignOperation
  | WhileOperation
  | NoiseOperation
  | MisreadOperation
  | TrackOperation
  | RepeatOperation;

/**
 * A circuit with noise, or with classical computation while it runs: loops on measured bits, and bits computed from
 * bits. Every `Circuit` is one; code that handles neither takes a `Circuit`.
 */
export interface DynamicCircuit {
  readonly numQubits: number;
  readonly numBits: number;
  /** Absent where nothing classical is computed. */
  readonly control?: ClassicalControl;
  /** Whether the bits are the outputs of a program that measures nothing. */
  readonly givesOutputs?: true;
  /**
   * Set if qubits may be lost: bits of the outcome, ascending, that a lost qubit may be measured into. The last bits of
   * the outcome, one for each of them in this order, read 1 where it was lost; the bit itself then reads 0.
   */
  readonly lossMarks?: readonly Bit[];
  readonly operations: readonly DynamicOperation[];
}

/** Number of bits that a circuit keeps while it runs: bits of the outcome and scratch bits. */
export const numRegisterBits = ({ numBits, control }: DynamicCircuit): number =>
  numBits + (control?.numScratchBits ?? 0);

/** Whether a circuit has no noise, no loops, no assignments and no scratch bits. */
export function isStatic(circuit: DynamicCircuit): circuit is Circuit {
  if (circuit.control !== undefined) return false;
  return circuit.operations.every((operation) => !isDynamicOperation(operation));
}

/**
 * The circuit with its scratch bits as further bits of the outcome; undefined if it has noise, loops or assignments.
 */
export function withAllBits(circuit: DynamicCircuit): Circuit | undefined {
  const { numQubits, operations } = circuit;
  const whole = { numQubits, numBits: numRegisterBits(circuit), operations };
  return isStatic(whole) ? whole : undefined;
}

const DYNAMIC: ReadonlySet<DynamicOperation['kind']> = new Set<
  Exclude<DynamicOperation, Operation>['kind']
>(['initialize', 'save', 'assign', 'while', 'noise', 'misread', 'track', 'repeat']);

/** Whether only a dynamic circuit may have an operation. No pass sees it, and none moves anything across it. */
export function isDynamicOperation(
  operation: DynamicOperation,
): operation is Exclude<DynamicOperation, Operation> {
  return DYNAMIC.has(operation.kind);
}

/** Error where an operation comes to a method that does not have it. */
export const notByStabilizers = ({ kind }: TrackOperation | RepeatOperation): Error =>
  new Error(`unreachable: only stabilizer runs have the operation ${kind}`);

/** Whether a circuit has noise, in its operations or in the reading of bits. */
export function isNoisy({ operations }: Pick<DynamicCircuit, 'operations'>): boolean {
  return allOperations(operations).some(({ kind }) => kind === 'noise' || kind === 'misread');
}

/** Whether noise acts on the state of a circuit. */
export function hasChannels({ operations }: Pick<DynamicCircuit, 'operations'>): boolean {
  return allOperations(operations).some(({ kind }) => kind === 'noise');
}

/** All operations but loops; the body of a loop once. */
export function allOperations(operations: readonly DynamicOperation[]): readonly SingleOperation[] {
  // Checked: there are no loops.
  if (!operations.some(isLoop)) return operations as readonly SingleOperation[];
  return operations.flatMap((operation) =>
    isLoop(operation) ? allOperations(operation.body) : [operation],
  );
}

/** An operation that is no loop. */
export type SingleOperation = Exclude<DynamicOperation, WhileOperation | RepeatOperation>;

/** Whether an operation has a body that runs several times. */
export const isLoop = (
  operation: DynamicOperation,
): operation is WhileOperation | RepeatOperation =>
  operation.kind === 'while' || operation.kind === 'repeat';

/** Number of operations; a loop on bits counts as one plus its body, and others as all their rounds. */
export function numOperationsOf({ operations }: Pick<DynamicCircuit, 'operations'>): number {
  let count = operations.length;
  for (const operation of operations) {
    if (!isLoop(operation)) continue;
    const ofBody = numOperationsOf({ operations: operation.body });
    count += operation.kind === 'repeat' ? operation.count * ofBody - 1 : ofBody;
  }
  return count;
}

/** Qubits that an operation acts on, controls first. */
export function operationQubits(
  operation: Operation | InitializeOperation | SaveOperation | NoiseOperation | TrackOperation,
): readonly Qubit[] {
  switch (operation.kind) {
    case 'track':
      return [...new Set([...operation.flips, ...operation.signs])];
    case 'gate':
    case 'unitary':
      return operation.controls.length === 0
        ? operation.targets
        : [...operation.controls, ...operation.targets];
    case 'measure':
    case 'reset':
    case 'barrier':
    case 'initialize':
    case 'save':
    case 'noise':
      return operation.qubits;
  }
}

/** Bits that an assignment writes, that its value reads, and that its condition reads. */
export function assignedBits({ bits, value, condition }: AssignOperation): readonly Bit[] {
  return [...new Set([...bits, ...bitsRead(value), ...(condition?.bits ?? [])])];
}

/** Number of angles of all gates together. */
export function numAnglesOf(circuit: DynamicCircuit): number {
  let count = 0;
  for (const operation of allOperations(circuit.operations)) {
    if (operation.kind === 'gate') count += operation.angles.length;
  }
  return count;
}

/** The circuit with those angles in place of its own, in the order of its operations. */
export function withAngles(circuit: Circuit, angles: ArrayLike<number>): Circuit;
export function withAngles(circuit: DynamicCircuit, angles: ArrayLike<number>): DynamicCircuit;
export function withAngles(circuit: DynamicCircuit, angles: ArrayLike<number>): DynamicCircuit {
  let next = 0;
  const withOwn = (operation: DynamicOperation): DynamicOperation => {
    if (isLoop(operation)) return { ...operation, body: operation.body.map(withOwn) };
    if (operation.kind !== 'gate' || operation.angles.length === 0) return operation;
    return { ...operation, angles: operation.angles.map(() => angles[next++]!) };
  };
  return { ...circuit, operations: circuit.operations.map(withOwn) };
}

/**
 * For each classical bit, the qubit last measured into it; null for a bit that was never written, or last
 * written by an assignment.
 *
 * @returns Length `numBits`.
 */
export function measuredQubits(circuit: DynamicCircuit): readonly (Qubit | null)[] {
  const qubits: (Qubit | null)[] = new Array(circuit.numBits).fill(null);
  for (const operation of allOperations(circuit.operations)) {
    if (operation.kind !== 'measure' && operation.kind !== 'assign') continue;
    for (const [i, bit] of operation.bits.entries()) {
      if (bit >= circuit.numBits) continue;
      qubits[bit] = operation.kind === 'measure' ? operation.qubits[i]! : null;
    }
  }
  return qubits;
}

/**
 * Adds a measurement of qubit i into bit i for every qubit, if the circuit measures nothing and has no outputs. Its
 * registers, which may have values, are then no part of the outcome.
 */
export function withFinalMeasurement(circuit: Circuit): Circuit;
export function withFinalMeasurement(circuit: DynamicCircuit): DynamicCircuit;
export function withFinalMeasurement(circuit: DynamicCircuit): DynamicCircuit {
  const { numQubits, numBits, operations, control } = circuit;
  if (circuit.givesOutputs) return circuit;
  for (const { kind } of allOperations(operations)) if (kind === 'measure') return circuit;
  if (operations.some(({ kind }) => kind === 'track' || kind === 'repeat')) return circuit;
  const all = Array.from({ length: numQubits }, (_, qubit) => qubit);
  const measure = { kind: 'measure', qubits: all, bits: all } as const;
  if (control === undefined) {
    return { numQubits, numBits: numQubits, operations: [...operations.flatMap(onZeros), measure] };
  }
  return {
    numQubits,
    numBits: numQubits,
    control: { ...control, numScratchBits: numBits + control.numScratchBits },
    operations: [...onBits(operations, (bit) => bit + numQubits), measure],
  };
}

/** An operation where all bits read 0; none if its condition does not hold. */
function onZeros(operation: DynamicOperation): readonly DynamicOperation[] {
  if (isLoop(operation) || !('condition' in operation)) return [operation];
  const { condition, ...rest } = operation;
  return condition === undefined || condition.value === 0 ? [rest] : [];
}

/** Renumbers the classical bits of operations. */
export function onBits(
  operations: readonly DynamicOperation[],
  toBit: (bit: Bit) => Bit,
): readonly DynamicOperation[] {
  const moved = (condition: Condition) => ({ ...condition, bits: condition.bits.map(toBit) });
  return operations.map((operation): DynamicOperation => {
    if (operation.kind === 'barrier' || operation.kind === 'initialize') return operation;
    if (operation.kind === 'save') return operation;
    if (operation.kind === 'repeat') throw notByStabilizers(operation);
    if (operation.kind === 'while') {
      return {
        kind: 'while',
        condition: moved(operation.condition),
        body: onBits(operation.body, toBit),
      };
    }
    const { condition, ...rest } = operation;
    const under = condition === undefined ? {} : { condition: moved(condition) };
    switch (rest.kind) {
      case 'measure':
      case 'misread':
        return { ...rest, bits: rest.bits.map(toBit), ...under };
      case 'track':
        return { ...rest, reads: rest.reads.map(toBit), bit: toBit(rest.bit) };
      case 'assign':
        return {
          ...rest,
          bits: rest.bits.map(toBit),
          value: renumbered(rest.value, toBit),
          ...under,
        };
      default:
        return { ...rest, ...under };
    }
  });
}

/** The state given by numbers that a circuit begins in; undefined where it begins in |0…0⟩ or is made by gates. */
export function preparedState({ operations: [first] }: DynamicCircuit): PreparedState | undefined {
  return first?.kind === 'initialize' ? first.state : undefined;
}

/** The circuit without the state given by numbers that it begins in. */
export function withoutPreparedState<C extends DynamicCircuit>(circuit: C): C {
  if (preparedState(circuit) === undefined) return circuit;
  return { ...circuit, operations: circuit.operations.slice(1) };
}

/** The snapshots of a circuit, in order. */
export function savesOf({
  operations,
}: Pick<DynamicCircuit, 'operations'>): readonly SaveOperation[] {
  return operations.filter((operation) => operation.kind === 'save');
}

/**
 * The initial state and the gates of a circuit without noise whose measurements, and the assignments that read them,
 * come last.
 */
export function withoutMeasurements(circuit: Circuit): Circuit;
export function withoutMeasurements(circuit: DynamicCircuit): DynamicCircuit;
export function withoutMeasurements({ numQubits, operations }: DynamicCircuit): DynamicCircuit {
  const kept = operations.filter(
    (operation) =>
      operation.kind === 'initialize' ||
      (!isDynamicOperation(operation) && operation.kind !== 'measure'),
  );
  return { numQubits, numBits: 0, operations: kept };
}

/**
 * Whether any operation happens after, or because of, a measurement, reset or noise. Shots then differ, and no
 * single final state vector describes the run.
 */
export function hasMidCircuitMeasurement(circuit: DynamicCircuit): boolean {
  const measured = new Set<Qubit>();
  /** Bits that assignments, which come after all measurements, read or write. */
  const assigned = new Set<Bit>();
  for (const operation of circuit.operations) {
    if (operation.kind === 'barrier' || operation.kind === 'initialize') continue;
    if (operation.kind === 'assign') {
      for (const bit of assignedBits(operation)) assigned.add(bit);
      continue;
    }
    if (operation.kind === 'save') {
      // Shots with different outcomes save different states.
      if (measured.size > 0) return true;
      continue;
    }
    if (isDynamicOperation(operation) || operation.kind === 'reset') return true;
    if (operation.condition !== undefined) return true;
    if (operation.kind === 'measure') {
      if (operation.bits.some((bit) => assigned.has(bit))) return true;
      for (const qubit of operation.qubits) measured.add(qubit);
    } else if (operationQubits(operation).some((qubit) => measured.has(qubit))) {
      return true;
    }
  }
  return false;
}
