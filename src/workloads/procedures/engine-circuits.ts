/** Runs batches of circuits on an engine in this process, for callers without a service. */
import { engineBatches } from '../../fleet/workers/engine-batches.ts';
import type { MaybeBatchEngine } from '../../fleet/workers/shape-batches.ts';
import type { CircuitBatches } from './procedure-context.ts';

/** The batches of an engine, which its opener closes. */
export function engineCircuits(engine: MaybeBatchEngine, signal: AbortSignal): CircuitBatches {
  const run = engineBatches(engine);
  return {
    runBatch: async (shape, request) => (await run({ shape, request }, () => {}, signal)).batch,
  };
}
