/**
 * Follows a scheduler from outside and says where it breaks a rule: memory, slots, who may run where,
 * whose turn it is, and that nothing idles while it could run what waits.
 */
import { LIST_LENGTH, LIST_MS } from '../../src/fleet/schedule/earliest-finish.ts';
import type { DeviceView, LaneView, PoolId } from '../../src/fleet/schedule/lane-view.ts';
import type { RunEstimates } from '../../src/fleet/schedule/run-estimates.ts';
import type { Dispatch } from '../../src/fleet/schedule/scheduler.ts';
import type { LaneId } from '../../src/fleet/width.ts';
import type { TestTask } from './scheduler-fleets.ts';
import { holds, isAble, isOn, lanesFor } from './scheduler-rules.ts';

/** Sums of milliseconds. */
const ROUNDING_MS = 1e-6;

/** A task that waits, as the checker knows it. */
export interface WaitingTask {
  readonly task: TestTask;
  readonly since: number;
  readonly comesBack: boolean;
}

/** The rules, over what a driver reports. */
export class SchedulerChecker {
  readonly waiting = new Map<string, WaitingTask>();
  readonly running = new Map<string, Dispatch<TestTask>>();
  readonly lanes = new Map<LaneId, LaneView>();
  readonly devices = new Map<string, DeviceView>();
  readonly capacity = new Map<PoolId, number>();
  readonly inUse = new Map<PoolId, number>();
  readonly paused = new Set<string>();
  /** Tasks that are through for good, and how. */
  readonly outcomes = new Map<string, 'completed' | 'failed' | 'removed'>();
  readonly busyMs = new Map<string, number>();
  /** Of tasks that ended, each counted on each device it ran on. */
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

  added(task: TestTask, now: number, comesBack: boolean): void {
    const isKnown = this.waiting.has(task.id) || this.running.has(task.id);
    expectThat(!isKnown && !this.outcomes.has(task.id), `${task.id} is added twice`);
    this.waiting.set(task.id, { task, since: now, comesBack });
  }

  removed(id: string): void {
    expectThat(this.waiting.delete(id), `${id} is removed and did not wait`);
    this.#isThrough(id, 'removed');
  }

  dispatched(dispatches: readonly Dispatch<TestTask>[], now: number): void {
    const before = new Map(this.waiting);
    for (const dispatch of dispatches) this.#started(dispatch, now);
    const given = dispatches.flatMap(({ tasks }) => tasks.map((task) => this.#turnOf(task)));
    for (const dispatch of dispatches) this.#checkOrder(dispatch, before, new Set(given), now);
    for (const turn of given) this.#lastStarts.set(turn, now);
    this.#checkIdle();
  }

  ended(
    dispatch: Dispatch<TestTask>,
    task: TestTask,
    ending: 'completed' | 'failed' | 'lost',
    now: number,
  ): void {
    expectThat(this.running.get(task.id) === dispatch, `${task.id} ends and does not run`);
    this.running.delete(task.id);
    this.numEndedOnDevices += dispatch.devices.length;
    if (ending !== 'lost') this.#isThrough(task.id, ending);
    const left = this.#left.get(dispatch);
    left?.delete(task.id);
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

  /** Whether the fleet as it is could ever run a task. */
  mayEverRun(task: TestTask): boolean {
    return lanesFor(task, [...this.lanes.values()]).some((lane) => {
      const devices = [...this.devices.values()].filter((d) => d.isOpen && isOn(d, lane));
      return lane.pools.every((pool) => this.capacity.get(pool)) && holds(devices, lane, task);
    });
  }

  #started(dispatch: Dispatch<TestTask>, now: number): void {
    const { lane: id, devices, tasks } = dispatch;
    const lane = this.#lane(id);
    expectThat(lane.isOpen, `${id} is closed and is given ${tasks[0]?.id}`);
    for (const pool of lane.pools) {
      expectThat(this.numFree(pool) > 0, `${pool} has no slot for ${tasks[0]?.id}`);
      this.#use(pool, 1);
    }
    const views = devices.map((name) => this.#takeDevice(name, lane, now));
    expectThat(tasks.length > 0, 'a dispatch of nothing');
    for (const task of tasks) {
      expectThat(this.waiting.delete(task.id), `${task.id} starts and does not wait`);
      expectThat(!this.paused.has(task.processor), `${task.processor} is paused`);
      expectThat(isAble(lane, task), `${id} cannot run ${task.id}`);
      const hasFresh = [...this.lanes.values()].some(
        (other) => other.isOpen && isAble(other, task) && !task.failedOn.has(other.id),
      );
      expectThat(!task.failedOn.has(id) || !hasFresh, `${task.id} has failed on ${id}`);
      expectThat(task.needsDevice === devices.length > 0, `${devices.length} for ${task.id}`);
      expectThat(holds(views, lane, task), `${task.id} does not fit ${devices}`);
      this.running.set(task.id, dispatch);
    }
    this.#left.set(dispatch, new Set(tasks.map((task) => task.id)));
    if (tasks.length > 1) this.#checkList(dispatch, lane);
  }

  #checkList({ devices, tasks }: Dispatch<TestTask>, lane: LaneView): void {
    const ms = tasks.reduce((sum, task) => sum + this.#ms(lane, task), 0);
    expectThat(ms <= LIST_MS + ROUNDING_MS, `a list of ${ms} ms`);
    expectThat(tasks.length <= LIST_LENGTH, `a list of ${tasks.length}`);
    expectThat(devices.length <= 1 && lane.pools.length === 1, 'a list on several things');
    expectThat(new Set(tasks.map((task) => task.processor)).size === 1, 'a list of two processors');
    expectThat(!tasks.some(({ work }) => work.isBranching), 'a list with an unknown end');
  }

  /**
   * No task starts where one of a better level could have started instead, unless that one is done
   * sooner elsewhere, or the slot is held and only the shorter of them is through in time.
   *
   * @param given - Keys that this dispatch gave a start, by line: what else waits of them has not risen.
   */
  #checkOrder(
    { lane: id, devices, tasks }: Dispatch<TestTask>,
    before: ReadonlyMap<string, WaitingTask>,
    given: ReadonlySet<string>,
    now: number,
  ): void {
    const [first] = tasks;
    if (first === undefined) return;
    const lane = this.#lane(id);
    const views = devices.map((name) => this.#device(name));
    const level = this.#levelAt(before.get(first.id), now);
    const ms = this.#ms(lane, first);
    for (const other of this.waiting.values()) {
      const { task } = other;
      const hasRisen = !given.has(this.#turnOf(task)) && this.#isFirstOfKey(other, now);
      const itsLevel = hasRisen || other.comesBack ? this.#levelAt(other, now) : task.level;
      if (this.paused.has(task.processor) || itsLevel >= level) continue;
      const takers = lanesFor(task, [...this.lanes.values()]);
      if (!takers.includes(lane) || task.needsDevice !== first.needsDevice) continue;
      if (!holds(views, lane, task)) continue;
      const itsMs = this.#ms(lane, task);
      this.numOrderChecks++;
      const isFasterElsewhere = takers.some((taker) => this.#ms(taker, task) < itsMs);
      const isHeld = itsMs > ms && this.#mayBeHeld(task, lane);
      expectThat(isFasterElsewhere || isHeld, `${first.id} starts before ${task.id}`);
    }
  }

  /** Nothing is idle that could run what waits, unless that is done sooner elsewhere. */
  #checkIdle(): void {
    const free = [...this.lanes.values()].filter(
      (lane) => lane.isOpen && lane.pools.every((pool) => this.numFree(pool) > 0),
    );
    if (free.length === 0 || this.waiting.size === 0) return;
    const rested = this.#freeDevices();
    for (const { task } of this.waiting.values()) {
      if (this.paused.has(task.processor)) continue;
      const takers = lanesFor(task, [...this.lanes.values()]);
      for (const lane of free) {
        if (!takers.includes(lane)) continue;
        const devices = rested.filter((device) => isOn(device, lane));
        if (!holds(devices, lane, task)) continue;
        this.numIdleChecks++;
        const ms = this.#ms(lane, task);
        const isFasterElsewhere = takers.some((taker) => this.#ms(taker, task) < ms);
        const isFine = isFasterElsewhere || this.#mayBeHeld(task, lane);
        expectThat(isFine, `${lane.id} idles and ${task.id} waits`);
      }
    }
  }

  /**
   * Whether what a task would take may be held for others: for one that needs several things at once
   * and cannot have them now, or, where few devices are free, for any that is to have one.
   */
  #mayBeHeld(held: TestTask, on: LaneView): boolean {
    const lanes = [...this.lanes.values()];
    const others = [...this.waiting.values()]
      .map(({ task }) => task)
      .filter((task) => task.id !== held.id && !this.paused.has(task.processor));
    const free = this.#freeDevices();
    const numToTakeOne = others.filter((task) => task.needsDevice).length;
    const lacksDevices = (task: TestTask, lane: LaneView) =>
      task.needsDevice &&
      free.filter((d) => isOn(d, lane) && holds([d], lane, task)).length <= numToTakeOne;
    if (lacksDevices(held, on)) return true;
    return others.some((task) =>
      lanesFor(task, lanes).some((lane) => lane.pools.length > 1 || lacksDevices(task, lane)),
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
    const lastStart = this.#lastStarts.get(this.#turnOf(waiting.task)) ?? Number.NEGATIVE_INFINITY;
    if (now - lastStart < this.#ageingMs) return waiting.task.level;
    const risen = Math.floor((now - waiting.since) / this.#ageingMs);
    return Math.max(0, waiting.task.level - risen);
  }

  /** Of what waits in its line: only the first rises, for the next ones come after its start. */
  #isFirstOfKey(waiting: WaitingTask, now: number): boolean {
    const turn = this.#turnOf(waiting.task);
    const level = this.#levelAt(waiting, now);
    return ![...this.waiting.values()].some((other) => {
      if (other === waiting || this.#turnOf(other.task) !== turn) return false;
      const itsLevel = this.#levelAt(other, now);
      return itsLevel < level || (itsLevel === level && other.since <= waiting.since);
    });
  }

  #turnOf({ key, mayRunOn, work }: TestTask): string {
    const isSmall = mayRunOn !== 'adapter' && work.numQubits <= this.#maxSmallQubits;
    return `${isSmall ? 'small' : 'wide'} ${key}`;
  }

  #takeDevice(id: string, lane: LaneView, now: number): DeviceView {
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

  #ms(lane: LaneView, task: TestTask): number {
    return this.#estimates.expectedMs(lane.id, task.work);
  }

  #lane(id: LaneId): LaneView {
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
