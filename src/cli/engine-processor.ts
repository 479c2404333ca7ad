/** An engine in this process, as a processor: its limits, and runs of circuits on it. */
import { setImmediate } from 'node:timers/promises';
import type { StateMemory } from '../circuit/circuit-limits.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import { Mutex } from '../engine/mutex.ts';
import type { Machine } from '../fleet/cpu-processors.ts';
import { AMPLITUDE_BYTES } from '../fleet/memory-shares.ts';
import type {
  CircuitResult,
  CircuitRun,
  Processor,
  ProcessorSpec,
  RunHooks,
} from '../fleet/processor.ts';
import { localRuns, type RunLocally } from '../fleet/workers/served-engine.ts';

/** Engine for measurements, with the limits for its circuits. Dispose of it to close it. */
export interface LocalEngine extends AsyncDisposable {
  readonly engine: Engine;
  /** Number of CPU threads; undefined on an adapter. */
  readonly numThreads: number | undefined;
  readonly precision: 'f32' | 'f64';
  readonly spec: ProcessorSpec;
  /** Hardware that computes: the CPU, or the adapter's name. */
  readonly hardware: string;
}

/** Settings and machine that an engine is opened with. */
export interface LocalSurroundings {
  readonly config: Config;
  readonly machine: Machine;
}

/** Describes an engine as a processor, with the limits of the settings. */
export function engineSpec(
  { name, target }: Engine,
  precision: 'f32' | 'f64',
  memory: Omit<StateMemory, 'bytesPerAmplitude'>,
  { maxShots, maxGates, maxRounds }: Config,
): ProcessorSpec {
  return {
    id: `${name} engine`,
    name: `${name} engine`,
    family: 'statevector',
    maxQubits: target.maxQubits,
    maxShots,
    maxGates,
    maxRounds,
    precision,
    execution: name === 'webgpu' ? 'webgpu' : 'cpu',
    target,
    stateMemory: { ...memory, bytesPerAmplitude: AMPLITUDE_BYTES[precision] },
  };
}

/** A processor whose runs take turns on one engine. */
export class EngineProcessor implements Pick<Processor, 'run'> {
  readonly #local: LocalEngine;
  readonly #run: RunLocally;
  readonly #turns = new Mutex();

  constructor(local: LocalEngine) {
    this.#local = local;
    this.#run = localRuns(local.engine);
  }

  async run(
    run: CircuitRun,
    { onStarted, onProgress = () => {} }: RunHooks,
    signal: AbortSignal,
  ): Promise<CircuitResult> {
    const { engine, spec, precision, hardware } = this.#local;
    return await this.#turns.runExclusive(async () => {
      // Ctrl-C is heard between runs.
      await setImmediate();
      signal.throwIfAborted();
      onStarted?.();
      const outcome = await this.#run(run, onProgress, signal);
      const { ownMs: _, compileMs, executionMs, samplingMs = 0, ...result } = outcome;
      return {
        ...result,
        backend: { engine: engine.name, execution: spec.execution, precision, hardware },
        timing: { queueMs: 0, compileMs, executionMs, samplingMs },
      };
    }, signal);
  }
}
