/**
 * Compiles a Clifford circuit with Pauli noise to a stabilizer program. Gates are recognised by their matrices,
 * whatever they are called.
 */
import {
  type AssignOperation,
  type Condition,
  type DynamicCircuit,
  type DynamicOperation,
  type GateOperation,
  type InitializeOperation,
  isLoop,
  type MisreadOperation,
  type NoiseOperation,
  operationQubits,
  type Qubit,
  type ResetOperation,
  type SingleOperation,
  type TrackOperation,
  type UnitaryOperation,
} from '../../circuit/circuit.ts';
import { type KrausChannel, type PauliChannel, simulated } from '../../circuit/noise/channel.ts';
import { inPlace, lastReadings } from '../noise/last-readings.ts';
import { STABILIZER_OPS, STABILIZER_WORDS, type StabilizerProgram } from '../program.ts';
import { frameReference } from './frame-reference.ts';
import { CliffordRecognition } from './pauli-images.ts';

/** The first operation of a circuit that a stabilizer program cannot have. */
export interface NotCliffordReason {
  readonly kind: 'not-clifford';
  /** Index of the operation; within loops, the indices of the loops come first. */
  readonly place: readonly number[];
  /** For example `T on qubit 3`. */
  readonly operation: string;
}

/** Programs of circuits that are in use: the choice of a method compiles a circuit, and so do its detectors. */
const known = new WeakMap<DynamicCircuit, StabilizerProgram | NotCliffordReason>();

/** Compiles a circuit, or says why it is no Clifford circuit with Pauli noise. A circuit is compiled once. */
export function compileStabilizer(circuit: DynamicCircuit): StabilizerProgram | NotCliffordReason {
  let program = known.get(circuit);
  if (program === undefined) {
    program = compiled(circuit, lastReadings(circuit.operations));
    known.set(circuit, program);
  }
  return program;
}

/**
 * Compiles a circuit with its measurements where they are written, and qubits that are measured and reset one after the
 * other. The lines of random detectors depend on this order.
 */
export function compileAsWritten(circuit: DynamicCircuit): StabilizerProgram | NotCliffordReason {
  return compiled(circuit, inPlace(oneByOne(circuit.operations)));
}

function oneByOne(operations: readonly DynamicOperation[]): readonly DynamicOperation[] {
  return operations.flatMap((operation, i, all): readonly DynamicOperation[] => {
    if (operation.kind === 'repeat') return [{ ...operation, body: oneByOne(operation.body) }];
    if (operation.kind === 'reset' && isOfMeasured(operation, all, i)) return [];
    if (operation.kind !== 'measure') return [operation];
    const next = all[i + 1]?.kind === 'misread' ? i + 2 : i + 1;
    const reset = all[next];
    if (reset?.kind !== 'reset' || !isOfMeasured(reset, all, next)) return [operation];
    return operation.qubits.flatMap((qubit, k) => [
      { ...operation, qubits: [qubit], bits: [operation.bits[k]!] },
      { ...reset, qubits: [qubit] },
    ]);
  });
}

/** Whether a reset is of the qubits that the measurement before it has measured. */
function isOfMeasured(
  { qubits, condition }: ResetOperation,
  operations: readonly DynamicOperation[],
  place: number,
): boolean {
  const before = operations[place - 1]?.kind === 'misread' ? place - 2 : place - 1;
  const measure = operations[before];
  if (measure?.kind !== 'measure' || condition !== measure.condition) return false;
  return qubits.join() === measure.qubits.join();
}

/** The first operation that is neither Clifford nor Pauli noise; undefined if there is none. */
function firstNotClifford(
  operations: readonly DynamicOperation[],
  recognition: CliffordRecognition,
  path: readonly number[],
): NotCliffordReason | undefined {
  for (const [i, operation] of operations.entries()) {
    if (isLoop(operation)) {
      const inner = firstNotClifford(operation.body, recognition, [...path, i]);
      if (inner !== undefined) return inner;
      continue;
    }
    const isRefused =
      operation.kind === 'gate' || operation.kind === 'unitary'
        ? recognition.gatesOf(operation) === undefined
        : operation.kind === 'initialize' ||
          (operation.kind === 'noise' && !isStabilizerNoise(operation));
    if (!isRefused) continue;
    // Checked: nothing else is refused.
    const refused = operation as RefusedOperation;
    return { kind: 'not-clifford', place: [...path, i], operation: written(refused) };
  }
  return undefined;
}

type RefusedOperation = GateOperation | UnitaryOperation | NoiseOperation | InitializeOperation;

function written(operation: RefusedOperation): string {
  if (operation.kind === 'initialize') return 'an initial state given by numbers';
  const qubits = operationQubits(operation);
  const name =
    operation.kind === 'gate'
      ? `${operation.gate}${operation.angles.length > 0 ? `(${operation.angles.join(', ')})` : ''}`
      : operation.kind === 'unitary'
        ? 'An explicit unitary'
        : 'a channel that is no mixture of Pauli errors';
  return `${name} on qubit${qubits.length === 1 ? '' : 's'} ${qubits.join(', ')}`;
}

function isStabilizerNoise(operation: NoiseOperation): boolean {
  const channel = simulated(operation.channel);
  return channel.kind === 'pauli' || resetOf(channel) !== undefined;
}

/** A reset that happens with some probability. */
interface ChanceReset {
  readonly probability: number;
  readonly value: 0 | 1;
}

/** The reset by chance that a channel on one qubit is; undefined if it is none. */
function resetOf({ numQubits, matrices }: KrausChannel): ChanceReset | undefined {
  if (numQubits !== 1) return undefined;
  const weights = [0, 0, 0, 0];
  for (const matrix of matrices) {
    const squares = [0, 1, 2, 3].map((i) => matrix[2 * i]! ** 2 + matrix[2 * i + 1]! ** 2);
    const places = squares.flatMap((square, i) => (square > 1e-18 ? [i] : []));
    const isKept =
      places.join() === '0,3' &&
      Math.hypot(matrix[0]! - matrix[6]!, matrix[1]! - matrix[7]!) < 1e-9;
    if (isKept) continue;
    if (places.length !== 1) return undefined;
    weights[places[0]!]! += squares[places[0]!]!;
  }
  for (const value of [0, 1] as const) {
    const [fromZero, fromOne] = [weights[2 * value]!, weights[2 * value + 1]!];
    const others = weights[2 - 2 * value]! + weights[3 - 2 * value]!;
    if (others === 0 && Math.abs(fromZero - fromOne) < 1e-9)
      return { probability: fromZero, value };
  }
  return undefined;
}

function compiled(
  { numQubits, numBits, control, operations: all }: DynamicCircuit,
  { operations, measures, misreads, assignments }: ReturnType<typeof lastReadings>,
): StabilizerProgram | NotCliffordReason {
  const recognition = new CliffordRecognition();
  const reason = firstNotClifford(all, recognition, []);
  if (reason !== undefined) return reason;
  const writer = new ProgramWriter(recognition);
  for (const operation of operations) writer.add(operation);
  const numBodyInstructions = writer.code.numInstructions;
  for (const operation of [...measures, ...misreads, ...assignments]) writer.add(operation);
  const tables = writer.code.tables();
  const isGate = (operation: DynamicOperation) =>
    operation.kind === 'barrier' ||
    ((operation.kind === 'gate' || operation.kind === 'unitary') &&
      operation.condition === undefined);
  return {
    numQubits,
    numBits,
    ...(control === undefined ? {} : { control }),
    numBodyInstructions,
    ...tables,
    ...frameReference(tables),
    hasFinalState: operations.every(isGate),
  };
}

class ProgramWriter {
  readonly code = new StabilizerCode();
  readonly #recognition: CliffordRecognition;

  constructor(recognition: CliffordRecognition) {
    this.#recognition = recognition;
  }

  add(operation: DynamicOperation): void {
    if (operation.kind === 'barrier') return;
    if (operation.kind === 'while') {
      const jump = this.code.addUnless(operation.condition);
      for (const inner of operation.body) this.add(inner);
      this.code.add(STABILIZER_OPS.again, jump, 1);
      this.code.endUnless(jump);
      return;
    }
    if (operation.kind === 'repeat') {
      const { count, numBits, body } = operation;
      const head = this.code.add(STABILIZER_OPS.repeat, count, 0, numBits);
      for (const inner of body) this.add(inner);
      this.code.endRepeat(head);
      return;
    }
    if (operation.kind === 'assign') {
      // An assignment tests its condition itself.
      this.code.addAssignment(operation);
      return;
    }
    this.code.under(operation.condition, () => this.#addPlain(operation));
  }

  #addPlain(operation: Exclude<SingleOperation, { kind: 'barrier' | 'assign' }>): void {
    const { code } = this;
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        this.#addGate(operation);
        break;
      case 'noise':
        this.#addNoise(operation);
        break;
      case 'misread':
        code.addMisread(operation);
        break;
      case 'measure':
        for (const [i, qubit] of operation.qubits.entries()) {
          code.add(STABILIZER_OPS.measure, qubit, operation.bits[i]!);
        }
        break;
      case 'reset':
        for (const qubit of operation.qubits) code.add(STABILIZER_OPS.reset, qubit);
        break;
      case 'track':
        code.addTrack(operation);
        break;
      case 'save':
        throw new Error('unreachable: a snapshot is a run of its own');
      case 'initialize':
        throw new Error('unreachable: an initial state that was not checked');
    }
  }

  #addGate(operation: GateOperation | UnitaryOperation): void {
    const gates = this.#recognition.gatesOf(operation);
    if (gates === undefined) throw new Error('unreachable: a gate that was not checked');
    const qubits = operationQubits(operation);
    for (const { op, a, b } of gates) {
      this.code.add(op, qubits[a]!, b < 0 ? 0 : qubits[b]!);
    }
  }

  #addNoise({ channel: given, qubits }: NoiseOperation): void {
    const channel = simulated(given);
    if (channel.kind === 'pauli') {
      this.code.addNoise(channel, qubits);
      return;
    }
    const reset = resetOf(channel);
    if (reset === undefined) throw new Error('unreachable: noise that was not checked');
    this.code.addReset(qubits[0]!, reset.value, reset.probability);
  }
}

type Misread = StabilizerProgram['misreads'][number];

/** Growing list of instructions. */
export class StabilizerCode {
  #words = new Int32Array(1024);
  #length = 0;
  readonly #operands: number[] = [];
  readonly #channels = new Table<PauliChannel>((channel) => channel);
  readonly #misreads = new Table<Misread>(({ p1Given0, p0Given1 }) => `${p1Given0} ${p0Given1}`);
  readonly #resets = new Table<number>((probability) => probability);
  readonly #conditions = new Table<Condition>((condition) => condition);
  readonly #assignments: AssignOperation[] = [];
  readonly #tracks: TrackOperation[] = [];

  get numInstructions(): number {
    return this.#length / STABILIZER_WORDS;
  }

  /** Number of the instruction that is added. */
  add(op: number, a: number, b = 0, c = 0): number {
    if (this.#length + STABILIZER_WORDS > this.#words.length) {
      const longer = new Int32Array(2 * this.#words.length);
      longer.set(this.#words);
      this.#words = longer;
    }
    this.#words[this.#length] = op;
    this.#words[this.#length + 1] = a;
    this.#words[this.#length + 2] = b;
    this.#words[this.#length + 3] = c;
    this.#length += STABILIZER_WORDS;
    return this.numInstructions - 1;
  }

  addNoise(channel: PauliChannel, qubits: readonly Qubit[]): void {
    const { noise1, noise2, noise } = STABILIZER_OPS;
    const number = this.#channels.numberOf(channel);
    if (qubits.length === 1) this.add(noise1, number, qubits[0]!);
    else if (qubits.length === 2) this.add(noise2, number, qubits[0]!, qubits[1]!);
    else {
      this.add(noise, number, this.#operands.length, qubits.length);
      this.#operands.push(...qubits);
    }
  }

  addMisread({ bits, p1Given0, p0Given1 }: MisreadOperation): void {
    const number = this.#misreads.numberOf({ p1Given0, p0Given1 });
    for (const bit of bits) this.add(STABILIZER_OPS.misread, number, bit);
  }

  addReset(qubit: Qubit, value: 0 | 1, probability: number): void {
    this.add(STABILIZER_OPS.maybeReset, this.#resets.numberOf(probability), qubit, value);
  }

  addAssignment(assignment: AssignOperation): void {
    this.add(STABILIZER_OPS.assign, this.#assignments.length);
    this.#assignments.push(assignment);
  }

  addTrack(track: TrackOperation): void {
    this.add(STABILIZER_OPS.track, this.#tracks.length);
    this.#tracks.push(track);
  }

  /** Adds instructions that run where a condition holds, if there is one. */
  under(condition: Condition | undefined, add: () => void): void {
    if (condition === undefined) {
      add();
      return;
    }
    const jump = this.addUnless(condition);
    add();
    this.endUnless(jump);
  }

  /** Adds a jump that `endUnless` gives its end. */
  addUnless(condition: Condition): number {
    return this.add(STABILIZER_OPS.unless, this.conditionNumber(condition));
  }

  conditionNumber(condition: Condition): number {
    return this.#conditions.numberOf(condition);
  }

  /** Lets a jump end after the last instruction; a jump across nothing is taken back. */
  endUnless(jump: number): void {
    if (jump === this.numInstructions - 1) this.#length -= STABILIZER_WORDS;
    else this.endRepeat(jump);
  }

  /** Lets a loop end after the last instruction. */
  endRepeat(head: number): void {
    this.#words[head * STABILIZER_WORDS + 2] = this.numInstructions;
  }

  tables(): Pick<
    StabilizerProgram,
    | 'code'
    | 'operands'
    | 'channels'
    | 'misreads'
    | 'resetProbabilities'
    | 'assignments'
    | 'conditions'
    | 'tracks'
  > {
    return {
      code: this.#words.slice(0, this.#length),
      operands: Int32Array.from(this.#operands),
      channels: this.#channels.entries,
      misreads: this.#misreads.entries,
      resetProbabilities: this.#resets.entries,
      assignments: this.#assignments,
      conditions: this.#conditions.entries,
      tracks: this.#tracks,
    };
  }
}

/** List of distinct values. */
class Table<T> {
  readonly entries: T[] = [];
  readonly #numbers = new Map<unknown, number>();
  readonly #keyOf: (value: T) => unknown;

  constructor(keyOf: (value: T) => unknown) {
    this.#keyOf = keyOf;
  }

  numberOf(value: T): number {
    const key = this.#keyOf(value);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.entries.length;
      this.entries.push(value);
      this.#numbers.set(key, number);
    }
    return number;
  }
}
