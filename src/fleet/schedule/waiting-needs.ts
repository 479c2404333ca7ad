/** Which lanes what waits could run on: where none of them is free, nobody need look at the queue. */
import type { LaneId } from '../width.ts';
import { eligibleLanes, type Placeable } from './eligible-lanes.ts';
import type { LaneView } from './lane-view.ts';
import type { SizeClass } from './run-queue.ts';
import type { MayRunOn, ScheduledTask } from './scheduled-task.ts';

/** Tasks of one line and processor that the same lanes take. */
interface Need {
  /** A copy: a task may go elsewhere and come back with another need. */
  readonly like: Placeable & Pick<ScheduledTask, 'needsDevice'>;
  count: number;
}

/** Where tasks of one line and processor could run. */
export interface Wanted {
  readonly lanes: readonly LaneView[];
  /** Whether all of them need a device, so that nothing starts while none is free. */
  readonly needDevice: boolean;
}

/** What waits, by what decides where it may run. */
export class WaitingNeeds {
  readonly #needs = new Map<string, Map<string | number, Need>>();
  #lanes: readonly LaneView[] = [];
  /** Of tasks, by what decides their lanes. */
  readonly #eligible = new Map<string | number, readonly LaneView[]>();
  /** Of all that waits, by line and processor. */
  readonly #wanted = new Map<string, Wanted>();

  /** Says what lanes there are. */
  setLanes(lanes: readonly LaneView[]): void {
    this.#lanes = lanes;
    this.#eligible.clear();
    this.#wanted.clear();
  }

  add(task: ScheduledTask, sizeClass: SizeClass): void {
    const name = nameOf(sizeClass, task.processor);
    let needs = this.#needs.get(name);
    if (needs === undefined) {
      needs = new Map();
      this.#needs.set(name, needs);
    }
    const needName = `${needOf(task)} ${task.needsDevice}`;
    const need = needs.get(needName);
    if (need !== undefined) {
      need.count++;
      return;
    }
    const { mayRunOn, precision, work, needsDevice, failedOn } = task;
    const like = { mayRunOn, precision, work, needsDevice, failedOn: new Set(failedOn) };
    needs.set(needName, { like, count: 1 });
    this.#wanted.delete(name);
  }

  remove(task: ScheduledTask, sizeClass: SizeClass): void {
    const name = nameOf(sizeClass, task.processor);
    const needs = this.#needs.get(name);
    const needName = `${needOf(task)} ${task.needsDevice}`;
    const need = needs?.get(needName);
    if (needs === undefined || need === undefined) {
      throw new Error(`unreachable: ${task.id} does not wait`);
    }
    if (--need.count > 0) return;
    needs.delete(needName);
    this.#wanted.delete(name);
    if (needs.size === 0) this.#needs.delete(name);
  }

  /** The lanes that take a task now, in order of preference. */
  lanesOf(task: Placeable): readonly LaneView[] {
    const need = needOf(task);
    let lanes = this.#eligible.get(need);
    if (lanes === undefined) {
      lanes = eligibleLanes(task, this.#lanes);
      // Failures make needs that nothing else has.
      if (task.failedOn.size === 0) this.#eligible.set(need, lanes);
    }
    return lanes;
  }

  /** The lanes that take anything of a line and processor now. */
  wanted(sizeClass: SizeClass, processor: string): Wanted {
    const name = nameOf(sizeClass, processor);
    let wanted = this.#wanted.get(name);
    if (wanted === undefined) {
      const needs = [...(this.#needs.get(name)?.values() ?? [])];
      const byId = new Map<LaneId, LaneView>();
      for (const { like } of needs) for (const lane of this.lanesOf(like)) byId.set(lane.id, lane);
      const needDevice = needs.every(({ like }) => like.needsDevice);
      wanted = { lanes: [...byId.values()], needDevice };
      this.#wanted.set(name, wanted);
    }
    return wanted;
  }
}

function nameOf(sizeClass: SizeClass, processor: string): string {
  return `${sizeClass} ${processor}`;
}

const NUMBER_OF_MAY_RUN_ON: Readonly<Record<MayRunOn, number>> = {
  cpu: 0,
  adapter: 1,
  'adapter-or-cpu': 2,
};

/** Different for tasks that different lanes may take; a number, for it is asked of each task thrice. */
function needOf({ mayRunOn, precision, work, failedOn }: Placeable): string | number {
  const isDouble = Number(precision === 'f64');
  const isBatch = Number(work.numCircuits !== undefined);
  const need = 16 * work.numQubits + 8 * isBatch + 2 * NUMBER_OF_MAY_RUN_ON[mayRunOn] + isDouble;
  return failedOn.size === 0 ? need : `${need} not ${[...failedOn].join(' ')}`;
}
