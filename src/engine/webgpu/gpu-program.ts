/** A compiled program on a device: the words of its sweeps, and the dispatches of each step. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { Program, Step } from '../../compiler/program.ts';
import type { MatrixPool } from '../matrix-pool.ts';
import type { GpuContext } from './gpu-context.ts';
import { ScratchBuffers, UNIFORM_STRIDE } from './scratch-buffers.ts';
import { chunkOrder, exchangeParts, isBetweenDevices } from './sweep/exchange-sweeps.ts';
import type { ChunkShape } from './sweep/index-bits.ts';
import { placeSweep, type SweepDispatches, type SweepPlacing } from './sweep/place-sweep.ts';
import {
  maxTileChunkQubits,
  PARAMS_BYTES,
  type SweepKernel,
  type SweepKernels,
  type SweepKind,
  UNIFORM_BYTES,
} from './sweep/sweep-kernel.ts';

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
  /** Releases its buffer; no run may use it any more. */
  destroy(): void;
}

/**
 * Compiles a program and uploads it.
 *
 * @param placing - Shape of its states and kernels.
 * @throws {StateMemoryError} if the device has no memory for it.
 */
export async function placeProgram(
  context: GpuContext,
  kernels: SweepKernels,
  program: Program,
  placing: SweepPlacing,
): Promise<GpuProgram> {
  const lowered = lowerSteps(
    program.steps,
    program,
    placing,
    maxTileChunkQubits(context.device.limits),
  );
  const used = new Map<string, SweepKernel>();
  for (const sweep of lowered.sweeps) {
    if (!used.has(keyOf(sweep))) used.set(keyOf(sweep), await kernels.kernel(sweep));
  }
  const { words, paramsAt, longestBytes } = laidOut(lowered.sweeps);
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
    shape: placing.shape,
    needsClearing: lowered.needsClearing,
    steps,
    destroy: () => scratch[Symbol.dispose](),
  };
}

interface LoweredStep {
  readonly chunkOrder?: readonly number[];
  readonly sweeps: readonly SweepDispatches[];
}

interface LoweredSteps {
  readonly steps: readonly (LoweredStep | undefined)[];
  readonly sweeps: readonly SweepDispatches[];
  readonly needsClearing: boolean;
}

function lowerSteps(
  steps: readonly Step[],
  pool: MatrixPool,
  placing: SweepPlacing,
  maxTileChunks: number,
): LoweredSteps {
  const { shape } = placing;
  const memory = new WrittenMemory(shape);
  const sweeps: SweepDispatches[] = [];
  let nextWord = 0;
  const lowered = steps.map((step): LoweredStep | undefined => {
    memory.meet(step);
    if (step.kind !== 'sweep' && step.kind !== 'exchange') return undefined;
    if (step.kind === 'exchange' && isBetweenDevices(step, shape)) return undefined;
    const parts =
      step.kind === 'sweep'
        ? { swaps: [], sweeps: [step] }
        : exchangeParts(step, shape, maxTileChunks);
    for (const [a, b] of parts.swaps) memory.swap(a, b);
    const ownSweeps = parts.sweeps.map((sweep) => {
      const placed = placeSweep(sweep, pool, placing, memory.unwritten, nextWord);
      nextWord = placed.words.reduce((sum, words) => sum + words.length, nextWord);
      memory.write(placed.tile);
      sweeps.push(placed);
      return placed;
    });
    if (parts.swaps.length === 0) return { sweeps: ownSweeps };
    return { chunkOrder: chunkOrder(parts.swaps, shape), sweeps: ownSweeps };
  });
  memory.end();
  return { steps: lowered, sweeps, needsClearing: memory.needsClearing };
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

/** Names a kind of sweeps. */
function keyOf({ tileChunkQubits, isLong }: SweepKind): string {
  return `${tileChunkQubits} ${isLong}`;
}

/** Lays out the words of all sweeps, and after them the parameters of each dispatch. */
function laidOut(sweeps: readonly SweepDispatches[]): {
  readonly words: Uint32Array<ArrayBuffer>;
  /** Byte offset of the parameters. */
  readonly paramsAt: number;
  /** Bytes of the longest program. */
  readonly longestBytes: number;
} {
  const stride = UNIFORM_STRIDE / 4;
  const parts = sweeps.flatMap((sweep) => sweep.words);
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
