/**
 * Batch jobs: many programs, each with a sweep of its inputs, run as one job.
 *
 * Small bodies are read in the main thread, others in a process.
 */
import type { WaitingJob } from '../../cluster/shared-job.ts';
import type { ComingRun, Processor } from '../../fleet/processor.ts';
import { type RunWork, runWork } from '../../fleet/schedule/scheduled-run.ts';
import { placeOnScale, type RunState } from '../../fleet/schedule/width-scale.ts';
import { factsOfShape } from '../../fleet/workers/sent-batch.ts';
import { JobCancelledError } from '../../jobs/errors.ts';
import { type Job, type JobId, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import { submissionHeaders } from '../circuits/circuit-schema.ts';
import { FIT_READING } from '../circuits/fitted-circuit.ts';
import { type CircuitContext, ProgramJobs, unlessSpent } from '../circuits/program-jobs.ts';
import { liveTargetsOf, type Target, targetsOf } from '../circuits/targets.ts';
import { readInProcess } from '../http/reading/reading.ts';
import {
  defineJobKind,
  type JobBody,
  type JobKindDeps,
  type ServedJobs,
} from '../jobs/job-kind.ts';
import { BATCHES } from '../jobs/job-resources.ts';
import { viewJob } from '../jobs/job-view.ts';
import { MAX_CHARACTERS_IN_FLIGHT } from '../jobs/procedure-jobs.ts';
import { storedBodyJson } from '../jobs/stored-request.ts';
import type { CheckedProgram } from './batch-program.ts';
import { batchResultText } from './batch-result.ts';
import { type BatchSummary, batchRecord, batchSummary } from './batch-schema.ts';
import { DeviceRuns } from './device-runs.ts';
import { EngineRuns } from './engine-runs.ts';
import {
  BATCH_READING,
  type BatchSubmission,
  batchFactsOf,
  checkedPrograms,
  readBatch,
  STORED_BATCH_READING,
  storedBatch,
} from './read-batch.ts';
import { runBatchJob } from './run-batch-job.ts';

/** Greatest length of a request that is read in the main thread, and the steps of each of its programs. */
const SMALL_BATCH = { length: 16_384, steps: 2_000 };

/** Milliseconds that keys are charged for a batch. Its runs take turns with others' in the node's own queue. */
const BATCH_COST_MS = 100;

/** Definition of batch jobs. */
export const BATCH_KIND = defineJobKind({
  resource: BATCHES,
  summary: batchSummary,
  record: batchRecord,
  headers: submissionHeaders,
  waitsForResult: true,
  maxCharactersInFlight: 4 * MAX_CHARACTERS_IN_FLIGHT,
  readings: [BATCH_READING, STORED_BATCH_READING, FIT_READING],
  serve: (deps) => new BatchJobs(deps),
});

/** Programs of a batch. */
interface Programs {
  readonly programs: readonly CheckedProgram[];
}

/** Batches on the fleet's processors. */
export class BatchJobs
  extends ProgramJobs<BatchSubmission, Programs>
  implements ServedJobs<BatchSubmission>
{
  readonly #now: () => number;
  /** The body of POST /quantum/batches. */
  readonly body: JobBody<BatchSubmission, CircuitContext>;
  protected readonly storedReading = STORED_BATCH_READING;
  protected readonly hardwareCostMs = BATCH_COST_MS;

  constructor(deps: Pick<JobKindDeps, 'fleet' | 'readers' | 'jobs' | 'now'>) {
    super(deps);
    this.#now = deps.now;
    this.body = {
      path: BATCHES.path,
      reading: BATCH_READING,
      context: () => ({ targets: targetsOf(deps.fleet) }),
      readSmall: (body, numBytes) =>
        unlessLong(numBytes, (maxSteps) => readBatch(body, liveTargetsOf(deps.fleet), maxSteps)),
    };
  }

  protected checkedOf({ programs }: BatchSubmission): Programs {
    return { programs };
  }

  protected comingRun({ programs }: BatchSubmission) {
    return { ...heaviestPoint(programs), together: programs.map(workOf) };
  }

  protected readSmall(text: string, targets: readonly Target[]): Programs | undefined {
    return unlessLong(text.length, (maxSteps) => ({
      programs: checkedPrograms(storedBatch(text), targets, maxSteps),
    }));
  }

  /** A batch whose programs are not known counts as one run of the processor's full width. */
  protected queueingOnEngines(
    _: WaitingJob,
    processor: Processor | undefined,
    submitted: Programs | undefined,
  ) {
    const { device, maxQubits = 0 } = processor?.spec ?? {};
    const numQubits = device?.emulation?.maxUsedQubits ?? maxQubits;
    const runs: readonly RunState[] = submitted?.programs.map(workOf) ?? [{ numQubits }];
    return { line: 'batch', costMs: BATCH_COST_MS, width: placeOnScale(runs) };
  }

  protected firstRunOf(id: JobId): string {
    return `${id}/0`;
  }

  expectedWaitMs({ target }: BatchSubmission): number | undefined {
    return this.deps.fleet.get(target)?.load().expectedWaitMs;
  }

  async submissionOf(job: Job, signal: AbortSignal): Promise<BatchSubmission> {
    const { request, priority, target } = job;
    const { points, seed } = batchFactsOf(request);
    return {
      target,
      ...(await this.programsOf(job, signal)),
      points,
      seed,
      priority,
      ...labelsOf(job),
      facts: { points },
      bodyJson: storedBodyJson(request),
    };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const processor = this.processorOf(job);
    const now = this.#now;
    try {
      const { programs } = await this.programsOf(job, signal);
      const runs =
        processor.runOnDevice === undefined
          ? new EngineRuns(job, programs, processor)
          : await this.#deviceRuns(job, programs, processor, hooks, signal);
      return await runBatchJob(job, programs, { runs, hooks, signal, now });
    } finally {
      processor.withdraw(job.id);
    }
  }

  #deviceRuns(
    job: Job,
    programs: readonly CheckedProgram[],
    processor: Processor,
    hooks: JobHooks,
    signal: AbortSignal,
  ): Promise<DeviceRuns> {
    const { readers, jobs } = this.deps;
    const { id, keyId, request } = job;
    const caller = { keyId, numBytes: request.length, signal };
    return DeviceRuns.open(job, programs, {
      processor,
      hooks,
      readParts: (after) => jobs().parts(id, after),
      fit: (circuits) => readInProcess(readers, FIT_READING, { text: '' }, circuits, caller),
      // If one of the batch's jobs fails, the others are of no use.
      isCancelled: (reason) => reason instanceof JobCancelledError || !signal.aborted,
    });
  }

  summarize(job: Job): BatchSummary {
    const { points, seed } = batchFactsOf(job.request);
    const fields = viewJob(job, this.deps.jobs());
    return { batch_id: job.id, processor: job.target, points, seed, ...fields };
  }

  resultText({ id, result = '' }: Job): AsyncIterable<string> {
    return batchResultText(result, (after) => this.deps.jobs().parts(id, after));
  }
}

/** Work of a point of a program. */
function workOf(program: CheckedProgram): RunWork {
  const { groups, shots = 0, observables } = program;
  const request = { shots, seed: 0, observables, ...methodRequestOf(program) };
  return runWork(factsOfShape(groups[0]!.circuit).work, request);
}

/** Work of the point that takes longest. A batch may take long, but not one of its points. */
function heaviestPoint(
  programs: readonly CheckedProgram[],
): Pick<ComingRun, 'work' | 'methodReason'> {
  const sizeOf = (program: CheckedProgram) => {
    const { numQubits, gateCost, trajectories } = workOf(program);
    return 2 ** numQubits * (trajectories?.numEvolutions ?? 1) * (1 + gateCost);
  };
  const heaviest = programs.reduce((most, each) => (sizeOf(each) > sizeOf(most) ? each : most));
  return { work: workOf(heaviest), methodReason: heaviest.methodReason };
}

/** Reads a body in this thread; undefined if that would take too long. */
export function unlessLong<T>(length: number, read: (maxSteps: number) => T): T | undefined {
  return length > SMALL_BATCH.length ? undefined : unlessSpent(() => read(SMALL_BATCH.steps));
}
