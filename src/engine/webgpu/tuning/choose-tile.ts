/** Which of the measured shapes circuits are done soonest with: arithmetic on times, no device. */
import type { TileShape } from '../sweep/sweep-kernel.ts';
import { type TileWork, workOfTile } from './tile-work.ts';
import { MAX_DISPATCH_QUBITS, MIN_DISPATCH_QUBITS } from './tuning.ts';

/** What sweeps of one shape take over the measured state, milliseconds. */
export interface ShapeTimes {
  readonly shape: TileShape;
  /** With one gate: little more than the trip through memory. */
  readonly oneGateMs: number;
  readonly manyGatesMs: number;
  /** What the sweep with many gates does. */
  readonly manyGates: TileWork;
}

/** A better shape is taken if it is better by more than clocks differ. */
const WORTH_IT = 0.97;
/** A dispatch takes so long: far from what makes drivers give up, and far above its overhead. */
const DISPATCH_MS = 40;
/** As much as a sweep of the common circuits does at most. */
const HEAVY: TileWork = { sweeps: 1, stages: 12, instructions: 110 };

/**
 * Milliseconds that work takes: trips through memory, and between them what is measured beyond one,
 * in proportion to stages and to instructions alike.
 */
function workMs({ sweeps, stages, instructions }: TileWork, times: ShapeTimes): number {
  const { oneGateMs, manyGatesMs, manyGates } = times;
  const insideMs = Math.max(0, manyGatesMs - oneGateMs);
  const part =
    ((stages - sweeps) / (manyGates.stages - 1) + instructions / manyGates.instructions) / 2;
  return sweeps * oneGateMs + part * insideMs;
}

/** Time of the common circuits, each weighing the same: a geometric mean, milliseconds. */
export function meanMs(times: ShapeTimes): number {
  const logs = workOfTile(times.shape.tileQubits).map((work) => Math.log(workMs(work, times)));
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

/** The best shape; the first unless another is clearly better. */
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
 * Amplitudes of a dispatch whose heaviest sweeps take some tens of milliseconds, as a power of two.
 *
 * @param numQubits - Of the measured state.
 */
export function dispatchQubits(times: ShapeTimes, numQubits: number): number {
  const qubits = numQubits + Math.floor(Math.log2(DISPATCH_MS / workMs(HEAVY, times)));
  return Math.min(MAX_DISPATCH_QUBITS, Math.max(MIN_DISPATCH_QUBITS, qubits));
}
