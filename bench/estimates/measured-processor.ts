/**
 * A processor in this process, whose engines are those of the service's workers: one thread for narrow states, two for
 * wide ones. The time of a run is that of the processor, which other work on the machine changes less than the clock.
 */
import { compile } from '../../src/compiler/compile.ts';
import { compileGradient } from '../../src/compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../src/compiler/shape.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type {
  Availability,
  CircuitResult,
  CircuitRun,
  ExpectedRun,
  Processor,
  ProcessorLoad,
  ProcessorSpec,
  RunHooks,
} from '../../src/fleet/processor.ts';
import { MAX_SMALL_QUBITS } from '../../src/fleet/schedule/lane.ts';
import { RunEstimates } from '../../src/fleet/schedule/run-estimates.ts';
import { circuitWork, type RunWork, runWork } from '../../src/fleet/schedule/scheduled-run.ts';
import { KEPT_ON_CPU } from '../../src/fleet/workers/prepared-circuits.ts';
import { PostedCircuits } from '../../src/fleet/workers/sent-run.ts';
import { ServedEngine } from '../../src/fleet/workers/served-engine.ts';

/** Threads of the wide engine, as many as the machine of the cost model has. */
const NUM_THREADS = 2;

/** Estimates of the two lanes. */
export function newEstimates(): RunEstimates {
  const estimates = new RunEstimates();
  estimates.setSpeed('small', 1 / NUM_THREADS);
  estimates.setSpeed('wide', 1);
  return estimates;
}

const laneOf = ({ numQubits }: RunWork) => (numQubits > MAX_SMALL_QUBITS ? 'wide' : 'small');

/** The processor. */
export class MeasuredProcessor implements Processor {
  readonly spec: ProcessorSpec;
  /** Those that it answers with; those that learn from its runs. */
  estimates: RunEstimates;
  learning: RunEstimates;
  /** Milliseconds of all runs so far. */
  ranMs = 0;
  readonly #posted = new PostedCircuits();
  readonly #small: ServedEngine;
  readonly #wide: ServedEngine;
  /** Runs follow each other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(spec: ProcessorSpec) {
    this.spec = spec;
    this.estimates = newEstimates();
    this.learning = newEstimates();
    const engine = (numThreads: number, maxQubits: number) =>
      new ServedEngine(
        openCpuEngine({ precision: 'f64', numThreads, maxQubits }),
        { compile, compileShape, compileGradient },
        KEPT_ON_CPU,
      );
    this.#small = engine(1, MAX_SMALL_QUBITS);
    this.#wide = engine(NUM_THREADS, spec.maxQubits);
  }

  availability(): Availability {
    return { available: true, checkedAt: 0 };
  }

  load(): ProcessorLoad {
    return { queueDepth: 0, running: 0, expectedWaitMs: 0, expectedWideWaitMs: 0 };
  }

  expectedRun(work: RunWork): ExpectedRun {
    return { ms: this.estimates.expectedMs(laneOf(work), work), numEngines: 1 };
  }

  queuePosition(): undefined {}
  expectedStart(): undefined {}
  admit(): void {}
  withdraw(): void {}
  setMaintenance(): void {}

  run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    const result = this.#last.then(() => this.#run(run, hooks, signal));
    this.#last = result.catch(() => {});
    return result;
  }

  async #run(run: CircuitRun, hooks: RunHooks, signal: AbortSignal): Promise<CircuitResult> {
    const { request } = run;
    const work = runWork(circuitWork(run.circuit), request);
    const lane = laneOf(work);
    const circuit = this.#posted.of(run);
    hooks.onStarted?.();
    const before = process.cpuUsage();
    const startedAt = performance.now();
    const sent = { id: 0, precision: 'f64', circuit, request } as const;
    const outcome = await (lane === 'wide' ? this.#wide : this.#small).run(sent, () => {}, signal);
    const wallMs = performance.now() - startedAt;
    const { user, system } = process.cpuUsage(before);
    // Each is more than the run took by itself: one by what else ran on the machine, one by what this process did beside.
    const ms = Math.min(wallMs, (user + system) / 1000 / (lane === 'wide' ? NUM_THREADS : 1));
    this.learning.observe(lane, work, ms);
    this.ranMs += ms;
    const { outputs, compilation, reused, compileMs, executionMs } = outcome;
    return {
      outputs,
      ...(compilation && { compilation }),
      ...(reused && { reused }),
      backend: { engine: 'cpu', execution: 'cpu', precision: 'f64', hardware: 'this process' },
      timing: { queueMs: 0, compileMs, executionMs },
    };
  }
}
