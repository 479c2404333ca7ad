/** Runs circuits of one shape on an engine in this process. */
import { setImmediate } from 'node:timers/promises';
import { Mutex } from '../engine/mutex.ts';
import type { CircuitResult, CircuitRun, Processor, RunHooks } from '../fleet/processor.ts';
import { localRuns, type RunLocally } from '../fleet/workers/local-runs.ts';
import type { LocalEngine } from './local-engine.ts';

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
