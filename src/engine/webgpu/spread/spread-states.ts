/**
 * State operations of one run on several devices. All devices receive their work before any is
 * waited for. They wait for each other when a window of work is full, and when they send each other
 * parts of their states.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import type { BitImages } from '../../../math/bit-images.ts';
import type { InitialEntries } from '../../initial-entries.ts';
import {
  type BasisSamples,
  type QubitMasses,
  type SampleRequest,
  type StateOperations,
  valuesInTurn,
} from '../../state-operations.ts';
import type { TimeSlicer } from '../../time-slicer.ts';
import type { WorkWindow } from '../gpu-context.ts';
import { type GpuHost, StatePart } from '../gpu-host.ts';
import type { GpuProgram } from '../gpu-program.ts';
import type { GpuState } from '../gpu-state.ts';
import { collapse, keepChunks } from '../readout/collapse.ts';
import { writeAmplitudes } from '../readout/final-state.ts';
import { applyToShares, expectationOfShares, type TransferOptions } from './spread-observables.ts';
import type { SpreadAction } from './spread-program.ts';
import {
  amplitudesOfShares,
  chosenOfShares,
  isOneOn,
  massesOfShares,
  probabilitiesOfShares,
  type StateShare,
} from './spread-readout.ts';
import { sampleShares } from './spread-sampling.ts';
import {
  moveStates,
  runTransfers,
  type StagingBuffers,
  settledAll,
  swapParts,
} from './transfers.ts';

/** Devices and buffers that all programs share. */
export interface SpreadHost {
  /** By rank. */
  readonly hosts: readonly GpuHost[];
  readonly staging: readonly StagingBuffers[];
  readonly window: WorkWindow;
  /** Amplitudes transferred between devices at a time. */
  readonly windowSize: number;
}

/** A program on its devices. */
export interface PlacedSpread {
  /** By rank. */
  readonly parts: readonly GpuProgram[];
  /** By step. */
  readonly actions: readonly (readonly SpreadAction[])[];
  /** Passes through memory of each step's actions. */
  readonly passes: readonly number[];
}

/** A state of one run. */
export interface SpreadSlot {
  /** By rank; absent while the state is |0…0⟩ without buffers. */
  stored: readonly GpuState[] | undefined;
}

/** The states of one run. */
export class SpreadStates implements StateOperations<SpreadSlot> {
  readonly #host: SpreadHost;
  readonly #program: PlacedSpread;
  readonly #parts: readonly StatePart[];
  readonly #layout: readonly Qubit[];
  readonly #numLocal: number;
  readonly #slicer: TimeSlicer;
  readonly #lastStep: number;
  readonly #pause: () => Promise<void>;

  /** @param layout - Logical qubit → physical qubit, at the end. */
  constructor(
    host: SpreadHost,
    program: PlacedSpread,
    layout: readonly Qubit[],
    slicer: TimeSlicer,
  ) {
    this.#host = host;
    this.#program = program;
    this.#parts = program.parts.map((part, rank) => new StatePart(host.hosts[rank]!, part));
    this.#layout = layout;
    this.#numLocal = program.parts[0]!.shape.numQubits;
    this.#slicer = slicer;
    this.#lastStep = program.actions.findLastIndex((actions) => actions.length > 0);
    this.#pause = () => slicer.pause();
  }

  create(): SpreadSlot {
    return { stored: undefined };
  }

  async initialize(slot: SpreadSlot, entries: InitialEntries): Promise<void> {
    const states = await this.#written(slot);
    for (const [rank, state] of states.entries()) {
      const first = rank * 2 ** this.#numLocal;
      await writeAmplitudes(this.#parts[rank]!.context, state, first, entries, this.#slicer);
    }
  }

  async copy({ stored }: SpreadSlot): Promise<SpreadSlot> {
    if (stored === undefined) return this.create();
    return { stored: await this.#onAll((part, rank) => part.copy(stored[rank]!)) };
  }

  release({ stored = [] }: SpreadSlot): void {
    for (const [rank, state] of stored.entries()) this.#parts[rank]!.release(state);
  }

  async applySweep(
    slot: SpreadSlot,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): Promise<void> {
    const states = await this.#written(slot);
    const { actions, passes } = this.#program;
    const own = actions[stepIndex] ?? [];
    for (const [i, action] of own.entries()) {
      if (action.kind === 'local') await this.#applyLocal(states, action.step);
      else {
        await this.#move(states, action, (fraction) =>
          onPasses((passes[stepIndex]! * (i + fraction)) / own.length),
        );
      }
    }
    // Settles after the last sweep, because sampling is timed separately.
    if (stepIndex === this.#lastStep) await this.#settle();
  }

  /**
   * Applies a step of the devices' own programs, one dispatch at a time on all devices, so that
   * none gets far ahead.
   */
  async #applyLocal(states: readonly GpuState[], stepIndex: number): Promise<void> {
    const steps = this.#parts.map((part, rank) => {
      const step = part.step(stepIndex);
      if (step === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
      part.begin(states[rank]!, step);
      return step;
    });
    const numDispatches = Math.max(...steps.map(({ dispatches }) => dispatches.length));
    for (let i = 0; i < numDispatches; i++) {
      let units = 0;
      for (const [rank, { dispatches }] of steps.entries()) {
        const dispatch = dispatches[i];
        if (dispatch === undefined) continue;
        this.#parts[rank]!.enqueue(states[rank]!, dispatch);
        units = Math.max(units, dispatch.units);
      }
      if (this.#host.window.add(units)) await this.#settle();
    }
  }

  async #move(
    states: readonly GpuState[],
    { pairs }: Extract<SpreadAction, { kind: 'move' }>,
    onFraction: (fraction: number) => void,
  ): Promise<void> {
    const { staging, windowSize, window } = this.#host;
    const rounds = swapParts(states, staging, pairs, windowSize);
    const partSize = 2 ** (this.#numLocal - pairs.length);
    const perWay = Math.ceil(partSize / windowSize);
    let numCarried = 0;
    for (const ways of rounds) {
      await runTransfers(ways, async () => {
        onFraction(++numCarried / (rounds.length * ways.length * perWay));
        await this.#slicer.pause();
      });
    }
    window.forget();
  }

  async #settle(): Promise<void> {
    const { window } = this.#host;
    window.submitted();
    for (const { context } of this.#parts) context.flush();
    await settledAll(this.#parts.map(({ context }) => context.settle()));
    window.settled();
    await this.#slicer.pause();
  }

  qubitMasses(slot: SpreadSlot, qubit: Qubit): Promise<QubitMasses> {
    return this.#look(slot, (shares) => massesOfShares(shares, qubit));
  }

  collapse(
    slot: SpreadSlot,
    qubit: Qubit,
    outcome: 0 | 1,
    left: 0 | 1,
    mass: number,
  ): Promise<void> {
    return this.#look(slot, async (shares) => {
      if (qubit < this.#numLocal) {
        await settledAll(
          shares.map(({ context, state }) => collapse(context, state, qubit, outcome, left, mass)),
        );
      } else await this.#keepDevices(shares, qubit, outcome, left, mass);
    });
  }

  /** Collapses a device qubit: some devices keep all their amplitudes, the others are cleared. */
  async #keepDevices(
    shares: readonly StateShare[],
    qubit: Qubit,
    outcome: 0 | 1,
    left: 0 | 1,
    mass: number,
  ): Promise<void> {
    const isKept = (rank: number) => isOneOn(rank, qubit, this.#numLocal) === (outcome === 1);
    const keep = (isAnyKept: (rank: number) => boolean) =>
      settledAll(
        shares.map(({ context, state }, rank) =>
          keepChunks(context, state, () => isAnyKept(rank), mass),
        ),
      );
    await keep(isKept);
    if (left === outcome) return;
    const { staging, windowSize } = this.#host;
    const ways = [...shares.keys()].filter(isKept).map((rank) => {
      const to = rank ^ (1 << (qubit - this.#numLocal));
      return moveStates(
        { staging: staging[rank]!, state: shares[rank]!.state },
        { staging: staging[to]!, state: shares[to]!.state },
        windowSize,
      );
    });
    await runTransfers(ways, this.#pause);
    for (const [rank, { context, state }] of shares.entries()) {
      if (!isKept(rank)) continue;
      context.enqueue((encoder) => {
        for (const chunk of state.chunks) encoder.clearBuffer(chunk);
      });
    }
  }

  sample(slot: SpreadSlot, request: SampleRequest): Promise<BasisSamples> {
    return this.#look(slot, (shares) => sampleShares(shares, this.#layout, request, this.#slicer));
  }

  statevector(slot: SpreadSlot): Promise<Float64Array> {
    return this.#look(slot, (shares) => amplitudesOfShares(shares, this.#layout));
  }

  amplitudes(slot: SpreadSlot, basisIndices: readonly bigint[]): Promise<Float64Array> {
    return this.#look(slot, (shares) =>
      chosenOfShares(shares, this.#layout, basisIndices.map(Number)),
    );
  }

  probabilities(slot: SpreadSlot, outcomeOf: BitImages, numBits: number): Promise<Float64Array> {
    return this.#look(slot, (shares) =>
      probabilitiesOfShares(shares, this.#layout, outcomeOf, numBits),
    );
  }

  expectations(slot: SpreadSlot, observables: readonly PauliSum[]): Promise<readonly number[]> {
    return this.#look(slot, (shares) =>
      valuesInTurn(observables, (observable) =>
        expectationOfShares(shares, observable, this.#layout, this.#transferOptions()),
      ),
    );
  }

  async applyObservable(
    slot: SpreadSlot,
    observable: PauliSum,
    imageSlot: SpreadSlot,
  ): Promise<void> {
    const images = await this.#written(imageSlot);
    await this.#look(slot, (shares) =>
      applyToShares(shares, observable, this.#layout, images, this.#transferOptions()),
    );
  }

  #transferOptions(): TransferOptions {
    const { staging, windowSize } = this.#host;
    return { staging, windowSize, pause: this.#pause };
  }

  /** Reads a state, which waits for the devices: no state is collapsed before it was read. */
  async #look<T>(
    slot: SpreadSlot,
    look: (shares: readonly StateShare[]) => Promise<T>,
  ): Promise<T> {
    const states = await this.#written(slot);
    const shares = this.#parts.map(({ context }, rank) => ({ context, state: states[rank]! }));
    const seen = await look(shares);
    this.#host.window.forget();
    return seen;
  }

  /** Allocates the memory of a state that has none. */
  async #written(slot: SpreadSlot): Promise<readonly GpuState[]> {
    slot.stored ??= await this.#onAll((part) => part.create());
    return slot.stored;
  }

  /** Makes a state on all devices, or on none. */
  async #onAll(
    make: (part: StatePart, rank: number) => Promise<GpuState>,
  ): Promise<readonly GpuState[]> {
    const making = this.#parts.map(make);
    try {
      return await settledAll(making);
    } catch (error) {
      const made = await Promise.allSettled(making);
      for (const [rank, outcome] of made.entries()) {
        if (outcome.status === 'fulfilled') this.#parts[rank]!.release(outcome.value);
      }
      throw error;
    }
  }
}
