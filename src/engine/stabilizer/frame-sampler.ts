/**
 * Samples the shots of a program whose shots differ by Pauli strings only, in blocks. A block is computed whole, by
 * draws of its own, so that shots do not depend on the ranges in which they are asked for.
 */

import type { Bit } from '../../circuit/classical-expression.ts';
import {
  type QubitString,
  STABILIZER_OPS,
  type StabilizerProgram,
} from '../../compiler/program.ts';
import type { BitTable } from '../../math/bit-matrix.ts';
import { philox4x32 } from '../../math/philox.ts';
import { conditionHolds, readBit, wordsFor } from '../classical-bits.ts';
import { ClassicalValueError } from '../errors.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { ActiveStates, activeBytes, type Draws } from './active-states.ts';
import { BitRows } from './bit-rows.ts';
import { PatternReferences, patternBytes } from './pattern-references.ts';
import { skipOf, stepGenerators, uniformOf } from './plain-frames.ts';
import {
  CHANNEL_DOUBLES,
  channelDoubles,
  type FrameChannel,
  frameChannels,
  HEADER,
  HEADER_WORDS,
  type StabilizerKernels,
  writeChannels,
} from './stabilizer-kernels.ts';
import { shifted, type WalkResult } from './tableau-walk.ts';

const ops = STABILIZER_OPS;

/** Shots of a block; ranges of shots that begin and end with blocks waste none. */
const STABILIZER_BLOCK_SHOTS = 1024;
/** Shots of the block of a run with at most this many shots, or with many active qubits or branches. */
export const FEW_SHOTS = 128;

/** Third word of the counters of the generators' seeds; other draws have small numbers there. */
const SEED_POSITION = 0x5eed;

/** Active qubits beyond which a block has few shots: each of them may have amplitudes of its own. */
const MANY_ACTIVE = 11;

/** Branches beyond which a block has few shots: it keeps which of them each shot takes. */
const MANY_BRANCHES = 2 ** 16;

/** Shots of a block of a run with `shots` shots. */
const blockShots = ({ active, branches }: StabilizerProgram, shots: number): number =>
  shots <= FEW_SHOTS || (active?.width ?? 0) > MANY_ACTIVE || branches.length > MANY_BRANCHES
    ? FEW_SHOTS
    : STABILIZER_BLOCK_SHOTS;

/** Places of the parts of a sampler in the kernels' memory, in words. */
interface Places {
  readonly header: number;
  readonly generators: number;
  readonly code: number;
  readonly operands: number;
  readonly channels: number;
  readonly scratch: number;
  readonly mask: number;
  readonly bits: number;
  readonly frames: number;
  readonly outcomes: number;
  /** Rows of the shots that take each branch, the same by shot, and rows of reference samples; empty without patterns. */
  readonly branches: number;
  readonly patterns: number;
  readonly references: number;
  /** Room to turn rows of bits into outcomes. */
  readonly blocks: number;
  readonly end: number;
}

const numRegisterBitsOf = ({ numBits, control }: StabilizerProgram): number =>
  numBits + (control?.numScratchBits ?? 0);

/** What runs of a program keep for the next ones: the states of active qubits, and reference samples by pattern. */
export class KeptParts {
  readonly #program: StabilizerProgram;
  #states: ActiveStates | undefined;
  #kernels: StabilizerKernels | undefined;
  /** Present where the program has patterns. */
  readonly patterns: PatternReferences | undefined;

  constructor(program: StabilizerProgram) {
    this.#program = program;
    if (program.reference === 'pattern') this.patterns = new PatternReferences(program);
  }

  /**
   * The states of active qubits for a run of so many shots, which know those of the run before if blocks are of the same
   * size; undefined if the program has none.
   */
  activeFor(shots: number, kernels: StabilizerKernels): ActiveStates | undefined {
    const { active } = this.#program;
    if (active === undefined) return undefined;
    const numShots = blockShots(this.#program, shots);
    if (this.#states?.numShots !== numShots) {
      this.release();
      this.#kernels = kernels.another();
      this.#states = new ActiveStates(this.#kernels, active, numShots);
    }
    return this.#states;
  }

  /** Frees the memory. */
  release(): void {
    this.patterns?.release();
    this.#states = undefined;
    this.#kernels?.release();
    this.#kernels = undefined;
  }
}

function placesOf(program: StabilizerProgram, shots: number): Places {
  const rowWords = blockShots(program, shots) / 32;
  const hasPatterns = program.reference === 'pattern';
  const numBranches = hasPatterns ? program.branches.length : 0;
  let end = 0;
  const take = (numWords: number) => {
    const at = end;
    // Whole vectors.
    end += 4 * Math.ceil(numWords / 4);
    return at;
  };
  return {
    header: take(HEADER_WORDS),
    generators: take(16),
    code: take(program.code.length + 4 * program.numQubits),
    operands: take(program.operands.length),
    channels: take(2 * channelDoubles(frameChannels(program))),
    scratch: take(rowWords),
    mask: take(rowWords),
    bits: take(numRegisterBitsOf(program) * rowWords),
    frames: take(2 * program.numQubits * rowWords),
    outcomes: take(32 * rowWords * wordsFor(program.numBits)),
    branches: take(numBranches * rowWords),
    patterns: take(hasPatterns ? 32 * rowWords * wordsFor(numBranches) : 0),
    references: take(hasPatterns ? numMeasuresOf(program) * rowWords : 0),
    blocks: take(128),
    end,
  };
}

function numMeasuresOf({ code }: StabilizerProgram): number {
  let count = 0;
  for (let at = 0; at < code.length; at += 4) if (code[at] === ops.measure) count++;
  return count;
}

/** Bytes that the sampler of a run needs: in the kernels' memory, and beside it. */
export function samplerBytes(program: StabilizerProgram, shots: number) {
  const { active, reference } = program;
  const ofActive =
    active === undefined ? 0 : activeBytes(active, shots, blockShots(program, shots));
  return {
    ofKernels: 4 * placesOf(program, shots).end,
    others:
      ofActive + (reference === 'pattern' ? patternBytes(program, numMeasuresOf(program)) : 0),
  };
}

/** Instructions that a call of the kernels runs at most. */
const MOST_INSTRUCTIONS = 2 ** 16;

/** The reference sample. Its register is there where the program has loops. */
export type Reference = Pick<WalkResult, 'values'> & Partial<WalkResult>;

/** Samples blocks of shots. */
export class FrameSampler {
  readonly #kernels: StabilizerKernels;
  readonly #program: StabilizerProgram;
  readonly #reference: Reference;
  readonly #places: Places;
  readonly #channels: readonly FrameChannel[];
  readonly #rowWords: number;
  readonly #active: ActiveStates | undefined;
  readonly #patterns: PatternReferences | undefined;
  /** By instruction: number of the branch that begins there; empty without patterns. */
  readonly #branches: ReadonlyMap<number, number>;
  /** Instructions that the kernels do not run, in order. */
  readonly #stops: readonly number[];
  /** Measurements in loops, whose outcomes in the reference sample differ between rounds, in order. */
  readonly #repeatedMeasures: readonly number[];
  /** By tracking operation: parity of its bits in the reference sample. */
  readonly #trackedReference: readonly number[];

  /**
   * @param shots - Of the whole run.
   * @param kept - Of the program.
   */
  constructor(
    kernels: StabilizerKernels,
    program: StabilizerProgram,
    reference: Reference,
    shots: number,
    kept: KeptParts,
  ) {
    this.#kernels = kernels;
    this.#program = program;
    this.#reference = reference;
    this.#places = placesOf(program, shots);
    this.#rowWords = blockShots(program, shots) / 32;
    this.#channels = frameChannels(program);
    kernels.reserve(this.#places.end);
    const { code } = program;
    this.#active = kept.activeFor(shots, kernels);
    this.#patterns = kept.patterns;
    const branches = kept.patterns === undefined ? [] : program.branches;
    this.#branches = new Map(branches.map((place, branch) => [place, branch]));
    this.#writeTables();
    const stops: number[] = [];
    const repeatedMeasures: number[] = [];
    let repeatedTo = 0;
    for (let i = 0; i < code.length / 4; i++) {
      const op = code[4 * i]!;
      if (op >= ops.assign) stops.push(i);
      if (op === ops.repeat) repeatedTo = Math.max(repeatedTo, code[4 * i + 2]!);
      if (op === ops.measure && i < repeatedTo) repeatedMeasures.push(i);
    }
    this.#stops = stops;
    this.#repeatedMeasures = repeatedMeasures;
    this.#trackedReference = trackedReference(program, reference.values);
  }

  /** Shots of a block. */
  get blockShots(): number {
    return 32 * this.#rowWords;
  }

  /**
   * Samples a block.
   *
   * @returns Outcomes of `wordsFor(numBits)` words; a view that the next block overwrites.
   */
  async block(seed: number, block: number, slicer: TimeSlicer): Promise<Uint32Array> {
    await this.rows(seed, block, slicer);
    return this.#outcomes();
  }

  /**
   * Samples a block.
   *
   * @returns A row of shots for each classical bit; a view that the next block overwrites.
   */
  async rows(seed: number, block: number, slicer: TimeSlicer): Promise<BitTable> {
    if (this.#patterns !== undefined) {
      // The branches that shots take do not depend on what is measured, which is wrong until references are known.
      for (const units of this.#steps(seed, block, true)) {
        if (slicer.spend(units)) await slicer.pause();
      }
      await this.#writeReferences(this.#patterns, slicer);
    }
    for (const units of this.#steps(seed, block)) if (slicer.spend(units)) await slicer.pause();
    return this.#rows();
  }

  /** As `rows`, without a pause, of a program without patterns. */
  rowsAtOnce(seed: number, block: number): BitTable {
    for (const _ of this.#steps(seed, block));
    return this.#rows();
  }

  #rows(): BitTable {
    return { words: this.#kernels.words, at: this.#places.bits, rowWords: this.#rowWords };
  }

  #outcomes(): Uint32Array {
    const { numBits } = this.#program;
    const { bits, outcomes, blocks } = this.#places;
    const stride = wordsFor(numBits);
    this.#kernels.outcomes(bits, numBits, this.#rowWords, outcomes, stride, blocks);
    const { words } = this.#kernels;
    return new Uint32Array(words.buffer, 4 * outcomes, this.blockShots * stride);
  }

  /** Writes the outcomes of measurements in the reference sample of each shot, by the branches that it takes. */
  async #writeReferences(patterns: PatternReferences, slicer: TimeSlicer): Promise<void> {
    const places = this.#places;
    const rowWords = this.#rowWords;
    const numBranches = this.#program.branches.length;
    const stride = wordsFor(numBranches);
    const { words } = this.#kernels;
    this.#kernels.outcomes(
      places.branches,
      numBranches,
      rowWords,
      places.patterns,
      stride,
      places.blocks,
    );
    words.fill(0, places.references, places.blocks);
    for (let shot = 0; shot < this.blockShots; shot++) {
      const at = places.patterns + shot * stride;
      const pattern = words.subarray(at, at + stride);
      const ones = await patterns.onesOf(pattern, this.#kernels, slicer);
      const place = places.references + (shot >>> 5);
      for (const each of ones) words[place + each * rowWords]! |= 1 << (shot & 31);
      if (slicer.spend(stride + ones.length)) await slicer.pause();
    }
  }

  /**
   * Samples the rows of bits of a block; yields units of work.
   *
   * @param isAhead - Whether the references of measurements are not known yet.
   */
  *#steps(seed: number, block: number, isAhead = false): Generator<number> {
    const { code, numQubits } = this.#program;
    const { bits, outcomes } = this.#places;
    this.#seed(seed, block);
    this.#active?.begin();
    this.#kernels.words.fill(0, bits, outcomes);
    yield* this.#run(0, numQubits);
    yield* this.#section(0, code.length / 4, { isAhead });
  }

  /**
   * Runs instructions of the program.
   *
   * @param shift - In a loop: by how much bits are higher than written.
   */
  *#section(
    from: number,
    to: number,
    { shift, isAhead = false }: { readonly shift?: number; readonly isAhead?: boolean },
  ): Generator<number> {
    const { code, numQubits } = this.#program;
    const { header, bits } = this.#places;
    const run = (first: number, next: number) => this.#run(numQubits + first, numQubits + next);
    if (shift !== undefined) {
      this.#kernels.words[header + HEADER.bits] = bits + shift * this.#rowWords;
      this.#writeReference(from, to, shift);
    }
    let place = from;
    for (let i = firstFrom(this.#stops, from); i < this.#stops.length; i++) {
      const stop = this.#stops[i]!;
      if (stop >= to) break;
      // Those of a loop are behind.
      if (stop < place) continue;
      yield* run(place, stop);
      place = stop + 1;
      const [op, index] = [code[4 * stop]!, code[4 * stop + 1]!];
      if (op === ops.repeat) {
        const [end, numBits] = [code[4 * stop + 2]!, code[4 * stop + 3]!];
        for (let round = 0; round < index; round++) {
          yield* this.#section(place, end, { shift: (shift ?? 0) + round * numBits });
        }
        this.#kernels.words[header + HEADER.bits] = bits + (shift ?? 0) * this.#rowWords;
        place = end;
        continue;
      }
      if (op === ops.rotate) {
        yield* this.#rotate(index);
        continue;
      }
      if (op === ops.collapse) {
        yield* this.#collapse(index);
        continue;
      }
      if (op === ops.track) {
        yield this.#track(index);
        continue;
      }
      if (op === ops.assign) {
        yield this.#assign(index, isAhead);
        continue;
      }
      const end = code[4 * stop + 2]!;
      this.#writeMask(index, stop, shift);
      this.#kernels.frames(header, numQubits + place, numQubits + end);
      this.#kernels.words[header + HEADER.mask] = 0;
      place = end;
    }
    yield* run(place, to);
  }

  /** Writes the outcomes of measurements in a round in the reference sample. */
  #writeReference(from: number, to: number, shift: number): void {
    const { words } = this.#kernels;
    const register = this.#reference.register!;
    const codeAt = this.#places.code + 4 * this.#program.numQubits;
    const places = this.#repeatedMeasures;
    for (let i = firstFrom(places, from); i < places.length && places[i]! < to; i++) {
      const at = codeAt + 4 * places[i]!;
      words[at + 3] = readBit(register, words[at + 2]! + shift);
    }
  }

  /** Evaluates an assignment in all shots; returns units of work. */
  #assign(index: number, isAhead: boolean): number {
    try {
      return this.#bitRows().assign(this.#program.assignments[index]!);
    } catch (error) {
      // Of outcomes that are not known yet a value may not exist; of others it is missed again.
      if (isAhead && error instanceof ClassicalValueError) return this.blockShots;
      throw error;
    }
  }

  /** Toggles a bit where the frame flips a string and bits differ from the reference; returns units of work. */
  #track(index: number): number {
    const { flips, signs, reads, bit } = this.#program.tracks[index]!;
    const rows = this.#bitRows();
    const row = rows.row(bit);
    const add = (flipped: Int32Array, reference: number) => {
      for (let i = 0; i < row.length; i++) row[i]! ^= flipped[i]! ^ -reference;
    };
    add(this.#anticommuting({ flips, signs }), this.#trackedReference[index]!);
    for (const each of reads) add(rows.row(each), 0);
    return row.length * (1 + flips.length + signs.length + reads.length);
  }

  /** Rotates the active qubits of all shots. */
  *#rotate(index: number): Generator<number> {
    const { about, stabilizer, condition } = this.#program.active!.rotations[index]!;
    const minus = this.#anticommuting(about);
    // The frame times this string describes the same shot, and commutes with the rotation.
    if (stabilizer !== undefined) this.#multiply(stabilizer, minus);
    yield* this.#active!.rotate(index, {
      ...(stabilizer === undefined && { minus }),
      ...(condition !== undefined && {
        held: this.#bitRows().condition(this.#program.conditions[condition]),
      }),
    });
  }

  /** Measures active qubits in all shots. */
  *#collapse(index: number): Generator<number> {
    const ones = new Int32Array(this.#rowWords);
    yield* this.#active!.collapse(index, this.#draws(), ones);
    this.#multiply(this.#program.active!.collapses[index]!.flip, ones);
  }

  /** Draws of the generators of the block. */
  #draws(): Draws {
    const { words } = this.#kernels;
    const { generators } = this.#places;
    const drawn = new Int32Array(4);
    let numLeft = 0;
    const next = (): number => {
      if (numLeft === 0) {
        stepGenerators(words, generators, drawn);
        numLeft = 4;
      }
      return drawn[--numLeft]!;
    };
    return {
      uniform: () => uniformOf(next(), next()),
      bits(probability) {
        // Random numbers of 32 shots, bit by bit from the highest, until each differs from the probability.
        let [ones, equal, rest] = [0, -1, probability];
        for (let bit = 0; bit < 53 && equal !== 0; bit++) {
          rest *= 2;
          const random = next();
          if (rest >= 1) {
            ones |= equal & ~random;
            equal &= random;
            rest -= 1;
          } else equal &= ~random;
        }
        return ones;
      },
    };
  }

  /** The shots whose frame anticommutes with a string. */
  #anticommuting({ flips, signs }: QubitString): Int32Array {
    const { words } = this.#kernels;
    const row = new Int32Array(this.#rowWords);
    const add = (at: number) => {
      for (let i = 0; i < row.length; i++) row[i]! ^= words[at + i]!;
    };
    for (const qubit of flips) add(this.#rowZ(qubit));
    for (const qubit of signs) add(this.#rowX(qubit));
    return row;
  }

  /** Multiplies the frames of some shots by a string. */
  #multiply({ flips, signs }: QubitString, shots: Int32Array): void {
    const { words } = this.#kernels;
    const add = (at: number) => {
      for (let i = 0; i < shots.length; i++) words[at + i]! ^= shots[i]!;
    };
    for (const qubit of flips) add(this.#rowX(qubit));
    for (const qubit of signs) add(this.#rowZ(qubit));
  }

  #rowX(qubit: number): number {
    return this.#places.frames + 2 * qubit * this.#rowWords;
  }

  #rowZ(qubit: number): number {
    return this.#rowX(qubit) + this.#rowWords;
  }

  *#run(from: number, to: number): Generator<number> {
    for (let first = from; first < to; first += MOST_INSTRUCTIONS) {
      const next = Math.min(to, first + MOST_INSTRUCTIONS);
      this.#kernels.frames(this.#places.header, first, next);
      yield (next - first) * this.#rowWords;
    }
  }

  #writeTables(): void {
    const { words, doubles } = this.#kernels;
    const { code, operands, numQubits, channels } = this.#program;
    const places = this.#places;
    // Every qubit begins as one that was reset.
    for (let q = 0; q < numQubits; q++) {
      words[places.code + 4 * q] = ops.reset;
      words[places.code + 4 * q + 1] = q;
    }
    const copyAt = places.code + 4 * numQubits;
    words.set(code, copyAt);
    let numMeasures = 0;
    for (let i = 0; i < code.length / 4; i++) {
      const op = code[4 * i];
      if (op === ops.measure) {
        const value = this.#reference.values[i]!;
        words[copyAt + 4 * i + 3] = this.#patterns === undefined ? value : numMeasures++;
      }
      if (op === ops.misread) words[copyAt + 4 * i + 1] = channels.length + 2 * code[4 * i + 1]!;
    }
    words.set(operands, places.operands);
    writeChannels(this.#channels, words, doubles, places.channels / 2);
    const fields: readonly (readonly [keyof typeof HEADER, number])[] = [
      ['code', places.code],
      ['frames', places.frames],
      ['bits', places.bits],
      ['channels', places.channels],
      ['generators', places.generators],
      ['rowWords', this.#rowWords],
      ['operands', places.operands],
      ['scratch', places.scratch],
      ['paulis', this.#program.reference === 'shared' ? 0 : 1],
      ['references', this.#patterns === undefined ? 0 : places.references],
    ];
    for (const [name, value] of fields) words[places.header + HEADER[name]] = value;
  }

  #seed(seed: number, block: number): void {
    const { words, doubles } = this.#kernels;
    const { generators, channels } = this.#places;
    const key = [seed % 2 ** 32, Math.floor(seed / 2 ** 32)] as const;
    for (let j = 0; j < 4; j++) {
      words.set(philox4x32([block, 0, SEED_POSITION, j], key), generators + 4 * j);
    }
    const drawn = new Int32Array(4);
    for (const i of this.#channels.keys()) {
      const record = channels / 2 + CHANNEL_DOUBLES * i;
      stepGenerators(words, generators, drawn);
      doubles[record] = skipOf(uniformOf(drawn[0]!, drawn[1]!), doubles[record + 1]!);
    }
  }

  /** Writes the row of shots in which a condition holds, and what it is in the reference sample. */
  #writeMask(number: number, place: number, shift: number | undefined): void {
    const { words } = this.#kernels;
    const { header, mask } = this.#places;
    const { values, register } = this.#reference;
    const condition = shifted(this.#program.conditions[number]!, shift ?? 0);
    const row = this.#bitRows().condition(condition);
    words.set(row, mask);
    const branch = this.#branches.get(place);
    if (branch !== undefined) words.set(row, this.#places.branches + branch * this.#rowWords);
    words[header + HEADER.mask] = mask;
    const held = shift === undefined ? values[place] === 1 : conditionHolds(condition, register!);
    words[header + HEADER.held] = held ? -1 : 0;
  }

  #bitRows(): BitRows {
    const { words } = this.#kernels;
    return new BitRows(words, this.#places.bits, this.#rowWords, numRegisterBitsOf(this.#program));
  }
}

/** Index of the first of some ascending numbers that is no less than a number. */
function firstFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Parities of the bits that each tracking operation reads, in the reference sample. */
function trackedReference(
  { code, tracks }: StabilizerProgram,
  reference: Uint8Array,
): readonly number[] {
  const values = new Map<Bit, number>();
  const parities: number[] = [];
  if (tracks.length === 0) return parities;
  for (let at = 0; at < code.length; at += 4) {
    if (code[at] === ops.measure) values.set(code[at + 2]!, reference[at / 4]!);
    if (code[at] !== ops.track) continue;
    const { reads } = tracks[code[at + 1]!]!;
    parities.push(reads.reduce((parity, bit) => parity ^ (values.get(bit) ?? 0), 0));
  }
  return parities;
}
