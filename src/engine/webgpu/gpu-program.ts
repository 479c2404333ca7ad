/**
 * A program for a device, compiled into the words of its sweeps and the dispatches of each step, and placed in a buffer
 * there. Programs of one shape are compiled together.
 */

import type { Qubit } from '../../circuit/circuit.ts';
import type { Program, ProgramShape, Step } from '../../compiler/program.ts';
import { FormulaTape } from '../formula-tape.ts';
import { type MatrixPool, poolOfShape } from '../matrix-pool.ts';
import type { GpuContext } from './gpu-context.ts';
import { ScratchBuffers, UNIFORM_STRIDE } from './scratch-buffers.ts';
import {
  type ChunkShape,
  chunkOrder,
  exchangeParts,
  isBetweenDevices,
} from './sweep/index-bits.ts';
import {
  placeSweep,
  SINGLE_ROUNDING,
  type SweepDispatches,
  type SweepPlacing,
} from './sweep/place-sweep.ts';
import type { FloatSites } from './sweep/sweep-code.ts';
import {
  PARAMS_BYTES,
  type SweepKernel,
  type SweepKernels,
  type SweepKind,
  UNIFORM_BYTES,
} from './sweep/sweep-kernel.ts';

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

/** Largest range of the rotations of a segment (`gain.ts`); it leaves room for the digits of amplitudes. */
const MAX_RANGE = 2 ** 100;

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
   * others. If the shape does not do, for example because the state could overflow, the program is compiled for
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
      tape: new FormulaTape(numEntries, values, pool.trace, SINGLE_ROUNDING, MAX_RANGE),
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

/** A dispatch that is independent of the state it works on. */
export interface PlacedDispatch {
  readonly kernel: SweepKernel;
  /** Numbers of the chunks to bind. */
  readonly chunks: readonly number[];
  /** Bind group 1. */
  readonly bindings: GPUBindGroup;
  /** Byte offsets of its program and of its parameters. */
  readonly offsets: readonly [number, number];
  readonly row: number;
  readonly numRows: number;
  readonly units: number;
}

/** The work of a sweep or an exchange. */
export interface PlacedStep {
  /** Applied first: entry i is the chunk that moves to place i; absent if all chunks stay. */
  readonly chunkOrder?: readonly number[];
  readonly dispatches: readonly PlacedDispatch[];
}

/** Data that all runs of a program share. */
export interface GpuProgram {
  /** Shape of its states, which have at least a tile's qubits. */
  readonly shape: ChunkShape;
  /**
   * Whether a state must be cleared first, because sweeps read memory that they have not written.
   */
  readonly needsClearing: boolean;
  /** By step; undefined if a step is neither a sweep nor an exchange within the device. */
  readonly steps: readonly (PlacedStep | undefined)[];
  /** Size of its buffer. */
  readonly bytes: number;
  /** Releases its buffer; no run may use it any more. */
  destroy(): void;
}

/**
 * Uploads a program.
 *
 * @throws {StateMemoryError} if the device has no memory for it.
 */
export async function placeProgram(
  context: GpuContext,
  kernels: SweepKernels,
  lowered: LoweredProgram,
): Promise<GpuProgram> {
  const used = new Map<string, SweepKernel>();
  for (const sweep of lowered.sweeps) {
    if (!used.has(keyOf(sweep))) used.set(keyOf(sweep), await kernels.kernel(sweep));
  }
  const { words, paramsAt, longestBytes } = lowered;
  const scratch = new ScratchBuffers(context);
  const bytes = Math.max(words.byteLength, paramsAt + Math.max(UNIFORM_BYTES, longestBytes));
  const buffer = await scratch.words('sweep program', words, bytes);
  const bindings = new Map(
    [...used].map(([key, { program: layout, isLong }]) => {
      const entries = [
        { binding: 0, resource: { buffer, size: isLong ? longestBytes : UNIFORM_BYTES } },
        { binding: 1, resource: { buffer, offset: paramsAt, size: PARAMS_BYTES } },
      ];
      const label = 'sweep program';
      return [key, context.device.createBindGroup({ label, layout, entries })] as const;
    }),
  );
  let numPlaced = 0;
  const dispatchesOf = new Map(
    lowered.sweeps.map((sweep) => {
      const common = { kernel: used.get(keyOf(sweep))!, bindings: bindings.get(keyOf(sweep))! };
      const placed = sweep.dispatches.map(
        ({ programAt, chunks, row, numRows, units }): PlacedDispatch => {
          const offsets = [4 * programAt, UNIFORM_STRIDE * numPlaced++] as const;
          return { ...common, offsets, chunks, row, numRows, units };
        },
      );
      return [sweep, placed] as const;
    }),
  );
  const steps = lowered.steps.map((step) => {
    if (step === undefined) return undefined;
    const dispatches = step.sweeps.flatMap((sweep) => dispatchesOf.get(sweep) ?? []);
    return { ...(step.chunkOrder && { chunkOrder: step.chunkOrder }), dispatches };
  });
  return {
    shape: lowered.shape,
    needsClearing: lowered.needsClearing,
    steps,
    bytes: buffer.size,
    destroy: () => scratch[Symbol.dispose](),
  };
}

/** Names a kind of sweeps. */
function keyOf({ tileChunkQubits, isLong }: SweepKind): string {
  return `${tileChunkQubits} ${isLong}`;
}
