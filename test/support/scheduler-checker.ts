/**
 * Follows a scheduler from outside and says where it breaks a rule: memory, slots, who may run where,
 * whose turn it is, and that nothing idles while it could run what waits.
 */
import { LIST_LENGTH, LIST_MS } from '../../src/fleet/schedule/earliest-finish.ts';
import type { DeviceView, Lane, LaneId, PoolId } from '../../src/fleet/schedule/lane.ts';
import type { RunEstimates } from '../../src/fleet/schedule/run-estimates.ts';
import type { Dispatch } from '../../src/fleet/schedule/scheduler.ts';
import type { TestTask } from './scheduler-fleets.ts';
import { holds, isAble, isOn, lanesFor } from './scheduler-rules.ts';

/** Sums of milliseconds. */
const ROUNDING_MS = 1e-6;

/** A run that waits, as the checker knows it. */
export interface WaitingTask {
  readonly run: TestTask;
  readonly since: number;
  readonly comesBack: boolean;
}

/** The rules, over what a driver reports. */
export class SchedulerChecker {
  readonly waiting = new Map<string, WaitingTask>();
  readonly running = new Map<string, Dispatch<TestTask>>();
  readonly lanes = new Map<LaneId, Lane>();
  readonly devices = new Map<string, DeviceView>();
  readonly capacity = new Map<PoolId, number>();
  readonly inUse = new Map<PoolId, number>();
  readonly paused = new Set<string>();
  /** Runs that are through for good, and how. */
  readonly outcomes = new Map<string, 'completed' | 'failed' | 'removed'>();
  readonly busyMs = new Map<string, number>();
  /** Of runs that ended, each counted on each device it ran on. */
  numEndedOnDevices = 0;
  /** How often rules about order and idling had something to say. */
  numOrderChecks = 0;
  numIdleChecks = 0;
  readonly #busySince = new Map<string, number>();
  readonly #left = new Map<Dispatch<TestTask>, Set<string>>();
  readonly #estimates: RunEstimates;
  readonly #ageingMs: number;
  readonly #maxSmallQubits: number;
  /** When a key was last given a start, by line. */
  readonly #lastStarts = new Map<string, number>();

  constructor(estimates: RunEstimates, ageingMs: number, maxSmallQubits: number) {
    this.#estimates = estimates;
    this.#ageingMs = ageingMs;
    this.#maxSmallQubits = maxSmallQubits;
  }

  added(run: TestTask, now: number, comesBack: boolean): void {
    const isKnown = this.waiting.has(run.id) || this.running.has(run.id);
    expectThat(!isKnown && !this.outcomes.has(run.id), `${run.id} is added twice`);
    this.waiting.set(run.id, { run, since: now, comesBack });
  }

  removed(id: string): void {
    expectThat(this.waiting.delete(id), `${id} is removed and did not wait`);
    this.#isThrough(id, 'removed');
  }

  dispatched(dispatches: readonly Dispatch<TestTask>[], now: number): void {
    const before = new Map(this.waiting);
    for (const dispatch of dispatches) this.#started(dispatch, now);
    const given = dispatches.flatMap(({ runs }) => runs.map((run) => this.#turnOf(run)));
    for (const dispatch of dispatches) this.#checkOrder(dispatch, before, new Set(given), now);
    for (const turn of given) this.#lastStarts.set(turn, now);
    this.#checkIdle();
  }

  ended(
    dispatch: Dispatch<TestTask>,
    run: TestTask,
    ending: 'completed' | 'failed' | 'lost',
    now: number,
  ): void {
    expectThat(this.running.get(run.id) === dispatch, `${run.id} ends and does not run`);
    this.running.delete(run.id);
    this.numEndedOnDevices += dispatch.devices.length;
    if (ending !== 'lost') this.#isThrough(run.id, ending);
    const left = this.#left.get(dispatch);
    left?.delete(run.id);
    if (left === undefined || left.size > 0) return;
    this.#left.delete(dispatch);
    for (const pool of this.#lane(dispatch.lane).pools) this.#use(pool, -1);
    for (const id of dispatch.devices) {
      const since = this.#busySince.get(id) ?? now;
      this.busyMs.set(id, (this.busyMs.get(id) ?? 0) + now - since);
      this.#busySince.delete(id);
    }
  }

  /** Free slots of a pool. */
  numFree(pool: PoolId): number {
    return Math.max(0, (this.capacity.get(pool) ?? 0) - (this.inUse.get(pool) ?? 0));
  }

  /** Whether the fleet as it is could ever run a run. */
  mayEverRun(run: TestTask): boolean {
    return lanesFor(run, [...this.lanes.values()]).some((lane) => {
      const devices = [...this.devices.values()].filter((d) => d.isOpen && isOn(d, lane));
      return lane.pools.every((pool) => this.capacity.get(pool)) && holds(devices, lane, run);
    });
  }

  #started(dispatch: Dispatch<TestTask>, now: number): void {
    const { lane: id, devices, runs } = dispatch;
    const lane = this.#lane(id);
    expectThat(lane.isOpen, `${id} is closed and is given ${runs[0]?.id}`);
    for (const pool of lane.pools) {
      expectThat(this.numFree(pool) > 0, `${pool} has no slot for ${runs[0]?.id}`);
      this.#use(pool, 1);
    }
    const views = devices.map((name) => this.#takeDevice(name, lane, now));
    expectThat(runs.length > 0, 'a dispatch of nothing');
    for (const run of runs) {
      expectThat(this.waiting.delete(run.id), `${run.id} starts and does not wait`);
      expectThat(!this.paused.has(run.processor), `${run.processor} is paused`);
      expectThat(isAble(lane, run), `${id} cannot run ${run.id}`);
      const hasFresh = [...this.lanes.values()].some(
        (other) => other.isOpen && isAble(other, run) && !run.failedOn.has(other.id),
      );
      expectThat(!run.failedOn.has(id) || !hasFresh, `${run.id} has failed on ${id}`);
      expectThat(run.needsDevice === devices.length > 0, `${devices.length} for ${run.id}`);
      expectThat(holds(views, lane, run), `${run.id} does not fit ${devices}`);
      this.running.set(run.id, dispatch);
    }
    this.#left.set(dispatch, new Set(runs.map((run) => run.id)));
    if (runs.length > 1) this.#checkList(dispatch, lane);
  }

  #checkList({ devices, runs }: Dispatch<TestTask>, lane: Lane): void {
    const ms = runs.reduce((sum, run) => sum + this.#ms(lane, run), 0);
    expectThat(ms <= LIST_MS + ROUNDING_MS, `a list of ${ms} ms`);
    expectThat(runs.length <= LIST_LENGTH, `a list of ${runs.length}`);
    expectThat(devices.length <= 1 && lane.pools.length === 1, 'a list on several things');
    expectThat(new Set(runs.map((run) => run.processor)).size === 1, 'a list of two processors');
    expectThat(!runs.some(({ work }) => work.isBranching), 'a list with an unknown end');
  }

  /**
   * No run starts where one of a better level could have started instead, unless that one is done
   * sooner elsewhere, or the slot is held and only the shorter of them is through in time.
   *
   * @param given - Keys that this dispatch gave a start, by line: what else waits of them has not risen.
   */
  #checkOrder(
    { lane: id, devices, runs }: Dispatch<TestTask>,
    before: ReadonlyMap<string, WaitingTask>,
    given: ReadonlySet<string>,
    now: number,
  ): void {
    const [first] = runs;
    if (first === undefined) return;
    const lane = this.#lane(id);
    const views = devices.map((name) => this.#device(name));
    const level = this.#levelAt(before.get(first.id), now);
    const ms = this.#ms(lane, first);
    for (const other of this.waiting.values()) {
      const { run } = other;
      const hasRisen = !given.has(this.#turnOf(run)) && this.#isFirstOfKey(other, now);
      const itsLevel = hasRisen || other.comesBack ? this.#levelAt(other, now) : run.level;
      if (this.paused.has(run.processor) || itsLevel >= level) continue;
      const takers = lanesFor(run, [...this.lanes.values()]);
      if (!takers.includes(lane) || run.needsDevice !== first.needsDevice) continue;
      if (!holds(views, lane, run)) continue;
      const itsMs = this.#ms(lane, run);
      this.numOrderChecks++;
      const isFasterElsewhere = takers.some((taker) => this.#ms(taker, run) < itsMs);
      const isHeld = itsMs > ms && this.#mayBeHeld(run, lane);
      expectThat(isFasterElsewhere || isHeld, `${first.id} starts before ${run.id}`);
    }
  }

  /** Nothing is idle that could run what waits, unless that is done sooner elsewhere. */
  #checkIdle(): void {
    const free = [...this.lanes.values()].filter(
      (lane) => lane.isOpen && lane.pools.every((pool) => this.numFree(pool) > 0),
    );
    if (free.length === 0 || this.waiting.size === 0) return;
    const rested = this.#freeDevices();
    for (const { run } of this.waiting.values()) {
      if (this.paused.has(run.processor)) continue;
      const takers = lanesFor(run, [...this.lanes.values()]);
      for (const lane of free) {
        if (!takers.includes(lane)) continue;
        const devices = rested.filter((device) => isOn(device, lane));
        if (!holds(devices, lane, run)) continue;
        this.numIdleChecks++;
        const ms = this.#ms(lane, run);
        const isFasterElsewhere = takers.some((taker) => this.#ms(taker, run) < ms);
        const isFine = isFasterElsewhere || this.#mayBeHeld(run, lane);
        expectThat(isFine, `${lane.id} idles and ${run.id} waits`);
      }
    }
  }

  /**
   * Whether what a run would take may be held for others: for one that needs several things at once
   * and cannot have them now, or, where few devices are free, for any that is to have one.
   */
  #mayBeHeld(held: TestTask, on: Lane): boolean {
    const lanes = [...this.lanes.values()];
    const others = [...this.waiting.values()]
      .map(({ run }) => run)
      .filter((run) => run.id !== held.id && !this.paused.has(run.processor));
    const free = this.#freeDevices();
    const numToTakeOne = others.filter((run) => run.needsDevice).length;
    const lacksDevices = (run: TestTask, lane: Lane) =>
      run.needsDevice &&
      free.filter((d) => isOn(d, lane) && holds([d], lane, run)).length <= numToTakeOne;
    if (lacksDevices(held, on)) return true;
    return others.some((run) =>
      lanesFor(run, lanes).some((lane) => lane.pools.length > 1 || lacksDevices(run, lane)),
    );
  }

  #freeDevices(): readonly DeviceView[] {
    return [...this.devices.values()].filter(
      ({ id, isOpen }) => isOpen && !this.#busySince.has(id),
    );
  }

  #levelAt(waiting: WaitingTask | undefined, now: number): number {
    if (waiting === undefined) throw new Error('unreachable: it did not wait');
    if (waiting.comesBack) return -1;
    const lastStart = this.#lastStarts.get(this.#turnOf(waiting.run)) ?? Number.NEGATIVE_INFINITY;
    if (now - lastStart < this.#ageingMs) return waiting.run.level;
    const risen = Math.floor((now - waiting.since) / this.#ageingMs);
    return Math.max(0, waiting.run.level - risen);
  }

  /** Of what waits in its line: only the first rises, for the next ones come after its start. */
  #isFirstOfKey(waiting: WaitingTask, now: number): boolean {
    const turn = this.#turnOf(waiting.run);
    const level = this.#levelAt(waiting, now);
    return ![...this.waiting.values()].some((other) => {
      if (other === waiting || this.#turnOf(other.run) !== turn) return false;
      const itsLevel = this.#levelAt(other, now);
      return itsLevel < level || (itsLevel === level && other.since <= waiting.since);
    });
  }

  #turnOf({ key, mayRunOn, work }: TestTask): string {
    const isSmall = mayRunOn !== 'adapter' && work.numQubits <= this.#maxSmallQubits;
    return `${isSmall ? 'small' : 'wide'} ${key}`;
  }

  #takeDevice(id: string, lane: Lane, now: number): DeviceView {
    const device = this.#device(id);
    expectThat(device.isOpen, `${id} is not open`);
    expectThat(isOn(device, lane), `${id} is not on ${lane.id}`);
    expectThat(!this.#busySince.has(id), `${id} is busy`);
    this.#busySince.set(id, now);
    return device;
  }

  #isThrough(id: string, outcome: 'completed' | 'failed' | 'removed'): void {
    expectThat(!this.outcomes.has(id), `${id} ends twice`);
    this.outcomes.set(id, outcome);
  }

  #use(pool: PoolId, count: number): void {
    this.inUse.set(pool, (this.inUse.get(pool) ?? 0) + count);
  }

  #ms(lane: Lane, run: TestTask): number {
    return this.#estimates.expectedMs(lane.id, run.work);
  }

  #lane(id: LaneId): Lane {
    const lane = this.lanes.get(id);
    if (lane === undefined) throw new Error(`there is no lane ${id}`);
    return lane;
  }

  #device(id: string): DeviceView {
    const device = this.devices.get(id);
    if (device === undefined) throw new Error(`there is no device ${id}`);
    return device;
  }
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}
