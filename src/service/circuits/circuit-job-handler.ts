/** Runs jobs of kind `circuit`: from the stored request to the stored result. */
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { ProcessorDirectory } from '../service-deps.ts';
import { prepareCircuit, runRequest } from './circuit-submission.ts';
import { circuitResultJson } from './result-json.ts';
import { decodeRequest } from './stored-request.ts';

/**
 * The handler over the fleet's processors.
 *
 * The request is read again from what was stored, so that a job which comes back after a restart
 * takes the same way as a new one.
 */
export function createCircuitJobHandler(fleet: ProcessorDirectory): JobHandler {
  return {
    async run(job, hooks, signal) {
      const { facts, body } = decodeRequest(job.request);
      const prepared = prepareCircuit(body, fleet);
      const result = await prepared.processor.run(
        {
          id: job.id,
          circuit: prepared.circuit,
          request: runRequest(prepared, facts.shots, facts.seed),
          priority: job.priority,
        },
        {
          onStarted: () => hooks.started(),
          onProgress: (fraction) => hooks.progress(fraction),
          readmitted: hooks.readmitted,
        },
        signal,
      );
      return circuitResultJson(prepared, result);
    },

    queuePosition(id) {
      for (const processor of fleet.processors) {
        const position = processor.queuePosition(id);
        if (position !== undefined) return position;
      }
      return undefined;
    },
  };
}
