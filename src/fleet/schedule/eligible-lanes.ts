/** Selects the lanes that may run a run: by memory, precision, and the hardware that its processor may use. */

import type { Lane, LaneId, Precision, SizeClass } from './lane.ts';
import type { MayRunOn, RunWork, ScheduledRun } from './scheduled-run.ts';

/** The size class in which a run waits: with the runs that contend for the same engines. */
export function sizeClassOf(run: ScheduledRun, maxSmallQubits: number): SizeClass {
  if (run.mayRunOn === 'adapter') return 'wide';
  return run.work.numQubits <= maxSmallQubits ? 'small' : 'wide';
}

/** Properties that decide which lanes take a run. */
export interface LaneNeed {
  readonly mayRunOn: MayRunOn;
  readonly precision: Precision;
  readonly numQubits: number;
  /** Method of the run; absent for a state vector. */
  readonly method?: RunWork['method'];
}

/** The lane need of a run. */
export function laneNeedOf({
  mayRunOn,
  precision,
  work,
}: Pick<ScheduledRun, 'mayRunOn' | 'precision' | 'work'>): LaneNeed {
  const { numQubits, method } = work;
  return { mayRunOn, precision, numQubits, method };
}

/** Properties that decide which lanes take a run now. */
type Placeable = Pick<ScheduledRun, 'mayRunOn' | 'precision' | 'work' | 'failedOn'>;

/** Options that select the lanes to consider. */
export interface EligibleOptions {
  /** Includes lanes that are closed now. */
  readonly evenClosed?: boolean;
  /** Lanes left out. */
  readonly except?: ReadonlySet<LaneId>;
}

/**
 * The lanes that take the run now, in order of preference. A lane that has failed the run takes it
 * again only where no other does.
 */
export function eligibleLanes(run: Placeable, lanes: readonly Lane[]): readonly Lane[] {
  const { failedOn } = run;
  const need = laneNeedOf(run);
  if (failedOn.size === 0) return capableLanes(need, lanes);
  const fresh = capableLanes(
    need,
    lanes.filter(({ id }) => !failedOn.has(id)),
  );
  return fresh.length > 0 ? fresh : capableLanes(need, lanes);
}

/**
 * The lanes that take such a run, in order of preference.
 *
 * Small circuits run on the CPU where that is allowed, and on GPUs where those may be used and are done sooner; an
 * adapter that is software has no cores of its own, so it takes none of them. Wide ones run on adapters;
 * spread over several where none holds them alone; and on the CPU where no adapters take them.
 */
export function capableLanes(
  need: LaneNeed,
  lanes: readonly Lane[],
  { evenClosed = false, except }: EligibleOptions = {},
): readonly Lane[] {
  const able = lanes.filter(
    (lane) => (evenClosed || lane.isOpen) && !except?.has(lane.id) && takes(lane, need),
  );
  const of = (kind: Lane['kind']) => able.filter((lane) => lane.kind === kind);
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

function takes(lane: Lane, { mayRunOn, precision, numQubits, method }: LaneNeed): boolean {
  // The engine over several adapters has neither trajectories nor density matrices.
  if (lane.kind === 'spread' && method !== undefined) return false;
  const isCpu = lane.kind === 'small' || lane.kind === 'wide';
  const isAllowed = isCpu ? mayRunOn !== 'adapter' : mayRunOn !== 'cpu';
  return isAllowed && numQubits <= lane.maxQubits[precision];
}

function firstOf(...groups: readonly (readonly Lane[])[]): readonly Lane[] {
  return groups.find((group) => group.length > 0) ?? [];
}

/** Runs of one size class and processor that the same lanes take. */
interface Need {
  /** A copy, because a run may come back with another need. */
  readonly like: Placeable & Pick<ScheduledRun, 'needsDevice'>;
  count: number;
}

/** Lanes that the runs of one size class and processor could use. */
interface Wanted {
  readonly lanes: readonly Lane[];
  /** Whether all of them need a device, so that nothing starts while none is free. */
  readonly needDevice: boolean;
}

/**
 * Needs of the waiting runs: the lanes that each queue could use. If none of them is free, its runs need
 * not be scanned.
 */
export class WaitingNeeds {
  readonly #needs = new Map<string, Map<string | number, Need>>();
  #lanes: readonly Lane[] = [];
  /** Lanes of a run, by its need. */
  readonly #eligible = new Map<string | number, readonly Lane[]>();
  /** Lanes of all waiting runs, by size class and processor. */
  readonly #wanted = new Map<string, Wanted>();

  /** Sets the lanes. */
  setLanes(lanes: readonly Lane[]): void {
    this.#lanes = lanes;
    this.#eligible.clear();
    this.#wanted.clear();
  }

  add(run: ScheduledRun, sizeClass: SizeClass): void {
    const name = nameOf(sizeClass, run.processor);
    let needs = this.#needs.get(name);
    if (needs === undefined) {
      needs = new Map();
      this.#needs.set(name, needs);
    }
    const needName = `${needOf(run)} ${run.needsDevice}`;
    const need = needs.get(needName);
    if (need !== undefined) {
      need.count++;
      return;
    }
    const { mayRunOn, precision, work, needsDevice, failedOn } = run;
    const like = { mayRunOn, precision, work, needsDevice, failedOn: new Set(failedOn) };
    needs.set(needName, { like, count: 1 });
    this.#wanted.delete(name);
  }

  remove(run: ScheduledRun, sizeClass: SizeClass): void {
    const name = nameOf(sizeClass, run.processor);
    const needs = this.#needs.get(name);
    const needName = `${needOf(run)} ${run.needsDevice}`;
    const need = needs?.get(needName);
    if (needs === undefined || need === undefined) {
      throw new Error(`unreachable: ${run.id} does not wait`);
    }
    if (--need.count > 0) return;
    needs.delete(needName);
    this.#wanted.delete(name);
    if (needs.size === 0) this.#needs.delete(name);
  }

  /** The lanes that take a run now, in order of preference. */
  lanesOf(run: Placeable): readonly Lane[] {
    const need = needOf(run);
    let lanes = this.#eligible.get(need);
    if (lanes === undefined) {
      lanes = eligibleLanes(run, this.#lanes);
      // Failures make needs that nothing else has.
      if (run.failedOn.size === 0) this.#eligible.set(need, lanes);
    }
    return lanes;
  }

  /** Lanes that take any run of a size class and processor now. */
  wanted(sizeClass: SizeClass, processor: string): Wanted {
    const name = nameOf(sizeClass, processor);
    let wanted = this.#wanted.get(name);
    if (wanted === undefined) {
      const needs = [...(this.#needs.get(name)?.values() ?? [])];
      const byId = new Map<LaneId, Lane>();
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

/** Key of a run's need: runs with equal keys go to the same lanes. A number, for each run asks three times. */
function needOf({ mayRunOn, precision, work, failedOn }: Placeable): string | number {
  const isDouble = Number(precision === 'f64');
  const isNoisy = Number(work.method !== undefined);
  const need = 16 * work.numQubits + 8 * isNoisy + 2 * NUMBER_OF_MAY_RUN_ON[mayRunOn] + isDouble;
  return failedOn.size === 0 ? need : `${need} not ${[...failedOn].join(' ')}`;
}
