/** Runs jobs of kind `circuit`: from the stored request to the stored result. */
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { ProcessorDirectory } from '../service-deps.ts';
import type { CircuitIntake } from './circuit-intake.ts';
import { runRequest } from './circuit-submission.ts';
import { decodeFacts } from './stored-request.ts';

/** The handler over the fleet's processors. */
export function createCircuitJobHandler(
  fleet: ProcessorDirectory,
  intake: CircuitIntake,
): JobHandler {
  return {
    async run(job, hooks, signal) {
      const processor = fleet.get(job.target);
      if (processor === undefined) throw new Error('unreachable: a circuit without its target');
      try {
        const facts = decodeFacts(job.request);
        const prepared = await intake.circuitOfJob(job.id, job.request);
        const result = await processor.run(
          {
            id: job.id,
            circuit: prepared.circuit,
            request: runRequest(prepared, facts.shots, facts.seed),
            priority: job.priority,
            keyId: job.keyId,
            tier: facts.tier,
          },
          {
            onStarted: () => hooks.started(),
            onProgress: (fraction) => hooks.progress(fraction),
            onStartedOver: () => hooks.startedOver(),
            readmitted: hooks.readmitted,
          },
          signal,
        );
        return await intake.writeResult(prepared, result);
      } finally {
        // Its place in the queue, where it never came to take it.
        processor.withdraw(job.id);
      }
    },

    queuePosition(id) {
      for (const processor of fleet.processors) {
        const position = processor.queuePosition(id);
        if (position !== undefined) return position;
      }
      return undefined;
    },

    expectedStart(id) {
      for (const processor of fleet.processors) {
        const expected = processor.expectedStart(id);
        if (expected !== undefined) return expected;
      }
      return undefined;
    },
  };
}
