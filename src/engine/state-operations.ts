/**
 * Operations of an engine on the states of one run. They separate the walk over the branches of a
 * run (`shot-tree.ts`), shared by all engines, from each engine's numerics.
 *
 * `S` is the engine's handle of a state: an array, an address, a buffer. An operation that
 * completes at once returns its result instead of a promise, so that a small circuit runs to its
 * end without a turn of the microtask queue. A long operation returns a promise, pauses by the
 * run's `TimeSlicer`, and rejects with the signal's reason once that has aborted. At most one
 * operation is in progress at a time.
 */
import type { Qubit } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import type { Program } from '../compiler/program.ts';
import type { BitImages } from '../math/bit-images.ts';
import type { RunResult } from './engine.ts';
import type { InitialEntries } from './initial-entries.ts';

/** A result, or a promise of it if it takes long. */
export type MaybePromise<T> = T | Promise<T>;

/** Does the next thing with a result: at once if it is there, without a turn of the microtask queue. */
export function andThen<T, R>(
  done: MaybePromise<T>,
  next: (result: T) => MaybePromise<R>,
): MaybePromise<R> {
  return done instanceof Promise ? done.then(next) : next(done);
}

/** Sums of |amplitude|² over the basis states in which a qubit is 0, and in which it is 1. */
export interface QubitMasses {
  readonly zero: number;
  readonly one: number;
}

/** Shots with the same outcomes so far. */
export interface ShotGroup {
  readonly count: number;
  /** Distinct shot numbers, in any order; absent for the shots 0 to count − 1. */
  readonly numbers?: Uint32Array;
}

/** Shots that each draw a basis state, and the random stream that they draw from. */
export interface SampleRequest {
  /** At least one shot. */
  readonly shots: ShotGroup;
  readonly seed: number;
  /** Number of the terminal event (see `engine.ts`). */
  readonly event: number;
}

/** Basis indices: 32-bit words if the state has at most 32 qubits, else doubles. */
export type BasisIndices = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/**
 * Basis states that shots drew. The caller owns the arrays and may change them; each fills its
 * whole buffer.
 */
export interface BasisSamples {
  /** Logical basis indices, ascending, distinct. */
  readonly basisIndices: BasisIndices;
  /** Parallel to `basisIndices`; positive; sums to the number of shots. */
  readonly occurrences: Uint32Array<ArrayBuffer>;
}

/**
 * Operations that the walk over the branches of a run needs; those on outputs are in `OutputOperations`. Qubits are
 * physical unless said otherwise.
 */
export interface BranchOperations<S> {
  /** Creates a state that holds |0…0⟩; may reuse the memory of a released one. */
  create(): S;

  /** Writes the amplitudes of a state that was just created. Absent where an engine has no basis indices. */
  initialize?(state: S, entries: InitialEntries): MaybePromise<void>;

  /** Creates a state with the same amplitudes. */
  copy(state: S): MaybePromise<S>;

  /** Frees a state. Called once for each state that was created or copied, also if a run fails. */
  release(state: S): void;

  /**
   * Applies `steps[stepIndex]` of the program, a sweep or an exchange.
   *
   * @param onPasses - May be called before a pause with the passes of this step done so far,
   *   possibly fractional.
   */
  applySweep(
    state: S,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): MaybePromise<void>;

  /**
   * Applies a step of another program, a sweep or an exchange. The program starts anywhere, acts on the same qubits and
   * leaves each in its own place. Absent where an engine has no trajectories.
   */
  applyStepOf?(
    program: Program,
    state: S,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): MaybePromise<void>;

  /** ‖ψ‖². Absent where the masses of a qubit give it as fast. */
  squaredNorm?(state: S): number;

  /** Masses of a qubit; they need not add up to 1. */
  qubitMasses(state: S, qubit: Qubit): MaybePromise<QubitMasses>;

  /**
   * Projects onto `outcome`, renormalises, and leaves the qubit as |left⟩: the outcome itself after
   * a measurement, 0 after a reset.
   *
   * @param mass - Mass of the outcome, as `qubitMasses` returns it; positive.
   */
  collapse(state: S, qubit: Qubit, outcome: 0 | 1, left: 0 | 1, mass: number): MaybePromise<void>;

  /** Draws a basis state for each shot, as `engine.ts` defines it. An engine has this or `countShots`. */
  sample?(state: S, request: SampleRequest): MaybePromise<BasisSamples>;

  /**
   * Performs the trailing measurements of the shots, for engines whose basis states are too wide for numbers.
   *
   * @param bits - The register before; not to be changed.
   * @param count - Counts a register, which may be overwritten, and its shots.
   */
  countShots?(
    state: S,
    request: SampleRequest,
    bits: Uint32Array,
    count: (register: Uint32Array, shots: number) => void,
  ): MaybePromise<void>;
}

/** Facts about the states of a run, for engines that do not keep them exactly. */
export type RunFigures = Pick<RunResult, 'truncationError' | 'largestBond'>;

/** Operations that runs read outputs by. Qubits are physical unless said otherwise. */
export interface OutputOperations<S> extends BranchOperations<S> {
  /** The amplitudes in logical basis order, interleaved re, im; length 2·2^numQubits. */
  statevector(state: S): MaybePromise<Float64Array>;

  /** The amplitudes at logical basis indices, in their order, interleaved re, im. */
  amplitudes(state: S, basisIndices: readonly bigint[]): MaybePromise<Float64Array>;

  /**
   * Distribution of the classical register.
   *
   * @param outcomeOf - Physical basis index → value of the register.
   * @returns Length 2^numBits.
   */
  probabilities(state: S, outcomeOf: BitImages, numBits: number): MaybePromise<Float64Array>;

  /** Expectation value ⟨ψ|O|ψ⟩ of each observable on logical qubits. */
  expectations(state: S, observables: readonly PauliSum[]): MaybePromise<readonly number[]>;

  /** As of `StateOperations`; absent where an engine does not add states. */
  applyObservable?(state: S, observable: PauliSum, image: S): MaybePromise<void>;

  /** Facts about the states of the run that were released. */
  figures?(): RunFigures;
}

/** Operations of an engine on the states of one run. */
export interface StateOperations<S> extends OutputOperations<S> {
  /**
   * Writes O·ψ, not normalised, over all amplitudes of another state. The observable is on logical
   * qubits.
   *
   * @param image - A state that `create` or `copy` has made; not `state`.
   */
  applyObservable(state: S, observable: PauliSum, image: S): MaybePromise<void>;
}

/** The value of each observable, one after the other. */
export async function valuesInTurn(
  observables: readonly PauliSum[],
  one: (observable: PauliSum) => MaybePromise<number>,
): Promise<readonly number[]> {
  const values: number[] = [];
  for (const observable of observables) values.push(await one(observable));
  return values;
}

/** ‖ψ‖². */
export async function squaredNorm<S>(
  operations: Pick<BranchOperations<S>, 'qubitMasses' | 'squaredNorm'>,
  state: S,
): Promise<number> {
  if (operations.squaredNorm !== undefined) return operations.squaredNorm(state);
  const { zero, one } = await operations.qubitMasses(state, 0);
  return zero + one;
}

/** Bytes of a state, and how many a run may hold at once; each branch of a mid-circuit measurement has its own. */
export interface StateBudget {
  readonly stateBytes: number;
  /** At least 1: a program that fits the engine always runs as long as its shots do not split. */
  readonly maxStates: number;
}

/**
 * Computes the budget of a program.
 *
 * @param bytesPerAmplitude - 16 in double precision, 8 in single.
 * @param memoryBytes - Memory for all states of one run; may be infinite.
 */
export function stateBudget(
  numQubits: number,
  bytesPerAmplitude: number,
  memoryBytes: number,
): StateBudget {
  const stateBytes = bytesPerAmplitude * 2 ** numQubits;
  return { stateBytes, maxStates: Math.max(1, Math.floor(memoryBytes / stateBytes)) };
}
