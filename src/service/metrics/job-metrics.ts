/**
 * Jobs that have ended, counted in the store, which all of them pass. Times are those of the records, in
 * milliseconds.
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import { isFinal, JOB_KINDS, JOB_STATUSES, type Job } from '../../jobs/job.ts';
import type { JobStore } from '../../jobs/job-store.ts';
import { DURATION_BUCKETS } from './buckets.ts';

const BUCKETS = [...DURATION_BUCKETS, 300, 1800];

/** Metrics of jobs. */
export class JobMetrics {
  readonly #finished: Counter<'kind' | 'status'>;
  readonly #queueTimes: Histogram<'kind'>;
  readonly #runTimes: Histogram<'kind'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#finished = new Counter({
      name: 'qcs_jobs_finished_total',
      help: 'Jobs that came to their end, by kind and final status.',
      labelNames: ['kind', 'status'],
      registers,
    });
    this.#queueTimes = new Histogram({
      name: 'qcs_job_queue_seconds',
      help: 'From the submission of a completed job to the start of its work.',
      labelNames: ['kind'],
      buckets: BUCKETS,
      registers,
    });
    this.#runTimes = new Histogram({
      name: 'qcs_job_run_seconds',
      help: 'From the start of a completed job to its end.',
      labelNames: ['kind'],
      buckets: BUCKETS,
      registers,
    });
    // Start each series at 0, so that the first job of a kind is visible as an increase.
    for (const kind of JOB_KINDS) {
      for (const status of JOB_STATUSES.filter(isFinal)) this.#finished.inc({ kind, status }, 0);
      this.#queueTimes.zero({ kind });
      this.#runTimes.zero({ kind });
    }
  }

  /** Wraps the store so that its finished jobs are counted. */
  over(store: JobStore): JobStore {
    return {
      get: (id) => store.get(id),
      list: (query) => store.list(query),
      remove: (id) => store.remove(id),
      failDamaged: (finishedAt) => store.failDamaged(finishedAt),
      create: async (job) => this.#seen(await store.create(job)),
      transition: async (id, from, to, patch) =>
        this.#seen(await store.transition(id, from, to, patch)),
    };
  }

  /** Counts a job that was just written; a job becomes final only once. */
  #seen(job: Job): Job {
    const { kind, status, createdAt, startedAt, finishedAt } = job;
    if (!isFinal(status)) return job;
    this.#finished.inc({ kind, status });
    if (status === 'completed' && startedAt !== undefined && finishedAt !== undefined) {
      // The system clock may have been set back meanwhile.
      this.#queueTimes.observe({ kind }, Math.max(0, startedAt - createdAt) / 1000);
      this.#runTimes.observe({ kind }, Math.max(0, finishedAt - startedAt) / 1000);
    }
    return job;
  }
}
