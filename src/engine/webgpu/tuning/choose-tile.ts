/** Chooses the fastest of the measured shapes, by arithmetic on measured times. */
import type { TileShape } from '../sweep/sweep-kernel.ts';
import { MAX_DISPATCH_QUBITS, MIN_DISPATCH_QUBITS } from './tuning.ts';

/** Durations of sweeps of one shape over the measured state, milliseconds. */
export interface ShapeTimes {
  readonly shape: TileShape;
  /** Sweep with one gate: little more than a trip through memory. */
  readonly oneGateMs: number;
  readonly manyGatesMs: number;
  /** Work of the sweep with many gates. */
  readonly manyGates: TileWork;
}

/** A shape must be this much faster than the default, beyond the noise of clocks. */
const WORTH_IT = 0.97;
/** Target duration of a dispatch: far below driver timeouts, far above its overhead. */
const DISPATCH_MS = 40;
/** Upper bound of the work of one sweep of the common circuits. */
const HEAVY: TileWork = { sweeps: 1, stages: 12, instructions: 110 };

/**
 * Estimated milliseconds of some work: its trips through memory, plus the measured time beyond a
 * trip, scaled half by stages and half by instructions.
 */
function workMs({ sweeps, stages, instructions }: TileWork, times: ShapeTimes): number {
  const { oneGateMs, manyGatesMs, manyGates } = times;
  const insideMs = Math.max(0, manyGatesMs - oneGateMs);
  const part =
    ((stages - sweeps) / (manyGates.stages - 1) + instructions / manyGates.instructions) / 2;
  return sweeps * oneGateMs + part * insideMs;
}

/** Geometric mean of the durations of the common circuits, milliseconds. */
export function meanMs(times: ShapeTimes): number {
  const logs = workOfTile(times.shape.tileQubits).map((work) => Math.log(workMs(work, times)));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

/** The fastest shape; the first unless another is clearly faster. */
export function bestShape(measured: readonly [ShapeTimes, ...ShapeTimes[]]): ShapeTimes {
  const [first, ...others] = measured;
  let best = first;
  let leastMs = meanMs(first) * WORTH_IT;
  for (const times of others) {
    const ms = meanMs(times);
    if (ms >= leastMs) continue;
    best = times;
    leastMs = ms;
  }
  return best;
}

/**
 * log2 of the amplitudes of a dispatch whose heaviest sweeps take some tens of milliseconds.
 *
 * @param numQubits - Qubits of the measured state.
 */
export function dispatchQubits(times: ShapeTimes, numQubits: number): number {
  const qubits = numQubits + Math.floor(Math.log2(DISPATCH_MS / workMs(HEAVY, times)));
  return Math.min(MAX_DISPATCH_QUBITS, Math.max(MIN_DISPATCH_QUBITS, qubits));
}

// Work of the common circuits on tiles of each size. A larger tile may take longer for a sweep and
// still win, because circuits need fewer sweeps; which effect dominates depends on the device.

/** Work of one circuit. */
export interface TileWork {
  readonly sweeps: number;
  /** Stages of all sweeps. */
  readonly stages: number;
  /** Instructions of all stages. */
  readonly instructions: number;
}

/** Tile qubits of the first column. */
export const MIN_COUNTED_TILE = 8;

/**
 * Sweeps, stages and instructions at 30 qubits, for tiles of 8, 9, … 13 qubits, as the compiler and
 * `lowerSweep` make them of the circuits of bench/webgpu-circuits.ts. A sweep counts by the share of the state that
 * it works on: the first ones find most of it unwritten.
 */
export const COUNTED_WORK = {
  ghz: columns([1.3, 1.5, 1.3, 1, 1.3, 1], [4.1, 2, 1.8, 2.1, 1.8, 3], [3, 4, 4, 5, 4, 8]),
  qft: columns([1.3, 1.5, 1.3, 1, 1.3, 1], [1.5, 2, 1.5, 2.1, 1.5, 2], [4, 5, 5, 7, 6, 10]),
  qaoa: columns(
    [7.1, 6.1, 4.5, 5, 3, 3],
    [25.7, 26.9, 19.6, 27.3, 27.2, 36.1],
    [83, 96, 76, 105, 88, 98],
  ),
  adder: columns(
    [7.3, 6.5, 5.3, 4, 4.3, 3],
    [26.1, 21.1, 16.3, 17.2, 14.5, 18],
    [45, 47, 46, 45, 46, 51],
  ),
  rqc: columns(
    [9.1, 6.3, 5.1, 5, 3, 4],
    [38.3, 36.5, 27.4, 35.3, 26, 30.1],
    [129, 123, 109, 124, 90, 107],
  ),
} as const satisfies Record<string, readonly TileWork[]>;

/** Work of each common circuit on tiles of this size. */
function workOfTile(tileQubits: number): readonly TileWork[] {
  return Object.values(COUNTED_WORK).map((columns) => {
    const work = columns[tileQubits - MIN_COUNTED_TILE];
    if (work === undefined) throw new Error(`unreachable: no tile has ${tileQubits} qubits`);
    return work;
  });
}

function columns(
  sweeps: readonly number[],
  stages: readonly number[],
  instructions: readonly number[],
): readonly TileWork[] {
  return sweeps.map((count, i) => ({
    sweeps: count,
    stages: stages[i]!,
    instructions: instructions[i]!,
  }));
}
