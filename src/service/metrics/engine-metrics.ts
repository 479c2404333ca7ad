/**
 * Time that engines spent, as each result tells it: observed on the processors, where circuits and
 * batches of all kinds of work pass. Self-tests of processors do not pass here.
 */
import { Counter, type Registry } from 'prom-client';
import type {
  BatchTask,
  BatchTaskResult,
  CircuitResult,
  CircuitTask,
  Processor,
  TaskHooks,
} from '../../fleet/processor.ts';
import type { ProcessorDirectory } from '../service-deps.ts';

type Labels = 'processor' | 'engine' | 'work';

/** What is counted of engines. */
export class EngineMetrics {
  readonly #tasks: Counter<Labels>;
  readonly #circuits: Counter<Labels>;
  readonly #executionTime: Counter<Labels>;
  readonly #compileTime: Counter<Labels>;

  constructor(registry: Registry) {
    const counter = (name: string, help: string): Counter<Labels> =>
      new Counter({
        name,
        help,
        labelNames: ['processor', 'engine', 'work'],
        registers: [registry],
      });
    this.#tasks = counter('qcs_engine_tasks_total', 'Circuits and batches that engines completed.');
    this.#circuits = counter(
      'qcs_engine_circuits_total',
      'Circuits that engines completed, those of batches each.',
    );
    this.#executionTime = counter(
      'qcs_engine_execution_seconds_total',
      'Time that engines spent on evolution and sampling.',
    );
    this.#compileTime = counter(
      'qcs_engine_compile_seconds_total',
      'Time that workers spent on making circuits ready.',
    );
  }

  /** The processors, counting. */
  over(directory: ProcessorDirectory): ProcessorDirectory {
    const processors = directory.processors.map((each) => new MeteredProcessor(each, this));
    return { processors, get: (id) => processors.find(({ spec }) => spec.id === id) };
  }

  /** Counts what one result tells. */
  count(
    processor: string,
    work: 'circuit' | 'batch',
    numCircuits: number,
    { backend, timing }: Pick<CircuitResult, 'backend' | 'timing'>,
  ): void {
    const labels = { processor, engine: backend.engine, work };
    this.#tasks.inc(labels);
    this.#circuits.inc(labels, numCircuits);
    this.#executionTime.inc(labels, timing.executionMs / 1000);
    this.#compileTime.inc(labels, timing.compileMs / 1000);
  }
}

/** A processor that has its results counted. */
class MeteredProcessor implements Processor {
  readonly #processor: Processor;
  readonly #metrics: EngineMetrics;

  constructor(processor: Processor, metrics: EngineMetrics) {
    this.#processor = processor;
    this.#metrics = metrics;
  }

  async run(task: CircuitTask, hooks: TaskHooks, signal: AbortSignal): Promise<CircuitResult> {
    const result = await this.#processor.run(task, hooks, signal);
    this.#metrics.count(this.spec.id, 'circuit', 1, result);
    return result;
  }

  async runBatch(task: BatchTask, hooks: TaskHooks, signal: AbortSignal): Promise<BatchTaskResult> {
    const result = await this.#processor.runBatch(task, hooks, signal);
    this.#metrics.count(this.spec.id, 'batch', task.request.numCircuits, result);
    return result;
  }

  get spec(): Processor['spec'] {
    return this.#processor.spec;
  }

  availability(): ReturnType<Processor['availability']> {
    return this.#processor.availability();
  }

  load(): ReturnType<Processor['load']> {
    return this.#processor.load();
  }

  queuePosition(taskId: string): number | undefined {
    return this.#processor.queuePosition(taskId);
  }

  expectedStart(taskId: string): number | undefined {
    return this.#processor.expectedStart(taskId);
  }

  admit(taskId?: string): void {
    this.#processor.admit(taskId);
  }

  withdraw(taskId: string): void {
    this.#processor.withdraw(taskId);
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#processor.setMaintenance(maintenance);
  }
}
