/** A compiled program on a device: the words of its sweeps, and the dispatches of each step. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { Program, Step } from '../../compiler/program.ts';
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
} from './sweep/sweep-kernel.ts';

/** A dispatch that is independent of the state it works on. */
export interface PlacedDispatch {
  readonly kernel: SweepKernel;
  /** Numbers of the chunks to bind. */
  readonly chunks: readonly number[];
  /** Byte offset of its parameters from the first dispatch's. */
  readonly paramsAt: number;
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
  /** Bind group 1 of its dispatches. */
  readonly bindings: GPUBindGroup;
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
  const lowered = lowerSteps(program, placing, maxTileChunkQubits(context.device.limits));
  const used = new Map<number, SweepKernel>();
  for (const { tileChunkQubits } of lowered.sweeps) {
    used.set(tileChunkQubits, await kernels.kernel(tileChunkQubits));
  }
  const { words, paramsAt, dispatchesOf } = placeWords(lowered.sweeps, used);
  const scratch = new ScratchBuffers(context);
  const buffer = await scratch.words('sweep program', words);
  const bindings = context.device.createBindGroup({
    label: 'sweep program',
    layout: kernels.program,
    entries: [
      { binding: 0, resource: { buffer } },
      { binding: 1, resource: { buffer, offset: paramsAt, size: PARAMS_BYTES } },
    ],
  });
  const steps = lowered.steps.map((step) => {
    if (step === undefined) return undefined;
    const dispatches = step.sweeps.flatMap((sweep) => dispatchesOf.get(sweep) ?? []);
    return { ...(step.chunkOrder && { chunkOrder: step.chunkOrder }), dispatches };
  });
  return {
    shape: placing.shape,
    needsClearing: lowered.needsClearing,
    steps,
    bindings,
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
  { steps, matrices }: Program,
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
      const placed = placeSweep(sweep, matrices, placing, memory.unwritten, nextWord);
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

/** Lays out the words of all sweeps, and after them the parameters of each dispatch. */
function placeWords(
  sweeps: readonly SweepDispatches[],
  kernels: ReadonlyMap<number, SweepKernel>,
): {
  readonly words: Uint32Array<ArrayBuffer>;
  /** Byte offset of the parameters. */
  readonly paramsAt: number;
  readonly dispatchesOf: ReadonlyMap<SweepDispatches, readonly PlacedDispatch[]>;
} {
  const stride = UNIFORM_STRIDE / 4;
  const parts = sweeps.flatMap((sweep) => sweep.words);
  const numDispatches = sweeps.reduce((sum, { dispatches }) => sum + dispatches.length, 0);
  const numWords = parts.reduce((sum, part) => sum + part.length, 0);
  const firstParams = stride * Math.ceil(Math.max(1, numWords) / stride);
  const words = new Uint32Array(firstParams + stride * Math.max(1, numDispatches));
  let at = 0;
  for (const part of parts) {
    words.set(part, at);
    at += part.length;
  }
  let next = 0;
  const dispatchesOf = new Map(
    sweeps.map((sweep) => {
      const kernel = kernels.get(sweep.tileChunkQubits)!;
      const placed = sweep.dispatches.map((dispatch): PlacedDispatch => {
        const { chunks, row, numRows, units } = dispatch;
        words.set(dispatch.params, firstParams + next * stride);
        return { kernel, chunks, paramsAt: UNIFORM_STRIDE * next++, row, numRows, units };
      });
      return [sweep, placed] as const;
    }),
  );
  return { words, paramsAt: 4 * firstParams, dispatchesOf };
}
