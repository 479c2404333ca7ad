/** State operations of one run on one GPU. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { ProbeKernel, Program } from '../../compiler/program.ts';
import type { BitImages } from '../../math/bit-images.ts';
import type { EntryAccess } from '../density-states.ts';
import type { InitialEntries } from '../initial-entries.ts';
import type {
  BasisSamples,
  MaybePromise,
  QubitMasses,
  SampleRequest,
  StateOperations,
} from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import type { GpuContext, WorkWindow } from './gpu-context.ts';
import { type GpuHost, StatePart } from './gpu-host.ts';
import type { GpuProgram, PlacedDispatch, PlacedStep } from './gpu-program.ts';
import type { GpuState } from './gpu-state.ts';
import { collapse, mixStates, qubitMasses } from './readout/collapse.ts';
import { expectations } from './readout/expectation.ts';
import {
  amplitudesAt,
  chosenAmplitudes,
  logicalAmplitudes,
  outcomeProbabilities,
  physicalIndices,
  writeAmplitudes,
} from './readout/final-state.ts';
import { applyObservable } from './readout/observable-image.ts';
import { addProbeSums } from './readout/probe-sums.ts';
import { sampleBasisStates } from './readout/sampling.ts';

/** In place of a step's index where nothing is settled after the step. */
const NOT_LAST = -2;

/** A state of one run. */
export interface GpuStateSlot {
  /** Absent while the state is |0…0⟩ without buffers. */
  stored: GpuState | undefined;
}

/** The device and program that a run works with. */
export interface GpuWork {
  readonly host: GpuHost;
  readonly window: WorkWindow;
  readonly program: GpuProgram;
  /** Segments that act on the same states, if the program has noise. */
  readonly segments?: GpuSegments;
}

/** The states of one run. */
export class GpuStates implements StateOperations<GpuStateSlot>, EntryAccess<GpuStateSlot> {
  readonly #part: StatePart;
  readonly #window: WorkWindow;
  readonly #layout: readonly Qubit[];
  readonly #slicer: TimeSlicer;
  readonly #lastSweep: number;
  readonly #segments: GpuSegments | undefined;

  /** @param layout - Logical qubit → physical qubit, at the end. */
  constructor(
    { host, window, program, segments }: GpuWork,
    layout: readonly Qubit[],
    slicer: TimeSlicer,
  ) {
    this.#part = new StatePart(host, program);
    this.#window = window;
    this.#layout = layout;
    this.#slicer = slicer;
    this.#segments = segments;
    this.#lastSweep = program.steps.findLastIndex((step) => step !== undefined);
  }

  create(): GpuStateSlot {
    return { stored: undefined };
  }

  async initialize(slot: GpuStateSlot, entries: InitialEntries): Promise<void> {
    const state = await this.#written(slot);
    await writeAmplitudes(this.#part.context, state, 0, entries, this.#slicer);
  }

  async copy({ stored }: GpuStateSlot): Promise<GpuStateSlot> {
    return { stored: stored && (await this.#part.copy(stored)) };
  }

  release({ stored }: GpuStateSlot): void {
    if (stored !== undefined) this.#part.release(stored);
  }

  applySweep(slot: GpuStateSlot, stepIndex: number): MaybePromise<void> {
    const step = this.#part.step(stepIndex);
    if (step === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
    const { stored } = slot;
    if (stored !== undefined) return this.#enqueueStep(stored, step, stepIndex);
    return this.#written(slot).then((state) => this.#enqueueStep(state, step, stepIndex));
  }

  async applyStepOf(program: Program, slot: GpuStateSlot, stepIndex: number): Promise<void> {
    const placed = await this.#segments?.placed(program);
    const step = placed?.steps[stepIndex];
    if (step === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
    await this.#enqueueStep(await this.#written(slot), step, NOT_LAST);
  }

  /** Enqueues a step; returns no promise as long as the device may be given more work. */
  #enqueueStep(state: GpuState, step: PlacedStep, stepIndex: number): MaybePromise<void> {
    this.#part.begin(state, step);
    return this.#enqueueFrom(0, state, step.dispatches, stepIndex);
  }

  #enqueueFrom(
    first: number,
    state: GpuState,
    dispatches: readonly PlacedDispatch[],
    stepIndex: number,
  ): MaybePromise<void> {
    for (let i = first; i < dispatches.length; i++) {
      this.#part.enqueue(state, dispatches[i]!);
      if (!this.#window.add(dispatches[i]!.units) || i === dispatches.length - 1) continue;
      return this.#settle().then(() => this.#enqueueFrom(i + 1, state, dispatches, stepIndex));
    }
    // Settles after the last sweep, because sampling is timed separately.
    if (this.#window.isFull || stepIndex === this.#lastSweep) return this.#settle();
  }

  async #settle(): Promise<void> {
    this.#window.submitted();
    await this.#part.context.settle();
    this.#window.settled();
    await this.#slicer.pause();
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
      sampleBasisStates(context, state, this.#layout, request, this.#slicer),
    );
  }

  statevector(slot: GpuStateSlot): Promise<Float64Array> {
    return this.#look(slot, (context, state) => logicalAmplitudes(context, state, this.#layout));
  }

  amplitudes(slot: GpuStateSlot, basisIndices: readonly bigint[]): Promise<Float64Array> {
    return this.#look(slot, (context, state) =>
      chosenAmplitudes(context, state, physicalIndices(basisIndices.map(Number), this.#layout)),
    );
  }

  entries(slot: GpuStateSlot, indexOf: BitImages, flips: number): Promise<Float64Array> {
    return this.#look(slot, (context, state) =>
      amplitudesAt(context, state, this.#layout, indexOf, flips),
    );
  }

  async mix(slot: GpuStateSlot, otherSlot: GpuStateSlot, share: number): Promise<void> {
    const other = await this.#written(otherSlot);
    await this.#look(slot, (context, state) => mixStates(context, state, other, share));
  }

  probabilities(slot: GpuStateSlot, outcomeOf: BitImages, numBits: number): Promise<Float64Array> {
    return this.#look(slot, (context, state) =>
      outcomeProbabilities(context, state, this.#layout, outcomeOf, numBits),
    );
  }

  expectations(slot: GpuStateSlot, observables: readonly PauliSum[]): Promise<readonly number[]> {
    return this.#look(slot, (context, state) =>
      expectations(context, state, observables, this.#layout),
    );
  }

  async applyObservable(
    slot: GpuStateSlot,
    observable: PauliSum,
    imageSlot: GpuStateSlot,
  ): Promise<void> {
    const image = await this.#written(imageSlot);
    await this.#look(slot, (context, state) =>
      applyObservable(context, state, observable, this.#layout, image),
    );
  }

  /** Adds the sums of probes over two states to those of a gradient. */
  async addProbeSums(
    psi: GpuStateSlot,
    lambda: GpuStateSlot,
    probes: readonly ProbeKernel[],
    sums: Float64Array,
  ): Promise<void> {
    const other = await this.#written(lambda);
    await this.#look(psi, (context, state) => addProbeSums(context, state, other, probes, sums));
  }

  /** Reads a state, which waits for the device: no state is collapsed before it was read. */
  async #look<T>(
    slot: GpuStateSlot,
    look: (context: GpuContext, state: GpuState) => Promise<T>,
  ): Promise<T> {
    const seen = await look(this.#part.context, await this.#written(slot));
    this.#window.forget();
    return seen;
  }

  /** Allocates the memory of a state that has none. */
  async #written(slot: GpuStateSlot): Promise<GpuState> {
    slot.stored ??= await this.#part.create();
    return slot.stored;
  }
}

/** Bytes of segments that are kept by default. */
const MAX_BYTES = 2 ** 28;

/** Keeps segments until it is cleared. */
export class GpuSegments {
  readonly #context: Pick<GpuContext, 'flush'>;
  readonly #maxBytes: number;
  readonly #place: (program: Program) => Promise<GpuProgram>;
  /** Least recently used first. */
  readonly #segments = new Map<Program, GpuProgram>();
  #bytes = 0;

  /**
   * @param place - Compiles and uploads a segment.
   * @param maxBytes - Before a segment is added to more than these, those that were not used for the longest time go.
   */
  constructor(
    context: Pick<GpuContext, 'flush'>,
    place: (program: Program) => Promise<GpuProgram>,
    maxBytes = MAX_BYTES,
  ) {
    this.#context = context;
    this.#place = place;
    this.#maxBytes = maxBytes;
  }

  /** A segment on the device, where it stays at least until the next call. */
  async placed(program: Program): Promise<GpuProgram> {
    let placed = this.#segments.get(program);
    if (placed === undefined) placed = await this.#placeNew(program);
    else this.#segments.delete(program);
    this.#segments.set(program, placed);
    return placed;
  }

  clear(): void {
    for (const placed of this.#segments.values()) placed.destroy();
    this.#segments.clear();
    this.#bytes = 0;
  }

  async #placeNew(program: Program): Promise<GpuProgram> {
    // The buffer of a segment that goes may be written anew at once, so work that reads it is submitted before.
    if (this.#bytes > this.#maxBytes) this.#context.flush();
    for (const [oldest, placed] of this.#segments) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#bytes -= placed.bytes;
      placed.destroy();
      this.#segments.delete(oldest);
    }
    const placed = await this.#place(program);
    this.#bytes += placed.bytes;
    return placed;
  }
}
