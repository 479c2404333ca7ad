/**
 * The part of a run's states on one device: allocates and copies them, and enqueues the dispatches
 * of sweeps. The part is a whole state, or a share of one that is spread over several devices.
 */
import type { GpuContext } from './gpu-context.ts';
import type { GpuHost } from './gpu-host.ts';
import type { GpuProgram, PlacedDispatch, PlacedStep } from './gpu-program.ts';
import { AMPLITUDE_BYTES, type GpuState } from './gpu-state.ts';

/** One device's part of the states of a run. */
export class StatePart {
  readonly #host: GpuHost;
  readonly #program: GpuProgram;

  constructor(host: GpuHost, program: GpuProgram) {
    this.#host = host;
    this.#program = program;
  }

  get context(): GpuContext {
    return this.#host.context;
  }

  /** The work of a step; undefined if the device has none. */
  step(stepIndex: number): PlacedStep | undefined {
    return this.#program.steps[stepIndex];
  }

  /**
   * Creates a state. Its memory is valid as far as the next sweeps read it.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async create(): Promise<GpuState> {
    const { chunks, context, origin } = this.#host;
    const { shape, needsClearing } = this.#program;
    const state = await chunks.take(shape);
    context.enqueue((encoder) => {
      if (needsClearing) for (const chunk of state.chunks) encoder.clearBuffer(chunk);
      encoder.copyBufferToBuffer(origin, 0, state.chunks[0]!, 0, AMPLITUDE_BYTES);
    });
    return state;
  }

  /**
   * Creates a state with the same amplitudes.
   *
   * @throws {StateMemoryError} if the device has no memory for it.
   */
  async copy(state: GpuState): Promise<GpuState> {
    const copy = await this.#host.chunks.take(this.#program.shape);
    this.#host.context.enqueue((encoder) => {
      for (const [i, chunk] of state.chunks.entries()) {
        encoder.copyBufferToBuffer(chunk, 0, copy.chunks[i]!, 0, chunk.size);
      }
    });
    return copy;
  }

  /** Frees a state; the device may still be working on it. */
  release(state: GpuState): void {
    this.#host.chunks.give(state);
  }

  /** Begins a step by reordering the chunks. */
  begin({ chunks }: GpuState, { chunkOrder }: PlacedStep): void {
    if (chunkOrder === undefined) return;
    chunks.splice(0, chunks.length, ...chunkOrder.map((i) => chunks[i]!));
  }

  /** Encodes a dispatch of a step that has begun. */
  enqueue({ chunks }: GpuState, dispatch: PlacedDispatch): void {
    const { kernel, bindings, offsets, row, numRows } = dispatch;
    const bound = dispatch.chunks.map((chunk) => chunks[chunk]!);
    const group = this.#host.chunks.group(bound, kernel.chunks);
    this.#host.context.enqueueKernels((pass) => {
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, group);
      pass.setBindGroup(1, bindings, offsets);
      pass.dispatchWorkgroups(row, numRows);
    });
  }
}
