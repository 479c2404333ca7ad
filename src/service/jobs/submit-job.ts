/**
 * Submission of a job of any kind: reads the body, admits and creates the job, and answers its record once it
 * is final or the caller's wait is over.
 */
import type { Job, JobId, NewJob } from '../../jobs/job.ts';
import { newJobId } from '../../jobs/job-id.ts';
import type { JsonText } from '../envelope.ts';
import {
  InFlightLimitError,
  JobFailedError,
  StorageFullError,
  StorageQuotaError,
  WorkMemoryError,
} from '../errors.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { ReadingCaller } from '../reading/readers.ts';
import { readInProcess } from '../reading/reading.ts';
import type { BodySource } from '../reading/reading-messages.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { requestHash } from './canonical-hash.ts';
import { IdempotentStarts, idempotencyOf } from './idempotent-starts.ts';
import type { JobBody, JobSubmission, ServedJobKind } from './job-kind.ts';
import { locationOf } from './job-resources.ts';
import { recordJson } from './job-view.ts';
import { encodeStored } from './stored-request.ts';

/** Caller that submits a job, with the options of its answer. */
export interface Submitter {
  readonly key: ApiKey;
  /** Value of the header Idempotency-Key. */
  readonly idempotencyKey: string | undefined;
  /** Milliseconds to wait for the result; undefined means until it is available. */
  readonly waitMs: number | undefined;
  /** Job that this one repeats. */
  readonly retryOf?: JobId;
}

/** Answer to a submission. */
export interface SubmissionAnswer {
  readonly jobId: JobId;
  readonly record: JsonText;
  /** True if the answer repeats that of an earlier request with the same Idempotency-Key. */
  readonly isReplay: boolean;
}

type Deps = Pick<
  ServiceDeps,
  'readers' | 'jobs' | 'idempotency' | 'usage' | 'settings' | 'now' | 'drawSeed'
>;

/** Submits jobs of one kind. */
export class JobSubmitter<Submission extends JobSubmission> {
  readonly #deps: Deps;
  readonly #kind: ServedJobKind<Submission>;
  readonly #starts: IdempotentStarts;

  constructor(deps: Deps, kind: ServedJobKind<Submission>) {
    this.#deps = deps;
    this.#kind = kind;
    this.#starts = new IdempotentStarts(deps, kind.definition.resource.kind);
  }

  /**
   * Reads a body: a small one in this thread, others in a process.
   *
   * @param needsHash - True if the request has an Idempotency-Key.
   * @throws {RequestInvalidError} listing every fault; ReadingRefusedError if a process found them.
   * @throws what `Readers.run` throws.
   */
  async read<Context>(
    body: JobBody<Submission, Context>,
    source: BodySource,
    caller: ReadingCaller,
    needsHash: boolean,
  ): Promise<Submission> {
    const hashPath = needsHash ? body.path : undefined;
    if ('value' in source) {
      const read = await body.readSmall(source.value, caller.numBytes);
      if (read !== undefined) {
        return hashPath === undefined
          ? read
          : { ...read, bodyHash: requestHash(hashPath, source.value) };
      }
    }
    const { readers } = this.#deps;
    return readInProcess(readers, body.reading, source, body.context(), caller, hashPath);
  }

  /**
   * Creates the job, or finds the one that an idempotency key stands for, and waits for it.
   *
   * @throws {CodedError} if its kind does not admit it; no job is created then.
   * @throws {RunnerClosedError | InFlightLimitError | WorkMemoryError} likewise.
   * @throws {StorageQuotaError | StorageFullError} likewise.
   * @throws {IdempotencyConflictError}
   * @throws {JobFailedError} if the job fails while the caller waits.
   */
  async submit(submission: Submission, submitter: Submitter): Promise<SubmissionAnswer> {
    const { key, idempotencyKey, waitMs } = submitter;
    const idempotency = idempotencyOf(idempotencyKey, submission.bodyHash);
    if (idempotency === undefined && waitMs !== 0) return this.#run(submission, submitter);
    const { jobs } = this.#deps;
    const { job, storedAnswer, isReplay } = await this.#starts.startOrFind(
      key.id,
      idempotency,
      (id) => this.#create(submission, submitter, id, (newJob) => jobs.submit(newJob)),
    );
    if (storedAnswer !== undefined) {
      return { jobId: job.id, record: { json: storedAnswer }, isReplay };
    }
    const answered = waitMs === 0 ? job : await jobs.waitFor(job.id, waitMs);
    const record = await recordJson(this.#kind, answered, submission);
    if (idempotency !== undefined) {
      await this.#starts.settle(key.id, idempotency, answered, record.json);
    }
    if (answered.status === 'failed' && waitMs !== 0) throw this.#failure(answered);
    return { jobId: job.id, record, isReplay };
  }

  /** Runs a job that nobody can refer to before it is answered, so it is stored only with its outcome. */
  async #run(submission: Submission, submitter: Submitter): Promise<SubmissionAnswer> {
    const { jobs } = this.#deps;
    const id = newJobId(this.#kind.definition.resource.kind);
    const job = await this.#create(submission, submitter, id, (newJob) =>
      jobs.run(newJob, submitter.waitMs),
    );
    if (job.status === 'failed') throw this.#failure(job);
    const record = await recordJson(this.#kind, job, submission);
    return { jobId: id, record, isReplay: false };
  }

  async #create(
    submission: Submission,
    { key, retryOf }: Submitter,
    id: JobId,
    create: (newJob: NewJob) => Promise<Job>,
  ): Promise<Job> {
    const { drawSeed, now } = this.#deps;
    const { target, priority, name, tags, facts, seed = drawSeed() } = submission;
    this.#checkStorage(key);
    const place = this.#kind.admit(submission, { id, key, seed });
    try {
      const body = this.#kind.storedBody(submission);
      const request = encodeStored({ ...facts, seed, tier: key.tier }, body);
      this.#checkInFlight(submission, key, request);
      return await create({
        id,
        kind: this.#kind.definition.resource.kind,
        keyId: key.id,
        // Priority `high` requires an Enterprise key.
        priority:
          priority === 'high' && key.tier !== 'enterprise' ? 'normal' : (priority ?? 'normal'),
        target,
        request,
        ...(name !== undefined && { name }),
        ...(tags !== undefined && { tags }),
        createdAt: now(),
        ...(retryOf !== undefined && { retryOf }),
      });
    } catch (error) {
      place?.[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Refuses a submission once the storage limit is reached. Jobs accepted earlier may still store their
   * results.
   */
  #checkStorage({ id, tier }: ApiKey): void {
    const { usage, settings } = this.#deps;
    const { [tier]: limitOfKey, totalBytes: limit } = settings.storageLimits;
    const storedBytes = usage.bytesOf(id);
    if (storedBytes >= limitOfKey) throw new StorageQuotaError(tier, storedBytes, limitOfKey);
    const { totalBytes } = usage;
    if (totalBytes >= limit) throw new StorageFullError(totalBytes, limit);
  }

  /**
   * Checks the limits in flight. Call it synchronously before the job is created, so that no other job comes
   * between.
   */
  #checkInFlight(submission: Submission, { id, tier }: ApiKey, request: string): void {
    const { jobs, settings } = this.#deps;
    const { resource, maxCharactersInFlight = Number.POSITIVE_INFINITY } = this.#kind.definition;
    const { kind, plural } = resource;
    const limit = settings.inFlightLimits[tier];
    const numJobs = this.#kind.numJobs?.(submission) ?? 1;
    if (jobs.inFlight(kind, id) + numJobs > limit) {
      const waitMs = this.#kind.expectedWaitMs?.(submission) ?? 0;
      throw new InFlightLimitError(tier, limit, plural, Math.max(1, Math.ceil(waitMs / 1000)));
    }
    if (jobs.inFlightCharacters(kind) + request.length > maxCharactersInFlight) {
      throw new WorkMemoryError(plural, maxCharactersInFlight);
    }
  }

  #failure({ id, error }: Job): JobFailedError {
    const { code, message } = error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' };
    return new JobFailedError(locationOf(this.#kind.definition.resource, id), code, message);
  }
}
