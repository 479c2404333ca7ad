/** The operations on the states of one run: amplitudes in shared memory, worked on by a crew. */
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
import { collapse, qubitMasses } from './collapse.ts';
import type { Crew } from './crew.ts';
import { CrewRunner } from './crew-runner.ts';
import { expectation } from './expectation.ts';
import { logicalAmplitudes, outcomeProbabilities } from './final-state.ts';
import type { LoweredProgram } from './lowered-program.ts';
import { aimSweep, type PlacedProgram, type PlacedSweep, tileNs } from './placed-program.ts';
import type { StoredState } from './readout-task.ts';
import { sampleBasisStates } from './sampling.ts';
import { clearState, clearUntouched, copyState } from './state-memory.ts';

/** A unit of a pacer's work. */
const NS_PER_UNIT = 3;

/** What the runs of a program share. */
export interface CpuProgram {
  readonly crew: Crew;
  readonly lowered: LoweredProgram;
  readonly placed: PlacedProgram;
  readonly stateBytes: number;
  /** Logical qubit → physical qubit, at the end. */
  readonly layout: readonly Qubit[];
  /** Released states, to be used again. */
  readonly spare: number[];
}

/** A state of one run. */
export interface CpuState {
  readonly at: number;
  /** Whether it is |0…0⟩ and memory does not say so yet. */
  isUnwritten: boolean;
}

/** The states of one run. */
export class CpuStates extends CrewRunner implements StateOperations<CpuState> {
  readonly #program: CpuProgram;
  readonly #crew: Crew;
  readonly #pacer: Pacer;
  readonly #lastSweep: number;

  constructor(program: CpuProgram, pacer: Pacer) {
    super(program.crew, pacer);
    this.#program = program;
    this.#crew = program.crew;
    this.#pacer = pacer;
    this.#lastSweep = program.placed.sweeps.length - 1;
  }

  create(): CpuState {
    return { at: this.#allocate(), isUnwritten: true };
  }

  copy(state: CpuState): MaybePromise<CpuState> {
    if (state.isUnwritten) return this.create();
    const copy = { at: this.#allocate(), isUnwritten: false };
    const copied = copyState(this, state.at, copy.at, this.#program.stateBytes);
    return copied instanceof Promise ? copied.then(() => copy) : copy;
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
    // The first sweep of a plain program writes all it will ever read.
    if (!lowered.startsCleared) state.isUnwritten = false;
    const done = this.#whenWritten(state, apply);
    if (stepIndex !== this.#lastSweep || lowered.untouchedBytes === 0) return done;
    const clear = () => clearUntouched(this, state.at, stateBytes, lowered.untouchedBytes);
    return done instanceof Promise ? done.then(clear) : clear();
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
      aimSweep(this.#crew.words, part, state.at, this.#crew.numThreads);
      const done = this.#crew.runTask(part.task, part.numTiles, this.#pacer, (fraction) =>
        onPasses((i + fraction) / parts.length),
      );
      // A small state never lets the event loop turn within a part, so it is done here.
      const pause = () => {
        const isDue = this.#pacer.spend((part.numTiles * tileNs(part.shape)) / NS_PER_UNIT);
        return isDue ? this.#pacer.pause() : undefined;
      };
      const paused = done instanceof Promise ? done : pause();
      if (paused !== undefined)
        return paused.then(() => this.#applyParts(state, parts, onPasses, i + 1));
    }
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
      logicalAmplitudes(this, this.#stored(state), this.#program.layout, this.#pacer),
    );
  }

  probabilities(
    state: CpuState,
    outcomeOf: BitImages,
    numBits: number,
  ): MaybePromise<Float64Array> {
    const { layout } = this.#program;
    return this.#whenWritten(state, () =>
      outcomeProbabilities(this, this.#stored(state), layout, outcomeOf, numBits, this.#pacer),
    );
  }

  expectation(state: CpuState, observable: PauliSum): MaybePromise<number> {
    return this.#whenWritten(state, () =>
      expectation(this, this.#stored(state), observable, this.#program.layout),
    );
  }

  #allocate(): number {
    return this.#program.spare.pop() ?? this.#crew.allocate(this.#program.stateBytes);
  }

  #stored({ at }: CpuState): StoredState {
    const { numQubits, code } = this.#program.lowered;
    return { at, numQubits, precision: code.precision };
  }

  /** Has memory say what the state is before anything looks at it. */
  #whenWritten<T>(state: CpuState, look: () => MaybePromise<T>): MaybePromise<T> {
    if (!state.isUnwritten) return look();
    state.isUnwritten = false;
    const cleared = clearState(this, state.at, this.#program.stateBytes);
    return cleared instanceof Promise ? cleared.then(look) : look();
  }
}
