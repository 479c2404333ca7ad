/**
 * Everything that `/metrics` tells. What happens is counted where it happens; how things stand is read
 * when somebody asks. Each service has a registry of its own, so that many may live in one process.
 *
 * No label holds what a caller may choose freely: no path, address, key or id of a job. The number of
 * series has a bound that load cannot move.
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

/** The metrics of one service. */
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

  /** Measures the process from here on, until `close`. */
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

  /** The media type of what `scrape` gives. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts a record that was found damaged. */
  countDamaged({ table }: DamagedRecord): void {
    this.#damaged.inc({ table });
  }

  /** A store that counts the jobs that come to their end in it. */
  overStore(store: JobStore): JobStore {
    return this.#jobs.over(store);
  }

  /** Processors that count what engines do for them. */
  overProcessors(directory: ProcessorDirectory): ProcessorDirectory {
    return this.#engines.over(directory);
  }

  /** Models that count inferences. */
  overModels(models: ModelDirectory): ModelDirectory {
    return this.#inferences.over(models);
  }

  /** All metrics as they stand now, in Prometheus' text format. */
  async scrape(sources: LiveSources & WorkSources): Promise<string> {
    this.#live.read(sources);
    this.#work.read(sources);
    return await this.#registry.metrics();
  }

  /** Ends what measures the process. */
  close(): void {
    this.#process.close();
  }
}
