/**
 * All metrics of `/metrics`. Events are counted where they happen; states are read at each scrape. Each
 * service has its own registry, so that several can share a process.
 *
 * No label holds a value that callers choose freely (path, address, key, job id), so the number of series is
 * bounded whatever the load.
 */
import { Counter, Registry } from 'prom-client';
import type { JobStore } from '../../jobs/job-store.ts';
import { DAMAGED_TABLES, type DamagedRecord } from '../../storage/damaged-records.ts';
import type { ModelDirectory, ProcessorDirectory } from '../directories.ts';
import { EngineMetrics } from './engine-metrics.ts';
import { HttpMetrics } from './http-metrics.ts';
import { InferenceMetrics } from './inference-metrics.ts';
import { JobMetrics } from './job-metrics.ts';
import { LiveMetrics, type LiveSources } from './live-metrics.ts';
import { ProcessMetrics } from './process-metrics.ts';
import { WorkMetrics, type WorkSources } from './work-metrics.ts';

export class ServiceMetrics {
  readonly http: HttpMetrics;
  readonly #registry = new Registry();
  readonly #damaged: Counter<'table'>;
  readonly #jobs: JobMetrics;
  readonly #engines: EngineMetrics;
  readonly #inferences: InferenceMetrics;
  readonly #live: LiveMetrics;
  readonly #work: WorkMetrics;
  readonly #process: ProcessMetrics;

  /** Starts measuring the process; `close` stops it. */
  constructor() {
    this.http = new HttpMetrics(this.#registry);
    this.#damaged = new Counter({
      name: 'qcs_damaged_records_total',
      help: 'Stored records found damaged, each counted once, by table.',
      labelNames: ['table'],
      registers: [this.#registry],
    });
    for (const table of DAMAGED_TABLES) this.#damaged.inc({ table }, 0);
    this.#jobs = new JobMetrics(this.#registry);
    this.#engines = new EngineMetrics(this.#registry);
    this.#inferences = new InferenceMetrics(this.#registry);
    this.#live = new LiveMetrics(this.#registry);
    this.#work = new WorkMetrics(this.#registry);
    this.#process = new ProcessMetrics(this.#registry);
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

  /** Wraps processors so that their engines' work is counted. */
  overProcessors(directory: ProcessorDirectory): ProcessorDirectory {
    return this.#engines.over(directory);
  }

  /** Wraps models so that inferences are counted. */
  overModels(models: ModelDirectory): ModelDirectory {
    return this.#inferences.over(models);
  }

  /** Current metrics in Prometheus text format. */
  async scrape(sources: LiveSources & WorkSources): Promise<string> {
    this.#live.read(sources);
    this.#work.read(sources);
    return await this.#registry.metrics();
  }

  /** Stops measuring the process. */
  close(): void {
    this.#process.close();
  }
}
