/**
 * Compiles a program for a device: the words of its sweeps, and the dispatches of each step. Programs of one shape
 * are compiled together.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { Program, ProgramShape, Step } from '../../compiler/program.ts';
import { FormulaTape } from '../formula-tape.ts';
import { type MatrixPool, poolOfShape } from '../matrix-pool.ts';
import { UNIFORM_STRIDE } from './scratch-buffers.ts';
import { chunkOrder, exchangeParts, isBetweenDevices } from './sweep/exchange-sweeps.ts';
import type { ChunkShape } from './sweep/index-bits.ts';
import { SINGLE_ROUNDING } from './sweep/lower-sweep.ts';
import { placeSweep, type SweepDispatches, type SweepPlacing } from './sweep/place-sweep.ts';
import type { FloatSites } from './sweep/sweep-code.ts';

/** The sweeps of a step. */
export interface LoweredStep {
  readonly chunkOrder?: readonly number[];
  readonly sweeps: readonly LoweredSweep[];
}

/** A sweep whose words are among those of the program. */
export type LoweredSweep = Omit<SweepDispatches, 'words' | 'sites'>;

/** A compiled program, independent of buffers. */
export interface LoweredProgram {
  /** Shape of its states. */
  readonly shape: ChunkShape;
  /** By step; undefined if a step is neither a sweep nor an exchange within the device. */
  readonly steps: readonly (LoweredStep | undefined)[];
  readonly sweeps: readonly LoweredSweep[];
  /** As in `GpuProgram`. */
  readonly needsClearing: boolean;
  /** Words of all sweeps, followed by the parameters of each dispatch. */
  readonly words: Uint32Array<ArrayBuffer>;
  /** Byte offset of the parameters. */
  readonly paramsAt: number;
  /** Bytes of the longest program of a sweep. */
  readonly longestBytes: number;
}

/**
 * Compiles a program.
 *
 * @param placing - Shape of its states and kernels.
 * @param maxTileChunks - Most chunk qubits of a tile.
 */
export function lowerProgram(
  program: Program,
  placing: SweepPlacing,
  maxTileChunks: number,
  start: Start = 'zero',
): LoweredProgram {
  return lowerWith(program, program, placing, maxTileChunks, start).lowered;
}

/** Range of the rotations of a segment, as in `growth.ts`; it leaves room for the digits of amplitudes. */
const MAX_BOUND_GROWTH = 2 ** 100;

/** A program compiled with the matrices of its shape. */
interface LoweredShape {
  readonly lowered: LoweredProgram;
  readonly tape: FormulaTape;
  /** Positions of the words that the tape's numbers are. */
  readonly sites: Int32Array;
}

/** State that a program begins with: |0…0⟩, or any. */
export type Start = 'zero' | 'any';

/** Compiles programs, and all programs of one shape together. */
export class ProgramLowering {
  readonly #maxTileChunks: number;
  readonly #shapes = new WeakMap<ProgramShape, LoweredShape>();

  /** @param maxTileChunks - Most chunk qubits of a tile. */
  constructor(maxTileChunks: number) {
    this.#maxTileChunks = maxTileChunks;
  }

  /**
   * Compiles a program by its shape, also where it is the first one, so that what a program computes never depends on
   * others. Where the shape does not do, for example because the state could overflow, the program is compiled for
   * itself.
   *
   * @param placing - The same for all programs of a shape.
   */
  lower(program: Program, placing: SweepPlacing, start: Start = 'zero'): LoweredProgram {
    const { shape } = program;
    if (shape !== undefined) {
      const known = this.#shapes.get(shape) ?? this.#lowerShape(program, shape, placing, start);
      const { lowered, tape, sites } = known;
      const numbers = tape.numbersOf(program.matrices);
      if (numbers !== undefined) {
        const words = lowered.words.slice();
        const floats = new Float32Array(words.buffer);
        for (let i = 0; i < sites.length; i++) floats[sites[i]!] = numbers[i]!;
        return { ...lowered, words };
      }
    }
    return lowerProgram(program, placing, this.#maxTileChunks, start);
  }

  #lowerShape(
    program: Program,
    shape: ProgramShape,
    placing: SweepPlacing,
    start: Start,
  ): LoweredShape {
    const pool = poolOfShape(program.steps, shape);
    const { lowered, sites } = lowerWith(program, pool, placing, this.#maxTileChunks, start);
    const numEntries = shape.matrices.length / 2;
    const { values } = sites;
    const known = {
      lowered,
      tape: new FormulaTape(numEntries, values, pool.trace, SINGLE_ROUNDING, MAX_BOUND_GROWTH),
      sites: Int32Array.from(sites.at),
    };
    this.#shapes.set(shape, known);
    return known;
  }
}

function lowerWith(
  { steps }: Program,
  pool: MatrixPool,
  placing: SweepPlacing,
  maxTileChunks: number,
  start: Start,
): { readonly lowered: LoweredProgram; readonly sites: FloatSites } {
  const { shape } = placing;
  const memory = new WrittenMemory(shape);
  if (start === 'any') memory.end();
  const sweeps: LoweredSweep[] = [];
  const sites: FloatSites = { at: [], values: [] };
  const parts: Uint32Array[] = [];
  let nextWord = 0;
  const lowered = steps.map((step): LoweredStep | undefined => {
    memory.meet(step);
    if (step.kind !== 'sweep' && step.kind !== 'exchange') return undefined;
    if (step.kind === 'exchange' && isBetweenDevices(step, shape)) return undefined;
    const ofStep =
      step.kind === 'sweep'
        ? { swaps: [], sweeps: [step] }
        : exchangeParts(step, shape, maxTileChunks);
    for (const [a, b] of ofStep.swaps) memory.swap(a, b);
    const ownSweeps = ofStep.sweeps.map((sweep) => {
      const {
        words,
        sites: own,
        ...placed
      } = placeSweep(sweep, pool, placing, memory.unwritten, nextWord);
      nextWord = words.reduce((sum, { length }) => sum + length, nextWord);
      parts.push(...words);
      for (const at of own.at) sites.at.push(at);
      for (const value of own.values) sites.values.push(value);
      memory.write(placed.tile);
      sweeps.push(placed);
      return placed;
    });
    if (ofStep.swaps.length === 0) return { sweeps: ownSweeps };
    return { chunkOrder: chunkOrder(ofStep.swaps, shape), sweeps: ownSweeps };
  });
  memory.end();
  const { needsClearing } = memory;
  const common = { shape, steps: lowered, sweeps, needsClearing };
  return { lowered: { ...common, ...laidOut(parts, sweeps) }, sites };
}

/**
 * Tracks the memory that sweeps have written since |0…0⟩. A qubit counts as written once a tile
 * held it: until then it is 0 in all written memory. A step that reads whole states ends the
 * tracking.
 */
class WrittenMemory {
  readonly unwritten: Set<Qubit>;
  needsClearing = false;
  readonly #shape: ChunkShape;

  constructor(shape: ChunkShape) {
    this.#shape = shape;
    this.unwritten = new Set(Array(shape.numQubits).keys());
  }

  meet(step: Step): void {
    const isSure =
      step.kind === 'sweep' || (step.kind === 'exchange' && !isBetweenDevices(step, this.#shape));
    if (!isSure || step.condition !== undefined) this.end();
  }

  write(tile: readonly Qubit[]): void {
    for (const qubit of tile) this.unwritten.delete(qubit);
  }

  swap(a: Qubit, b: Qubit): void {
    const [hadA, hadB] = [this.unwritten.delete(a), this.unwritten.delete(b)];
    if (hadA) this.unwritten.add(b);
    if (hadB) this.unwritten.add(a);
  }

  end(): void {
    this.needsClearing ||= this.unwritten.size > 0;
    this.unwritten.clear();
  }
}

/** Lays out the words of all sweeps, and after them the parameters of each dispatch. */
function laidOut(
  parts: readonly Uint32Array[],
  sweeps: readonly LoweredSweep[],
): Pick<LoweredProgram, 'words' | 'paramsAt' | 'longestBytes'> {
  const stride = UNIFORM_STRIDE / 4;
  const dispatches = sweeps.flatMap((sweep) => sweep.dispatches);
  const firstParams = parts.reduce((sum, { length }) => sum + length, 0);
  const words = new Uint32Array(firstParams + stride * Math.max(1, dispatches.length));
  let at = 0;
  for (const part of parts) {
    words.set(part, at);
    at += part.length;
  }
  for (const [i, { params }] of dispatches.entries()) words.set(params, firstParams + i * stride);
  const longestBytes = Math.max(0, ...parts.map(({ byteLength }) => byteLength));
  return { words, paramsAt: 4 * firstParams, longestBytes };
}
