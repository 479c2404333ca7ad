/**
 * The interface of every engine, and the definition of "the same counts for the same seed".
 *
 * Draws are `uniformDraw(seed, shot, event, position)`. `event` numbers the program's measure and
 * reset steps in order, whether or not a shot's path takes them; all trailing measurements together
 * (see `terminalMeasureIndex`) are one event.
 * - Terminal event: one draw u (position 0) a shot picks the basis state whose cumulative
 *   probability, summed over logical basis indices in ascending order, first exceeds u times the
 *   norm. All measured bits are read off that basis state.
 * - Any other event: the step's qubits are measured one after the other; qubit i of the step gives
 *   1 if its draw (position i) is below the probability of 1 given the outcomes before. In a loop
 *   the draw's `round` is the number of rounds that the shot has begun, in all loops together.
 *
 * A program with noise has further events: each section of gates and noise (`NoiseSection`), each misreading of bits, in
 * the order of its steps, which do not depend on the engine.
 * - Section: draw number 2j is the threshold u for the jump after j jumps. The jump comes at the first site after which
 *   the shot's survival S since the last jump is not above u. Draw number 2j + 1 picks the jump, in the order of the
 *   site's jumps: the first whose cumulative probability exceeds the draw times their sum.
 * - Misreading before the end: bit i of the step is misread if draw i is below its misreading probability.
 * - Misreadings at the end: shots are counted without them, and then taken in ascending order of their registers. Those
 *   whose bit b reads v make a list: draws (i, event, 2b + v) for i = 0, 1, … give the number of its shots that are
 *   skipped before the next misread one, ⌊ln(1 − u) / ln(1 − p)⌋. The events follow the terminal one; one event has all
 *   misreadings up to the second one of some bit.
 *
 * Matrix product states have basis states of any width, in the order of their sites instead of basis indices, the first
 * site most significant; that is the same where qubit n − 1 − s is at site s. Once the shots with the same outcomes so
 * far have draws within less than 2^−30, they draw again, at the next position of the event, and go on as at first.
 *
 * Every engine follows this, so counts agree across engines and threads, except for draws that fall
 * within rounding of a boundary. Batches on the WebGPU engine find those and leave them to double
 * precision (exact-counts.ts).
 */
import type { AssignOperation, Circuit, MisreadOperation } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import type { RequestedOutputs } from '../circuit/outputs.ts';
import type {
  DensityProgram,
  GradientProgram,
  MatrixProductProgram,
  MatrixProductTrajectories,
  NearCliffordProgram,
  PauliProgram,
  Program,
  SparseProgram,
  StabilizerProgram,
  TargetProfile,
  TrajectoryProgram,
} from '../compiler/program.ts';
import type { ParityLists } from '../math/bit-matrix.ts';
import type { BatchExecutable } from './batch-request.ts';

/** Shots by their numbers: from the first up to, and without, the last. */
export interface ShotRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Request for a run. The result holds only the outputs that are requested.
 *
 * A program that measures in mid-circuit has no exact probabilities, expectation values and variances, unless it runs
 * on density matrices. Its state vector and amplitudes, and those of a program with noise, are those of a shot: `shots`
 * must then be 1. A variance of a sum of several Pauli strings needs memory for a second state. Density matrix and
 * purity are given by density matrices only.
 */
export interface RunRequest extends Omit<RequestedOutputs, 'gradients'> {
  /** 0 draws none. */
  readonly shots: number;
  /** Integer in [0, 2^53 − 1]. */
  readonly seed: number;
  /**
   * Runs only these shots of the `shots` of the whole run. Programs with noise only. `joinedShots`
   * (run-trajectories.ts) makes the result of the whole run from those of ranges that cover it.
   */
  readonly shotRange?: ShotRange;
  /**
   * Requests the parities of classical bits in each shot in place of counts. A program that counts outcomes while it
   * samples ignores it, and has counts.
   */
  readonly parities?: readonly ParityLists[];
  /** Called from time to time with the fraction done, in [0, 1]. */
  readonly onProgress?: (fraction: number) => void;
}

/**
 * Distinct outcomes, ascending, and how often each occurred.
 *
 * An outcome is `wordsPerOutcome` 32-bit words; bit 0 of word 0 is classical bit 0.
 */
export interface Counts {
  readonly numBits: number;
  readonly wordsPerOutcome: number;
  /** Length wordsPerOutcome · numOutcomes. */
  readonly outcomes: Uint32Array;
  /** Length numOutcomes; sums to the shots. */
  readonly occurrences: Uint32Array;
}

/** Steps from the counts of the register after all measurements to the counts of outcomes. */
export interface CountsFinish {
  readonly numBits: number;
  /** Number of bits kept while the program runs; the first `numBits` are the outcome. */
  readonly numRegisterBits: number;
  /** Bits misread after the trailing measurements, and the event of the first misreading; the others follow. */
  readonly finalMisreads: readonly MisreadOperation[];
  readonly misreadEvent: number;
  /** Assignments after that, in order. */
  readonly finalAssignments: readonly AssignOperation[];
}

/** Outputs that a snapshot may have. */
export type SavedOutputs = Pick<
  RunResult,
  | 'statevector'
  | 'probabilities'
  | 'expectations'
  | 'standardErrors'
  | 'densityMatrix'
  | 'amplitudes'
>;

/** Result of a run. */
export interface RunResult {
  /** Empty if there are parities. */
  readonly counts: Counts;
  /** For each element of the request's `parities`, those of all shots, in order, as `writeParities` writes them. */
  readonly parities?: readonly Uint8Array[];
  /**
   * Set for a range of shots whose bits are misread at the end: `counts` are those of the register before. Which shots
   * are misread depends on the counts of all of them.
   */
  readonly countsFinish?: CountsFinish;
  /** Interleaved re, im in logical basis order; length 2·2^numQubits. */
  readonly statevector?: Float64Array;
  /** Length 2^numBits, indexed by the classical register's value. */
  readonly probabilities?: Float64Array;
  /** One value for each requested observable. */
  readonly expectations?: readonly number[];
  /** One value for each requested observable, at least 0. */
  readonly variances?: readonly number[];
  /** Standard errors of the expectation values, where these are means over trajectories; NaN for one shot. */
  readonly standardErrors?: readonly number[];
  /** Distinct trajectories that were computed, added up over ranges of shots. */
  readonly trajectories?: number;
  /** Interleaved re, im; row-major; length 2·4^numQubits. */
  readonly densityMatrix?: Float64Array;
  readonly purity?: number;
  /** Words of the classical register. */
  readonly referenceSample?: Uint32Array;
  /** Interleaved re, im; length 2·amplitudes.length of the request. */
  readonly amplitudes?: Float64Array;
  /** Outputs of the snapshots, in the order of the circuit; absent where it has none. */
  readonly saved?: readonly SavedOutputs[];
  /**
   * Pauli propagation: a bound on the error of each expectation value, the sum of the absolute coefficients left out.
   * Else the weight that all cuts of bonds discarded, added up: about 1 minus the fidelity with the exact state. Matrix product
   * states only; where shots split into branches or trajectories, that of the worst state.
   */
  readonly truncationError?: number;
  /** Largest bond dimension that any state of the run had; matrix product states only. */
  readonly largestBond?: number;
  /**
   * Passes of whole states through memory to apply gates, summed over all branches of the shots.
   */
  readonly statePasses: number;
  /** Duration of the evolution and of the sampling, milliseconds. */
  readonly timing: { readonly evolutionMs: number; readonly samplingMs: number };
}

/** A program compiled for one engine; it can run any number of times. */
export interface Executable extends AsyncDisposable {
  /**
   * Runs from |0…0⟩.
   *
   * @throws {DOMException} the signal's reason, soon after it aborts.
   */
  run(request: RunRequest, signal: AbortSignal): Promise<RunResult>;
}

/** Request for gradients. */
export interface GradientRequest {
  /** One gradient each. */
  readonly observables: readonly PauliSum[];
  /** Called from time to time with the fraction done, in [0, 1]. */
  readonly onProgress?: (fraction: number) => void;
}

/** Expectation values in the state before the trailing measurements, and their derivatives. */
export interface GradientResult {
  /** One for each observable. */
  readonly values: Float64Array;
  /**
   * By observable, then by parameter of the program, per radian; 0 for a parameter whose derivative was not requested.
   * Length values · parameters.
   */
  readonly gradients: Float64Array;
  /** Passes of whole states through memory to apply gates. */
  readonly statePasses: number;
  /** Milliseconds. */
  readonly timing: { readonly evolutionMs: number };
}

/** A gradient compiled for one engine; it can be run any number of times. */
export interface GradientExecutable extends AsyncDisposable {
  /** @throws {DOMException} the signal's reason, soon after it aborts. */
  run(request: GradientRequest, signal: AbortSignal): Promise<GradientResult>;
}

/** Program and executable of each kind. A kind is one or more methods of a run. */
export interface Programs {
  /** A program on one state vector. Throws ProgramTooWideError if it has more qubits than `target.maxQubits`. */
  readonly statevector: { readonly program: Program; readonly executable: Executable };
  /**
   * A program with noise. Its runs give means over the shots: expectation values, variances and probabilities need at
   * least one. Throws ProgramTooWideError if it has more qubits than `target.maxQubits`.
   */
  readonly trajectories: { readonly program: TrajectoryProgram; readonly executable: Executable };
  /**
   * A program on density matrices. Its runs have every output but the state vector, also after measurements in
   * mid-circuit: then all their outcomes are followed. Throws DensityTooWideError if the density matrix does not fit
   * the engine.
   */
  readonly density_matrix: { readonly program: DensityProgram; readonly executable: Executable };
  /**
   * A Clifford circuit with Pauli noise, of at most 20,000 qubits, beyond which ProgramTooWideError is thrown.
   * Probabilities and expectation values are exact and need no shots, also with noise, measurements in mid-circuit and
   * resets, if the program's frames suffice and nothing has a condition. A near-Clifford program has the same outputs,
   * also variances, and neither noise nor measurements in mid-circuit.
   */
  readonly stabilizer: {
    readonly program: StabilizerProgram | NearCliffordProgram;
    readonly executable: Executable;
  };
  /**
   * A program on matrix product states. Any number of qubits fits; memory follows from the bonds that the state needs.
   * State vectors are read of at most 20 qubits, distributions of at most 16 bits.
   */
  readonly matrix_product_state: {
    readonly program: MatrixProductProgram;
    readonly executable: Executable;
  };
  /** A program with channels on such states. Its runs give what those of `trajectories` give. */
  readonly matrix_product_trajectories: {
    readonly program: MatrixProductTrajectories;
    readonly executable: Executable;
  };
  /**
   * A program on sparse states, of any number of qubits: memory follows from the amplitudes that are not 0. Runs of one
   * with noise give means over the shots, as trajectories do. State vectors are read of at most 20 qubits.
   */
  readonly sparse: { readonly program: SparseProgram; readonly executable: Executable };
  /**
   * A program for Pauli propagation, which gives expectation values alone, without shots. TooManyTermsError where an
   * observable has too many strings, and none may be left out.
   */
  readonly pauli_propagation: { readonly program: PauliProgram; readonly executable: Executable };
  /**
   * A gradient. It takes two states, so that it reaches one qubit less than programs do. With several observables it
   * takes a third one if there is memory for it, which saves time. Throws ProgramTooWideError if two states do not fit
   * the engine, and OutputNeedsFinalStateError if a measurement, reset or condition comes before the end.
   */
  readonly gradient: { readonly program: GradientProgram; readonly executable: GradientExecutable };
  /**
   * The shape of a circuit, to be run with many sets of angles; its own angles are ignored. Throws ProgramTooWideError
   * if it has more than 12 qubits, and OutputNeedsFinalStateError if a measurement, reset or condition comes before the
   * end.
   */
  readonly batch: { readonly program: Circuit; readonly executable: BatchExecutable };
}

/** Functions that prepare programs for an engine's own kernels; without the kinds that it does not have. */
export type Preparing = {
  readonly [Kind in keyof Programs]?: (
    program: Programs[Kind]['program'],
  ) => Promise<Programs[Kind]['executable']>;
};

/** A simulator: runs programs that were compiled for its target. */
export interface Engine {
  readonly name: 'reference' | 'cpu' | 'webgpu';
  readonly target: TargetProfile;
  readonly prepare: Preparing & Required<Pick<Preparing, 'statevector'>>;
  close(): Promise<void>;
}

/** An engine that runs batches of small circuits, too. */
export interface BatchEngine extends Engine {
  readonly prepare: Engine['prepare'] & Required<Pick<Preparing, 'batch'>>;
}
