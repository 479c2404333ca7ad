/**
 * Lanes and devices as the scheduler sees them: plain data.
 *
 * A small circuit runs on one thread, many at a time: its state lies in a core's cache and a gate takes
 * microseconds, so a thread is better given a circuit than a share of one. A wide circuit runs on all
 * threads at once, because somebody waits seconds for it, and one at a time, because its state may take
 * most of the memory. At 17 qubits a layer of gates takes half a millisecond on one thread.
 */

/** Precision of amplitudes. */
export type Precision = 'f32' | 'f64';

/** Size class of a run: a small one takes one thread, a wide one all threads or an adapter. */
export type SizeClass = 'small' | 'wide';

/** All size classes. */
export const SIZE_CLASSES: readonly SizeClass[] = ['small', 'wide'];

/** Qubits of the widest small circuit where memory is plenty. */
export const MAX_SMALL_QUBITS = 17;

/** Name of a lane: the CPU's engines of a size class, one adapter, or several that share a state. */
export type LaneId = SizeClass | `adapter-${number}` | `spread-${number}`;

/** Engines of one kind, or several adapters that hold one state together. */
export interface Lane {
  readonly id: LaneId;
  /**
   * `small`: CPU threads with a circuit each; `wide`: all CPU threads on one circuit; `adapter`: one
   * adapter; `spread`: several adapters, each with a part of the state.
   */
  readonly kind: 'small' | 'wide' | 'adapter' | 'spread';
  /** Pools of which a run takes a slot each. */
  readonly pools: readonly PoolId[];
  /** Adapters that hold a part of the state each; the pools by default. */
  readonly parts?: readonly LaneId[];
  /** Qubits of the widest state by precision; 0 where the lane does not compute in it. */
  readonly maxQubits: Readonly<Record<Precision, number>>;
  /** Whether the lane may be given runs: its last self-test passed. */
  readonly isOpen: boolean;
  /** Whether the lane computes on the CPU, as the threads do. */
  readonly isSoftware: boolean;
  /** CPU threads of a run that it shares with those of other lanes; absent where a lane has its own hardware. */
  readonly numThreads?: number;
}

/** Name of an engine pool, whose engines are the slots that bound how much runs at once. */
export type PoolId = string;

/** A device of the fleet as the scheduler sees it. */
export interface DeviceView {
  readonly id: string;
  /** The adapter that the device is, or is a share of; undefined where the CPU backs it. */
  readonly adapter: LaneId | undefined;
  /** Bytes for the amplitudes of its runs. */
  readonly budgetBytes: number;
  /** Whether the device may be given work: healthy, and not in maintenance. */
  readonly isOpen: boolean;
}
