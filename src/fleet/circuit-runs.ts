/** Circuits and batch tasks that were given to engines: what has begun, what each took, and how each ended. */
import type { BackendAnswer, SubmittedTask } from './backend-task.ts';
import type { EngineLane } from './engine-lane.ts';
import { WorkerLostError } from './errors.ts';
import type { Dispatch, Scheduler } from './schedule/scheduler.ts';
import { ownMsOf } from './submitted-task.ts';

/** What a task came back with. */
export type Answer = { readonly outcome: BackendAnswer } | { readonly error: unknown };

/** What the owner of the runs wants to hear. */
export interface CircuitRunsEvents {
  readonly onAnswer: (
    dispatch: Dispatch<SubmittedTask>,
    task: SubmittedTask,
    answer: Answer,
  ) => void;
  /** All of a list have answered. */
  readonly onListEnd: (lane: EngineLane) => void;
}

/** The circuits that run. */
export class CircuitRuns {
  readonly #scheduler: Scheduler<SubmittedTask>;
  readonly #events: CircuitRunsEvents;
  /** Those that have not begun, each with all of its list that have not. */
  readonly #listed = new Map<string, SubmittedTask[]>();
  readonly #numBegun = new Map<string, number>();

  constructor(scheduler: Scheduler<SubmittedTask>, events: CircuitRunsEvents) {
    this.#scheduler = scheduler;
    this.#events = events;
  }

  /** Circuits that were given to an engine and have not begun. */
  get numListed(): number {
    return this.#listed.size;
  }

  /** Circuits of a processor that have begun. */
  numBegun(processor: string): number {
    return this.#numBegun.get(processor) ?? 0;
  }

  /** How many of its list begin before a circuit; undefined for one that is in no list or has begun. */
  placeInList(taskId: string): number | undefined {
    return this.#listed.get(taskId)?.findIndex(({ id }) => id === taskId);
  }

  /** Gives a list to an idle engine of the lane. */
  start(lane: EngineLane, dispatch: Dispatch<SubmittedTask>): void {
    const { runs: tasks, devices } = dispatch;
    const givenAt = performance.now();
    const listed = [...tasks];
    for (const { id } of tasks) this.#listed.set(id, listed);
    const answers = lane.run(tasks, devices, {
      onStarted: (task, startedAt) => {
        this.#begin(task);
        this.#scheduler.began(dispatch, startedAt);
      },
      onProgress: (_, fraction) =>
        this.#scheduler.progressed(dispatch, fraction, performance.now()),
    });
    const ownMs: (number | undefined)[] = [];
    for (const [i, answer] of answers.entries()) {
      const task = tasks[i]!;
      answer.then(
        (outcome) => {
          ownMs[i] = ownMsOf(outcome);
          this.#end(dispatch, task, 'completed');
          this.#events.onAnswer(dispatch, task, { outcome });
        },
        (error: unknown) => {
          this.#end(dispatch, task, error instanceof WorkerLostError ? 'lost' : 'failed');
          this.#events.onAnswer(dispatch, task, { error });
        },
      );
    }
    void Promise.allSettled(answers).then(() => {
      this.#learn(dispatch, ownMs, performance.now() - givenAt);
      this.#events.onListEnd(lane);
    });
  }

  #begin(task: SubmittedTask): void {
    const list = this.#listed.get(task.id);
    if (list === undefined) return;
    this.#listed.delete(task.id);
    list.splice(list.indexOf(task), 1);
    this.#numBegun.set(task.processor, this.numBegun(task.processor) + 1);
  }

  #end(
    dispatch: Dispatch<SubmittedTask>,
    task: SubmittedTask,
    ending: 'completed' | 'failed' | 'lost',
  ): void {
    this.#begin(task);
    this.#numBegun.set(task.processor, this.numBegun(task.processor) - 1);
    this.#scheduler.ended(dispatch, task, ending, performance.now());
  }

  /** What a list took beside its circuits' own times, the way there and back, is shared by them. */
  #learn(
    { lane, runs: tasks }: Dispatch<SubmittedTask>,
    ownMs: readonly (number | undefined)[],
    totalMs: number,
  ): void {
    let known = 0;
    for (let i = 0; i < tasks.length; i++) {
      const ms = ownMs[i];
      if (ms === undefined) return;
      known += ms;
    }
    const share = Math.max(0, totalMs - known) / tasks.length;
    for (const [i, { work }] of tasks.entries()) {
      this.#scheduler.estimates.observe(lane, work, (ownMs[i] ?? 0) + share);
    }
  }
}
