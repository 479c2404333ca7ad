/**
 * Runs a stabilizer program on a tableau: for the reference sample of all shots, in which nothing is left to chance, or
 * for one shot.
 */
import type { Condition } from '../../circuit/circuit.ts';
import { STABILIZER_OPS, type StabilizerProgram } from '../../compiler/program.ts';
import { assign, conditionHolds, flipBit, readBit, wordsFor, writeBit } from '../classical-bits.ts';
import { TooManyRoundsError } from '../errors.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { type StabilizerKernels, tableauRowWords, tableauWords } from './stabilizer-kernels.ts';

const ops = STABILIZER_OPS;

/** Words that are filled with zeros at a time. */
const CLEARED_WORDS = 2 ** 22;

/** Bits that are copied at a time. */
const COPIED_BITS = 2 ** 16;

/** Source of random outcomes. Places are instructions; a round is the number of rounds of loops so far. */
export interface Chance {
  /** Outcome of a measurement that may give either value. */
  outcome(place: number, round: number): 0 | 1;
  /** Draw in [0, 1) for noise; `undefined` without noise. */
  draw(place: number, round: number, position: number): number | undefined;
}

/** Chance for the reference sample: random outcomes are 0, and there is no noise. */
export const NO_CHANCE: Chance = { outcome: () => 0, draw: () => undefined };

/** Result of a walk. */
export interface WalkResult {
  /** By instruction: the outcome of a measurement, and whether the condition of a jump held. */
  readonly values: Uint8Array;
  readonly register: Uint32Array;
}

/** A walk that goes on. */
interface Run extends WalkResult {
  readonly chance: Chance;
  /** Rounds of loops on measured bits so far. */
  round: number;
  /** One more than the highest bit that was measured, where nothing is left to chance. */
  numRead: number;
}

/** Walks over a program, one after the other, on a tableau in the kernels' memory. */
export class TableauWalk {
  readonly #kernels: StabilizerKernels;
  readonly #program: StabilizerProgram;
  readonly #codeAt: number;
  readonly #at: number;
  readonly #slicer: TimeSlicer;
  /** By instruction: the end of the section that begins there. */
  readonly #ends: Int32Array;
  readonly #rowWords: number;

  /**
   * @param codeAt - Address of the program's code.
   * @param at - Address of room for a tableau.
   */
  constructor(
    kernels: StabilizerKernels,
    program: StabilizerProgram,
    codeAt: number,
    at: number,
    slicer: TimeSlicer,
  ) {
    this.#kernels = kernels;
    this.#program = program;
    this.#codeAt = codeAt;
    this.#at = at;
    this.#slicer = slicer;
    this.#ends = sectionEnds(program.code);
    this.#rowWords = tableauRowWords(program.numQubits);
  }

  /**
   * Runs the program from |0…0⟩.
   *
   * @throws {TooManyRoundsError} if its loops have more rounds than allowed.
   * @throws {ClassicalValueError} if a value to be assigned does not exist.
   */
  async run(chance: Chance): Promise<WalkResult> {
    const { code, numQubits, numBits, control } = this.#program;
    await this.#clear();
    this.#kernels.openTableau(this.#at, numQubits);
    const values = new Uint8Array(code.length / 4);
    const register = new Uint32Array(wordsFor(numBits + (control?.numScratchBits ?? 0)));
    const run = { values, register, chance, round: 0, numRead: 0 };
    await this.#walk(0, values.length, run, 0);
    return { values, register };
  }

  /** @param shift - By how much bits are higher than written. */
  async #walk(from: number, to: number, run: Run, shift: number): Promise<void> {
    const { code, control, conditions, assignments } = this.#program;
    const { values, register, chance } = run;
    let place = from;
    while (place < to) {
      const [op, a, b] = [code[4 * place]!, code[4 * place + 1]!, code[4 * place + 2]!];
      switch (op) {
        case ops.unless:
          values[place] = conditionHolds(shifted(conditions[a]!, shift), register) ? 1 : 0;
          place = values[place] === 1 ? place + 1 : b;
          break;
        case ops.again:
          run.round++;
          if (run.round > (control?.maxRounds ?? 0)) {
            throw new TooManyRoundsError(control?.maxRounds ?? 0);
          }
          place = a;
          break;
        case ops.repeat:
          if (chance !== NO_CHANCE) throw new Error('unreachable: shots of rounds by tableaux');
          await this.#repeat(place, run, shift);
          place = b;
          break;
        case ops.assign:
          assign(assignments[a]!, register);
          place++;
          break;
        default: {
          const end = this.#ends[place]!;
          if (isGate(op)) await this.#gates(place, end);
          else await this.#readings(place, end, run, shift);
          place = end;
        }
      }
      if (this.#slicer.spend(1)) await this.#slicer.pause();
    }
  }

  /**
   * Runs the rounds of a loop. A round begins as an earlier one if the tableau is the same, and the bits that conditions
   * may read: the rounds between them then come again, and only their bits are written.
   */
  async #repeat(place: number, run: Run, shift: number): Promise<void> {
    const { code } = this.#program;
    const [count, end, numBits] = [
      code[4 * place + 1]!,
      code[4 * place + 2]!,
      code[4 * place + 3]!,
    ];
    /** Bits before a round that its conditions read. */
    const numReadAgain = run.numRead - this.#firstRead(place + 1, end, shift);
    let kept: { readonly tableau: Int32Array; readonly round: number } | undefined;
    for (let round = 0; round < count; ) {
      await this.#walk(place + 1, end, run, shift + round * numBits);
      round++;
      const { words } = this.#kernels;
      const tableau = words.subarray(this.#at, this.#at + tableauWords(this.#program.numQubits));
      const { numRead } = run;
      const period = round - (kept?.round ?? round);
      const isSame =
        kept?.tableau.every((word, i) => word === tableau[i]) === true &&
        everyUpTo(Math.min(numReadAgain, numRead), (back) => {
          const before = numRead - period * numBits;
          if (back > before) return false;
          return readBit(run.register, numRead - back) === readBit(run.register, before - back);
        });
      if (isSame) {
        // Rounds that are left out are whole periods, so that the tableau after them is this one.
        const left = period * Math.floor((count - round) / period);
        const to = numRead + left * numBits;
        for (let bit = numRead; bit < to; bit++) {
          writeBit(run.register, bit, readBit(run.register, bit - period * numBits));
          if (bit % COPIED_BITS === 0 && this.#slicer.spend(COPIED_BITS)) {
            await this.#slicer.pause();
          }
        }
        run.numRead = to;
        round += left;
        kept = undefined;
      } else if ((round & (round - 1)) === 0) kept = { tableau: tableau.slice(), round };
    }
  }

  /** The lowest bit that conditions in a range of instructions read; infinite if there is none. */
  #firstRead(from: number, to: number, shift: number): number {
    const { code, conditions } = this.#program;
    let first = Number.POSITIVE_INFINITY;
    for (let place = from; place < to; place++) {
      if (code[4 * place] !== ops.unless) continue;
      for (const bit of conditions[code[4 * place + 1]!]!.bits) first = Math.min(first, bit);
    }
    return first + shift;
  }

  /** Fills the tableau's room with zeros. */
  async #clear(): Promise<void> {
    const end = this.#at + tableauWords(this.#program.numQubits);
    for (let from = this.#at; from < end; from += CLEARED_WORDS) {
      this.#kernels.words.fill(0, from, Math.min(end, from + CLEARED_WORDS));
      if (this.#slicer.spend(CLEARED_WORDS / 4)) await this.#slicer.pause();
    }
  }

  async #gates(from: number, to: number): Promise<void> {
    const unitsPerGate = 4 * this.#rowWords;
    const most = Math.max(1, Math.floor(2 ** 20 / unitsPerGate));
    for (let first = from; first < to; first += most) {
      const next = Math.min(to, first + most);
      this.#kernels.gates(this.#codeAt, first, next);
      if (this.#slicer.spend((next - first) * unitsPerGate)) await this.#slicer.pause();
    }
  }

  /** Measurements, resets, noise and misreadings that follow each other. */
  async #readings(from: number, to: number, run: Run, shift: number): Promise<void> {
    const { code } = this.#program;
    const { values, register, chance, round } = run;
    await this.#collapse(from, to, chance, round);
    if (chance === NO_CHANCE) {
      this.#readAll(from, to, run, shift);
      return;
    }
    for (let place = from; place < to; place++) {
      const at = 4 * place;
      const [op, a, b, c] = [code[at]!, code[at + 1]!, code[at + 2]!, code[at + 3]!];
      switch (op) {
        case ops.measure: {
          const value = this.#kernels.valueOf(a) === 1 ? 1 : 0;
          values[place] = value;
          writeBit(register, b, value);
          break;
        }
        case ops.reset:
          this.#setTo(a, 0);
          break;
        case ops.maybeReset: {
          const draw = chance.draw(place, round, 0) ?? 1;
          if (draw < this.#program.resetProbabilities[a]!) {
            // Its section has no other instruction.
            await this.#collapseAll([{ place, qubit: b }], chance, round);
            this.#setTo(b, c === 1 ? 1 : 0);
          }
          break;
        }
        case ops.noise1:
          this.#noise(place, [b], chance, round);
          break;
        case ops.noise2:
          this.#noise(place, [b, c], chance, round);
          break;
        case ops.noise:
          this.#noise(place, this.#program.operands.subarray(b, b + c), chance, round);
          break;
        case ops.misread: {
          const { p1Given0, p0Given1 } = this.#program.misreads[a]!;
          const odds = readBit(register, b) === 1 ? p0Given1 : p1Given0;
          if ((chance.draw(place, round, 0) ?? 1) < odds) flipBit(register, b);
          break;
        }
        default:
          throw new Error(`unreachable: instruction ${op} among measurements`);
      }
    }
  }

  /** Runs measurements and resets where nothing is left to chance. */
  #readAll(from: number, to: number, run: Run, shift: number): void {
    this.#kernels.readings(this.#codeAt, from, to);
    const { words } = this.#kernels;
    for (let place = from; place < to; place++) {
      const at = this.#codeAt + 4 * place;
      if (words[at] !== ops.measure) continue;
      const value = words[at + 3] === 1 ? 1 : 0;
      const bit = words[at + 2]! + shift;
      run.values[place] = value;
      writeBit(run.register, bit, value);
      run.numRead = Math.max(run.numRead, bit + 1);
    }
  }

  #setTo(qubit: number, value: 0 | 1): void {
    if (this.#kernels.valueOf(qubit) !== value) this.#pauli(qubit, true, false);
  }

  /** X, Z or Y: it changes signs alone. */
  #pauli(qubit: number, isX: boolean, isZ: boolean): void {
    this.#kernels.pauli(qubit, (isX ? 1 : 0) | (isZ ? 2 : 0));
  }

  #noise(place: number, qubits: ArrayLike<number>, chance: Chance, round: number): void {
    let draw = chance.draw(place, round, 0);
    if (draw === undefined) return;
    for (const { flips, signs, probability } of this.#program.channels[
      this.#program.code[4 * place + 1]!
    ]!.errors) {
      draw -= probability;
      if (draw >= 0) continue;
      for (let i = 0; i < qubits.length; i++) {
        this.#pauli(qubits[i]!, ((flips >> i) & 1) === 1, ((signs >> i) & 1) === 1);
      }
      return;
    }
  }

  /** Collapses the random measurements and resets of a section. */
  async #collapse(from: number, to: number, chance: Chance, round: number): Promise<void> {
    const { code } = this.#program;
    const random: { place: number; qubit: number }[] = [];
    const first = this.#kernels.firstRandom(this.#codeAt, from, to);
    for (let place = first; place < to; place++) {
      const [op, qubit] = [code[4 * place]!, code[4 * place + 1]!];
      const isReading = op === ops.measure || op === ops.reset;
      if (isReading && this.#kernels.isRandom(qubit) === 1) random.push({ place, qubit });
    }
    if (this.#slicer.spend((to - from) * this.#rowWords)) await this.#slicer.pause();
    await this.#collapseAll(random, chance, round);
  }

  async #collapseAll(
    readings: readonly { readonly place: number; readonly qubit: number }[],
    chance: Chance,
    round: number,
  ): Promise<void> {
    if (!readings.some(({ qubit }) => this.#kernels.isRandom(qubit) === 1)) return;
    await this.#transpose();
    for (const { place, qubit } of readings) {
      const wasRandom = this.#kernels.collapse(qubit, chance.outcome(place, round));
      const units = wasRandom === 1 ? 4 * this.#rowWords * this.#rowWords : this.#rowWords;
      if (this.#slicer.spend(units)) await this.#slicer.pause();
    }
    await this.#transpose();
  }

  async #transpose(): Promise<void> {
    const unitsPerRow = 32 * this.#rowWords;
    const rows = Math.max(1, Math.floor(2 ** 16 / unitsPerRow));
    // Beyond the qubits, rows and columns are empty.
    const numBlocks = Math.ceil(this.#program.numQubits / 32);
    for (let from = 0; from < numBlocks; from += rows) {
      const to = Math.min(numBlocks, from + rows);
      this.#kernels.transpose(from, to);
      if (this.#slicer.spend((to - from) * unitsPerRow)) await this.#slicer.pause();
    }
  }
}

/** A condition on bits that are so much higher. */
export const shifted = (condition: Condition, shift: number): Condition =>
  shift === 0 ? condition : { ...condition, bits: condition.bits.map((bit) => bit + shift) };

/** Whether something holds for 1 to `most`; for none, if that is not finite or below 1. */
function everyUpTo(most: number, holds: (number: number) => boolean): boolean {
  for (let i = 1; i <= most; i++) if (!holds(i)) return false;
  return true;
}

const isGate = (op: number): boolean => op <= ops.swap;

/** Kinds of instructions by opcode. Those of kind 0, and those of kind 1, are run together. */
const KINDS = Uint8Array.from({ length: ops.repeat + 1 }, (_, op) => {
  if (isGate(op)) return 0;
  return op < ops.maybeReset ? 1 : 2;
});

/** By instruction: the end of the section that it belongs to. Jumps end in no section's middle. */
function sectionEnds(code: Int32Array): Int32Array {
  const length = code.length / 4;
  const ends = new Int32Array(length);
  const isTarget = new Uint8Array(length + 1);
  const { unless, again, repeat } = ops;
  for (let i = 0; i < length; i++) {
    const op = code[4 * i];
    if (op === unless || op === repeat) isTarget[code[4 * i + 2]!] = 1;
    else if (op === again) isTarget[code[4 * i + 1]!] = 1;
  }
  let next = 2;
  for (let i = length - 1; i >= 0; i--) {
    const kind = KINDS[code[4 * i]!]!;
    ends[i] = kind < 2 && kind === next && isTarget[i + 1] === 0 ? ends[i + 1]! : i + 1;
    next = kind;
  }
  return ends;
}
