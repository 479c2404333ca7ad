/**
 * Submission of a job of any kind: reads the body, admits and creates the job, and answers its record once it
 * is final or the caller's wait is over. A request repeated with its Idempotency-Key is answered with the job
 * that the first one started.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JobNotFoundError } from '../../jobs/errors.ts';
import type { ClaimRequest } from '../../jobs/idempotency.ts';
import {
  type Job,
  type JobId,
  type JobKind,
  type NewJob,
  newJobId,
  wasInterrupted,
} from '../../jobs/job.ts';
import type { Places } from '../../jobs/places.ts';
import type { ApiKey } from '../http/api-key.ts';
import { callerOf } from '../http/authentication.ts';
import { callerSignal, readingCaller } from '../http/connections.ts';
import type { Envelopes, JsonText } from '../http/envelope.ts';
import { specCodeOf } from '../http/error-table.ts';
import {
  InFlightLimitError,
  JobFailedError,
  StorageFullError,
  StorageQuotaError,
  WorkMemoryError,
} from '../http/errors.ts';
import { sourceOf } from '../http/json-body.ts';
import type { Readers, ReadingCaller } from '../http/reading/readers.ts';
import { readInProcess } from '../http/reading/reading.ts';
import type { BodySource } from '../http/reading/reading-messages.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { JobBody, JobSubmission, ServedJobKind } from './job-kind.ts';
import { locationOf } from './job-resources.ts';
import { freshRecordJson, recordJson } from './job-view.ts';
import { encodeStored, requestHash, retryHash } from './stored-request.ts';

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
interface SubmissionAnswer {
  readonly jobId: JobId;
  readonly record: JsonText;
  /** True if the answer repeats that of an earlier request with the same Idempotency-Key. */
  readonly isReplay: boolean;
}

type Deps = Pick<
  ServiceDeps,
  'readers' | 'jobs' | 'places' | 'idempotency' | 'usage' | 'settings' | 'now' | 'drawSeed'
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
   * Reads a body as `readBody` does.
   *
   * @param needsHash - True if the request has an Idempotency-Key.
   */
  read<Context>(
    body: JobBody<Submission, Context>,
    source: BodySource,
    caller: ReadingCaller,
    needsHash: boolean,
  ): Promise<Submission> {
    return readBody(this.#deps.readers, body, source, caller, needsHash ? body.path : undefined);
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
      (id) =>
        this.#create(submission, submitter, id, (newJob) =>
          jobs.submit({ ...newJob, ...(idempotency && { idempotencyKey: idempotency.key }) }),
        ),
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
    const record = await freshRecordJson(this.#kind, job, submission);
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
      const newJob: NewJob = {
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
      };
      const reserving = this.#reserve(submission, key);
      const reserved = reserving instanceof Promise ? await reserving : reserving;
      if (reserved === undefined) throw this.#inFlightLimit(submission, key);
      const creating = this.#createOn(reserved, newJob, () => create(newJob));
      // A job that waits for another process takes no place here.
      if (!this.#deps.jobs.isHeld(id)) place?.[Symbol.dispose]();
      return await creating;
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

  /** Reserves places in flight; see Places.reserve. */
  #reserve(submission: Submission, { id, tier }: ApiKey): ReturnType<Places['reserve']> {
    const { places, settings } = this.#deps;
    const { kind } = this.#kind.definition.resource;
    const numJobs = this.#kind.numJobs?.(submission) ?? 1;
    return places.reserve(kind, id, numJobs, settings.inFlightLimits[tier]);
  }

  #inFlightLimit(submission: Submission, { tier }: ApiKey): InFlightLimitError {
    const limit = this.#deps.settings.inFlightLimits[tier];
    const { plural } = this.#kind.definition.resource;
    const waitMs = this.#kind.expectedWaitMs?.(submission) ?? 0;
    return new InFlightLimitError(tier, limit, plural, Math.max(1, Math.ceil(waitMs / 1000)));
  }

  /**
   * Creates a job on reserved places. The job is counted before `create` gives its promise; then the places are
   * returned. The memory of requests is checked in the same turn, so that no other job comes between.
   */
  #createOn(reserved: Disposable, { request }: NewJob, create: () => Promise<Job>): Promise<Job> {
    using _places = reserved;
    const { resource, maxCharactersInFlight = Number.POSITIVE_INFINITY } = this.#kind.definition;
    const numCharacters = this.#deps.jobs.inFlightCharacters(resource.kind) + request.length;
    if (numCharacters > maxCharactersInFlight) {
      throw new WorkMemoryError(resource.plural, maxCharactersInFlight);
    }
    return create();
  }

  #failure({ id, error }: Job): JobFailedError {
    const { code, message } = error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' };
    return new JobFailedError(locationOf(this.#kind.definition.resource, id), code, message);
  }
}

/**
 * Reads a body: a small one in this thread, others in a process.
 *
 * @param hashPath - As for `readInProcess`.
 * @throws {RequestInvalidError} listing every fault; RelayedError if a process found them.
 * @throws what `Readers.run` throws.
 */
export async function readBody<Submission extends JobSubmission, Context>(
  readers: Pick<Readers, 'run'>,
  body: JobBody<Submission, Context>,
  source: BodySource,
  caller: ReadingCaller,
  hashPath?: string,
): Promise<Submission> {
  if ('value' in source) {
    const read = await body.readSmall(source.value, caller.numBytes);
    if (read !== undefined) {
      return hashPath === undefined
        ? read
        : { ...read, bodyHash: requestHash(hashPath, source.value) };
    }
  }
  return readInProcess(readers, body.reading, source, body.context(), caller, hashPath);
}

/** Identity of a request, by which a repeat is recognized. */
interface Idempotency {
  readonly key: string;
  /** Hash of path and body. */
  readonly bodyHash: string;
}

/** Identity of a request; undefined without an idempotency key. */
function idempotencyOf(
  key: string | undefined,
  bodyHash: string | undefined,
): Idempotency | undefined {
  return key === undefined || bodyHash === undefined ? undefined : { key, bodyHash };
}

/** Job started by this request, or by an earlier one with the same key. */
interface StartedJob {
  readonly job: Job;
  /**
   * Answer that the earlier request got. Undefined if it is unknown; if the job was final then, because its
   * record cannot change; or if the service has restarted since, because that run was lost.
   */
  readonly storedAnswer?: string;
  readonly isReplay: boolean;
}

/** Dependencies of `IdempotentStarts`. */
type IdempotentStartsDeps = Pick<ServiceDeps, 'idempotency' | 'now'> & {
  readonly jobs: Pick<ServiceDeps['jobs'], 'get'>;
};

/** Time for which a claim of another node may stand without a job; longer than any lease that operators choose. */
const FOREIGN_CLAIM_MS = 60_000;
const FOREIGN_CLAIM_AGAIN_MS = 50;

/** Stored as the answer if the job was final. */
const FINAL = '';

/** Starts jobs of one kind idempotently. */
class IdempotentStarts {
  readonly #deps: IdempotentStartsDeps;
  readonly #kind: JobKind;
  /** Claims in progress, by key and idempotency key. The second of two requests waits for the first. */
  readonly #claiming = new Map<string, Promise<StartedJob>>();
  /** Claims of refused jobs that could not be released because the database was not writable. */
  readonly #unreleased = new Set<string>();

  constructor(deps: IdempotentStartsDeps, kind: JobKind) {
    this.#deps = deps;
    this.#kind = kind;
  }

  /**
   * Starts a job, or returns the one that the idempotency key stands for.
   *
   * @param start - Submits the job. If it throws, no job is created and the key is free again.
   * @throws {IdempotencyConflictError} if the key stands for another request.
   */
  async startOrFind(
    keyId: string,
    idempotency: Idempotency | undefined,
    start: (id: JobId) => Promise<Job>,
  ): Promise<StartedJob> {
    if (idempotency === undefined) {
      return { job: await start(newJobId(this.#kind)), isReplay: false };
    }
    const name = nameOf(keyId, idempotency.key);
    for (;;) {
      const earlier = this.#claiming.get(name);
      if (earlier === undefined) break;
      await earlier.catch(() => undefined);
    }
    const claiming = this.#claim(keyId, idempotency, start);
    this.#claiming.set(name, claiming);
    try {
      return await claiming;
    } finally {
      this.#claiming.delete(name);
    }
  }

  /**
   * Stores the answer to a request.
   *
   * @param job - The job as it was answered.
   */
  async settle(keyId: string, { key }: Idempotency, job: Job, answer: string): Promise<void> {
    const { idempotency } = this.#deps;
    if (job.status === 'failed' && isPassing(job)) {
      // A refusal may be temporary, so a repeat must run again instead of getting the same error.
      await idempotency.release(keyId, key);
      return;
    }
    const isOpen = job.status === 'queued' || job.status === 'running';
    await idempotency.settle(keyId, key, isOpen ? answer : FINAL);
  }

  async #claim(
    keyId: string,
    { key: idempotencyKey, bodyHash }: Idempotency,
    start: (id: JobId) => Promise<Job>,
  ): Promise<StartedJob> {
    const { now } = this.#deps;
    const jobId = newJobId(this.#kind);
    const request = { keyId, idempotencyKey, bodyHash, jobId, now: now() };
    const name = nameOf(keyId, idempotencyKey);
    if (this.#unreleased.has(name)) await this.#release(name, keyId, idempotencyKey);
    const claim = await this.#claimOrFind(request);
    if (claim.kind === 'replay') return this.#replay(claim.job, claim.response);
    try {
      return { job: await start(jobId), isReplay: false };
    } catch (error) {
      this.#unreleased.add(name);
      await this.#release(name, keyId, idempotencyKey);
      throw error;
    }
  }

  async #release(name: string, keyId: string, idempotencyKey: string): Promise<void> {
    await this.#deps.idempotency.release(keyId, idempotencyKey);
    this.#unreleased.delete(name);
  }

  /**
   * Claims the key, or finds the job that it stands for. If another node has claimed it and its job is not stored yet,
   * waits until the node stores the job, releases the key, or is given up.
   *
   * @throws {JobNotFoundError} if the job was deleted.
   */
  async #claimOrFind(
    request: ClaimRequest,
  ): Promise<{ kind: 'claimed' } | { kind: 'replay'; job: Job; response: string | undefined }> {
    const { idempotency, jobs } = this.#deps;
    for (const endsAt = performance.now() + FOREIGN_CLAIM_MS; ; ) {
      const claim = await idempotency.claim(request);
      if (claim.kind === 'claimed') return claim;
      const { jobId, response } = claim;
      const job = await jobs.get(jobId);
      if (job !== undefined) return { kind: 'replay', job, response };
      // Finished jobs may be deleted before their idempotency key expires.
      if (response !== undefined || performance.now() > endsAt) throw new JobNotFoundError(jobId);
      await sleep(FOREIGN_CLAIM_AGAIN_MS);
    }
  }

  #replay(job: Job, response: string | undefined): StartedJob {
    const isKnown = response !== undefined && response !== FINAL && !wasInterrupted(job);
    return { job, isReplay: true, ...(isKnown ? { storedAnswer: response } : {}) };
  }
}

function nameOf(keyId: string, idempotencyKey: string): string {
  return `${keyId} ${idempotencyKey}`;
}

function isPassing(job: Job): boolean {
  return specCodeOf(job.error?.code ?? '') === 'SERVICE_UNAVAILABLE';
}

/** Answers requests that submit jobs of one kind. */
export class JobSubmissions<Submission extends JobSubmission> {
  readonly #envelopes: Envelopes;
  readonly #kind: ServedJobKind<Submission>;
  readonly #submitter: JobSubmitter<Submission>;

  constructor(deps: ServiceDeps, envelopes: Envelopes, kind: ServedJobKind<Submission>) {
    this.#envelopes = envelopes;
    this.#kind = kind;
    this.#submitter = new JobSubmitter(deps, kind);
  }

  /** Answers a request whose body submits a job. */
  async submit<Context>(
    request: FastifyRequest,
    reply: FastifyReply,
    body: JobBody<Submission, Context>,
  ): Promise<FastifyReply> {
    const source = sourceOf(request.body);
    const caller = readingCaller(request, reply);
    const needsHash = headerOf(request, 'idempotency-key') !== undefined;
    const submission = await this.#submitter.read(body, source, caller, needsHash);
    return this.#answer(request, reply, submission);
  }

  /** Answers a request to run a job again, with its stored request and seed. */
  async submitAgain(request: FastifyRequest, reply: FastifyReply, job: Job): Promise<FastifyReply> {
    const submission = await this.#kind.submissionOf(job, callerSignal(reply));
    const bodyHash = retryHash(this.#kind.definition.resource, job.id);
    return this.#answer(request, reply, { ...submission, bodyHash }, { retryOf: job.id });
  }

  async #answer(
    request: FastifyRequest,
    reply: FastifyReply,
    submission: Submission,
    retry: Pick<Submitter, 'retryOf'> = {},
  ): Promise<FastifyReply> {
    const { waitsForResult, resource } = this.#kind.definition;
    const asked = waitsForResult === 'never' ? AT_ONCE : parsePrefer(headerOf(request, 'prefer'));
    const isAtOnce = waitsForResult !== 'always' && asked.applied === undefined;
    const { waitMs, applied } = isAtOnce ? AT_ONCE : asked;
    const idempotencyKey = headerOf(request, 'idempotency-key');
    const { key } = callerOf(request);
    const answer = await this.#submitter.submit(submission, {
      key,
      idempotencyKey,
      waitMs,
      ...retry,
    });
    reply.code(201).header('location', locationOf(resource, answer.jobId));
    if (answer.isReplay) reply.header('idempotent-replayed', 'true');
    if (applied !== undefined) reply.header('preference-applied', applied);
    return this.#envelopes.sendText(request, reply, answer.record);
  }
}

/** Value of a header that is not repeated. */
export function headerOf(
  { headers }: FastifyRequest,
  name: 'idempotency-key' | 'prefer',
): string | undefined {
  const header = headers[name];
  return typeof header === 'string' ? header : undefined;
}

/**
 * Preferences of a caller, from the header Prefer (RFC 7240): how long it waits for the result. Others in the
 * header are ignored, as the RFC requires.
 */
interface Preference {
  /** Milliseconds to wait for the result; undefined means until it is available. */
  readonly waitMs: number | undefined;
  /** Honoured preferences, for Preference-Applied. */
  readonly applied: string | undefined;
}

/** Preference of a caller that does not wait. */
const AT_ONCE: Preference = { waitMs: 0, applied: undefined };

/** Longest wait that a timer supports, in whole seconds: 24 days. */
const MAX_WAIT_S = 2_147_483;

/**
 * Parses the header. `respond-async` alone means not to wait. Together with `wait=N` it means to wait N
 * seconds and then answer asynchronously, which `wait=N` alone means here too.
 */
export function parsePrefer(header: string | undefined): Preference {
  let respondAsync = false;
  let waitS: number | undefined;
  for (const entry of splitList(header ?? '')) {
    const [name = '', value = ''] = (entry.split(';')[0] ?? '').split('=', 2);
    const token = name.trim().toLowerCase();
    const text = value.trim().replace(/^"(.*)"$/, '$1');
    if (token === 'respond-async') respondAsync = true;
    // If a preference is repeated, the first counts (RFC 7240, section 2).
    if (token === 'wait' && waitS === undefined && /^\d{1,15}$/.test(text)) waitS = Number(text);
  }
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(waitS === undefined ? [] : [`wait=${waitS}`]),
  ];
  const seconds = waitS ?? (respondAsync ? 0 : undefined);
  return {
    waitMs: seconds === undefined ? undefined : Math.min(seconds, MAX_WAIT_S) * 1000,
    applied: applied.length === 0 ? undefined : applied.join(', '),
  };
}

/** Splits a header's list at commas outside quotes. */
function splitList(header: string): readonly string[] {
  return header.match(/(?:"(?:[^"\\]|\\.)*"|[^,"])+/g) ?? [];
}
