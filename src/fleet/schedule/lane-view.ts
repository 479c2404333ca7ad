/** What runs tasks, as the scheduler sees it: plain data. */
import type { LaneId } from '../width.ts';
import type { Precision } from '../workers/worker-messages.ts';

/** Engines of one kind, or several adapters that hold one state together. */
export interface LaneView {
  readonly id: LaneId;
  /**
   * `small`: CPU threads with a circuit each; `wide`: all CPU threads on one circuit; `adapter`: one
   * adapter; `spread`: several adapters, each with a part of the state.
   */
  readonly kind: 'small' | 'wide' | 'adapter' | 'spread';
  /** Pools of which a run takes a slot each. */
  readonly pools: readonly PoolId[];
  /** Adapters that hold a part of the state each; the pools unless told otherwise. */
  readonly parts?: readonly LaneId[];
  /** 0 where it takes none of the precision. */
  readonly maxQubits: Readonly<Record<Precision, number>>;
  /** Whether tasks may be given to it: its last self-test passed. */
  readonly isOpen: boolean;
  /** Whether it computes on the CPU, as the threads do. */
  readonly isSoftware: boolean;
}

/** What bounds how much runs at once: the CPU's threads, a crew of them, an adapter. */
export type PoolId = string;

/** A device of the fleet as the scheduler sees it. */
export interface DeviceView {
  readonly id: string;
  /** The adapter that it is, or is a share of; undefined where the CPU backs it. */
  readonly adapter: LaneId | undefined;
  /** For the amplitudes of what runs on it. */
  readonly budgetBytes: number;
  /** Whether it may be given work: well, and not in maintenance. */
  readonly isOpen: boolean;
}
