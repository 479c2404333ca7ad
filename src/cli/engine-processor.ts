/** Runs the batches of a sweep on an engine in this process, as a worker of the fleet runs them. */
import { setImmediate } from 'node:timers/promises';
import { compile } from '../compiler/compile.ts';
import { compileGradient } from '../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../compiler/shape.ts';
import { Mutex } from '../engine/mutex.ts';
import type { BatchRun, BatchRunResult, Processor, RunHooks } from '../fleet/processor.ts';
import { factsOfShape } from '../fleet/workers/sent-batch.ts';
import { KEPT_ON_CPU, ServedEngine } from '../fleet/workers/served-engine.ts';
import type { LocalEngine } from './local-engine.ts';

/** A processor whose batches take turns on one engine. */
export class EngineProcessor implements Pick<Processor, 'runBatch'> {
  readonly #local: LocalEngine;
  readonly #engine: ServedEngine;
  readonly #turns = new Mutex();

  constructor(local: LocalEngine) {
    this.#local = local;
    this.#engine = new ServedEngine(
      local.engine,
      { compile, compileShape, compileGradient },
      KEPT_ON_CPU,
    );
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
      const sent = { id: 0, precision, shape: factsOfShape(shape).sent, request };
      const { batch, compileMs, executionMs } = await this.#engine.runBatch(
        sent,
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
