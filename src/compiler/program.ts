/**
 * The contract between the compiler and the engines: a program is a list of sweeps, measurements
 * and resets over physical qubits, with every matrix in one pool.
 *
 * A sweep is one trip of the whole state through memory: the engine gathers tiles of the resident
 * qubits, applies the sweep's kernels to each and stores it. Controls and diagonal kernels may use
 * any qubit, because outside the tile they are constants of the tile; any other kernel's targets
 * are resident. Plain data throughout, so that a program crosses threads by structured clone.
 */
import type { AssignOperation, ClassicalControl, Condition, Qubit } from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';

interface KernelBase {
  /** Physical; bit i of the kernel's index is `targets[i]`. */
  readonly targets: readonly Qubit[];
  /** Physical; the kernel acts where all of them are |1⟩. */
  readonly controls: readonly Qubit[];
  /** First entry in the pool, counted in complex numbers. */
  readonly offset: number;
}

/** A general 2^k × 2^k block: 4^k pool entries, row-major. */
export interface DenseKernel extends KernelBase {
  readonly kind: 'dense';
}

/** Multiplies by a diagonal: 2^k pool entries. With no targets, a phase. */
export interface DiagonalKernel extends KernelBase {
  readonly kind: 'diagonal';
}

/** Sends |j⟩ to entry(j)·|rows[j]⟩: 2^k pool entries. */
export interface PermutationKernel extends KernelBase {
  readonly kind: 'permutation';
  /** A permutation of 0 … 2^k − 1. */
  readonly rows: readonly number[];
}

/** What a sweep applies to a tile. */
export type Kernel = DenseKernel | DiagonalKernel | PermutationKernel;

/** One trip of the state through memory. */
export interface Sweep {
  readonly kind: 'sweep';
  /** Physical, ascending; holds the target's lowest `contiguousQubits` and all non-diagonal targets. */
  readonly resident: readonly Qubit[];
  /** In order; may be none where only the store matters. */
  readonly kernels: readonly Kernel[];
  /**
   * Where the tile is stored: what lay at place `resident[i]` lies at `store[i]` from then on. A
   * permutation of `resident`, so a tile still writes the memory it read and nothing else; absent
   * when everything stays where it was, and under a condition.
   *
   * This is how the lowest places are given to other qubits without a trip of their own: memory is
   * still written in runs of 2^contiguousQubits amplitudes, only the tile's insides are transposed.
   */
  readonly store?: readonly Qubit[];
  /** On classical bits as they stand; the whole sweep is skipped where it does not hold. */
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
 * Makes physical qubits change places in pairs: for each pair, the amplitudes of the basis states
 * in which the two differ. The first is one that no tile reaches, the second one that tiles do, or
 * any one inside a device where the first tells devices apart; no qubit is in two pairs. k pairs
 * move 1 − 2^−k of the state.
 */
export interface Exchange {
  readonly kind: 'exchange';
  readonly pairs: readonly (readonly [far: Qubit, near: Qubit])[];
  /** Never set: where qubits lie does not depend on outcomes. */
  readonly condition?: never;
}

/** Begins a loop: where the condition does not hold, the run goes on at step `end`. */
export interface LoopHead {
  readonly kind: 'loop';
  readonly condition: Condition;
  /** Index of the first step after the loop. */
  readonly end: number;
}

/** Ends a round of a loop: the run goes on at its head. */
export interface LoopTail {
  readonly kind: 'again';
  /** Index of the loop's first step. */
  readonly head: number;
  readonly condition?: never;
}

/** One step of a program. Classical assignments are as in the circuit: bits are not compiled. */
export type Step = Sweep | Measure | Reset | Exchange | AssignOperation | LoopHead | LoopTail;

/** A compiled circuit. */
export interface Program {
  /** Content hash, hex: equal programs have equal hashes. The key of every cache. */
  readonly hash: string;
  readonly numQubits: number;
  /** Bits of an outcome. */
  readonly numBits: number;
  /** Absent where nothing classical is computed while the program runs. */
  readonly control?: ClassicalControl;
  readonly steps: readonly Step[];
  /** Interleaved re, im. */
  readonly matrices: Float64Array;
  /** finalLayout[q] is the physical place of logical qubit q after the last step. */
  readonly finalLayout: readonly Qubit[];
}

/**
 * What kernels cost an engine when they act on the whole state, beyond the sweep itself. The unit
 * is free: only ratios count. A kernel with c controls costs 2^−c of it.
 */
export interface KernelCosts {
  /** dense[k] for k targets; beyond the list twice as much for each, and none gathered so wide. */
  readonly dense: readonly number[];
  /** For multiplying all amplitudes; amplitudes times 1 cost nothing. */
  readonly diagonal: number;
  /** For moving all amplitudes; those that stay where they are, times 1, cost nothing. */
  readonly permutation: number;
  /** For each kernel, whatever it does. */
  readonly kernel: number;
}

/** An engine's limits, as data: all the compiler knows of an engine. */
export interface TargetProfile {
  readonly maxQubits: number;
  /** Resident qubits of one sweep. */
  readonly tileQubits: number;
  /** Lowest qubits that every tile holds, so that memory is read in full lines. */
  readonly contiguousQubits: number;
  /** Widest dense or permutation kernel. */
  readonly maxDenseQubits: number;
  /** Qubits inside one buffer; those above are chunk qubits. */
  readonly chunkQubits: number;
  /**
   * How many of the lowest chunk qubits a tile may hold: the logarithm of the buffers that a kernel
   * binds at once. None when absent. Chunk qubits above these are brought within reach by exchanges.
   */
  readonly tileChunkQubits?: number;
  /**
   * The logarithm of the devices that a state lies on; one device when absent. The highest places
   * tell them apart, which no tile reaches; see `localQubits`.
   */
  readonly deviceQubits?: number;
  readonly precision: 'f32' | 'f64';
  /** By which kernels are fused; absent, those of `cost-model.ts`. */
  readonly costs?: KernelCosts;
}

/**
 * How many of the lowest places lie on one device: all but those that tell devices apart, which may
 * be beyond the program's own where that has fewer qubits than a tile.
 */
export function localQubits(
  { tileQubits, deviceQubits = 0 }: TargetProfile,
  numQubits: number,
): number {
  return Math.max(tileQubits, numQubits - deviceQubits);
}

/**
 * Where the trailing measurements begin: every step from there on is an unconditioned measure, or one
 * of the assignments that follow the last measure, so one final state serves all shots.
 *
 * @returns An index into `steps`; `steps.length` when the program does not end in a measurement or
 *   an assignment.
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
