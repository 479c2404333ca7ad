/** Runs the batches of a sweep on an engine in this process. */
import { setImmediate } from 'node:timers/promises';
import { Mutex } from '../engine/mutex.ts';
import type { BatchRun, BatchRunResult, Processor, RunHooks } from '../fleet/processor.ts';
import { engineBatches, type RunEngineBatch } from '../fleet/workers/engine-batches.ts';
import type { LocalEngine } from './local-engine.ts';

/** A processor whose batches take turns on one engine. */
export class EngineProcessor implements Pick<Processor, 'runBatch'> {
  readonly #local: LocalEngine;
  readonly #run: RunEngineBatch;
  readonly #turns = new Mutex();

  constructor(local: LocalEngine) {
    this.#local = local;
    this.#run = engineBatches(local.engine);
  }

  async runBatch(
    { shape, request }: BatchRun,
    { onStarted, onProgress = () => {} }: RunHooks,
    signal: AbortSignal,
  ): Promise<BatchRunResult> {
    const { engine, spec, precision, hardware } = this.#local;
    return await this.#turns.runExclusive(async () => {
      // Ctrl-C is heard between runs.
      await setImmediate();
      signal.throwIfAborted();
      onStarted?.();
      const { batch, compileMs, executionMs } = await this.#run(
        { shape, request },
        onProgress,
        signal,
      );
      return {
        batch,
        backend: { engine: engine.name, execution: spec.execution, precision, hardware },
        timing: { queueMs: 0, compileMs, executionMs },
      };
    }, signal);
  }
}
