/** Which lanes may run a task: memory, precision, and what its processor allows. */
import type { LaneId } from '../width.ts';
import type { Precision } from '../workers/worker-messages.ts';
import type { LaneView } from './lane-view.ts';
import type { SizeClass } from './run-queue.ts';
import type { MayRunOn, ScheduledTask } from './scheduled-task.ts';

/** The size class in which a run waits: with the runs that contend for the same engines. */
export function sizeClassOf(task: ScheduledTask, maxSmallQubits: number): SizeClass {
  if (task.mayRunOn === 'adapter') return 'wide';
  return task.work.numQubits <= maxSmallQubits ? 'small' : 'wide';
}

/** What decides which lanes take a task. */
export interface LaneNeed {
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly numQubits: number;
  /** Whether it is a batch task: engines over several adapters have no batches. */
  readonly isBatch?: boolean;
}

/** What a task needs of a lane. */
export function laneNeedOf({
  mayRunOn,
  precision,
  work,
}: Pick<ScheduledTask, 'mayRunOn' | 'precision' | 'work'>): LaneNeed {
  const { numQubits, numCircuits } = work;
  return { mayRunOn, precision, numQubits, isBatch: numCircuits !== undefined };
}

/** What decides which lanes take a task now. */
export type Placeable = Pick<ScheduledTask, 'mayRunOn' | 'precision' | 'work' | 'failedOn'>;

/** Which lanes count. */
export interface EligibleOptions {
  /** Those that are given nothing just now, too. */
  readonly evenClosed?: boolean;
  /** Those that do not. */
  readonly except?: ReadonlySet<LaneId>;
}

/**
 * The lanes that take the task now, in order of preference. A lane that has failed the task takes it
 * again only where no other does.
 */
export function eligibleLanes(task: Placeable, lanes: readonly LaneView[]): readonly LaneView[] {
  const { failedOn } = task;
  const need = laneNeedOf(task);
  if (failedOn.size === 0) return capableLanes(need, lanes);
  const fresh = capableLanes(
    need,
    lanes.filter(({ id }) => !failedOn.has(id)),
  );
  return fresh.length > 0 ? fresh : capableLanes(need, lanes);
}

/**
 * The lanes that take such a task, in order of preference.
 *
 * Small circuits run on the CPU where that is allowed, and on GPUs where those are done sooner; an
 * adapter that is software has no cores of its own, so it takes none of them. Wide ones run on adapters;
 * spread over several where none holds them alone; and on the CPU where no adapters take them.
 */
export function capableLanes(
  need: LaneNeed,
  lanes: readonly LaneView[],
  { evenClosed = false, except }: EligibleOptions = {},
): readonly LaneView[] {
  const able = lanes.filter(
    (lane) => (evenClosed || lane.isOpen) && !except?.has(lane.id) && takes(lane, need),
  );
  const of = (kind: LaneView['kind']) => able.filter((lane) => lane.kind === kind);
  const small = of('small');
  switch (need.mayRunOn) {
    case 'cpu':
      return small.length > 0 ? small : of('wide');
    case 'adapter':
      return firstOf(of('adapter'), of('spread'));
    case 'adapter-or-cpu': {
      if (small.length === 0) return firstOf(of('adapter'), of('spread'), of('wide'));
      const gpus = of('adapter').filter(({ isSoftware }) => !isSoftware);
      return [...small, ...gpus];
    }
  }
}

function takes(lane: LaneView, { mayRunOn, precision, numQubits, isBatch }: LaneNeed): boolean {
  if (isBatch === true && lane.kind === 'spread') return false;
  const isCpu = lane.kind === 'small' || lane.kind === 'wide';
  const isAllowed = isCpu ? mayRunOn !== 'adapter' : mayRunOn !== 'cpu';
  return isAllowed && numQubits <= lane.maxQubits[precision];
}

function firstOf(...groups: readonly (readonly LaneView[])[]): readonly LaneView[] {
  return groups.find((group) => group.length > 0) ?? [];
}
