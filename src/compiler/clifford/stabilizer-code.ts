/** Writes the instructions of a stabilizer program, with the tables that they refer to. */
import type { AssignOperation, Condition, MisreadOperation, Qubit } from '../../circuit/circuit.ts';
import type { PauliChannel } from '../../circuit/noise/channel.ts';
import { STABILIZER_OPS, STABILIZER_WORDS, type StabilizerProgram } from '../program.ts';

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

  /** Adds a jump that `endUnless` gives its end. */
  addUnless(condition: Condition): number {
    return this.add(STABILIZER_OPS.unless, this.#conditions.numberOf(condition));
  }

  /** Lets a jump end after the last instruction; a jump across nothing is taken back. */
  endUnless(jump: number): void {
    if (jump === this.numInstructions - 1) this.#length -= STABILIZER_WORDS;
    else this.#words[jump * STABILIZER_WORDS + 2] = this.numInstructions;
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
  > {
    return {
      code: this.#words.slice(0, this.#length),
      operands: Int32Array.from(this.#operands),
      channels: this.#channels.entries,
      misreads: this.#misreads.entries,
      resetProbabilities: this.#resets.entries,
      assignments: this.#assignments,
      conditions: this.#conditions.entries,
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
