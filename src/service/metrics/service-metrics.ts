/**
 * All metrics of `/metrics`, and those of HTTP and of jobs. Events are counted where they happen; states are read at
 * each scrape. Each service has its own registry, so that several can share a process.
 *
 * No label holds a value that callers choose freely (path, address, key, job id), so the number of series is
 * bounded whatever the load.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Histogram, Registry } from 'prom-client';
import { isFinal, JOB_KINDS, JOB_STATUSES, type Job } from '../../jobs/job.ts';
import type { JobStore } from '../../jobs/job-store.ts';
import { DAMAGED_TABLES, type DamagedRecord } from '../../storage/damaged-records.ts';
import type { ModelDirectory } from '../directories.ts';
import type { ErrorEnvelope } from '../http/envelope.ts';
import { ERROR_TABLE } from '../http/error-table.ts';
import { type ClusterSource, clusterMetrics } from './cluster-metrics.ts';
import { EngineMetrics } from './engine-metrics.ts';
import { InferenceMetrics } from './inference-metrics.ts';
import { type LiveSources, liveMetrics, type WorkSources, workMetrics } from './live-metrics.ts';
import { LoadHistory } from './load-history.ts';
import { ProcessMetrics } from './process-metrics.ts';

/** Seconds, from the shortest engine run to a circuit that takes a minute. */
const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
/** Seconds that jobs wait and run. */
const JOB_BUCKETS = [...DURATION_BUCKETS, 300, 1800];

/** Metrics of one service. */
export class ServiceMetrics {
  readonly http: HttpMetrics;
  readonly engines: EngineMetrics;
  readonly #registry = new Registry();
  readonly #damaged: Counter<'table'>;
  readonly #jobs: JobMetrics;
  readonly #inferences: InferenceMetrics;
  readonly #readLive: (sources: LiveSources) => void;
  readonly #readWork: (sources: WorkSources) => void;
  readonly #process: ProcessMetrics;
  readonly history: LoadHistory;
  #readCluster: (() => void) | undefined;
  #cluster: ClusterSource | undefined;

  /**
   * Starts measuring the process; `close` stops it.
   *
   * @param now - Milliseconds since 1970 UTC.
   */
  constructor(now: () => number) {
    this.history = new LoadHistory(now);
    this.http = new HttpMetrics(this.#registry, this.history);
    this.#damaged = new Counter({
      name: 'qcs_damaged_records_total',
      help: 'Stored records found damaged, each counted once, by table.',
      labelNames: ['table'],
      registers: [this.#registry],
    });
    for (const table of DAMAGED_TABLES) this.#damaged.inc({ table }, 0);
    this.#jobs = new JobMetrics(this.#registry, this.history);
    this.engines = new EngineMetrics(this.#registry);
    this.#inferences = new InferenceMetrics(this.#registry);
    this.#readLive = liveMetrics(this.#registry);
    this.#readWork = workMetrics(this.#registry);
    this.#process = new ProcessMetrics(this.#registry);
  }

  /**
   * Adds the metrics of a cluster, and the name of this node to every sample as its label `node`. Call it at most
   * once, before the first scrape.
   */
  setCluster(source: ClusterSource): void {
    this.#registry.setDefaultLabels({ node: source.node });
    this.#readCluster = clusterMetrics(this.#registry, source);
    this.#cluster = source;
  }

  /** The cluster that this node is in, if it is in one. */
  get cluster(): ClusterSource | undefined {
    return this.#cluster;
  }

  /** Media type of the result of `scrape`. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts a damaged record. */
  countDamaged({ table }: DamagedRecord): void {
    this.#damaged.inc({ table });
  }

  /** Wraps a store so that its finished jobs are counted. */
  overStore(store: JobStore): JobStore {
    return this.#jobs.over(store);
  }

  /** Wraps models so that inferences are counted. */
  overModels(models: ModelDirectory): ModelDirectory {
    return this.#inferences.over(models);
  }

  /** Current metrics in Prometheus text format. */
  async scrape(sources: LiveSources & WorkSources): Promise<string> {
    this.#readLive(sources);
    this.#readWork(sources);
    this.#readCluster?.();
    return await this.#registry.metrics();
  }

  /** Stops measuring the process. */
  close(): void {
    this.#process.close();
    this.history.close();
  }
}

/**
 * Metrics of jobs that have ended, counted in the store, which all of them pass. Times are those of the records,
 * in milliseconds.
 */
class JobMetrics {
  readonly #finished: Counter<'kind' | 'status'>;
  readonly #queueTimes: Histogram<'kind'>;
  readonly #runTimes: Histogram<'kind'>;
  readonly #history: LoadHistory;

  constructor(registry: Registry, history: LoadHistory) {
    this.#history = history;
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
      buckets: JOB_BUCKETS,
      registers,
    });
    this.#runTimes = new Histogram({
      name: 'qcs_job_run_seconds',
      help: 'From the start of a completed job to its end.',
      labelNames: ['kind'],
      buckets: JOB_BUCKETS,
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
      addParts: (...all) => store.addParts(...all),
      partPlaces: (id) => store.partPlaces(id),
      parts: (id, after) => store.parts(id, after),
      create: async (...all) => this.#seen(await store.create(...all)),
      transition: async (...all) => this.#seen(await store.transition(...all)),
    };
  }

  /** Counts a job that was just written; a job becomes final only once. */
  #seen(job: Job): Job {
    const { kind, status, createdAt, startedAt, finishedAt } = job;
    if (!isFinal(status)) return job;
    this.#finished.inc({ kind, status });
    this.#history.countJob(job);
    if (status === 'completed' && startedAt !== undefined && finishedAt !== undefined) {
      // The system clock may have been set back meanwhile.
      this.#queueTimes.observe({ kind }, Math.max(0, startedAt - createdAt) / 1000);
      this.#runTimes.observe({ kind }, Math.max(0, finishedAt - startedAt) / 1000);
    }
    return job;
  }
}

/** Label of requests whose callers left before the answer. */
const ABORTED = 'aborted';
/** Label of requests that match no route. */
const UNMATCHED = 'unmatched';
/** Methods with a series of their own; the parser knows about thirty others, which share one. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Streams have no duration metric: their readers decide how long they stay open. */
const EVENT_STREAM = 'text/event-stream';

/** Metrics of HTTP: requests by route, and errors by code. */
class HttpMetrics {
  readonly #requests: Counter<'route' | 'method' | 'status'>;
  readonly #durations: Histogram<'route' | 'method'>;
  readonly #errors: Counter<'code' | 'status'>;
  readonly #history: LoadHistory;

  constructor(registry: Registry, history: LoadHistory) {
    this.#history = history;
    const registers = [registry];
    this.#requests = new Counter({
      name: 'qcs_http_requests_total',
      help: 'Requests answered, by the pattern of their route.',
      labelNames: ['route', 'method', 'status'],
      registers,
    });
    this.#durations = new Histogram({
      name: 'qcs_http_request_duration_seconds',
      help: 'From the headers of a request to the end of its answer, event streams left out.',
      labelNames: ['route', 'method'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#errors = new Counter({
      name: 'qcs_http_errors_total',
      help: 'Errors answered, by their code in docs/errors.md.',
      labelNames: ['code', 'status'],
      registers,
    });
  }

  /** Counts every request of an application. Call it before its routes are registered. */
  watch(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      // `onResponse` is not called if the caller disconnects first, as readers of event streams do.
      reply.raw.on('close', () => {
        // Without an answer the status code means nothing.
        const isAnswered = reply.raw.headersSent;
        this.#count(request, reply, isAnswered ? String(reply.statusCode) : ABORTED);
      });
      done();
    });
  }

  /** Counts a request that reached neither a route nor its hooks. */
  countUnrouted(request: FastifyRequest, reply: FastifyReply): void {
    this.#count(request, reply, String(reply.statusCode));
  }

  /** Counts an answered error; an error with several faults counts by its first. */
  countError({ code, status, details }: ErrorEnvelope['error']): void {
    const exact = details?.[0]?.code;
    const isKnown = exact !== undefined && Object.hasOwn(ERROR_TABLE, exact);
    this.#errors.inc({ code: isKnown ? exact : code, status: String(status) });
  }

  #count(request: FastifyRequest, reply: FastifyReply, status: string): void {
    const route = request.routeOptions.url ?? UNMATCHED;
    const method = METHODS.has(request.method) ? request.method : 'other';
    this.#requests.inc({ route, method, status });
    if (status !== ABORTED) this.#history.countRequest(Number(status));
    if (String(reply.getHeader('content-type')).startsWith(EVENT_STREAM)) return;
    this.#durations.observe({ route, method }, reply.elapsedTime / 1000);
  }
}
