/** Batch runs on an engine in this process, run as a worker of the fleet runs them. */
import { compile } from '../../compiler/compile.ts';
import { compileGradient } from '../../compiler/gradient/compile-gradient.ts';
import { compileShape } from '../../compiler/shape.ts';
import { sentShape } from './posted-batch.ts';
import type { Batch } from './sent-batch.ts';
import { KEPT_ON_CPU, ServedEngine } from './served-engine.ts';
import type { MaybeBatchEngine } from './shape-batches.ts';
import type { BatchOutcome } from './worker-messages.ts';

/** Runs a batch; throws what the compiler and the engine throw, the signal's reason among it. */
export type RunEngineBatch = (
  batch: Batch,
  onProgress: (fraction: number) => void,
  signal: AbortSignal,
) => Promise<BatchOutcome>;

/** Batch runs on an engine, which its opener closes. Shapes are kept for when they come again. */
export function engineBatches(engine: MaybeBatchEngine): RunEngineBatch {
  const served = new ServedEngine(engine, { compile, compileShape, compileGradient }, KEPT_ON_CPU);
  const { precision } = engine.target;
  return ({ shape, request }, onProgress, signal) => {
    const run = { id: 0, precision, shape: sentShape(shape), request };
    return served.runBatch(run, onProgress, signal);
  };
}
