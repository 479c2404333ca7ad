/** Runs jobs of kind `circuit`: from the stored request to the stored result. */
import type { Processor } from '../../fleet/processor.ts';
import type { JobId } from '../../jobs/job.ts';
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { ProcessorDirectory } from '../directories.ts';
import type { CircuitIntake } from './circuit-intake.ts';
import { runRequest } from './circuit-submission.ts';
import { decodeFacts } from './stored-request.ts';

/** The handler over the fleet's processors. */
export function createCircuitJobHandler(
  fleet: ProcessorDirectory,
  intake: CircuitIntake,
): JobHandler {
  /** Circuits that are being read, in the order in which they came, and where they will wait. */
  const inReading = new Map<JobId, Processor>();
  return {
    async run(job, hooks, signal) {
      const processor = fleet.get(job.target);
      if (processor === undefined) throw new Error('unreachable: a circuit without its target');
      try {
        const facts = decodeFacts(job.request);
        inReading.set(job.id, processor);
        const prepared = await intake.circuitOfJob(job, signal);
        inReading.delete(job.id);
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
        inReading.delete(job.id);
        // Its place in the queue, where it never came to take it.
        processor.withdraw(job.id);
      }
    },

    queuePosition(id) {
      for (const processor of fleet.processors) {
        const position = processor.queuePosition(id);
        if (position !== undefined) return position;
      }
      const processor = inReading.get(id);
      if (processor === undefined) return undefined;
      const alike = [...inReading].filter(([, other]) => other === processor);
      return processor.load().queueDepth + alike.findIndex(([other]) => other === id);
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
