/**
 * Runs a scheduler in virtual time: runs come, take as long as they take, are cancelled; lanes are lost
 * and return, devices go into maintenance, processors are paused. Every step is checked.
 */
import type { Lane, LaneId, PoolId } from '../../src/fleet/schedule/lane.ts';
import { type Dispatch, Scheduler } from '../../src/fleet/schedule/scheduler.ts';
import { SchedulerChecker } from './scheduler-checker.ts';
import { estimatesOf, type TestFleet, type TestTask } from './scheduler-fleets.ts';

/** How a run goes. */
export interface DriverOptions {
  readonly ageingMs?: number;
  /** How long a run really takes; by default what is expected. */
  readonly runMs?: (run: TestTask, lane: LaneId, expectedMs: number) => number;
  /** Whether the scheduler learns how long runs took. */
  readonly isLearning?: boolean;
  /** Called before each dispatch. */
  readonly beforeDispatch?: (scheduler: Scheduler<TestTask>, now: number) => void;
  /** Called after each dispatch. */
  readonly afterDispatch?: (dispatches: readonly Dispatch<TestTask>[], now: number) => void;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

/** A start as it happened. */
export interface Start {
  readonly id: string;
  readonly lane: LaneId;
  readonly devices: readonly string[];
  readonly at: number;
}

/** A scheduler, its fleet and a clock. */
export class SchedulerDriver {
  readonly scheduler: Scheduler<TestTask>;
  readonly checker: SchedulerChecker;
  /** When each run began, lists one after another. */
  readonly starts: Start[] = [];
  now = 0;
  readonly #options: DriverOptions;
  readonly #events: Event[] = [];
  readonly #next = new Map<Dispatch<TestTask>, number>();
  #order = 0;

  constructor(fleet: TestFleet, options: DriverOptions = {}) {
    const { ageingMs = 15_000 } = options;
    const estimates = estimatesOf(fleet);
    const { maxSmallQubits } = fleet;
    this.#options = options;
    this.scheduler = new Scheduler({ ageingMs, maxSmallQubits, estimates });
    this.checker = new SchedulerChecker(estimates, ageingMs, maxSmallQubits);
    for (const lane of fleet.lanes) this.setLane(lane);
    for (const [pool, count] of fleet.slots) this.checker.capacity.set(pool, count);
    for (const device of fleet.devices) {
      this.checker.devices.set(device.id, device);
      this.scheduler.setDevice(device);
    }
  }

  /** Plans something; of what is planned for one time, the first goes first. */
  at(time: number, act: () => void): void {
    const event = { at: time, order: this.#order++, act };
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#events[middle];
      if (other !== undefined && isBefore(other, event)) high = middle;
      else low = middle + 1;
    }
    this.#events.splice(low, 0, event);
  }

  /** Goes on until nothing is planned any more. */
  run(): void {
    for (let event = this.#events.pop(); event !== undefined; event = this.#events.pop()) {
      this.now = event.at;
      event.act();
      if (this.#events.at(-1)?.at !== this.now) this.dispatch();
    }
  }

  submit(run: TestTask, comesBack = false): void {
    this.checker.added(run, this.now, comesBack);
    this.scheduler.add(run, this.now, comesBack);
  }

  /** Cancels a run, whether it waits, runs or is through. */
  cancel(id: string): void {
    const removed = this.scheduler.remove(id);
    const dispatch = this.checker.running.get(id);
    if (removed !== undefined) this.checker.removed(id);
    else if (dispatch !== undefined) this.#end(dispatch, this.#run(dispatch, id), 'failed');
  }

  /** Closes a lane and takes back what runs on it. */
  lose(id: LaneId): void {
    const lane = this.checker.lanes.get(id);
    if (lane === undefined) return;
    this.setLane({ ...lane, isOpen: false });
    const lost = [...this.checker.running].filter(([, dispatch]) => dispatch.lane === id);
    for (const [taskId, dispatch] of lost) {
      const run = this.#run(dispatch, taskId);
      this.#end(dispatch, run, 'lost');
      run.failedOn.add(id);
      this.submit(run, true);
    }
  }

  setLane(lane: Lane): void {
    this.checker.lanes.set(lane.id, lane);
    this.scheduler.setLane(lane);
  }

  setCapacity(pool: PoolId, count: number): void {
    this.checker.capacity.set(pool, count);
  }

  setDeviceOpen(id: string, isOpen: boolean): void {
    const device = this.checker.devices.get(id);
    if (device === undefined) return;
    this.checker.devices.set(id, { ...device, isOpen });
    this.scheduler.setDevice({ ...device, isOpen });
  }

  setPaused(processor: string, isPaused: boolean): void {
    if (isPaused) this.checker.paused.add(processor);
    else this.checker.paused.delete(processor);
    this.scheduler.setPaused(processor, isPaused);
  }

  dispatch(): void {
    const { scheduler, checker, now } = this;
    for (const pool of checker.capacity.keys()) {
      scheduler.setFreeSlots(pool, checker.numFree(pool));
    }
    this.#options.beforeDispatch?.(scheduler, now);
    const dispatches = scheduler.dispatch(now);
    checker.dispatched(dispatches, now);
    this.#options.afterDispatch?.(dispatches, now);
    for (const dispatch of dispatches) {
      this.#next.set(dispatch, 0);
      this.#begin(dispatch);
    }
    const isCounted =
      scheduler.numWaiting === checker.waiting.size &&
      scheduler.numRunning === checker.running.size;
    if (!isCounted) throw new Error('runs are not counted right');
  }

  /** The next run of a list. */
  #begin(dispatch: Dispatch<TestTask>): void {
    const number = this.#next.get(dispatch) ?? 0;
    this.#next.set(dispatch, number + 1);
    const run = dispatch.runs[number];
    if (run === undefined) {
      this.#next.delete(dispatch);
      return;
    }
    if (this.checker.running.get(run.id) !== dispatch) {
      this.#begin(dispatch);
      return;
    }
    const { lane, devices } = dispatch;
    this.starts.push({ id: run.id, lane, devices, at: this.now });
    this.scheduler.began(dispatch, this.now);
    const expectedMs = this.scheduler.estimates.expectedMs(lane, run.work);
    const { runMs, isLearning = false } = this.#options;
    const ms = runMs?.(run, lane, expectedMs) ?? expectedMs;
    this.at(this.now + ms, () => {
      if (this.checker.running.get(run.id) !== dispatch) {
        // It was cancelled or lost meanwhile; the list goes on.
        if (this.#next.get(dispatch) === number + 1) this.#begin(dispatch);
        return;
      }
      this.#end(dispatch, run, 'completed', isLearning ? ms : undefined);
      this.#begin(dispatch);
    });
    if (runMs !== undefined) {
      this.at(this.now + ms / 2, () => this.scheduler.progressed(dispatch, 0.5, this.now));
    }
  }

  #end(
    dispatch: Dispatch<TestTask>,
    run: TestTask,
    ending: 'completed' | 'failed' | 'lost',
    ranMs?: number,
  ): void {
    this.checker.ended(dispatch, run, ending, this.now);
    this.scheduler.ended(dispatch, run, ending, this.now, ranMs);
  }

  #run(dispatch: Dispatch<TestTask>, id: string): TestTask {
    const run = dispatch.runs.find((other) => other.id === id);
    if (run === undefined) throw new Error(`unreachable: ${id} is not of that list`);
    return run;
  }
}

/** The list is in reverse, for its end is cheap to take. */
function isBefore(a: Event, b: Event): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}
