/** A program on a device: a buffer with the words of its sweeps, and the dispatches of each step. */
import type { GpuContext } from './gpu-context.ts';
import type { LoweredProgram } from './gpu-lowering.ts';
import { ScratchBuffers, UNIFORM_STRIDE } from './scratch-buffers.ts';
import type { ChunkShape } from './sweep/index-bits.ts';
import {
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
