/** Chooses the fastest of the measured shapes, by arithmetic on measured times. */
import type { TileShape } from '../sweep/sweep-kernel.ts';
import { type TileWork, workOfTile } from './tile-work.ts';
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
