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
import type { GpuProgram, PlacedSweep } from './gpu-program.ts';
import { AMPLITUDE_BYTES, type GpuState } from './gpu-state.ts';
import { collapse, qubitMasses } from './readout/collapse.ts';
import { expectation } from './readout/expectation.ts';
import { logicalAmplitudes, outcomeProbabilities } from './readout/final-state.ts';
import { sampleBasisStates } from './readout/sampling.ts';
import type { StateBuffers } from './state-buffers.ts';
import type { SweepKernel } from './sweep-kernel.ts';
import type { WorkWindow } from './work-window.ts';

/** What all programs of a device share. */
export interface GpuHost {
  readonly context: GpuContext;
  readonly kernel: SweepKernel;
  readonly buffers: StateBuffers;
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
    this.#lastSweep = program.sweeps.findLastIndex((sweep) => sweep !== undefined);
  }

  create(): GpuStateSlot {
    return { stored: undefined };
  }

  async copy({ stored }: GpuStateSlot): Promise<GpuStateSlot> {
    if (stored === undefined) return this.create();
    const copy = await this.#take();
    this.#host.context.enqueue((encoder) => {
      for (const [i, chunk] of stored.chunks.entries()) {
        encoder.copyBufferToBuffer(chunk, 0, copy.chunks[i]!, 0, chunk.size);
      }
    });
    return { stored: copy };
  }

  release({ stored }: GpuStateSlot): void {
    for (const chunk of stored?.chunks ?? []) this.#host.buffers.give(chunk);
  }

  applySweep(slot: GpuStateSlot, stepIndex: number): MaybePromise<void> {
    const sweep = this.#program.sweeps[stepIndex];
    if (sweep === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
    const { stored } = slot;
    if (stored !== undefined) return this.#enqueueSweep(stored, sweep, stepIndex);
    return this.#written(slot).then((state) => this.#enqueueSweep(state, sweep, stepIndex));
  }

  /** Without a promise as long as the device may be given more. */
  #enqueueSweep(
    { chunks }: GpuState,
    { paramsAt, row, numRows, units }: PlacedSweep,
    stepIndex: number,
  ): MaybePromise<void> {
    const { context, kernel, window } = this.#host;
    const bindGroup = this.#program.bindGroup(chunks[0]!);
    context.enqueue((encoder) => {
      const pass = encoder.beginComputePass();
      pass.setPipeline(kernel.pipeline);
      pass.setBindGroup(0, bindGroup, [paramsAt]);
      pass.dispatchWorkgroups(row, numRows);
      pass.end();
    });
    // What comes after the last sweep is timed apart.
    if (window.add(units) || stepIndex === this.#lastSweep) return this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#host.context.settle();
    this.#host.window.settled();
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

  /** What reads a state waits for the device itself. */
  async #look<T>(
    slot: GpuStateSlot,
    look: (context: GpuContext, state: GpuState) => Promise<T>,
  ): Promise<T> {
    const { context, window } = this.#host;
    const seen = await look(context, await this.#written(slot));
    window.forget();
    return seen;
  }

  /** Has memory say what the state is before anything looks at it. */
  async #written(slot: GpuStateSlot): Promise<GpuState> {
    if (slot.stored !== undefined) return slot.stored;
    const state = await this.#take();
    slot.stored = state;
    this.#host.context.enqueue((encoder) => {
      for (const chunk of state.chunks) encoder.clearBuffer(chunk);
      encoder.copyBufferToBuffer(this.#host.one, 0, state.chunks[0]!, 0, AMPLITUDE_BYTES);
    });
    return state;
  }

  async #take(): Promise<GpuState> {
    const { numQubits } = this.#program;
    const buffer = await this.#host.buffers.take(AMPLITUDE_BYTES * 2 ** numQubits);
    return { chunks: [buffer], chunkQubits: numQubits, numQubits };
  }
}
