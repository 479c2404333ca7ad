/** Runs batches of circuits on an engine in this process, for callers without a service. */
import { localRuns } from '../../fleet/workers/local-runs.ts';
import type { MaybeBatchEngine } from '../../fleet/workers/shape-batches.ts';
import type { Runner } from './procedure-context.ts';

/** The batches of an engine, which its opener closes. */
export function engineCircuits(engine: MaybeBatchEngine, signal: AbortSignal): Runner {
  const run = localRuns(engine);
  return {
    run: async (circuit, request) => (await run({ circuit, request }, () => {}, signal)).outputs,
  };
}
