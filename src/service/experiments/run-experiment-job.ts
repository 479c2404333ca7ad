/**
 * Runs the chunks of an experiment's tasks in short runs, a few at a time, and saves the counts of tasks as parts of the
 * job's result. After a crash the tasks go on where their stored counts end.
 */
import { CodedError, RelayedError } from '../../errors/coded-error.ts';
import { BatchChunks } from '../../fleet/batch-chunks.ts';
import { CHUNK_SHOTS, chunksOf, type ErrorCounting, tallyOf } from '../../fleet/error-counting.ts';
import type { Processor } from '../../fleet/processor.ts';
import { circuitWork } from '../../fleet/schedule/scheduled-run.ts';
import { inSharedMemory } from '../../fleet/workers/sent-circuit.ts';
import type { Job } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import type { ParityLists } from '../../math/bit-matrix.ts';
import { ExecutionLog } from '../../workloads/procedures/procedure-call.ts';
import { milliseconds, viewBackend } from '../circuits/backend-view.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import type { PlannedPart } from '../circuits/run-estimate.ts';
import type { CheckedTask } from './check-task.ts';
import type { ExperimentResultFields } from './experiment-schema.ts';
import { experimentFactsOf } from './read-experiment.ts';
import { type ChunkRange, type RunningTask, RunningTasks } from './running-tasks.ts';
import { partOfTask, type StoredTask } from './stored-task.ts';
import { StratifiedCounts } from './stratified-counts.ts';

/** Dependencies of an experiment that runs. */
interface ExperimentRunDeps {
  readonly processor: Pick<Processor, 'run'>;
  readonly hooks: Pick<JobHooks, 'started' | 'progress' | 'saveParts'>;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** Shortest time between two writes of counts, milliseconds. */
const SAVE_EVERY_MS = 1000;

/** An experiment that runs. */
export class ExperimentRun {
  readonly #job: Job;
  readonly #deps: ExperimentRunDeps;
  readonly #tasks: RunningTasks;
  readonly #resumedShots: number;
  readonly #runs = new BatchChunks();
  readonly #log = new ExecutionLog();
  readonly #requests = new WeakMap<RunningTask, ErrorCounting>();
  #numRuns = 0;
  #compileMs = 0;
  #executionMs = 0;
  #startedAt: number | undefined;
  #savedAt = performance.now();

  /** @param stored - Tasks with counts from before a restart. */
  constructor(
    job: Job,
    tasks: readonly CheckedTask[],
    stored: readonly StoredTask[],
    deps: ExperimentRunDeps,
  ) {
    this.#job = job;
    this.#deps = deps;
    this.#tasks = new RunningTasks(tasks, experimentFactsOf(job.request).seed, stored);
    this.#resumedShots = this.#tasks.shots;
  }

  /** The tasks with their counts so far. */
  get tasks(): readonly StoredTask[] {
    return this.#tasks.all.map(({ stored }) => stored);
  }

  /**
   * Runs all tasks to their ends.
   *
   * @returns Text of the result's other fields, JSON.
   * @throws what running a circuit throws; the signal's reason.
   */
  async run(): Promise<string> {
    const { hooks, signal, now } = this.#deps;
    const onAbort = () => this.#tasks.abort(this.#runs.signal.reason);
    this.#runs.signal.addEventListener('abort', onAbort, { once: true });
    try {
      do await this.#runs.run(this.#tasks.ranges(), (range) => this.#run(range), signal);
      while (this.#tasks.areOpen);
    } finally {
      this.#save();
    }
    hooks.progress(1, this.#tasks.message);
    const result: ExperimentResultFields = {
      executed_on: this.#log.entries.map(({ backend, circuits, executionMs }) => ({
        backend: viewBackend(backend),
        shots: circuits,
        execution_ms: milliseconds(executionMs),
      })),
      ...(this.#resumedShots > 0 && { resumed_shots: this.#resumedShots }),
      timing: {
        queue_ms: milliseconds(Math.max(0, (this.#startedAt ?? now()) - this.#job.createdAt)),
        compile_ms: milliseconds(this.#compileMs),
        execution_ms: milliseconds(this.#executionMs),
      },
    };
    return JSON.stringify(result);
  }

  async #run(range: ChunkRange): Promise<void> {
    const { task, from, to } = range;
    const { counts, ended } = task;
    if (counts.isDone) return;
    const endWait = this.#runs.waits(task.expectedMs(to - from));
    const onStarted = () => {
      endWait();
      this.#startedAt ??= this.#deps.now();
      this.#deps.hooks.started();
    };
    try {
      const run = this.#runOf(range);
      const result = await this.#deps.processor.run(run, { onStarted }, ended.signal);
      const { outputs, backend, timing } = result;
      const { compileMs, executionMs } = timing;
      const circuits = chunksOf(run.request.shotRange, run.request.strata).reduce(
        (sum, { shots }) => sum + shots,
        0,
      );
      this.#log.note({ processor: this.#job.target, backend, circuits, executionMs });
      this.#compileMs += compileMs;
      this.#executionMs += executionMs;
      task.learn(to - from, executionMs);
      const tallies = Array.from({ length: to - from }, (_, k) => tallyOf(outputs.tallies!, k));
      this.#tasks.add(range, tallies);
      this.#report();
    } catch (error) {
      // Its task has ended: nobody needs the run.
      if (counts.isDone) return;
      if (!(error instanceof CodedError) || this.#runs.signal.aborted) throw error;
      const message = `tasks[${task.index}]: ${error.message}`;
      throw new RelayedError(error.code, message, [], { cause: error });
    } finally {
      endWait();
    }
  }

  #runOf({ task, from, to }: ChunkRange) {
    const { id, keyId, priority, request } = this.#job;
    const { tier } = experimentFactsOf(request);
    const { checked, seed, counts } = task;
    const strata = counts instanceof StratifiedCounts ? counts.strataOf(from, to) : undefined;
    const end = to * CHUNK_SHOTS;
    const shots = strata === undefined ? Math.min(end, checked.stopRule.maxShots) : end;
    return {
      id: `${id}/${this.#numRuns++}`,
      ...{ keyId, tier, priority },
      partOf: id,
      circuit: checked.groups[0]!.circuit,
      request: {
        ...methodRequestOf(checked),
        ...{ shots, seed },
        shotRange: { from: from * CHUNK_SHOTS, to: shots },
        errorCounting: this.#countingOf(task),
        ...(strata !== undefined && { strata }),
      },
    };
  }

  /** What counts as an error of a task, in memory that threads share. */
  #countingOf(task: RunningTask): ErrorCounting {
    let request = this.#requests.get(task);
    if (request === undefined) {
      const { parities, ...counting } = task.checked.counting;
      const { detectors, observables } = parities;
      request = {
        ...counting,
        parities: { detectors: shared(detectors), observables: shared(observables) },
      };
      this.#requests.set(task, request);
    }
    return request;
  }

  #report(): void {
    const { hooks } = this.#deps;
    hooks.progress(this.#tasks.fraction, this.#tasks.message);
    if (performance.now() - this.#savedAt >= SAVE_EVERY_MS) this.#save();
  }

  #save(): void {
    this.#savedAt = performance.now();
    const changed = this.#tasks.takeChanged();
    if (changed.length > 0)
      this.#deps.hooks.saveParts(changed.map(({ stored }) => partOfTask(stored)));
  }
}

/** The runs of a task that takes all its shots, a chunk each. */
export function plannedTask(task: CheckedTask): PlannedPart {
  const { groups, method, methodReason, stopRule, counting } = task;
  const { maxShots } = stopRule;
  const shotRange = { from: 0, to: Math.min(CHUNK_SHOTS, maxShots) };
  const request = {
    ...methodRequestOf(task),
    ...{ shots: maxShots, seed: 0, shotRange },
    errorCounting: counting,
  };
  const circuit = circuitWork(groups[0]!.circuit);
  const count = Math.ceil(maxShots / CHUNK_SHOTS);
  return { method, methodReason, shots: maxShots, runs: [{ circuit, request, count }] };
}

function shared({ bits, ends, expected }: ParityLists): ParityLists {
  return {
    bits: inSharedMemory(bits),
    ends: inSharedMemory(ends),
    expected: inSharedMemory(expected),
  };
}
