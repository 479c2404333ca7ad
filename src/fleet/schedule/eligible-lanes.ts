/** Which lanes may run a task: memory, precision, and what its processor allows. */

import type { QueueLine } from './fair-queue.ts';
import type { LaneView } from './lane-view.ts';
import type { ScheduledTask } from './scheduled-task.ts';

/** Where a task waits: with what contends for the same engines. */
export function lineOf(task: ScheduledTask, maxSmallQubits: number): QueueLine {
  if (task.mayRunOn === 'adapter') return 'wide';
  return task.work.numQubits <= maxSmallQubits ? 'small' : 'wide';
}

/**
 * The lanes that take the task now, in order of preference.
 *
 * Small circuits run on the CPU where that is allowed, and on GPUs where those are done sooner; an
 * adapter that is software has no cores of its own, so it takes none of them. Wide ones run on adapters;
 * spread over several where none holds them alone; and on the CPU where no adapters take them. A lane
 * that has failed the task takes it again only where no other does.
 */
export function eligibleLanes(
  task: ScheduledTask,
  lanes: readonly LaneView[],
): readonly LaneView[] {
  const able = lanes.filter((lane) => takes(lane, task));
  const fresh = able.filter(({ id }) => !task.failedOn.has(id));
  const onFresh = preferred(task, fresh);
  return onFresh.length > 0 ? onFresh : preferred(task, able);
}

function preferred(task: ScheduledTask, able: readonly LaneView[]): readonly LaneView[] {
  const of = (kind: LaneView['kind']) => able.filter((lane) => lane.kind === kind);
  const small = of('small');
  switch (task.mayRunOn) {
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

function takes(lane: LaneView, { mayRunOn, precision, work }: ScheduledTask): boolean {
  const isCpu = lane.kind === 'small' || lane.kind === 'wide';
  const isAllowed = isCpu ? mayRunOn !== 'adapter' : mayRunOn !== 'cpu';
  return isAllowed && lane.isOpen && work.numQubits <= lane.maxQubits[precision];
}

function firstOf(...groups: readonly (readonly LaneView[])[]): readonly LaneView[] {
  return groups.find((group) => group.length > 0) ?? [];
}
