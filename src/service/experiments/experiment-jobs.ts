/**
 * Experiments: many circuits whose shots are sampled and decoded until enough logical errors are counted.
 *
 * Small bodies are read in the main thread, others in a process.
 */
import { JobDamagedError } from '../../jobs/errors.ts';
import { type Job, type JobId, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { ManyRunJobs, type Programs, unlessLong } from '../batches/many-run-jobs.ts';
import { submissionHeaders } from '../circuits/circuit-schema.ts';
import type { CircuitContext } from '../circuits/program-jobs.ts';
import type { PlannedJob } from '../circuits/run-estimate.ts';
import { liveTargetsOf, type Target, targetsOf } from '../circuits/targets.ts';
import {
  defineJobKind,
  type JobBody,
  type JobKindDeps,
  type ServedJobs,
} from '../jobs/job-kind.ts';
import { EXPERIMENTS } from '../jobs/job-resources.ts';
import { viewJob } from '../jobs/job-view.ts';
import { MAX_CHARACTERS_IN_FLIGHT } from '../jobs/procedure-jobs.ts';
import { storedBodyJson } from '../jobs/stored-request.ts';
import type { ProgressFields } from '../jobs/task-counts-schema.ts';
import type { CheckedTask } from './check-task.ts';
import {
  type ExperimentSummary,
  experimentRecord,
  experimentSummary,
} from './experiment-schema.ts';
import {
  checkedTasks,
  EXPERIMENT_READING,
  type ExperimentSubmission,
  experimentFactsOf,
  readExperiment,
  STORED_EXPERIMENT_READING,
  storedExperiment,
} from './read-experiment.ts';
import { ExperimentRun, plannedTask } from './run-experiment-job.ts';
import { type StoredTask, storedTasks, viewTask } from './stored-task.ts';

/** Definition of experiments. */
export const EXPERIMENT_KIND = defineJobKind({
  resource: EXPERIMENTS,
  summary: experimentSummary,
  record: experimentRecord,
  headers: submissionHeaders,
  waitsForResult: 'if asked',
  maxCharactersInFlight: 4 * MAX_CHARACTERS_IN_FLIGHT,
  readings: [EXPERIMENT_READING, STORED_EXPERIMENT_READING],
  serve: (deps) => new ExperimentJobs(deps),
});

/** Experiments on the fleet's simulators. */
export class ExperimentJobs
  extends ManyRunJobs<CheckedTask, ExperimentSubmission>
  implements ServedJobs<ExperimentSubmission>
{
  protected readonly kind = 'experiment';
  readonly #running = new Map<JobId, ExperimentRun>();
  /** The body of POST /quantum/experiments. */
  readonly body: JobBody<ExperimentSubmission, CircuitContext>;
  protected readonly storedReading = STORED_EXPERIMENT_READING;

  constructor(deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>) {
    super(deps);
    this.body = {
      path: EXPERIMENTS.path,
      reading: EXPERIMENT_READING,
      context: () => ({ targets: targetsOf(deps.fleet) }),
      readSmall: (body, numBytes) =>
        unlessLong(numBytes, (maxSteps) =>
          readExperiment(body, liveTargetsOf(deps.fleet), maxSteps),
        ),
    };
  }

  protected readSmall(text: string, targets: readonly Target[]): Programs<CheckedTask> | undefined {
    return unlessLong(text.length, (maxSteps) => ({
      programs: checkedTasks(storedExperiment(text), targets, maxSteps),
    }));
  }

  protected planned({ programs }: ExperimentSubmission): PlannedJob {
    return { listed: 'tasks', parts: programs.map(plannedTask) };
  }

  async submissionOf(job: Job, signal: AbortSignal): Promise<ExperimentSubmission> {
    const { request, priority, target } = job;
    const { tasks, seed } = experimentFactsOf(request);
    return {
      target,
      ...(await this.programsOf(job, signal)),
      seed,
      priority,
      ...labelsOf(job),
      facts: { tasks },
      bodyJson: storedBodyJson(request),
    };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const processor = this.processorOf(job);
    try {
      const { programs } = await this.programsOf(job, signal);
      const stored = await Array.fromAsync(this.#storedTasks(job.id));
      const deps = { processor, hooks, signal, now: this.deps.now };
      const run = new ExperimentRun(job, programs, stored, deps);
      this.#running.set(job.id, run);
      return await run.run();
    } finally {
      this.#running.delete(job.id);
      processor.withdraw(job.id);
    }
  }

  /** The tasks with their counts, those so far if the experiment has not completed. */
  async *tasksOf({ id, status, result }: Job): AsyncGenerator<StoredTask, void, undefined> {
    const running = this.#running.get(id);
    if (running !== undefined) yield* running.tasks;
    else if (status === 'completed' || result === undefined) yield* this.#storedTasks(id);
    else yield* partialResult(result).tasks;
  }

  /** Counts are worth something, however an experiment ended. */
  async resultSoFar(job: Job): Promise<string | undefined> {
    const tasks = await Array.fromAsync(this.tasksOf(job));
    if (tasks.every(({ counted }) => counted.shots === 0)) return undefined;
    const partial: PartialResult = { tasks };
    return JSON.stringify(partial);
  }

  #storedTasks(id: JobId): AsyncGenerator<StoredTask, void, undefined> {
    return storedTasks((after) => this.deps.jobs().parts(id, after));
  }

  summarize(job: Job): ExperimentSummary {
    const { tasks, seed } = experimentFactsOf(job.request);
    const fields = viewJob(job, this.deps.jobs());
    return { experiment_id: job.id, processor: job.target, num_tasks: tasks, seed, ...fields };
  }

  /** The counts of an experiment that runs. */
  async details(job: Job): Promise<object> {
    if (job.status !== 'running') return {};
    return { tasks: (await Array.fromAsync(this.tasksOf(job))).map(viewTask) };
  }

  followProgress(id: JobId): () => ProgressFields {
    /** Chunks of each task that the reader knows of. */
    const told = new Map<number, number>();
    return () => {
      const changed = (this.#running.get(id)?.tasks ?? []).filter(
        ({ task, counted }) => counted.numChunks > (told.get(task) ?? 0),
      );
      for (const { task, counted } of changed) told.set(task, counted.numChunks);
      return { tasks: changed.map(viewTask) };
    };
  }

  async *resultText(job: Job): AsyncGenerator<string, void, undefined> {
    const { status, result = '' } = job;
    yield '"tasks":[';
    let separator = '';
    for await (const task of this.tasksOf(job)) {
      yield separator + JSON.stringify(viewTask(task));
      separator = ',';
    }
    yield status === 'completed' ? `],${result.slice(1, -1)}` : ']';
  }
}

/** Result of an experiment that was cancelled or has failed. */
interface PartialResult {
  readonly tasks: readonly StoredTask[];
}

/** @throws {JobDamagedError} if the text is none. */
function partialResult(text: string): PartialResult {
  try {
    // The cast is safe: `resultSoFar` wrote it.
    return JSON.parse(text) as PartialResult;
  } catch {
    throw new JobDamagedError('the counts of its tasks are no JSON');
  }
}
