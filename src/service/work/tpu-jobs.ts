/**
 * TPU jobs. Each gets a slice of the modelled fleet, and its work runs on this node while it holds the chips.
 */
import type { JobQueueing, WaitingJob } from '../../cluster/shared-job.ts';
import type { Fault } from '../../errors/coded-error.ts';
import { formFaults, sizeFaults } from '../../errors/form-faults.ts';
import { levelOf } from '../../fleet/schedule/scheduled-run.ts';
import { type Job, type JobId, labelsOf } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { isJsonObject, type JsonObject } from '../../workloads/procedures/json.ts';
import { modelledDuration, sliceFaults, sliceShapeOf } from '../../workloads/tpu/slice-request.ts';
import { TPU_PROCEDURES } from '../../workloads/tpu/tpu-procedures.ts';
import type { TpuType } from '../../workloads/tpu/tpu-zones.ts';
import { milliseconds } from '../circuits/backend-view.ts';
import type { Tier } from '../http/api-key.ts';
import { RequestInvalidError } from '../http/errors.ts';
import type { Reading } from '../http/reading/reading.ts';
import {
  type ComingJob,
  defineJobKind,
  type JobBody,
  type JobKindDeps,
  type JobSubmission,
  type ServedJobs,
} from '../jobs/job-kind.ts';
import { TPU_JOBS } from '../jobs/job-resources.ts';
import { idempotencyHeaders } from '../jobs/job-schema.ts';
import { viewJob } from '../jobs/job-view.ts';
import {
  checkProcessor,
  inputFaults,
  isSmallBody,
  MAX_CHARACTERS_IN_FLIGHT,
  MAX_INPUT_LENGTH,
  optionsOf,
  type ProcedureContext,
  type ProcedureOptions,
  procedureHooks,
  processorFaults,
  simulatorsOf,
} from '../jobs/procedure-jobs.ts';
import {
  storedFacts,
  WHOLE_REQUEST,
  workInputOf,
  workRequestJson,
  workRequestOf,
} from '../jobs/stored-request.ts';
import { outcomeJson } from './procedures-view.ts';
import { tpuJobBody, tpuJobRecord, tpuJobSummary } from './tpu-schema.ts';

/** Time by which keys are charged for a job, milliseconds: how long it takes is not known. */
const TPU_JOB_COST_MS = 1000;

/** TPU job to be created; its target is the zone. */
export interface TpuJobSubmission extends JobSubmission, ProcedureOptions {
  /** The body as it was sent. */
  readonly request: JsonObject;
}

/** Procedure and slice of a TPU job. */
export interface TpuJobSlice {
  readonly job_type: string;
  readonly tpu_type: TpuType;
  readonly chips: number;
}

/** Reads a body of POST /tpu/jobs in a process. */
const TPU_JOB_READING: Reading<ProcedureContext, TpuJobSubmission> = {
  name: 'TPU job',
  read: (body, { simulators }) => readTpuJob(body, simulators),
};

/**
 * Reads a JSON value as a TPU job.
 *
 * @throws {RequestInvalidError} listing every fault.
 */
export function readTpuJob(body: unknown, simulators: readonly string[]): TpuJobSubmission {
  const sized = sizeFaults(body, MAX_INPUT_LENGTH);
  if (sized.length > 0) throw new RequestInvalidError(sized);
  const parsed = tpuJobBody.safeParse(body);
  if (!parsed.success) {
    const faults = formFaults(parsed.error, tpuJobBody, body);
    throw new RequestInvalidError([...faults, ...otherFaults(body, faults)]);
  }
  const { job_type, tpu_type, zone, chips, input = {} } = parsed.data;
  const procedure = TPU_PROCEDURES.find(({ name }) => name === job_type);
  if (procedure === undefined) throw new Error(`unreachable: no procedure for ${job_type}`);
  if (!isJsonObject(input) || !isJsonObject(body)) {
    throw new Error('unreachable: a body or an input that is no object');
  }
  const request = { tpu_type, zone, chips };
  const faults: readonly Fault[] = [
    ...sliceFaults(request),
    ...inputFaults(procedure, input, ['input']),
    ...processorFaults(parsed.data, simulators),
  ];
  if (faults.length > 0) throw new RequestInvalidError(faults);
  const { zone: target, tpuType, chips: numChips } = sliceShapeOf(request);
  const slice: TpuJobSlice = { job_type, tpu_type: tpuType, chips: numChips };
  return tpuJobSubmission(target, slice, body, optionsOf(parsed.data));
}

/** Creates a submission from a well-formed TPU job, new or repeated. */
function tpuJobSubmission(
  target: string,
  slice: TpuJobSlice,
  request: JsonObject,
  options: ProcedureOptions,
): TpuJobSubmission {
  const { processor } = options;
  const facts = { ...slice, ...(processor !== undefined && { processor }), ...WHOLE_REQUEST };
  return { ...options, target, facts, request };
}

/** Faults of meaning in the well-formed fields of a body. */
function otherFaults(body: unknown, formFaults: readonly Fault[]): readonly Fault[] {
  if (!isJsonObject(body)) return [];
  const { job_type, tpu_type, zone, chips, input = {} } = body;
  const procedure = TPU_PROCEDURES.find(({ name }) => name === job_type);
  const found = [
    ...sliceFaults({
      tpu_type: typeof tpu_type === 'string' ? tpu_type : undefined,
      zone: typeof zone === 'string' ? zone : undefined,
      chips: typeof chips === 'number' ? chips : undefined,
    }),
    ...(procedure !== undefined && isJsonObject(input)
      ? inputFaults(procedure, input, ['input'])
      : []),
  ];
  return found.filter(({ path }) => formFaults.every((fault) => fault.path !== path));
}

/** Definition of TPU jobs. */
export const TPU_JOB_KIND = defineJobKind({
  resource: TPU_JOBS,
  summary: tpuJobSummary,
  record: tpuJobRecord,
  headers: idempotencyHeaders,
  waitsForResult: 'never',
  maxCharactersInFlight: MAX_CHARACTERS_IN_FLIGHT,
  readings: [TPU_JOB_READING],
  serve: (deps) => new TpuJobs(deps),
});

/** Facts stored before the body of a TPU job; the zone is the job's target. */
interface TpuJobFacts extends TpuJobSlice {
  readonly seed: number;
  /** Tier of the caller's key when it submitted. */
  readonly tier: Tier;
  /** Processor for its circuits; absent if the caller did not choose one. */
  readonly processor?: string;
}

/** Reads the facts from the text or its beginning. */
function factsOf(text: string): TpuJobFacts {
  // The cast is safe: facts are stored with the job.
  return storedFacts(text) as TpuJobFacts;
}

/** TPU jobs on the modelled fleet. */
export class TpuJobs implements ServedJobs<TpuJobSubmission> {
  readonly #deps: JobKindDeps;
  /** The body of POST /tpu/jobs. */
  readonly body: JobBody<TpuJobSubmission, ProcedureContext>;

  constructor(deps: JobKindDeps) {
    this.#deps = deps;
    const context = () => ({ simulators: simulatorsOf(deps.fleet) });
    this.body = {
      path: TPU_JOBS.path,
      reading: TPU_JOB_READING,
      context,
      readSmall: (body, numBytes) =>
        isSmallBody(body, numBytes) ? readTpuJob(body, context().simulators) : undefined,
    };
  }

  /**
   * Reserves a place for the job.
   *
   * @throws {ProcessorUnavailableError | AgentUnavailableError | QueueFullError}
   */
  admit({ processor }: TpuJobSubmission, { id }: ComingJob): Disposable {
    const { fleet, tpu } = this.#deps;
    checkProcessor(fleet, processor);
    tpu.work.admit();
    tpu.fleet.admit(id);
    return { [Symbol.dispose]: () => tpu.fleet.withdraw(id) };
  }

  queueing({ priority, target, request }: WaitingJob): JobQueueing {
    const level = levelOf(priority, factsOf(request).tier);
    return { line: `tpu/${target}`, level, costMs: TPU_JOB_COST_MS, width: 0 };
  }

  storedBody({ request }: TpuJobSubmission): string {
    return JSON.stringify(request);
  }

  submissionOf(job: Job): TpuJobSubmission {
    const { job_type, tpu_type, chips, seed, processor } = factsOf(job.request);
    const { target: zone, priority } = job;
    const slice = { job_type, tpu_type, chips };
    const request = workRequestOf(job.request, { ...slice, zone });
    const options = { ...labelsOf(job), priority, ...(processor !== undefined && { processor }) };
    return { ...tpuJobSubmission(zone, slice, request, options), seed };
  }

  async run(job: Job, hooks: JobHooks, signal: AbortSignal): Promise<string> {
    const { fleet, work } = this.#deps.tpu;
    const { id, keyId, priority } = job;
    const facts = factsOf(job.request);
    const { tier, seed, processor, chips, tpu_type: tpuType } = facts;
    const slice = { zone: job.target, tpuType, chips };
    const { readmitted } = hooks;
    const queuedAt = performance.now();
    using _slice = await fleet.place({ ...slice, id, priority, tier, keyId, readmitted }, signal);
    const input = workInputOf(job.request);
    const placementMs = performance.now() - queuedAt;
    const outcome = await work.run(
      {
        id,
        task: facts.job_type,
        input,
        seed,
        priority,
        keyId,
        tier,
        ...(processor !== undefined && { processorId: processor }),
      },
      // The modelled fleet, whose queue callers see, has admitted the job, so a full pool accepts it too.
      { ...procedureHooks(hooks), readmitted: true },
      signal,
    );
    const modelled = modelledDuration(flopsOf(outcome.resultJson), slice);
    const { queueMs, executionMs } = outcome.timing;
    const timing = { queueMs: placementMs + queueMs, executionMs };
    return outcomeJson({ ...outcome, timing }, { input, seed }, this.#deps.cpuModel, {
      measured: { basis: 'measured', duration_ms: milliseconds(executionMs) },
      modelled: {
        basis: modelled.basis,
        duration_ms: milliseconds(modelled.ms),
        how: modelled.how,
      },
    });
  }

  queuePosition(id: JobId): number | undefined {
    const { tpu, pool } = this.#deps;
    return tpu.fleet.queuePosition(id) ?? pool.queuePosition(id);
  }

  summarize(job: Job): object {
    const { job_type, tpu_type, chips } = factsOf(job.request);
    const isOpen = job.status === 'queued' || job.status === 'running';
    return {
      job_id: job.id,
      job_type,
      tpu_type,
      zone: job.target,
      chips,
      ...(isOpen && { placed: this.#deps.tpu.fleet.isPlaced(job.id) }),
      ...viewJob(job, this.#deps.jobs()),
    };
  }

  requestJson({ request }: Job): string | undefined {
    return workRequestJson(request);
  }
}

/** Floating-point operations that the job counted. */
function flopsOf(resultJson: string): number {
  // The cast is safe: the pool returns the text of a JSON object.
  const { flops } = JSON.parse(resultJson) as JsonObject;
  if (typeof flops !== 'number') throw new Error('unreachable: a TPU job that counted nothing');
  return flops;
}
