/** What the scheduler knows of a circuit that is to run, and nothing else of it. */
import type { LaneId } from '../width.ts';
import type { Precision } from '../workers/worker-messages.ts';
import type { RunWork } from './run-work.ts';

/** How urgent its caller says it is, as it took effect. */
export type Priority = 'low' | 'normal' | 'high';

/** What its caller pays for. */
export type Tier = 'standard' | 'enterprise';

/** What may run a task: the CPU, adapters, or adapters and the CPU where they do not take it. */
export type MayRunOn = 'cpu' | 'adapter' | 'adapter-or-cpu';

const LEVEL_OF_PRIORITY: Readonly<Record<Priority, number>> = { high: 0, normal: 2, low: 4 };

/** The level at which a task starts to wait: within a priority, Enterprise work is ahead. */
export function levelOf(priority: Priority, tier: Tier): number {
  return LEVEL_OF_PRIORITY[priority] + (tier === 'enterprise' ? 0 : 1);
}

/** A task that the scheduler places. */
export interface ScheduledTask {
  /** Unique among the tasks that wait or run. */
  readonly id: string;
  /** The processor it was sent to. */
  readonly processor: string;
  /** The API key whose task it is. */
  readonly key: string;
  /** 0 to 5, as `levelOf` gives it; 0 goes first. */
  readonly level: number;
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly work: RunWork;
  /** Whether it takes a place on devices of the fleet. */
  readonly needsDevice: boolean;
  /** Lanes that could not finish it. */
  readonly failedOn: ReadonlySet<LaneId>;
}
