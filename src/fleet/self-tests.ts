/**
 * Self-tests that wait for an engine of their lane. They go ahead of the queue: they must not wait behind
 * a thousand circuits to tell whether those would run.
 */
import type { BackendOutcome, SelfTestTask, SubmittedSelfTest } from './backend-task.ts';
import type { EngineLane } from './engine-lane.ts';
import { EngineLostError, FleetClosedError, WorkerLostError } from './errors.ts';
import type { RunHooks } from './processor.ts';
import type { LaneId } from './schedule/lane.ts';
import { circuitOutcome } from './submitted-task.ts';
import { follow, settle } from './task-following.ts';

/** A self-test is started this often at most. */
const MAX_ATTEMPTS = 2;

/** The self-tests of a backend. */
export class SelfTests {
  readonly #laneOf: (id: LaneId) => EngineLane;
  readonly #onChange: () => void;
  readonly #waiting = new Map<LaneId, SubmittedSelfTest[]>();
  #isClosed = false;

  /** @param onChange - Something waits, or an engine may be free. */
  constructor(laneOf: (id: LaneId) => EngineLane, onChange: () => void) {
    this.#laneOf = laneOf;
    this.#onChange = onChange;
  }

  get numWaiting(): number {
    let count = 0;
    for (const { length } of this.#waiting.values()) count += length;
    return count;
  }

  /**
   * Queues a self-test; `startOn` starts it.
   *
   * @throws {EngineLostError} if its worker was lost twice, or none can be started.
   * @throws {FleetClosedError}
   */
  async run(test: SelfTestTask, hooks: RunHooks, signal: AbortSignal): Promise<BackendOutcome> {
    const { following, promise } = follow(hooks, signal, () => this.#drop(submitted));
    const submitted: SubmittedSelfTest = { ...test, ...following };
    this.#add(submitted);
    return circuitOutcome(await promise);
  }

  /** Starts what waits for the lane, as far as engines are free. */
  startOn(lane: EngineLane): void {
    const waiting = this.#waitingFor(lane.id);
    while (lane.numIdle > 0) {
      const test = waiting.shift();
      if (test === undefined) return;
      void this.#start(lane, test);
    }
  }

  /** No engine of the lane can be started: what waits for one is told so. */
  giveUp({ id, fault }: EngineLane): void {
    for (const test of this.#waitingFor(id).splice(0)) {
      settle(test, () => test.reject(new EngineLostError(test.attempts, { cause: fault })));
    }
  }

  /** Rejects what waits. */
  close(): void {
    this.#isClosed = true;
    for (const waiting of this.#waiting.values()) {
      for (const test of waiting.splice(0)) settle(test, () => test.reject(new FleetClosedError()));
    }
  }

  async #start(lane: EngineLane, test: SubmittedSelfTest): Promise<void> {
    try {
      const outcome = await lane.runSelfTest(test);
      settle(test, () => test.resolve(outcome));
    } catch (error) {
      this.#onFailure(test, error);
    }
    this.#onChange();
  }

  #onFailure(test: SubmittedSelfTest, error: unknown): void {
    if (!(error instanceof WorkerLostError)) settle(test, () => test.reject(error));
    else if (this.#isClosed) settle(test, () => test.reject(new FleetClosedError()));
    else if (test.attempts < MAX_ATTEMPTS) {
      test.hooks.onStartedOver?.();
      this.#add(test);
    } else {
      const lost = new EngineLostError(test.attempts, { cause: error });
      settle(test, () => test.reject(lost));
    }
  }

  #add(test: SubmittedSelfTest): void {
    const lane = this.#laneOf(test.selfTestOf);
    this.#waitingFor(lane.id).push(test);
    if (lane.fault !== undefined) this.giveUp(lane);
    this.#onChange();
  }

  /** The signal aborted; a self-test that runs is the pool's to stop. */
  #drop(test: SubmittedSelfTest): void {
    const waiting = this.#waitingFor(test.selfTestOf);
    const place = waiting.indexOf(test);
    if (place < 0) return;
    waiting.splice(place, 1);
    settle(test, () => test.reject(test.signal.reason));
    this.#onChange();
  }

  #waitingFor(id: LaneId): SubmittedSelfTest[] {
    let waiting = this.#waiting.get(id);
    if (waiting === undefined) {
      waiting = [];
      this.#waiting.set(id, waiting);
    }
    return waiting;
  }
}
