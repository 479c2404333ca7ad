/** Runs batches of circuits on an engine in this process, for callers without a service. */
import type { Engine } from '../../engine/engine.ts';
import { localRuns } from '../../fleet/workers/served-engine.ts';
import type { Runner } from './procedure-context.ts';

/** The batches of an engine, which its opener closes. */
export function engineCircuits(engine: Engine, signal: AbortSignal): Runner {
  const run = localRuns(engine);
  return {
    run: async (circuit, request) => (await run({ circuit, request }, () => {}, signal)).outputs,
  };
}
