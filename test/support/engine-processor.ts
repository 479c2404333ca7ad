/** A processor for tests: a CPU engine without a queue, which can be taken away or made to wait. */

import { compile } from '../../src/compiler/compile.ts';
import { compileGradient } from '../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../src/compiler/shape.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type {
  Availability,
  Backend,
  CircuitResult,
  CircuitRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from '../../src/fleet/processor.ts';
import { outputsOf } from '../../src/fleet/run-outputs.ts';
import { circuitWork, isBatch, methodOf } from '../../src/fleet/schedule/scheduled-run.ts';
import { compiledByMethod, KEPT_ON_CPU } from '../../src/fleet/workers/prepared-circuits.ts';
import { circuitOf } from '../../src/fleet/workers/sent-circuit.ts';
import { PostedCircuits } from '../../src/fleet/workers/sent-run.ts';
import { ServedEngine } from '../../src/fleet/workers/served-engine.ts';

const BACKEND: Backend = {
  engine: 'cpu',
  execution: 'cpu',
  precision: 'f64',
  hardware: 'a CPU of the tests',
};
const TIMING = { queueMs: 0, compileMs: 0, executionMs: 1 };

/** The processor, with a record of its calls. */
export class EngineProcessor implements Processor, AsyncDisposable {
  readonly tasks: CircuitRun[] = [];
  readonly hooks: RunHooks[] = [];
  /** Largest number of circuits and batches in progress at a time. */
  maxAtOnce = 0;
  numAborted = 0;
  isAvailable = true;
  /** Promise that circuits await before they start. */
  gate: Promise<void> | undefined;
  /** Error with which every circuit fails. */
  failure: unknown;
  readonly #engine = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
  readonly #served = new ServedEngine(
    this.#engine,
    { compile, compileShape, compileGradient },
    KEPT_ON_CPU,
  );
  readonly #id: string;
  #atOnce = 0;

  constructor(id: string) {
    this.#id = id;
  }

  get spec(): ProcessorSpec {
    return {
      id: this.#id,
      name: this.#id,
      family: 'statevector',
      maxQubits: 12,
      maxShots: 1_000_000,
      maxGates: 100_000,
      precision: 'f64',
      execution: 'cpu',
      target: this.#engine.target,
    };
  }

  availability(): Availability {
    if (this.isAvailable) return { available: true, checkedAt: 0 };
    return { available: false, reason: 'Taken away.', checkedAt: 0 };
  }

  load(): ProcessorLoad {
    return { queueDepth: 0, running: this.#atOnce, expectedWaitMs: 0, expectedWideWaitMs: 0 };
  }

  expectedRun(): undefined {}
  queuePosition(): undefined {}
  expectedStart(): undefined {}
  admit(): void {}
  withdraw(): void {}
  setMaintenance(): void {}

  async run(task: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    const { circuit, request } = task;
    const { shots = 0, seed = 0 } = request;
    if (isBatch(request)) {
      return await this.#during(task, hooks, signal, async () => {
        const sent = new PostedCircuits().of(task);
        const run = { id: 0, precision: 'f64', circuit: sent, request } as const;
        const { outputs } = await this.#served.run(run, () => {}, signal);
        return { outputs, backend: BACKEND, timing: TIMING };
      });
    }
    const keepState = request.statevector === true || request.observables !== undefined;
    const method = methodOf(circuitWork(circuit), request);
    const compiled = compiledByMethod(
      this.#engine,
      circuitOf(circuit),
      { ...request, method },
      keepState,
    );
    const { report } = compiled;
    return await this.#during(task, hooks, signal, async () => {
      await using executable = await compiled.prepare();
      const outputs = outputsOf(await executable.run({ ...request, shots, seed }, signal));
      return { outputs, compilation: report, reused: 'nothing', backend: BACKEND, timing: TIMING };
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#engine.close();
  }

  async #during(
    task: CircuitRun,
    hooks: RunHooks,
    signal: AbortSignal,
    work: () => Promise<CircuitResult>,
  ): Promise<CircuitResult> {
    this.tasks.push(task);
    this.hooks.push(hooks);
    this.#atOnce++;
    this.maxAtOnce = Math.max(this.maxAtOnce, this.#atOnce);
    try {
      await Promise.race([this.gate, aborted(signal)]);
      if (this.failure !== undefined) throw this.failure;
      hooks.onStarted?.();
      return await work();
    } catch (error) {
      if (signal.aborted) this.numAborted++;
      throw error;
    } finally {
      this.#atOnce--;
    }
  }
}

/** Rejects with the signal's reason. */
function aborted(signal: AbortSignal): Promise<never> {
  signal.throwIfAborted();
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}
