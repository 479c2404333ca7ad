/**
 * Processors as the service uses them. Every result of an engine, a device or an emulation enters the service here: its
 * invariants are checked, and it is counted, before anybody sees it.
 */
import type { CodedError } from '../errors/coded-error.ts';
import { faultOfDevice, faultOfRun, invariantError } from '../fleet/invariants.ts';
import type {
  CircuitResult,
  CircuitRun,
  ComingRun,
  DeviceRun,
  ExpectedRun,
  Processor,
  RunHooks,
} from '../fleet/processor.ts';
import { circuitWork, isBatch, type RunWork } from '../fleet/schedule/scheduled-run.ts';
import type { ProcessorDirectory } from './directories.ts';
import type { EngineMetrics } from './metrics/engine-metrics.ts';

/** A result that is not answered, for the log. */
export interface Violation {
  readonly error: CodedError;
  /** The run, named after its job. */
  readonly run: string;
  readonly key: string;
  readonly processor: string;
  /** The request; lists by their length. */
  readonly request: object;
  /** Sizes, and the first operations. */
  readonly circuit?: object;
}

/** Operations of a circuit that are logged. */
const MAX_LOGGED_OPERATIONS = 64;

/** The processors with their results checked and counted. */
export function servedProcessors(
  directory: ProcessorDirectory,
  metrics: EngineMetrics,
  onViolation: (violation: Violation) => void,
): ProcessorDirectory {
  const processors = directory.processors.map(
    (each) => new ServedProcessor(each, metrics, onViolation),
  );
  return { processors, get: (id) => processors.find(({ spec }) => spec.id === id) };
}

class ServedProcessor implements Processor {
  readonly #processor: Processor;
  readonly #metrics: EngineMetrics;
  readonly #onViolation: (violation: Violation) => void;
  readonly runOnDevice?: NonNullable<Processor['runOnDevice']>;
  readonly report?: NonNullable<Processor['report']>;

  constructor(
    processor: Processor,
    metrics: EngineMetrics,
    onViolation: (violation: Violation) => void,
  ) {
    this.#processor = processor;
    this.#metrics = metrics;
    this.#onViolation = onViolation;
    metrics.serve(processor.spec.id);
    const runOnDevice = processor.runOnDevice?.bind(processor);
    if (runOnDevice !== undefined) {
      this.runOnDevice = async (run, hooks, signal) => {
        const result = await runOnDevice(run, hooks, signal);
        this.#check(faultOfDevice(run, result), run, { shots: run.shots });
        return result;
      };
    }
    if (processor.report !== undefined) this.report = processor.report.bind(processor);
  }

  async run(task: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    const result = await this.#processor.run(task, hooks, signal);
    const { circuit, request } = task;
    this.#check(faultOfRun(task, result), task, request, circuit);
    const { numCircuits = 1 } = request;
    this.#metrics.count(this.spec.id, isBatch(request) ? 'batch' : 'circuit', numCircuits, result);
    this.#metrics.countReuse(this.spec.id, result);
    const trajectories = result.outputs.trajectories?.[0];
    this.#metrics.countNoise(
      this.spec.id,
      circuitWork(circuit),
      request,
      numCircuits,
      trajectories,
    );
    return result;
  }

  /** @throws {InvariantError} if there is a fault. */
  #check(
    fault: string | undefined,
    { id, keyId }: Pick<CircuitRun | DeviceRun, 'id' | 'keyId'>,
    request: object,
    circuit?: CircuitRun['circuit'],
  ): void {
    if (fault === undefined) return;
    const error = invariantError(fault);
    const processor = this.spec.id;
    this.#metrics.countViolation(processor);
    this.#onViolation({
      error,
      run: id,
      key: keyId,
      processor,
      request: inBrief(request),
      ...(circuit && { circuit: circuitInBrief(circuit) }),
    });
    throw error;
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

  expectedRun(work: RunWork): ExpectedRun | undefined {
    return this.#processor.expectedRun(work);
  }

  queuePosition(taskId: string): number | undefined {
    return this.#processor.queuePosition(taskId);
  }

  expectedStart(taskId: string): number | undefined {
    return this.#processor.expectedStart(taskId);
  }

  admit(task?: ComingRun): void {
    this.#processor.admit(task);
  }

  withdraw(taskId: string): void {
    this.#processor.withdraw(taskId);
  }

  setMaintenance(maintenance: { readonly reason: string } | undefined): void {
    this.#processor.setMaintenance(maintenance);
  }
}

/** Lists by their length, at any depth. */
function inBrief(value: object): object {
  const entries = Object.entries(value).map(([name, field]): readonly [string, unknown] => {
    if (typeof field !== 'object' || field === null) return [name, field];
    return [name, 'length' in field ? { length: field.length } : inBrief(field)];
  });
  return Object.fromEntries(entries);
}

function circuitInBrief({ operations, ...sizes }: CircuitRun['circuit']): object {
  const shown = operations.slice(0, MAX_LOGGED_OPERATIONS);
  return { ...sizes, numOperations: operations.length, operations: shown };
}
