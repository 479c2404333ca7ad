/**
 * Metrics of the process, under the usual names of Node dashboards.
 *
 * The library's collectors are not used. If several garbage collections are reported together, they count
 * only the first; their event-loop lag includes the timer's 10 ms and restarts with every reader; and they
 * cannot be stopped, so each service in a process would leave some behind.
 */
import {
  constants,
  type PerformanceEntry,
  PerformanceObserver,
  performance,
} from 'node:perf_hooks';
import { Gauge, Histogram, type Registry } from 'prom-client';
import { registerTotals } from './totals.ts';

/** Interval of the timer that measures the event loop's lag. */
const LAG_EVERY_MS = 20;

const GC_KINDS: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/** Measures the process until it is closed. */
export class ProcessMetrics {
  readonly #lagTimer: NodeJS.Timeout;
  readonly #gcObserver: PerformanceObserver;

  constructor(registry: Registry) {
    registerFigures(registry);
    this.#lagTimer = watchLag(registry);
    this.#gcObserver = watchGarbageCollection(registry);
    new Gauge({
      name: 'process_start_time_seconds',
      help: 'When the process started, seconds since 1970 UTC.',
      registers: [registry],
    }).set(performance.timeOrigin / 1000);
  }

  /** Stops the timer and the observer. */
  close(): void {
    clearInterval(this.#lagTimer);
    this.#gcObserver.disconnect();
  }
}

/** Metrics of the process and its runtime. Names of totals end in `_total`. */
const FIGURES: readonly (readonly [name: string, help: string, read: () => number])[] = [
  // With its threads, without processes of adapters.
  [
    'process_cpu_user_seconds_total',
    'CPU time of all threads in user mode.',
    () => process.cpuUsage().user / 1e6,
  ],
  [
    'process_cpu_system_seconds_total',
    'CPU time of all threads in the kernel.',
    () => process.cpuUsage().system / 1e6,
  ],
  [
    'process_resident_memory_bytes',
    'Memory that the process holds, states included.',
    () => process.memoryUsage.rss(),
  ],
  [
    'nodejs_heap_size_total_bytes',
    'Heap of the main thread, as reserved.',
    () => process.memoryUsage().heapTotal,
  ],
  [
    'nodejs_heap_size_used_bytes',
    'Heap of the main thread, as used.',
    () => process.memoryUsage().heapUsed,
  ],
  [
    'nodejs_external_memory_bytes',
    'Memory outside the heap that objects of the main thread hold.',
    () => process.memoryUsage().external,
  ],
  [
    'nodejs_eventloop_active_seconds_total',
    'Time that the event loop of the main thread was at work.',
    () => performance.eventLoopUtilization().active / 1000,
  ],
  [
    'nodejs_eventloop_idle_seconds_total',
    'Time that the event loop of the main thread had nothing to do.',
    () => performance.eventLoopUtilization().idle / 1000,
  ],
];

function registerFigures(registry: Registry): void {
  for (const [name, help, read] of FIGURES) {
    if (name.endsWith('_total')) registerTotals(registry, name, help, [], () => [[{}, read()]]);
    else {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    }
  }
}

/** Measures the event loop's lag: how late a timer fires. */
function watchLag(registry: Registry): NodeJS.Timeout {
  const lag = new Histogram({
    name: 'nodejs_eventloop_lag_seconds',
    help: `How late a timer of ${LAG_EVERY_MS} ms came.`,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  });
  let last = performance.now();
  return setInterval(() => {
    const now = performance.now();
    lag.observe(Math.max(0, now - last - LAG_EVERY_MS) / 1000);
    last = now;
  }, LAG_EVERY_MS).unref();
}

function watchGarbageCollection(registry: Registry): PerformanceObserver {
  const pauses = new Histogram({
    name: 'nodejs_gc_duration_seconds',
    help: 'Pauses of the main thread for garbage collection, by kind.',
    labelNames: ['kind'],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
    registers: [registry],
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      pauses.observe({ kind: gcKindOf(entry) }, entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}

/** The runtime's types lack `detail`. */
function gcKindOf(entry: PerformanceEntry & { readonly detail?: unknown }): string {
  const { detail } = entry;
  const kind = typeof detail === 'object' && detail !== null && 'kind' in detail && detail.kind;
  return GC_KINDS.get(kind) ?? 'other';
}
