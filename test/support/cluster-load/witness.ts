/**
 * What clients were told: each acknowledgement of a job, and each answer that showed a final job. At the end it is
 * held against what the database logged by itself (finals-log.ts).
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isFinal } from '../../../src/jobs/job.ts';
import { jobFields } from '../../../src/service/jobs/job-schema.ts';
import type { LoggedChange, StoredFinal } from '../finals-log.ts';

/** What a record says once its job is final. The rest, such as the request, does not change either. */
const FACTS = [
  'status',
  'counts',
  'result',
  'programs',
  'error',
  'seed',
  'started_at',
  'finished_at',
] as const;
const record = z.looseObject(jobFields);
/** Error of a job that was running on three nodes when they were lost. */
const INTERRUPTED = 'JOBS_INTERRUPTED';
const MAX_ATTEMPTS = 3;
const MAX_FAULTS = 50;

/** A job that was acknowledged. */
export interface Acknowledged {
  readonly id: string;
  readonly location: string;
  /** Place of the client in the list of keys. */
  readonly client: number;
  /** Whether its client deleted it, or asked for that. */
  isDeleted: boolean;
  /** Whether its client asked to cancel it. */
  isCancelled: boolean;
}

/** The final job as an answer showed it for the first time. */
interface Seen {
  readonly facts: string;
  readonly brief: string;
  readonly at: number;
  readonly how: string;
}

/** An answer that shows a job. */
export interface Sight {
  readonly id: string;
  /** Its record, or its entry in a listing. */
  readonly data: unknown;
  readonly isListing?: boolean;
  /** When the request was sent, by performance.now(). */
  readonly sentAt: number;
  /** As in `GET at node-2`. */
  readonly how: string;
}

/** Collects what clients were told, and judges. */
export class Witness {
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly faults: string[] = [];
  readonly #seen = new Map<string, Seen>();
  /** Answers that showed final jobs. */
  numSeen = 0;

  fault(text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(text);
  }

  acknowledge(location: string, client: number): Acknowledged {
    const id = location.slice(location.lastIndexOf('/') + 1);
    const known = this.acknowledged.get(id);
    if (known !== undefined) return known;
    const job = { id, location, client, isDeleted: false, isCancelled: false };
    this.acknowledged.set(id, job);
    return job;
  }

  /** Takes note of an answer that shows a job; gives its status. */
  see({ id, data, isListing = false, sentAt, how }: Sight): z.output<typeof record>['status'] {
    const shown = record.parse(data);
    const before = this.#seen.get(id);
    if (!isFinal(shown.status)) {
      if (before !== undefined && before.at < sentAt) {
        this.fault(
          `${id} is ${shown.status} (${how}) after it was ${before.brief} (${before.how})`,
        );
      }
      return shown.status;
    }
    this.numSeen++;
    const brief = `${shown.status} at ${shown.finished_at}`;
    const facts = isListing ? '' : factsOf(shown);
    if (before === undefined || (before.facts === '' && brief === before.brief)) {
      this.#seen.set(id, { facts, brief, at: performance.now(), how });
    } else if (brief !== before.brief || (facts !== '' && facts !== before.facts)) {
      this.fault(`${id} became ${brief} (${how}) after it was ${before.brief} (${before.how})`);
    }
    return shown.status;
  }

  /** Takes note of the event `done`. */
  hear(id: string, status: string, at: string, how: string): void {
    this.numSeen++;
    const brief = `${status} at ${at}`;
    const before = this.#seen.get(id);
    if (before === undefined) {
      this.#seen.set(id, { facts: '', brief, at: performance.now(), how });
    } else if (brief !== before.brief) {
      this.fault(
        `${id} was told as ${brief} (${how}) after it was ${before.brief} (${before.how})`,
      );
    }
  }

  /** Whether an answer has shown the job as final. */
  hasSeen(id: string): boolean {
    return this.#seen.has(id);
  }

  /** Holds what was told against what the database logged, and against its rows once nothing runs. */
  judge(log: readonly LoggedChange[], stored: readonly StoredFinal[]): Verdict {
    const changes = Map.groupBy(log, ({ jobId }) => jobId);
    const rows = new Map(stored.map((job) => [job.jobId, job]));
    const verdict: Verdict = {
      lost: 0,
      reportedTwice: 0,
      changed: 0,
      unfinished: 0,
      interrupted: 0,
    };
    for (const [id, job] of this.acknowledged) {
      if (job.isDeleted || rows.has(id)) continue;
      verdict.lost++;
      this.fault(`${id} was acknowledged and is not there`);
    }
    for (const job of stored) {
      if (!isFinalText(job.status)) {
        verdict.unfinished++;
        this.fault(`${job.jobId} is ${job.status} at the end`);
        continue;
      }
      const ofJob = changes.get(job.jobId) ?? [];
      const finals = ofJob.filter(({ change }) => change === 'final');
      if (finals.length !== 1) {
        verdict.reportedTwice++;
        this.fault(`${job.jobId} became final ${finals.length} times: ${JSON.stringify(ofJob)}`);
      }
      if (ofJob.some(({ change }) => change === 'changed') || finals[0]?.record !== job.record) {
        verdict.changed++;
        this.fault(`${job.jobId} changed after it was final: ${JSON.stringify(ofJob)}`);
      }
      this.#judgeOutcome(job, verdict);
    }
    return verdict;
  }

  /** Jobs complete, unless their clients cancel them or three nodes were lost with them. */
  #judgeOutcome(job: StoredFinal, verdict: Verdict): void {
    const { jobId, status, errorCode, errorMessage, attempts, request } = job;
    if (status === 'completed') return;
    if (status === 'cancelled' && this.acknowledged.get(jobId)?.isCancelled !== false) return;
    if (status === 'failed' && errorCode === INTERRUPTED && attempts >= MAX_ATTEMPTS) {
      verdict.interrupted++;
      return;
    }
    this.fault(
      `${jobId} is ${status}, ${errorCode}: ${errorMessage}, attempt ${attempts}, ${request}`,
    );
  }
}

/** What the judge found. */
export interface Verdict {
  /** Acknowledged jobs that are not there. */
  lost: number;
  /** Jobs that became final more than once, or without the log. */
  reportedTwice: number;
  /** Jobs that were changed after they were final. */
  changed: number;
  /** Jobs that are not final at the end. */
  unfinished: number;
  /** Jobs that failed because three nodes were lost with them. */
  interrupted: number;
}

function factsOf(shown: z.output<typeof record>): string {
  const facts = FACTS.map((name) => shown[name] ?? null);
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}

function isFinalText(status: string): boolean {
  return ['completed', 'failed', 'cancelled'].includes(status);
}
