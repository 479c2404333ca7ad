/**
 * The narrow interface of every engine, and what "the same counts for the same seed" means.
 *
 * Draws are `uniformDraw(seed, shot, event, position)`. `event` numbers the program's measure and
 * reset steps in order, whether or not a shot's path takes them, except that all trailing
 * measurements together (see `terminalMeasureIndex`) are one event.
 * - Terminal event: one draw u (position 0) a shot picks the basis state whose cumulative
 *   probability, summed over logical basis indices in ascending order, first exceeds u times the
 *   norm. All measured bits are read off that basis state.
 * - Any other event: the step's qubits are measured one after the other; qubit i of the step comes
 *   out 1 where its draw (position i) is below the probability of 1 given what came before. In a loop
 *   the draw's `round` is the number of rounds that the shot has begun, in all loops together.
 * Every engine follows this, so counts agree across engines and threads up to draws that fall
 * within rounding of a boundary.
 */
import type { PauliSum } from '../circuit/observable.ts';
import type { Program, TargetProfile } from '../compiler/program.ts';

/** What to compute from one program; only what is asked for comes back. */
export interface RunRequest {
  /** 0 to draw none. */
  readonly shots: number;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
  /** The state before the trailing measurements. Needs a program without earlier ones. */
  readonly statevector?: boolean;
  /** Exact distribution over the classical bits. Needs a program without mid-circuit measurement. */
  readonly probabilities?: boolean;
  /** Exact expectation values in the state before the trailing measurements; likewise. */
  readonly observables?: readonly PauliSum[];
  /** Called with the fraction done, in [0, 1], now and then. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Distinct outcomes and how often each occurred, ascending by outcome.
 *
 * An outcome is `wordsPerOutcome` 32-bit words, bit 0 of word 0 being classical bit 0.
 */
export interface Counts {
  readonly numBits: number;
  readonly wordsPerOutcome: number;
  /** Length wordsPerOutcome · numOutcomes. */
  readonly outcomes: Uint32Array;
  /** Length numOutcomes; sums to the shots. */
  readonly occurrences: Uint32Array;
}

/** What a run gives back. */
export interface RunResult {
  readonly counts: Counts;
  /** Interleaved re, im in logical basis order; length 2·2^numQubits. */
  readonly statevector?: Float64Array;
  /** Length 2^numBits, indexed by the classical register's value. */
  readonly probabilities?: Float64Array;
  /** One for each observable asked for. */
  readonly expectations?: readonly number[];
  /** Trips that whole states made through memory for gates, over all branches of the shots. */
  readonly statePasses: number;
  /** Evolution and sampling apart, milliseconds. */
  readonly timing: { readonly evolutionMs: number; readonly samplingMs: number };
}

/** A program made ready for one engine. */
export interface Executable extends AsyncDisposable {
  /**
   * Runs from |0…0⟩.
   *
   * @throws {DOMException} the signal's reason, soon after it aborts.
   */
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>;
}

/** An implementation of the numerics. */
export interface Engine {
  readonly name: 'reference' | 'cpu' | 'webgpu';
  readonly target: TargetProfile;
  /**
   * @throws {ProgramTooWideError} if the program has more qubits than `target.maxQubits`.
   */
  prepare(program: Program): Promise<Executable>;
  close(): Promise<void>;
}
