/** The operations on the states of one run: buffers on a GPU, worked on by what is enqueued. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { BitImages } from '../../math/bit-images.ts';
import type { Pacer } from '../pacer.ts';
import type {
  BasisSamples,
  MaybePromise,
  QubitMasses,
  SampleRequest,
  StateOperations,
} from '../state-operations.ts';
import type { GpuContext } from './gpu-context.ts';
import type { GpuProgram, PlacedDispatch, PlacedStep } from './gpu-program.ts';
import { AMPLITUDE_BYTES, type GpuState } from './gpu-state.ts';
import { collapse, qubitMasses } from './readout/collapse.ts';
import { expectation } from './readout/expectation.ts';
import { logicalAmplitudes, outcomeProbabilities } from './readout/final-state.ts';
import { sampleBasisStates } from './readout/sampling.ts';
import type { StateChunks } from './state-chunks.ts';
import type { SweepKernels } from './sweep/sweep-kernel.ts';
import type { WorkWindow } from './work-window.ts';

/** What all programs of a device share. */
export interface GpuHost {
  readonly context: GpuContext;
  readonly kernels: SweepKernels;
  readonly chunks: StateChunks;
  readonly window: WorkWindow;
  /** The amplitude 1, to copy from. */
  readonly one: GPUBuffer;
}

/** A state of one run. */
export interface GpuStateSlot {
  /** Absent while the state is |0…0⟩ and has no buffer yet. */
  stored: GpuState | undefined;
}

/** The states of one run. */
export class GpuStates implements StateOperations<GpuStateSlot> {
  readonly #host: GpuHost;
  readonly #program: GpuProgram;
  readonly #layout: readonly Qubit[];
  readonly #pacer: Pacer;
  readonly #lastSweep: number;

  /** @param layout - Logical qubit → physical qubit, at the end. */
  constructor(host: GpuHost, program: GpuProgram, layout: readonly Qubit[], pacer: Pacer) {
    this.#host = host;
    this.#program = program;
    this.#layout = layout;
    this.#pacer = pacer;
    this.#lastSweep = program.steps.findLastIndex((step) => step !== undefined);
  }

  create(): GpuStateSlot {
    return { stored: undefined };
  }

  async copy({ stored }: GpuStateSlot): Promise<GpuStateSlot> {
    if (stored === undefined) return this.create();
    const copy = await this.#host.chunks.take(this.#program.shape);
    this.#host.context.enqueue((encoder) => {
      for (const [i, chunk] of stored.chunks.entries()) {
        encoder.copyBufferToBuffer(chunk, 0, copy.chunks[i]!, 0, chunk.size);
      }
    });
    return { stored: copy };
  }

  release({ stored }: GpuStateSlot): void {
    if (stored !== undefined) this.#host.chunks.give(stored);
  }

  applySweep(slot: GpuStateSlot, stepIndex: number): MaybePromise<void> {
    const step = this.#program.steps[stepIndex];
    if (step === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
    const { stored } = slot;
    if (stored !== undefined) return this.#enqueueStep(stored, step, stepIndex);
    return this.#written(slot).then((state) => this.#enqueueStep(state, step, stepIndex));
  }

  /** Without a promise as long as the device may be given more. */
  #enqueueStep(
    state: GpuState,
    { chunkOrder, dispatches }: PlacedStep,
    stepIndex: number,
  ): MaybePromise<void> {
    if (chunkOrder !== undefined) {
      state.chunks.splice(0, state.chunks.length, ...chunkOrder.map((i) => state.chunks[i]!));
    }
    return this.#enqueueFrom(0, state, dispatches, stepIndex);
  }

  #enqueueFrom(
    first: number,
    state: GpuState,
    dispatches: readonly PlacedDispatch[],
    stepIndex: number,
  ): MaybePromise<void> {
    for (let i = first; i < dispatches.length; i++) {
      this.#enqueueDispatch(state, dispatches[i]!);
      if (!this.#host.window.add(dispatches[i]!.units) || i === dispatches.length - 1) continue;
      return this.#settle().then(() => this.#enqueueFrom(i + 1, state, dispatches, stepIndex));
    }
    // What comes after the last sweep is timed apart.
    if (this.#host.window.isFull || stepIndex === this.#lastSweep) return this.#settle();
  }

  #enqueueDispatch({ chunks }: GpuState, dispatch: PlacedDispatch): void {
    const { kernel, paramsAt, row, numRows } = dispatch;
    const bound = dispatch.chunks.map((chunk) => chunks[chunk]!);
    const group = this.#host.chunks.group(bound, kernel.chunks);
    this.#host.context.enqueueKernels((pass) => {
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, group);
      pass.setBindGroup(1, this.#program.bindings, [paramsAt]);
      pass.dispatchWorkgroups(row, numRows);
    });
  }

  async #settle(): Promise<void> {
    const { context, window } = this.#host;
    window.submitted();
    await context.settle();
    window.settled();
    await this.#pacer.pause();
  }

  qubitMasses(slot: GpuStateSlot, qubit: Qubit): Promise<QubitMasses> {
    return this.#look(slot, (context, state) => qubitMasses(context, state, qubit));
  }

  collapse(
    slot: GpuStateSlot,
    qubit: Qubit,
    outcome: 0 | 1,
    left: 0 | 1,
    mass: number,
  ): Promise<void> {
    return this.#look(slot, (context, state) =>
      collapse(context, state, qubit, outcome, left, mass),
    );
  }

  sample(slot: GpuStateSlot, request: SampleRequest): Promise<BasisSamples> {
    return this.#look(slot, (context, state) =>
      sampleBasisStates(context, state, this.#layout, request, this.#pacer),
    );
  }

  statevector(slot: GpuStateSlot): Promise<Float64Array> {
    return this.#look(slot, (context, state) => logicalAmplitudes(context, state, this.#layout));
  }

  probabilities(slot: GpuStateSlot, outcomeOf: BitImages, numBits: number): Promise<Float64Array> {
    return this.#look(slot, (context, state) =>
      outcomeProbabilities(context, state, this.#layout, outcomeOf, numBits),
    );
  }

  expectation(slot: GpuStateSlot, observable: PauliSum): Promise<number> {
    return this.#look(slot, (context, state) =>
      expectation(context, state, observable, this.#layout),
    );
  }

  /** What reads a state waits for the device, and nothing collapses before it was read. */
  async #look<T>(
    slot: GpuStateSlot,
    look: (context: GpuContext, state: GpuState) => Promise<T>,
  ): Promise<T> {
    const { context, window } = this.#host;
    const seen = await look(context, await this.#written(slot));
    window.forget();
    return seen;
  }

  /** Gives a state its memory, which says what the state is as far as the next sweeps read it. */
  async #written(slot: GpuStateSlot): Promise<GpuState> {
    if (slot.stored !== undefined) return slot.stored;
    const { shape, needsClearing } = this.#program;
    const state = await this.#host.chunks.take(shape);
    slot.stored = state;
    this.#host.context.enqueue((encoder) => {
      if (needsClearing) for (const chunk of state.chunks) encoder.clearBuffer(chunk);
      encoder.copyBufferToBuffer(this.#host.one, 0, state.chunks[0]!, 0, AMPLITUDE_BYTES);
    });
    return state;
  }
}
