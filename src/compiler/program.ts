/**
 * Programs: the interface between the compiler and the engines. A program is a list of sweeps, measurements
 * and resets on physical qubits, with every matrix in one pool.
 *
 * In a sweep the whole state passes through memory once: the engine loads tiles of the resident qubits,
 * applies the sweep's kernels to each tile and stores it. Controls and diagonal kernels may use any qubit,
 * because qubits outside the tile are constant in it; the targets of other kernels must be resident. A
 * program is plain data, so it crosses threads by structured clone.
 */
import type {
  AssignOperation,
  ClassicalControl,
  Condition,
  MisreadOperation,
  PreparedState,
  Qubit,
  SaveOperation,
  TrackOperation,
} from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import type { PauliChannel } from '../circuit/noise/channel.ts';
import type { PauliRows } from '../circuit/pauli-rows.ts';

interface KernelBase {
  /** Physical; bit i of the kernel's index is `targets[i]`. */
  readonly targets: readonly Qubit[];
  /** Physical; the kernel acts where all of them are |1⟩. */
  readonly controls: readonly Qubit[];
  /** Offset of its first entry in the pool, in complex numbers. */
  readonly offset: number;
}

/** A general 2^k × 2^k block: 4^k pool entries, row-major. */
export interface DenseKernel extends KernelBase {
  readonly kind: 'dense';
}

/** Multiplies by a diagonal: 2^k pool entries. Without targets, a phase. */
export interface DiagonalKernel extends KernelBase {
  readonly kind: 'diagonal';
}

/** Sends |j⟩ to entry(j)·|rows[j]⟩: 2^k pool entries. */
export interface PermutationKernel extends KernelBase {
  readonly kind: 'permutation';
  /** A permutation of 0 … 2^k − 1. */
  readonly rows: readonly number[];
}

/**
 * Sums over two states ψ and λ. It changes nothing. Gradients are made of such sums.
 *
 * With r and c for the values of the targets, and sums over all other qubits where the controls are 1:
 * K(r, c) = Σ conj(λ_r)·ψ_c − λ_c·conj(ψ_r), and D(r) = Σ Im(conj(λ_r)·ψ_r).
 */
export interface ProbeKernel extends Pick<KernelBase, 'targets' | 'controls'> {
  readonly kind: 'probe';
  /** Qubit that selects the state if both are stored as one: ψ where it is 0, λ where it is 1. */
  readonly ancilla?: Qubit;
  readonly sums: ProbeSums;
}

/** The sums of a probe: of K for all flips, two numbers each, re and im; then one number for each of the signs. */
export interface ProbeSums {
  /** Number of the first one among those of the program. */
  readonly first: number;
  /** Pairs r < c. If there are any, the targets must be resident; the ancilla always. */
  readonly flips: readonly ProbeFlip[];
  /** Sets of targets, as bits: the sum of ±D(r), minus where r has an odd number of them. */
  readonly signs: readonly number[];
}

/** A sum K(r, c), or one part of it; the other part may then be anything. */
export interface ProbeFlip {
  readonly row: number;
  readonly column: number;
  readonly parts: 're' | 'im' | 'both';
}

/**
 * A linear map that need not be unitary, as channels are on density matrices: m² pool entries, row-major, on the m
 * values `rows` of the targets. All other values are multiplied by `rest`.
 */
export interface MapKernel extends KernelBase {
  readonly kind: 'map';
  /** Distinct. */
  readonly rows: readonly number[];
  /** In [0.5, 1]. */
  readonly rest: number;
}

/** Operation that a sweep applies to a tile. */
export type MatrixKernel = DenseKernel | DiagonalKernel | PermutationKernel | MapKernel;

/** One step of a sweep on a tile; a probe does not change the tile. */
export type Kernel = MatrixKernel | ProbeKernel;

/** One pass of the whole state through memory. */
export interface Sweep {
  readonly kind: 'sweep';
  /** Physical, ascending; includes the target's lowest `contiguousQubits` and all non-diagonal targets. */
  readonly resident: readonly Qubit[];
  /** In order; may be empty if only the store matters. */
  readonly kernels: readonly Kernel[];
  /**
   * Places where the tile is stored: the qubit at place `resident[i]` moves to place `store[i]`. A
   * permutation of `resident`, so a tile writes only the memory that it read. Absent if nothing moves, and
   * under a condition.
   *
   * This gives the lowest places to other qubits without a sweep of its own: memory is still written in runs
   * of 2^contiguousQubits amplitudes, only the inside of the tile is transposed.
   */
  readonly store?: readonly Qubit[];
  /** Condition on the current classical bits; the whole sweep is skipped where it does not hold. */
  readonly condition?: Condition;
}

/** Measures physical `qubits[i]` into classical `bits[i]`. */
export interface Measure {
  readonly kind: 'measure';
  readonly qubits: readonly Qubit[];
  readonly bits: readonly Bit[];
  readonly condition?: Condition;
}

/** Returns physical qubits to |0⟩. */
export interface Reset {
  readonly kind: 'reset';
  readonly qubits: readonly Qubit[];
  readonly condition?: Condition;
}

/**
 * Exchanges physical qubits in pairs: for each pair, the amplitudes of the basis states in which the two
 * differ. The first of a pair is one that no tile reaches. The second is one that tiles reach, or any one
 * within a device if the first tells devices apart. No qubit is in two pairs. k pairs move 1 − 2^−k of the
 * state.
 */
export interface Exchange {
  readonly kind: 'exchange';
  readonly pairs: readonly (readonly [far: Qubit, near: Qubit])[];
  /** Never set: places of qubits do not depend on outcomes. */
  readonly condition?: never;
}

/** Takes the sums of probes between sweeps, from two states. */
export interface Probing {
  readonly kind: 'probing';
  readonly probes: readonly ProbeKernel[];
  readonly condition?: never;
}

/** Begins a loop: where the condition does not hold, the run continues at step `end`. */
export interface LoopHead {
  readonly kind: 'loop';
  readonly condition: Condition;
  /** Index of the first step after the loop. */
  readonly end: number;
}

/** Begins in a state other than |0…0⟩; the first step of a program. */
export interface Initialize {
  readonly kind: 'initialize';
  /** On as many qubits as the program, or on half as many, whose density matrix is then the program's state. */
  readonly state: PreparedState;
  /** Logical qubit → physical qubit. */
  readonly places: readonly Qubit[];
  readonly condition?: never;
}

/** Ends a round of a loop: the run continues at its head. */
export interface LoopTail {
  readonly kind: 'again';
  /** Index of the loop's first step. */
  readonly head: number;
  readonly condition?: never;
}

/** One step of a program. Assignments and misreadings are those of the circuit, because bits are not compiled. */
export type Step =
  | Initialize
  | SaveOperation
  | Sweep
  | Measure
  | Reset
  | Exchange
  | Probing
  | AssignOperation
  | MisreadOperation
  | LoopHead
  | LoopTail;

/**
 * The common part of programs whose circuits differ only in their angles. Such programs have the same steps,
 * and one object stands for their shape, so an engine may keep what it prepares once for all of them.
 */
export interface ProgramShape {
  /**
   * Matrices at angles that satisfy no accidental identity, laid out as those of each program. What an entry is
   * not there (0, 1, real, of modulus 1) it is at no other angles, but for rounding and accidents.
   */
  readonly matrices: Float64Array;
  /** Offsets of the kernels whose entries depend on angles. */
  readonly parametric: ReadonlySet<number>;
  /**
   * Offsets of those among them that are no smooth functions of the angles: real entries may be imaginary at other
   * angles, and a dense kernel may have zeros at some angles where it has none at others, but parity is kept where
   * it is kept there.
   */
  readonly fragile: ReadonlySet<number>;
}

/** A compiled circuit. */
export interface Program {
  /** Content hash, hex: equal programs have equal hashes. It is the key of every cache. */
  readonly hash: string;
  readonly numQubits: number;
  /** Bits of an outcome. */
  readonly numBits: number;
  /** Absent where nothing classical is computed while the program runs. */
  readonly control?: ClassicalControl;
  readonly steps: readonly Step[];
  /** Interleaved re, im. */
  readonly matrices: Float64Array;
  /** Set where dense kernels may be any matrices. Diagonals and permutations may have any entries but 0. */
  readonly isUnitary?: false;
  /** Set where the program begins in any state, with every qubit in the place of its own number, instead of |0…0⟩. */
  readonly startsAnywhere?: true;
  /** finalLayout[q] is the place of logical qubit q after the last step. */
  readonly finalLayout: readonly Qubit[];
  /** Absent where no matrix depends on angles. */
  readonly shape?: ProgramShape;
}

/** Readout confusion of a qubit that is measured last: of its reported outcome, not its state. */
export interface ReadoutConfusion {
  /** Logical. */
  readonly qubit: Qubit;
  readonly p1Given0: number;
  readonly p0Given1: number;
}

/** A circuit on density matrices. */
export interface DensityProgram {
  /** Qubits of the circuit. */
  readonly numQubits: number;
  /**
   * Program on 2·numQubits qubits, whose amplitudes are the entries of ρ: qubit q is bit q of the row, qubit numQubits
   * + q that of the column. Measurements list all their rows, then the columns, into the same bits.
   */
  readonly program: Program;
  /** In the order in which they happen. */
  readonly readout: readonly ReadoutConfusion[];
  /** Misreadings after the last measurements that are no confusions of qubits, in their order; without conditions. */
  readonly lastMisreads: readonly MisreadOperation[];
}

/**
 * Values and derivatives of expectation values, for one set of angles.
 *
 * `forward` makes ψ, and an engine makes λ = O·ψ of it for an observable O. `backward` then takes back both, and sums
 * up the derivatives on the way: gradient[parameters[i]] is the sum of factors[i] times the sum number
 * sums[i]. Where the target has `probesBetweenSweeps`, it is applied to each of the two states. Else they are one state
 * of which the highest qubit tells them apart.
 *
 * @see Jones & Gacon, "Efficient calculation of gradients in classical simulations of variational quantum algorithms",
 *   2020.
 */
export interface GradientProgram {
  readonly forward: Program;
  /**
   * With an ancilla, on more qubits than `forward`: it is the highest, and those between are |0⟩. It begins with the
   * places that `forward` ended with, and from any state.
   */
  readonly backward: Program;
  /**
   * Places that are |0⟩ in ψ after the last step of `backward`; none where `forward` begins in a state given by numbers.
   * Where a place is not moved any more before that, the part of both states in which it is 1 matters no more.
   */
  readonly returned: readonly Qubit[];
  readonly numParameters: number;
  /** Number of sums of all probes. */
  readonly numSums: number;
  readonly contraction: {
    readonly parameters: Int32Array;
    readonly sums: Int32Array;
    readonly factors: Float64Array;
  };
}

/**
 * A place in a `NoiseSection` where noise may act on a state ψ: as one of the operators of its channel, chosen at
 * random with the probability ‖Kψ‖² of each. One operator, the main one, is likelier than all others, which are jumps. If no
 * operator is likely enough, all are jumps.
 */
export interface NoiseSite {
  /** The site does nothing if the condition does not hold. */
  readonly condition?: Condition;
  /**
   * Probability that no jump happens, if it is the same for all states; the main operator, scaled to be unitary, is
   * among the gates of a segment. If it is absent, the segment has the unscaled main operator.
   */
  readonly survival?: number;
  /** Probability that a jump happens to the maximally mixed state. */
  readonly hazard: number;
  /**
   * Weights of the jumps: each happens with its weight times ‖Kψ‖², where the operator norm of K is 1. All are unitary
   * if `jumpsAreUnitary`, so that the weights are the probabilities.
   */
  readonly jumpWeights: ArrayLike<number>;
  readonly jumpsAreUnitary: boolean;
  /** The operator of a jump; undefined for the identity. */
  jump(index: number): Program | undefined;
}

/**
 * Gates and noise between measurements and other steps. Element e is the gates before site number e and that site; the
 * last element is the gates after all sites. Programs are compiled when they are first asked for, and begin in any
 * state and end with every qubit in the place of its own number.
 */
export interface NoiseSection {
  readonly kind: 'section';
  readonly sites: readonly NoiseSite[];
  /** The elements from one up to another, with the main operators of their sites. */
  segment(from: number, to: number): Program;
  /** The gates of one element. */
  gates(element: number): Program;
  /** The main operator of an element's site; undefined for the identity, and where all operators are jumps. */
  main(element: number): Program | undefined;
  readonly condition?: never;
}

/** One step of a program with noise. */
export type TrajectoryStep =
  | Initialize
  | SaveOperation
  | NoiseSection
  | Measure
  | Reset
  | MisreadOperation
  | AssignOperation
  | LoopHead
  | LoopTail;

/**
 * A circuit with noise, to be run as a sample of its trajectories. Every qubit is in the place of its own number
 * between steps.
 */
export interface TrajectoryProgram {
  readonly numQubits: number;
  readonly numBits: number;
  readonly control?: ClassicalControl;
  readonly steps: readonly TrajectoryStep[];
  /** Measurements after all steps, at most one into each bit. */
  readonly lastMeasures: readonly Measure[];
  /** Misread bits after that, and assignments after those. */
  readonly lastMisreads: readonly MisreadOperation[];
  readonly lastAssignments: readonly AssignOperation[];
  /** Multiplies a state by 2^16, which undoes the decay of its norm. */
  readonly rescaling: Program;
}

/**
 * A circuit on sparse states: one without noise, or one with noise. Sweeps have the gates in the order in which they were
 * written, each a kernel, on all qubits in their own places.
 */
export type SparseProgram = Program | TrajectoryProgram;

/** A linear map on the Pauli strings of some qubits. */
export interface PauliMap {
  readonly qubits: readonly Qubit[];
  /**
   * String p is sent to the sum of factors[i] times string images[i], from i = starts[p] up to starts[p + 1]. Bits 2j and
   * 2j + 1 of a string's number say whether it has X and Z on `qubits[j]`; with both it has Y.
   */
  readonly strings: {
    readonly starts: Int32Array;
    readonly images: Int32Array;
    readonly factors: Float64Array;
  };
}

/** Limits on the strings of Pauli propagation. */
export interface PauliLimits {
  /** Whether strings may be left out; if not, more than `maxTerms` fail the run. */
  readonly isApproximate: boolean;
  /** Most strings of an observable at a time. */
  readonly maxTerms: number;
  /** Strings with a smaller absolute coefficient are left out. */
  readonly minCoefficient: number;
  /** Strings on more qubits are left out. */
  readonly maxWeight: number;
}

/** A circuit as maps on observables, the last operation first. */
export interface PauliProgram extends PauliLimits {
  readonly numQubits: number;
  readonly numBits: number;
  readonly maps: readonly PauliMap[];
}

/** Limits on the bonds of a matrix product state. */
export interface BondLimits {
  /** Most singular values that are kept at a bond. */
  readonly maxBondDimension: number;
  /** Weight, the sum of squares of singular values, that one cut of a bond may discard of a state of norm 1. */
  readonly truncationThreshold: number;
}

/** What all programs on chains have, beside their steps. */
interface ChainFacts extends BondLimits {
  /** finalLayout[q] is the site of qubit q after the last step. */
  readonly finalLayout: readonly number[];
}

/** One step of a program without channels on a matrix product state. */
export type ChainStep = Exclude<TrajectoryStep, NoiseSection> | Sweep;

/**
 * A circuit on a matrix product state. Qubits are on the sites of a chain; a site is a place of a qubit. Sweeps have dense
 * kernels on one site, `[site]`, or on two neighbouring ones, `[site + 1, site]`. Swaps bring distant qubits together; they are
 * among the kernels. In an initial state the last site is the lowest place.
 */
export interface MatrixProductProgram
  extends ChainFacts,
    Omit<TrajectoryProgram, 'steps' | 'rescaling'> {
  readonly steps: readonly ChainStep[];
  /** Interleaved re, im. */
  readonly matrices: Float64Array;
}

/**
 * A circuit with channels, to be run as a sample of its trajectories on matrix product states. Programs of sections have such
 * sweeps, too. Swaps are part of a section, so that each site, and not each qubit, is in its own place between steps.
 */
export interface MatrixProductTrajectories extends ChainFacts, TrajectoryProgram {}

/**
 * Opcodes of a stabilizer program. An instruction is four words: its opcode, then `a`, `b` and `c`.
 *
 * One-qubit gates act on qubit `a`. CX has control `a` and target `b`; CZ and SWAP act on `a` and `b`.
 */
export const STABILIZER_OPS = {
  x: 0,
  y: 1,
  z: 2,
  h: 3,
  s: 4,
  sdg: 5,
  cx: 6,
  cz: 7,
  swap: 8,
  /** Measures qubit `a` into bit `b`. */
  measure: 9,
  /** Returns qubit `a` to |0⟩. */
  reset: 10,
  /** Sends one qubit, `b`, through channel `a`. */
  noise1: 11,
  /** Sends two qubits, `b` and `c`, through channel `a`. */
  noise2: 12,
  /** Sends the `c` qubits that begin at place `b` of `operands` through channel `a`. */
  noise: 13,
  /** Misreads bit `b` with the probabilities of `misreads[a]`. */
  misread: 14,
  /** Returns qubit `b` to |0⟩ with probability `resetProbabilities[a]`, or to |1⟩ if `c` is 1. */
  maybeReset: 15,
  /** Evaluates `assignments[a]`. */
  assign: 16,
  /** Goes on at instruction `b` unless `conditions[a]` holds. */
  unless: 17,
  /** Goes back to instruction `a`, the head of a loop; `b` is 1. Counts as a round of the loop. */
  again: 18,
  /** Rotates the active qubits by `active.rotations[a]`. */
  rotate: 19,
  /** Prepares a measurement or reset, which follows, by `active.collapses[a]`. */
  collapse: 20,
  /** Toggles a bit by `tracks[a]`. */
  track: 21,
  /**
   * Runs the instructions after it, up to instruction `b`, `a` times. Bits are `c` higher in each next round. Where a
   * program has one, its `reference` is `shared`, no bit is written twice, and there are no loops of another kind.
   */
  repeat: 22,
} as const;

/** Words of an instruction of a stabilizer program. */
export const STABILIZER_WORDS = 4;

/**
 * What shots differ from by Pauli strings only, so that Pauli frames sample them.
 *
 * - `shared`: one run without noise for all shots.
 * - `zero`: a run without noise and Pauli gates, whose outcomes are 0 on all branches.
 * - `pattern`: a run without noise and Pauli gates for each pattern of branches; these depend on no measured bit.
 * - `none`: each shot needs a tableau of its own.
 */
export type FrameReference = 'shared' | 'zero' | 'pattern' | 'none';

/** A Clifford circuit with Pauli noise. Plain data; every qubit keeps its number. */
export interface StabilizerProgram {
  readonly numQubits: number;
  readonly numBits: number;
  readonly control?: ClassicalControl;
  /** Instructions of four words; see `STABILIZER_OPS`. */
  readonly code: Int32Array;
  /** Index of the first instruction after which only measurements, misreadings and final assignments follow. */
  readonly numBodyInstructions: number;
  readonly operands: Int32Array;
  readonly channels: readonly PauliChannel[];
  readonly misreads: readonly Pick<MisreadOperation, 'p1Given0' | 'p0Given1'>[];
  readonly resetProbabilities: readonly number[];
  readonly assignments: readonly AssignOperation[];
  readonly conditions: readonly Condition[];
  /** Where there are any, the `reference` is `shared`. */
  readonly tracks: readonly TrackOperation[];
  readonly reference: FrameReference;
  /**
   * Instructions `unless`, in order, under whose conditions qubits go through other gates than Paulis, or are measured or
   * reset. None where the reference is `shared`.
   */
  readonly branches: readonly number[];
  /** Whether all shots share the state before the final measurements: no noise, reset or measurement before. */
  readonly hasFinalState: boolean;
  /** Present where a reference sample is asked for: the program of the circuit as Stim collapses its qubits. */
  readonly asCollapsed?: StabilizerProgram;
  /** Present if the circuit is not Clifford alone. Then the `reference` is `shared`, and no loops and resets by chance. */
  readonly active?: ActivePart;
}

/**
 * The part of a circuit that is not Clifford. After each instruction the state of a shot is F·U·(φ ⊗ |0…0⟩): φ is a
 * state of the active qubits, U is a Clifford circuit that is the same for all shots, and F is a Pauli string, the frame
 * of the shot. Rotations make qubits active, and measurements end that.
 *
 * @see Li, Yoder & others, "SOFT: a high-performance simulator for universal fault-tolerant quantum circuits", 2025, for
 *   stabilizers around few amplitudes.
 */
export interface ActivePart {
  /** Most active qubits at a time, at most 30. */
  readonly width: number;
  readonly groups: readonly RotationGroup[];
  /** In the order of groups. */
  readonly rotations: readonly ActiveRotation[];
  readonly collapses: readonly Collapse[];
  /** Amplitudes that are computed for a shot, about. */
  readonly updates: number;
  /** By instruction: the outcome of a measurement where the frame is the identity; other values are 0. */
  readonly reference: Uint8Array;
}

/** Rotations that come one after the other, and are diagonal in one basis. */
export interface RotationGroup {
  /** Rotations that bring φ into this basis, the same in all shots. */
  readonly basis: readonly CoreRotation[];
  /** Qubits that become active then, in |+⟩; their bits are above those of the others. */
  readonly numNew: number;
  /** Number of the first rotation. */
  readonly first: number;
  readonly numRotations: number;
}

/** A Pauli string on qubits of the circuit, but for its sign: X on those of `flips`, Z on those of `signs`. */
export interface QubitString {
  readonly flips: readonly Qubit[];
  readonly signs: readonly Qubit[];
}

/**
 * Rotation exp(−i·angle/2·P) of the active qubits about P = Z…Z, by −angle in shots whose frame anticommutes with
 * U·P·U†.
 */
export interface ActiveRotation {
  readonly group: number;
  /** Bits on which P has a Z. */
  readonly signs: number;
  readonly angle: number;
  /** The string U·P·U†. */
  readonly about: QubitString;
  /**
   * Present if the rotation makes a qubit active. The frame may be multiplied by this string, which anticommutes with
   * the other one and does not change the state.
   */
  readonly stabilizer?: QubitString;
  /** Index of a condition; the rotation does nothing in shots where it does not hold. */
  readonly condition?: number;
}

/** Bits by which shots may differ in the rotations of a group: their signs, and whether their conditions hold. */
export const MAX_GROUP_BITS = 30;

/** Bits by which shots may differ in a rotation. */
export const bitsOfRotation = ({ stabilizer, condition }: ActiveRotation): number =>
  (stabilizer === undefined ? 1 : 0) + (condition === undefined ? 0 : 1);

/**
 * Measurement of a Pauli string P of active qubits, after which they are one less: with outcome m, amplitude y becomes
 * that of (φ + (−1)^m·P·φ)/√2 with a 0 inserted at the pivot, if P flips the pivot, and else that with the bit for which
 * P is (−1)^m.
 */
export interface Collapse {
  readonly string: CoreString;
  /** A bit of the string's flips, or if there are none of its signs. */
  readonly pivot: number;
  /** What the frame is multiplied by where the outcome is 1. */
  readonly flip: QubitString;
}

/**
 * Costs of kernels on the whole state for an engine, without the sweep itself. Any unit: only ratios count. A
 * kernel with c controls costs 2^−c of it.
 */
export interface KernelCosts {
  /**
   * dense[k] for k targets. Beyond the list the cost doubles with each target, and no such kernels are
   * gathered.
   */
  readonly dense: readonly number[];
  /**
   * Cost of a dense kernel on two targets that connects |00⟩ and |11⟩ only with each other, and |01⟩ and |10⟩ too.
   * If it is absent, such a kernel costs as much as any other, and no kernel is split to have that form.
   */
  readonly pair?: number;
  /** Cost of multiplying all amplitudes; amplitudes times 1 cost nothing. */
  readonly diagonal: number;
  /** Cost of moving all amplitudes; those that stay in place, times 1, cost nothing. */
  readonly permutation: number;
  /** Cost of any kernel, whatever it does. */
  readonly kernel: number;
  /** Most targets of a permutation that several kernels are fused into; 6 if absent. */
  readonly permutationQubits?: number;
}

/** Limits of an engine: all that the compiler knows of it. */
export interface TargetProfile {
  readonly maxQubits: number;
  /** Resident qubits of a sweep. */
  readonly tileQubits: number;
  /** Lowest qubits that every tile includes, so that memory is read in full lines. */
  readonly contiguousQubits: number;
  /** Targets of the widest dense or permutation kernel. */
  readonly maxDenseQubits: number;
  /** Qubits within one buffer; those above are chunk qubits. */
  readonly chunkQubits: number;
  /**
   * Number of lowest chunk qubits that a tile may include: the logarithm of the buffers that a kernel binds
   * at once; 0 if absent. Exchanges bring higher chunk qubits within reach.
   */
  readonly tileChunkQubits?: number;
  /**
   * Logarithm of the number of devices that hold a state; one device if absent. The highest places tell them
   * apart, and no tile reaches those; see `localQubits`.
   */
  readonly deviceQubits?: number;
  readonly precision: 'f32' | 'f64';
  /**
   * Whether the sums of gradients are taken between sweeps, from two states; if absent, in sweeps, from one state that
   * holds both.
   */
  readonly probesBetweenSweeps?: boolean;
  /** Costs for kernel fusion; those of `cost-model.ts` if absent. */
  readonly costs?: KernelCosts;
}

/**
 * Number of lowest places on one device: all but those that tell devices apart. The latter may exceed the
 * program's qubits, if it has fewer than a tile.
 */
export function localQubits(
  { tileQubits, deviceQubits = 0 }: TargetProfile,
  numQubits: number,
): number {
  return Math.max(tileQubits, numQubits - deviceQubits);
}

/**
 * Index of the first trailing measurement: every step from there on is an unconditional measurement, or one
 * of the assignments after the last measurement, so one final state serves all shots.
 *
 * @returns An index into `steps`; `steps.length` if the program does not end in a measurement or an
 *   assignment.
 */
export function terminalMeasureIndex(program: Program): number {
  let index = program.steps.length;
  while (index > 0 && program.steps[index - 1]!.kind === 'assign') index--;
  while (index > 0) {
    const step = program.steps[index - 1]!;
    if (step.kind !== 'measure' || step.condition !== undefined) break;
    index--;
  }
  return index;
}

/** Pauli string on the core qubits of a near-Clifford program: the operator i^turns · X^flips · Z^signs. */
export interface CoreString {
  readonly flips: number;
  readonly signs: number;
  /** Modulo 4. */
  readonly turns: number;
}

/** Rotation exp(−i·angle/2·string) of the core qubits; the angle is in radians. */
export interface CoreRotation {
  readonly string: CoreString;
  readonly angle: number;
}

/**
 * Circuit of Clifford gates and rotations about Pauli strings. Its final state is that of a Clifford circuit, applied
 * to a state of few core qubits, on which the rotations act, and |0⟩ on the other qubits.
 *
 * @see Leone, Oliviero & Hamma, "Learning t-doped stabilizer states", 2024. The core has at least as many qubits as the
 *   stabilizer nullity of the state.
 */
export interface NearCliffordProgram {
  readonly numQubits: number;
  readonly numBits: number;
  /** Bit i of a core string is core qubit i, which is this qubit of the circuit. At most 30. */
  readonly coreQubits: readonly number[];
  readonly rotations: readonly CoreRotation[];
  /** Tableau of the Clifford circuit, as `pauli-rows.ts` has it. */
  readonly tableau: PauliRows;
  /** Trailing measurements; each bit once. */
  readonly measured: readonly { readonly bit: number; readonly qubit: number }[];
}
