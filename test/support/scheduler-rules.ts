/**
 * What a scheduler must keep to, written from the rules rather than from its code: which lanes take a
 * task, and whether devices hold it.
 */
import type { DeviceView, LaneView } from '../../src/fleet/schedule/lane-view.ts';
import type { ScheduledTask } from '../../src/fleet/schedule/scheduled-task.ts';

/** Relative slack of sums of budgets. */
const ROUNDING = 1e-6;

/** Bytes of a task's amplitudes. */
export function stateBytes({ precision, work }: ScheduledTask): number {
  return (precision === 'f64' ? 16 : 8) * 2 ** work.numQubits;
}

/** Whether a lane could run a task at all. */
export function isAble(lane: LaneView, { mayRunOn, precision, work }: ScheduledTask): boolean {
  const isCpu = lane.kind === 'small' || lane.kind === 'wide';
  if (mayRunOn === 'cpu' && !isCpu) return false;
  if (mayRunOn === 'adapter' && isCpu) return false;
  return work.numQubits <= lane.maxQubits[precision];
}

/** The lanes that are to be considered for a task: open, able, and of those the ones preferred. */
export function lanesFor(task: ScheduledTask, lanes: readonly LaneView[]): readonly LaneView[] {
  const able = lanes.filter((lane) => lane.isOpen && isAble(lane, task));
  const fresh = able.filter(({ id }) => !task.failedOn.has(id));
  const taken = fresh.length > 0 ? fresh : able;
  const of = (kind: LaneView['kind']) => taken.filter((lane) => lane.kind === kind);
  const hasSmall = of('small').length > 0;
  if (hasSmall) return [...of('small'), ...of('adapter').filter((lane) => !lane.isSoftware)];
  for (const kind of ['adapter', 'spread', 'wide'] as const) {
    if (of(kind).length > 0) return of(kind);
  }
  return [];
}

/** Whether runs of a lane may lie on a device. */
export function isOn({ adapter }: DeviceView, lane: LaneView): boolean {
  if (lane.kind === 'adapter') return adapter === lane.id;
  if (lane.kind === 'spread') return adapter !== undefined && lane.pools.includes(adapter);
  return true;
}

/** Whether devices together have room for a task on a lane; threads of the CPU have memory of their own. */
export function holds(
  devices: readonly DeviceView[],
  lane: LaneView,
  task: ScheduledTask,
): boolean {
  if (!task.needsDevice) return true;
  if (devices.length === 0) return false;
  const budgetOf = (some: readonly DeviceView[]) =>
    some.reduce((sum, { budgetBytes }) => sum + budgetBytes, 0) * (1 + ROUNDING);
  const bytes = stateBytes(task);
  switch (lane.kind) {
    case 'small':
      return true;
    case 'wide':
      return devices.some(({ adapter }) => adapter !== undefined) || bytes <= budgetOf(devices);
    case 'adapter':
      return bytes <= budgetOf(devices);
    case 'spread':
      return lane.pools.every((pool) => {
        const parts = devices.filter(({ adapter }) => adapter === pool);
        return bytes / lane.pools.length <= budgetOf(parts);
      });
  }
}
