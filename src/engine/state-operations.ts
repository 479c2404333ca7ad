/**
 * What an engine does to the states of one run: the interface between the walk over the branches of
 * a run (`shot-tree.ts`), the same for every engine, and the numerics, each engine's own.
 *
 * `S` is the engine's handle of a state: an array, an address, a buffer. An operation that is done
 * when it returns gives its result, and no promise: a small circuit then runs to its end without
 * turning the microtask queue. One that takes long gives a promise, pauses with the run's `TimeSlicer`,
 * and rejects with the signal's reason once that has aborted. No two are under way at a time.
 */
import type { Qubit } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import type { BitImages } from '../math/bit-images.ts';

/** A result that may be there at once. */
export type MaybePromise<T> = T | Promise<T>;

/** Sums of |amplitude|² over the basis states where a qubit is 0, and where it is 1. */
export interface QubitMasses {
  readonly zero: number;
  readonly one: number;
}

/** Shots that travel together. */
export interface ShotGroup {
  readonly count: number;
  /** Distinct, in any order; absent where they are the shots 0 to count − 1. */
  readonly numbers?: Uint32Array;
}

/** Which shots draw a basis state, and from which stream. */
export interface SampleRequest {
  /** At least one. */
  readonly shots: ShotGroup;
  readonly seed: number;
  /** Number of the terminal event. */
  readonly event: number;
}

/** Basis indices: in words of 32 bits where all qubits of a state fit one, as doubles beyond. */
export type BasisIndices = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/**
 * The basis states that shots drew. The arrays are given away: they are made for the caller, who
 * may change and keep them, and each is the whole of its buffer.
 */
export interface BasisSamples {
  /** Logical, ascending, distinct. */
  readonly basisIndices: BasisIndices;
  /** As long; positive; sums to the shots. */
  readonly occurrences: Uint32Array<ArrayBuffer>;
}

/** What an engine does to the states of one run. Qubits are physical where nothing else is said. */
export interface StateOperations<S> {
  /** A state that holds |0…0⟩; the memory of a released one may serve again. */
  create(): S;

  /** Another state with the same amplitudes. */
  copy(state: S): MaybePromise<S>;

  /** Called once for each state that was created or copied, also where a run fails. */
  release(state: S): void;

  /**
   * Applies `steps[stepIndex]` of the program, a sweep or an exchange.
   *
   * @param onPasses - May be called, before a pause, with the passes of this step done so far, parts
   *   of them included.
   */
  applySweep(
    state: S,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): MaybePromise<void>;

  /** The masses of a qubit; they need not add up to 1. */
  qubitMasses(state: S, qubit: Qubit): MaybePromise<QubitMasses>;

  /**
   * Keeps what agrees with `outcome`, renormalised, and leaves the qubit as |left⟩: the outcome
   * itself after a measurement, 0 after a reset.
   *
   * @param mass - The outcome's, as `qubitMasses` gives it; positive.
   */
  collapse(state: S, qubit: Qubit, outcome: 0 | 1, left: 0 | 1, mass: number): MaybePromise<void>;

  /** Draws a basis state for each shot, as `engine.ts` defines it. */
  sample(state: S, request: SampleRequest): MaybePromise<BasisSamples>;

  /** Interleaved re, im in logical basis order; length 2·2^numQubits. */
  statevector(state: S): MaybePromise<Float64Array>;

  /**
   * The distribution of the classical register.
   *
   * @param outcomeOf - Physical basis index → value of the register.
   * @returns Length 2^numBits.
   */
  probabilities(state: S, outcomeOf: BitImages, numBits: number): MaybePromise<Float64Array>;

  /** ⟨ψ|O|ψ⟩ of an observable on logical qubits. */
  expectation(state: S, observable: PauliSum): MaybePromise<number>;
}
