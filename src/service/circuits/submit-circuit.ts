/**
 * From a prepared circuit to what its submitter is answered: create the job, wait as long as the
 * caller prefers, and see to it that a repeated request does not run the work twice.
 */

import { MAX_SMALL_QUBITS } from '../../fleet/schedule/lane.ts';
import { runWork } from '../../fleet/schedule/scheduled-run.ts';
import { workOfCircuit } from '../../fleet/workers/serialized-circuit.ts';
import type { Job, JobId, NewJob } from '../../jobs/job.ts';
import { newJobId } from '../../jobs/job-id.ts';
import type { JsonText } from '../envelope.ts';
import { InFlightLimitError, JobFailedError } from '../errors.ts';
import { effectivePriority } from '../jobs/effective-priority.ts';
import { type Idempotency, IdempotentStarts } from '../jobs/idempotent-starts.ts';
import { CIRCUITS, locationOf } from '../jobs/job-resources.ts';
import type { ApiKey } from '../keys/api-key.ts';
import { checkStorage } from '../limits/storage-quota.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { type PreparedCircuit, runRequest } from './circuit-submission.ts';
import type { Preference } from './prefer.ts';
import { circuitRecordJson } from './present-circuit.ts';
import type { ReadSubmission } from './read-submission.ts';
import { encodeRequest } from './stored-request.ts';

/** A circuit that is to run, and how its caller wants to be answered. */
export interface Submission {
  readonly key: ApiKey;
  readonly read: ReadSubmission;
  readonly preference: Preference;
  readonly idempotency?: Idempotency;
  /** The circuit that is run again. */
  readonly retryOf?: JobId;
}

/** What is answered to a submission. */
export interface SubmissionAnswer {
  readonly circuitId: JobId;
  readonly record: JsonText;
  readonly isReplay: boolean;
}

/** Submits circuits. */
export class CircuitSubmitter {
  readonly #deps: ServiceDeps;
  readonly #starts: IdempotentStarts;

  constructor(deps: ServiceDeps) {
    this.#deps = deps;
    this.#starts = new IdempotentStarts(deps, 'circuit');
  }

  /**
   * Runs the circuit, or finds the run that an idempotency key already stands for.
   *
   * @throws {ProcessorUnavailableError | CircuitTooLongError} and creates no job.
   * @throws {QueueFullError | RunnerClosedError} and creates no job.
   * @throws {InFlightLimitError | StorageQuotaError | StorageFullError} and creates no job.
   * @throws {IdempotencyConflictError}
   * @throws {JobFailedError} if the job fails while the caller waits.
   */
  async submit(submission: Submission): Promise<SubmissionAnswer> {
    const { idempotency, key, preference } = submission;
    if (idempotency === undefined && preference.waitMs !== 0) return this.#run(submission);
    const { job, storedAnswer, isReplay } = await this.#starts.startOrFind(
      key.id,
      idempotency,
      (id) => this.#create(submission, id, (newJob) => this.#deps.jobs.submit(newJob)),
    );
    if (storedAnswer !== undefined) {
      return { circuitId: job.id, record: { json: storedAnswer }, isReplay };
    }
    const answered = await this.#wait(job, preference);
    const { warnings } = submission.read.prepared;
    const record = circuitRecordJson(answered, this.#deps.jobs, warnings);
    if (idempotency !== undefined) {
      await this.#starts.settle(key.id, idempotency, answered, record.json);
    }
    if (answered.status === 'failed' && preference.waitMs !== 0) throw failure(answered);
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
    const record = circuitRecordJson(job, jobs, submission.read.prepared.warnings);
    return { circuitId: job.id, record, isReplay: false };
  }

  async #create(
    { key, read, retryOf }: Submission,
    id: JobId,
    submit: (newJob: NewJob) => Promise<Job>,
  ): Promise<Job> {
    const { fleet, intake, drawSeed, now } = this.#deps;
    const { prepared, shots, priority, labels, bodyJson } = read;
    checkStorage(this.#deps, key);
    const processor = fleet.get(prepared.processorId);
    const seed = read.seed ?? drawSeed();
    const work = runWork(workOfCircuit(prepared.circuit), runRequest(prepared, shots, seed));
    processor?.admit({ id, keyId: key.id, work });
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
        ...labels,
        createdAt: now(),
        ...(retryOf !== undefined && { retryOf }),
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
}

function failure(job: Job): JobFailedError {
  const { code, message } = job.error ?? { code: 'INTERNAL_ERROR', message: 'The job failed.' };
  return new JobFailedError(locationOf(CIRCUITS, job.id), code, message);
}
