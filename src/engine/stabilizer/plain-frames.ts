/**
 * Runs instructions on Pauli frames, 32 shots a word.
 *
 * Errors are found by the number of trials until the next one, which has a geometric distribution: a channel that is
 * applied at many places in many shots costs a comparison at each place and a draw for each error.
 */
import { STABILIZER_OPS } from '../../compiler/program.ts';
import { CHANNEL_DOUBLES, ERROR_DOUBLES, HEADER } from './stabilizer-kernels.ts';

const { x, y, z, h, s, sdg, cx, cz, swap, measure, reset, noise1, noise2, noise, misread } =
  STABILIZER_OPS;

/** Runs the instructions `from` up to `to` of the frames that the header at an address describes. */
export function runFrames(
  words: Int32Array,
  doubles: Float64Array,
  header: number,
  from: number,
  to: number,
): void {
  new FrameRun(words, doubles, header).run(from, to);
}

class FrameRun {
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #code: number;
  readonly #frames: number;
  readonly #bits: number;
  readonly #channels: number;
  readonly #generators: number;
  readonly #rowWords: number;
  readonly #operands: number;
  readonly #scratch: number;
  readonly #mask: number;
  readonly #held: number;
  readonly #paulis: boolean;
  readonly #references: number;
  /** Words of the last step of the generators. */
  readonly #drawn = new Int32Array(4);

  constructor(words: Int32Array, doubles: Float64Array, header: number) {
    this.#words = words;
    this.#doubles = doubles;
    const field = (place: number) => words[header + place]!;
    this.#code = field(HEADER.code);
    this.#frames = field(HEADER.frames);
    this.#bits = field(HEADER.bits);
    this.#channels = field(HEADER.channels);
    this.#generators = field(HEADER.generators);
    this.#rowWords = field(HEADER.rowWords);
    this.#operands = field(HEADER.operands);
    this.#scratch = field(HEADER.scratch);
    this.#mask = field(HEADER.mask);
    this.#held = field(HEADER.held);
    this.#paulis = field(HEADER.paulis) === 1;
    this.#references = field(HEADER.references);
  }

  run(from: number, to: number): void {
    const words = this.#words;
    const rowWords = this.#rowWords;
    for (let at = this.#code + 4 * from; at < this.#code + 4 * to; at += 4) {
      const [op, a, b, c] = [words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!];
      switch (op) {
        case x:
        case y:
        case z:
          // If the reference sample has Paulis, shots differ from it by those under a condition only.
          if (this.#mask === 0 && !this.#paulis) break;
          if (op !== z) this.#pauli(this.#rowX(a));
          if (op !== x) this.#pauli(this.#rowZ(a));
          break;
        case h:
          this.#exchange(this.#rowX(a), this.#rowZ(a));
          break;
        case s:
        case sdg:
          this.#add(this.#rowZ(a), this.#rowX(a));
          break;
        case cx:
          this.#add(this.#rowX(b), this.#rowX(a));
          this.#add(this.#rowZ(a), this.#rowZ(b));
          break;
        case cz:
          this.#add(this.#rowZ(a), this.#rowX(b));
          this.#add(this.#rowZ(b), this.#rowX(a));
          break;
        case swap:
          this.#exchange(this.#rowX(a), this.#rowX(b));
          this.#exchange(this.#rowZ(a), this.#rowZ(b));
          break;
        case measure: {
          const [row, rowX] = [this.#bits + b * rowWords, this.#rowX(a)];
          for (let i = 0; i < rowWords; i++) {
            const outcome = words[rowX + i]! ^ this.#referenceOf(c, i);
            words[row + i]! ^= (words[row + i]! ^ outcome) & this.#heldAt(i);
          }
          this.#randomize(this.#rowZ(a));
          break;
        }
        case reset:
          for (let i = 0; i < rowWords; i++) words[this.#rowX(a) + i]! &= ~this.#heldAt(i);
          this.#randomize(this.#rowZ(a));
          break;
        case noise1:
        case noise2:
          this.#noise(a, b, c);
          break;
        case noise:
          this.#noiseOnMany(a, b, c);
          break;
        case misread:
          this.#misread(a, this.#bits + b * rowWords);
          break;
      }
    }
  }

  #rowX(qubit: number): number {
    return this.#frames + 2 * qubit * this.#rowWords;
  }

  #rowZ(qubit: number): number {
    return this.#rowX(qubit) + this.#rowWords;
  }

  /** Of 32 shots: those in which instructions act. */
  #heldAt(i: number): number {
    return this.#mask === 0 ? -1 : this.#words[this.#mask + i]!;
  }

  /** Of 32 shots: the outcome of a measurement in their reference samples. */
  #referenceOf(c: number, i: number): number {
    if (this.#references === 0) return -c;
    return this.#words[this.#references + c * this.#rowWords + i]!;
  }

  #add(to: number, from: number): void {
    for (let i = 0; i < this.#rowWords; i++) {
      this.#words[to + i]! ^= this.#words[from + i]! & this.#heldAt(i);
    }
  }

  #exchange(first: number, second: number): void {
    for (let i = 0; i < this.#rowWords; i++) {
      const differs = (this.#words[first + i]! ^ this.#words[second + i]!) & this.#heldAt(i);
      this.#words[first + i]! ^= differs;
      this.#words[second + i]! ^= differs;
    }
  }

  #pauli(row: number): void {
    for (let i = 0; i < this.#rowWords; i++) {
      this.#words[row + i]! ^= this.#heldAt(i) ^ this.#held;
    }
  }

  #randomize(row: number): void {
    for (let i = 0; i < this.#rowWords; i += 4) {
      this.#step();
      for (let lane = 0; lane < 4; lane++) {
        this.#words[row + i + lane]! ^= this.#drawn[lane]! & this.#heldAt(i + lane);
      }
    }
  }

  /** Channel `a` on one qubit, or on two that differ. */
  #noise(channel: number, first: number, second: number): void {
    this.#errors(channel, (shot, error) => {
      const [flips, signs] = [this.#words[2 * error + 2]!, this.#words[2 * error + 3]!];
      this.#toggle(this.#rowX(first), shot, flips & 1);
      this.#toggle(this.#rowZ(first), shot, signs & 1);
      if (((flips | signs) & 2) === 0) return;
      this.#toggle(this.#rowX(second), shot, (flips >>> 1) & 1);
      this.#toggle(this.#rowZ(second), shot, (signs >>> 1) & 1);
    });
  }

  #noiseOnMany(channel: number, firstOperand: number, numOperands: number): void {
    this.#errors(channel, (shot, error) => {
      const [flips, signs] = [this.#words[2 * error + 2]!, this.#words[2 * error + 3]!];
      for (let i = 0; i < numOperands; i++) {
        const qubit = this.#words[this.#operands + firstOperand + i]!;
        this.#toggle(this.#rowX(qubit), shot, (flips >>> i) & 1);
        this.#toggle(this.#rowZ(qubit), shot, (signs >>> i) & 1);
      }
    });
  }

  /** Bits that read 0 are misread by the first channel, those that read 1 by the next one. */
  #misread(channel: number, row: number): void {
    this.#words.copyWithin(this.#scratch, row, row + this.#rowWords);
    for (const value of [0, 1]) {
      this.#errors(channel + value, (shot) => {
        const read = (this.#words[this.#scratch + (shot >>> 5)]! >>> (shot & 31)) & 1;
        this.#toggle(row, shot, read === value ? 1 : 0);
      });
    }
  }

  #toggle(row: number, shot: number, by: number): void {
    this.#words[row + (shot >>> 5)]! ^= by << (shot & 31);
  }

  /** Calls back for each shot of the block with an error of the channel, where its condition, if any, holds. */
  #errors(channel: number, apply: (shot: number, error: number) => void): void {
    const doubles = this.#doubles;
    const record = this.#channels / 2 + CHANNEL_DOUBLES * channel;
    const numShots = 32 * this.#rowWords;
    let next = doubles[record]!;
    while (next < numShots) {
      this.#step();
      const error = this.#errorOf(record, uniformOf(this.#drawn[2]!, this.#drawn[3]!));
      const isMasked =
        this.#mask !== 0 && ((this.#words[this.#mask + (next >>> 5)]! >>> (next & 31)) & 1) === 0;
      if (!isMasked) apply(next, error);
      next += 1 + this.#skip(record);
    }
    doubles[record] = next - numShots;
  }

  /** Trials before the next error, from the last step of the generators. */
  #skip(record: number): number {
    return skipOf(uniformOf(this.#drawn[0]!, this.#drawn[1]!), this.#doubles[record + 1]!);
  }

  /** Address of the error that a draw picks. */
  #errorOf(record: number, draw: number): number {
    const doubles = this.#doubles;
    const [numErrors, first] = [doubles[record + 2]!, doubles[record + 3]!];
    if (doubles[record + 4] === 1) return first + ERROR_DOUBLES * Math.floor(draw * numErrors);
    let i = 0;
    while (i < numErrors - 1 && doubles[first + ERROR_DOUBLES * i]! <= draw) i++;
    return first + ERROR_DOUBLES * i;
  }

  /** A step of the four generators. */
  #step(): void {
    stepGenerators(this.#words, this.#generators, this.#drawn);
  }
}

/** A draw in [0, 1) of 53 bits. */
export const uniformOf = (high: number, low: number): number =>
  ((high >>> 5) * 0x4000000 + (low >>> 6)) / 2 ** 53;

/** Trials before the next error: floor(ln(1 − u) / ln(1 − p)). */
export function skipOf(draw: number, logOfNone: number): number {
  // 0 / −0 would be no number: without errors the next one is beyond all trials.
  return logOfNone === 0 ? Number.POSITIVE_INFINITY : Math.floor(Math.log(1 - draw) / logOfNone);
}

/**
 * A step of four generators xoshiro128++ that lie side by side.
 *
 * @see Blackman & Vigna, "Scrambled linear pseudorandom number generators", 2021.
 */
export function stepGenerators(words: Int32Array, at: number, drawn: Int32Array): void {
  for (let lane = at; lane < at + 4; lane++) {
    const s0 = words[lane]!;
    const s1 = words[lane + 4]!;
    const s2 = words[lane + 8]!;
    const s3 = words[lane + 12]!;
    const sum = (s0 + s3) | 0;
    drawn[lane - at] = (((sum << 7) | (sum >>> 25)) + s0) | 0;
    const t2 = s2 ^ s0;
    const t3 = s3 ^ s1;
    words[lane + 4] = s1 ^ t2;
    words[lane] = s0 ^ t3;
    words[lane + 8] = t2 ^ (s1 << 9);
    words[lane + 12] = (t3 << 11) | (t3 >>> 21);
  }
}
