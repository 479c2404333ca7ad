/**
 * State operations of one run on the CPU: amplitudes in shared memory, processed by a thread pool.
 */

import type { Qubit } from '../../circuit/circuit.ts';
import type { PauliSum } from '../../circuit/observable.ts';
import type { Program } from '../../compiler/program.ts';
import type { BitImages } from '../../math/bit-images.ts';
import type { EntryAccess } from '../density-states.ts';
import type { InitialEntries } from '../initial-entries.ts';
import {
  andThen,
  type BasisSamples,
  type MaybePromise,
  type QubitMasses,
  type SampleRequest,
  type StateOperations,
} from '../state-operations.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { collapse, qubitMasses } from './collapse.ts';
import {
  COMMAND_HEADER_WORDS,
  COMMAND_KINDS,
  type StoredState,
  WORD_BYTES,
  writeCommand,
} from './command.ts';
import { applyObservable, expectations } from './expectation.ts';
import {
  amplitudesAt,
  chosenAmplitudes,
  logicalAmplitudes,
  mixStates,
  outcomeProbabilities,
  writeAmplitudes,
} from './final-state.ts';
import type { LoweredProgram } from './lowered-program.ts';
import {
  aimSweep,
  type PlacedProgram,
  type PlacedSweep,
  type SegmentStore,
  tileNs,
} from './placed-program.ts';
import { sampleBasisStates } from './sampling.ts';
import { type CommandRunner, type ThreadPool, ThreadPoolRunner } from './thread-pool.ts';

/** Nanoseconds of one work unit of a time slicer. */
const NS_PER_UNIT = 3;

/** Data that all runs of a program share. */
export interface CpuProgram {
  readonly threadPool: ThreadPool;
  readonly lowered: LoweredProgram;
  readonly placed: PlacedProgram;
  readonly stateBytes: number;
  /** Logical qubit → physical qubit, at the end. */
  readonly layout: readonly Qubit[];
  /** Released states, to be used again. */
  readonly spare: number[];
  /** Segments that act on the same states, if the program has noise. */
  readonly segments?: SegmentStore;
}

/** A state of one run. */
export interface CpuState {
  readonly at: number;
  /** Whether the state is |0…0⟩ but memory has not been cleared yet. */
  isUnwritten: boolean;
}

/** The states of one run. */
export class CpuStates
  extends ThreadPoolRunner
  implements StateOperations<CpuState>, EntryAccess<CpuState>
{
  readonly #program: CpuProgram;
  readonly #threadPool: ThreadPool;
  readonly #slicer: TimeSlicer;
  readonly #lastSweep: number;

  constructor(program: CpuProgram, slicer: TimeSlicer) {
    super(program.threadPool, slicer);
    this.#program = program;
    this.#threadPool = program.threadPool;
    this.#slicer = slicer;
    this.#lastSweep = program.placed.sweeps.length - 1;
  }

  create(): CpuState {
    return { at: this.#allocate(), isUnwritten: true };
  }

  initialize(state: CpuState, entries: InitialEntries): MaybePromise<void> {
    // Memory is cleared first: a state may have more qubits than the program.
    return this.#whenWritten(state, () =>
      writeAmplitudes(this, this.#stored(state), entries, this.#slicer),
    );
  }

  copy(state: CpuState): MaybePromise<CpuState> {
    if (state.isUnwritten) return this.create();
    const copy = { at: this.#allocate(), isUnwritten: false };
    return andThen(copyState(this, state.at, copy.at, this.#program.stateBytes), () => copy);
  }

  release({ at }: CpuState): void {
    this.#program.spare.push(at);
  }

  applySweep(
    state: CpuState,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): MaybePromise<void> {
    const { lowered, placed, stateBytes } = this.#program;
    const parts = placed.sweeps[stepIndex];
    if (parts === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
    const apply = () => this.#applyParts(state, parts, onPasses, 0);
    // The first sweep of such a program writes all memory that it will ever read.
    if (!lowered.startsCleared) state.isUnwritten = false;
    const done = this.#whenWritten(state, apply);
    if (stepIndex !== this.#lastSweep || lowered.untouchedWords === 0) return done;
    return andThen(done, () => clearUntouched(this, state.at, stateBytes, lowered.untouchedWords));
  }

  applyStepOf(
    program: Program,
    state: CpuState,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): MaybePromise<void> {
    const parts = this.#program.segments?.placed(program).sweeps[stepIndex];
    if (parts === undefined) throw new Error(`unreachable: step ${stepIndex} is no sweep`);
    return this.#whenWritten(state, () => this.#applyParts(state, parts, onPasses, 0));
  }

  /** The parts from `next` on, one after the other. */
  #applyParts(
    state: CpuState,
    parts: readonly PlacedSweep[],
    onPasses: (passesDone: number) => void,
    next: number,
  ): MaybePromise<void> {
    for (let i = next; i < parts.length; i++) {
      const part = parts[i]!;
      aimSweep(this.#threadPool.words, part, state.at, this.#threadPool.numThreads);
      const done = this.#threadPool.runCommand(
        part.command,
        part.numTiles,
        this.#slicer,
        (fraction) => onPasses((i + fraction) / parts.length),
      );
      // A small state never lets the event loop turn within a part, so the pause comes after it.
      const pause = () => {
        const isDue = this.#slicer.spend((part.numTiles * tileNs(part.shape)) / NS_PER_UNIT);
        return isDue ? this.#slicer.pause() : undefined;
      };
      const paused = done instanceof Promise ? done : pause();
      if (paused !== undefined)
        return paused.then(() => this.#applyParts(state, parts, onPasses, i + 1));
    }
  }

  /** Sees to it that the amplitudes of a state are in memory. */
  settle(state: CpuState): MaybePromise<void> {
    return this.#whenWritten(state, () => {});
  }

  qubitMasses(state: CpuState, qubit: Qubit): MaybePromise<QubitMasses> {
    return this.#whenWritten(state, () => qubitMasses(this, this.#stored(state), qubit));
  }

  collapse(
    state: CpuState,
    qubit: Qubit,
    outcome: 0 | 1,
    left: 0 | 1,
    mass: number,
  ): MaybePromise<void> {
    return this.#whenWritten(state, () =>
      collapse(this, this.#stored(state), qubit, outcome, left, mass),
    );
  }

  sample(state: CpuState, request: SampleRequest): MaybePromise<BasisSamples> {
    return this.#whenWritten(state, () =>
      sampleBasisStates(this, this.#stored(state), this.#program.layout, request),
    );
  }

  statevector(state: CpuState): MaybePromise<Float64Array> {
    return this.#whenWritten(state, () =>
      logicalAmplitudes(this, this.#stored(state), this.#program.layout, this.#slicer),
    );
  }

  amplitudes(state: CpuState, basisIndices: readonly bigint[]): MaybePromise<Float64Array> {
    return this.#whenWritten(state, () =>
      chosenAmplitudes(this, this.#stored(state), this.#program.layout, basisIndices.map(Number)),
    );
  }

  entries(state: CpuState, indexOf: BitImages, flips: number): MaybePromise<Float64Array> {
    const { layout } = this.#program;
    return this.#whenWritten(state, () =>
      amplitudesAt(this, this.#stored(state), layout, indexOf, flips, this.#slicer),
    );
  }

  mix(state: CpuState, other: CpuState, share: number): MaybePromise<void> {
    return this.#whenWritten(state, () =>
      this.#whenWritten(other, () =>
        mixStates(this, this.#stored(state), this.#stored(other), share, this.#slicer),
      ),
    );
  }

  probabilities(
    state: CpuState,
    outcomeOf: BitImages,
    numBits: number,
  ): MaybePromise<Float64Array> {
    const { layout } = this.#program;
    return this.#whenWritten(state, () =>
      outcomeProbabilities(this, this.#stored(state), layout, outcomeOf, numBits, this.#slicer),
    );
  }

  expectations(state: CpuState, observables: readonly PauliSum[]): MaybePromise<readonly number[]> {
    return this.#whenWritten(state, () =>
      expectations(this, this.#stored(state), observables, this.#program.layout),
    );
  }

  applyObservable(state: CpuState, observable: PauliSum, image: CpuState): MaybePromise<void> {
    image.isUnwritten = false;
    return this.#whenWritten(state, () =>
      applyObservable(this, this.#stored(state), observable, this.#program.layout, image.at),
    );
  }

  #allocate(): number {
    return this.#program.spare.pop() ?? this.#threadPool.allocateState(this.#program.stateBytes);
  }

  #stored({ at }: CpuState): StoredState {
    const { numQubits, code } = this.#program.lowered;
    return { at, numQubits, precision: code.precision };
  }

  /** Clears the memory of an unwritten state before it is read. */
  #whenWritten<T>(state: CpuState, look: () => MaybePromise<T>): MaybePromise<T> {
    if (!state.isUnwritten) return look();
    state.isUnwritten = false;
    return andThen(clearState(this, state.at, this.#program.stateBytes), look);
  }
}

/** Bytes of a state that one item clears or copies; a power of two. */
const CHUNK_BYTES = 2 ** 20;
/** Fields after the header: to, from and size in words, bytes of a chunk, mask. */
const FIELDS = 5;

/** Makes the state at `to` |0…0⟩. */
export function clearState(runner: CommandRunner, to: number, bytes: number): MaybePromise<void> {
  return inChunks(runner, COMMAND_KINDS.clear, { to, from: 0, bytes, mask: 0 });
}

/** Copies the state at `from`. */
export function copyState(
  runner: CommandRunner,
  from: number,
  to: number,
  bytes: number,
): MaybePromise<void> {
  return inChunks(runner, COMMAND_KINDS.copy, { to, from, bytes, mask: 0 });
}

/** Clears the groups whose offset in 32-bit words has any bit of `mask`. */
function clearUntouched(
  runner: CommandRunner,
  to: number,
  bytes: number,
  mask: number,
): MaybePromise<void> {
  return inChunks(runner, COMMAND_KINDS.clearUntouched, { to, from: 0, bytes, mask });
}

function inChunks(
  runner: CommandRunner,
  kind: number,
  { to, from, bytes, mask }: { to: number; from: number; bytes: number; mask: number },
): MaybePromise<void> {
  const chunk = Math.min(bytes, CHUNK_BYTES);
  const numItems = bytes / chunk;
  return runner.withScratch(4 * (COMMAND_HEADER_WORDS + FIELDS), (command) => {
    const header = { kind, numItems, perClaim: 1 };
    const places = [to, from, bytes].map((place) => place / WORD_BYTES);
    writeCommand(runner.memory, command, header, [...places, chunk, mask]);
    return runner.runCommand(command, numItems);
  });
}
