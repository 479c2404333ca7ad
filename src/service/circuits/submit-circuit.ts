/**
 * From a prepared circuit to what its submitter is answered: create the job, wait as long as the
 * caller prefers, and see to it that a repeated request does not run the work twice.
 */

import { MAX_SMALL_QUBITS } from '../../fleet/width.ts';
import { JobNotFoundError } from '../../jobs/errors.ts';
import type { Job, JobId, JobPriority, NewJob } from '../../jobs/job.ts';
import { newJobId } from '../../jobs/job-id.ts';
import type { JsonText } from '../envelope.ts';
import { specCodeOf } from '../error-table.ts';
import { InFlightLimitError, JobFailedError } from '../errors.ts';
import type { ApiKey } from '../keys/api-key.ts';
import type { ServiceDeps } from '../service-deps.ts';
import type { PreparedCircuit } from './circuit-submission.ts';
import type { Preference } from './prefer.ts';
import { circuitRecordJson } from './present-circuit.ts';
import type { ReadSubmission } from './read-submission.ts';
import { encodeRequest } from './stored-request.ts';

/** A circuit that is to run, and how its caller wants to be answered. */
export interface Submission {
  readonly key: ApiKey;
  readonly read: ReadSubmission;
  readonly preference: Preference;
  readonly idempotency?: { readonly key: string; readonly bodyHash: string };
}

/** What is answered to a submission. */
export interface SubmissionAnswer {
  readonly circuitId: JobId;
  readonly record: JsonText;
  readonly isReplay: boolean;
}

interface StartedJob {
  readonly job: Job;
  /** The answer given before; a job that was final then is answered from its record again. */
  readonly storedAnswer?: string;
  readonly isReplay: boolean;
}

/** Where a circuit's record is. */
export function circuitLocation(id: JobId): string {
  return `/api/v1/quantum/circuits/${id}`;
}

/** The level that takes effect: `high` is for Enterprise keys. */
export function effectivePriority(key: ApiKey, asked: JobPriority = 'normal'): JobPriority {
  return asked === 'high' && key.tier !== 'enterprise' ? 'normal' : asked;
}

/** Stored as the answer where the job was final: its record says it all and cannot change. */
const FINAL = '';

/** Submits circuits. */
export class CircuitSubmitter {
  readonly #deps: ServiceDeps;
  /** Claims under way, by key and idempotency key: the second of two waits for the first. */
  readonly #claiming = new Map<string, Promise<StartedJob>>();

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Runs the circuit, or finds the run that an idempotency key already stands for.
   *
   * @throws {ProcessorUnavailableError | QueueFullError | RunnerClosedError} and creates no job.
   * @throws {InFlightLimitError} and creates no job.
   * @throws {IdempotencyConflictError}
   * @throws {JobFailedError} if the job fails while the caller waits.
   */
  async submit(submission: Submission): Promise<SubmissionAnswer> {
    const { idempotency, preference } = submission;
    if (idempotency === undefined && preference.waitMs !== 0) return this.#run(submission);
    const started = await this.#startOrFind(submission);
    const { job, storedAnswer, isReplay } = started;
    if (storedAnswer !== undefined && storedAnswer !== FINAL) {
      return { circuitId: job.id, record: { json: storedAnswer }, isReplay };
    }
    const answered = await this.#wait(job, submission.preference);
    const record = circuitRecordJson(answered, this.#deps.jobs);
    if (storedAnswer === undefined) await this.#settle(submission, answered, record);
    if (answered.status === 'failed') throw failure(answered);
    return { circuitId: job.id, record, isReplay };
  }

  /** Nobody can know of the circuit before it is answered, so it is stored with its outcome. */
  async #run(submission: Submission): Promise<SubmissionAnswer> {
    const { jobs } = this.#deps;
    const { waitMs } = submission.preference;
    const job = await this.#create(submission, newJobId('circuit'), (newJob) =>
      jobs.run(newJob, waitMs),
    );
    if (job.status === 'failed') throw failure(job);
    return { circuitId: job.id, record: circuitRecordJson(job, jobs), isReplay: false };
  }

  async #startOrFind(submission: Submission): Promise<StartedJob> {
    const { idempotency, key } = submission;
    if (idempotency === undefined) {
      return { job: await this.#start(submission, newJobId('circuit')), isReplay: false };
    }
    const name = `${key.id} ${idempotency.key}`;
    for (;;) {
      const earlier = this.#claiming.get(name);
      if (earlier === undefined) break;
      await earlier.catch(() => undefined);
    }
    const claiming = this.#claim(submission, idempotency);
    this.#claiming.set(name, claiming);
    try {
      return await claiming;
    } finally {
      this.#claiming.delete(name);
    }
  }

  async #claim(
    submission: Submission,
    { key: idempotencyKey, bodyHash }: NonNullable<Submission['idempotency']>,
  ): Promise<StartedJob> {
    const { idempotency, now } = this.#deps;
    const keyId = submission.key.id;
    const jobId = newJobId('circuit');
    const request = { keyId, idempotencyKey, bodyHash, jobId, now: now() };
    const claim = await idempotency.claim(request);
    if (claim.kind === 'replay') return this.#replay(claim.jobId, claim.response);
    try {
      return { job: await this.#start(submission, jobId), isReplay: false };
    } catch (error) {
      await idempotency.release(keyId, idempotencyKey);
      throw error;
    }
  }

  async #replay(jobId: JobId, response: string | undefined): Promise<StartedJob> {
    const job = await this.#deps.jobs.get(jobId);
    // Finished jobs are deleted after a time that may be no longer than the key's.
    if (job === undefined) throw new JobNotFoundError(jobId);
    return { job, isReplay: true, ...(response === undefined ? {} : { storedAnswer: response }) };
  }

  #start(submission: Submission, id: JobId): Promise<Job> {
    return this.#create(submission, id, (newJob) => this.#deps.jobs.submit(newJob));
  }

  async #create(
    { key, read }: Submission,
    id: JobId,
    submit: (newJob: NewJob) => Promise<Job>,
  ): Promise<Job> {
    const { fleet, intake, drawSeed, now } = this.#deps;
    const { prepared, shots, priority, bodyJson } = read;
    const processor = fleet.get(prepared.processorId);
    processor?.admit(id);
    const seed = read.seed ?? drawSeed();
    const facts = { shots, seed, qubits: prepared.circuit.numQubits, tier: key.tier };
    intake.hold(id, prepared);
    try {
      this.#checkInFlight(key, prepared);
      return await submit({
        id,
        kind: 'circuit',
        keyId: key.id,
        priority: effectivePriority(key, priority),
        target: prepared.processorId,
        request: encodeRequest(facts, bodyJson),
        createdAt: now(),
      });
    } catch (error) {
      intake.drop(id);
      processor?.withdraw(id);
      throw error;
    }
  }

  /** To be called in the turn in which the job is submitted, so that none comes in between. */
  #checkInFlight({ id, tier }: ApiKey, { processorId, circuit }: PreparedCircuit): void {
    const { jobs, fleet, settings } = this.#deps;
    const limit = settings.inFlightLimits[tier];
    if (jobs.inFlight('circuit', id) < limit) return;
    const load = fleet.get(processorId)?.load();
    const isWide = circuit.numQubits > MAX_SMALL_QUBITS;
    const waitMs = isWide ? load?.expectedWideWaitMs : load?.expectedWaitMs;
    const waitS = Math.max(1, Math.ceil((waitMs ?? 0) / 1000));
    throw new InFlightLimitError(tier, limit, 'circuits', waitS);
  }

  /** The job as it is when it is final or the caller's time is over. */
  async #wait(job: Job, { waitMs }: Preference): Promise<Job> {
    return waitMs === 0 ? job : this.#deps.jobs.waitFor(job.id, waitMs);
  }

  async #settle({ key, idempotency }: Submission, job: Job, record: JsonText): Promise<void> {
    if (idempotency === undefined) return;
    if (job.status === 'failed' && isPassing(job)) {
      // What failed may be back soon: a repeat is then to run, not to be told of the failure again.
      await this.#deps.idempotency.release(key.id, idempotency.key);
      return;
    }
    const isOpen = job.status === 'queued' || job.status === 'running';
    await this.#deps.idempotency.settle(key.id, idempotency.key, isOpen ? record.json : FINAL);
  }
}

function isPassing(job: Job): boolean {
  return specCodeOf(job.error?.code ?? '') === 'SERVICE_UNAVAILABLE';
}

function failure(job: Job): JobFailedError {
  const { code, message } = job.error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' };
  return new JobFailedError(circuitLocation(job.id), code, message);
}
