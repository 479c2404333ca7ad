/**
 * Rules that a scheduler must obey, written independently of its code: which lanes take a
 * run, and whether devices hold it.
 */
import type { DeviceView, Lane } from '../../src/fleet/schedule/lane.ts';
import type { ScheduledRun } from '../../src/fleet/schedule/scheduled-run.ts';

/** Relative slack of sums of budgets. */
const ROUNDING = 1e-6;

/** Bytes of a run's amplitudes. */
function stateBytes({ precision, work }: ScheduledRun): number {
  return (precision === 'f64' ? 16 : 8) * 2 ** work.numQubits;
}

/** Whether a lane could run a run at all. */
export function isAble(lane: Lane, { mayRunOn, precision, work }: ScheduledRun): boolean {
  const isCpu = lane.kind === 'small' || lane.kind === 'wide';
  if (mayRunOn === 'cpu' && !isCpu) return false;
  if (mayRunOn === 'adapter' && isCpu) return false;
  return work.numQubits <= lane.maxQubits[precision];
}

/** The lanes that are to be considered for a run: open, able, and of those the ones preferred. */
export function lanesFor(run: ScheduledRun, lanes: readonly Lane[]): readonly Lane[] {
  const able = lanes.filter((lane) => lane.isOpen && isAble(lane, run));
  const fresh = able.filter(({ id }) => !run.failedOn.has(id));
  const taken = fresh.length > 0 ? fresh : able;
  const of = (kind: Lane['kind']) => taken.filter((lane) => lane.kind === kind);
  const hasSmall = of('small').length > 0;
  if (hasSmall) return [...of('small'), ...of('adapter').filter((lane) => !lane.isSoftware)];
  for (const kind of ['adapter', 'spread', 'wide'] as const) {
    if (of(kind).length > 0) return of(kind);
  }
  return [];
}

/** Whether runs of a lane may lie on a device. */
export function isOn({ adapter }: DeviceView, lane: Lane): boolean {
  if (lane.kind === 'adapter') return adapter === lane.id;
  if (lane.kind === 'spread') return adapter !== undefined && lane.pools.includes(adapter);
  return true;
}

/** Whether devices together have room for a run on a lane; threads of the CPU have memory of their own. */
export function holds(devices: readonly DeviceView[], lane: Lane, run: ScheduledRun): boolean {
  if (!run.needsDevice) return true;
  if (devices.length === 0) return false;
  const budgetOf = (some: readonly DeviceView[]) =>
    some.reduce((sum, { budgetBytes }) => sum + budgetBytes, 0) * (1 + ROUNDING);
  const bytes = stateBytes(run);
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
