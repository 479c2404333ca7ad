/**
 * Runs jobs of kind `tpu_job`: places each on a slice of the modelled fleet, runs its work on this node
 * while it has its chips, and gives them back.
 */
import type { JobId } from '../../jobs/job.ts';
import type { JobHandler } from '../../jobs/job-handler.ts';
import type { MonitoredProcedures } from '../../workloads/monitored-procedures.ts';
import type { JsonObject } from '../../workloads/procedures/json.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import { modelledDuration } from '../../workloads/tpu/modelled-duration.ts';
import type { TpuFleet } from '../../workloads/tpu/tpu-fleet.ts';
import { milliseconds } from '../backend-view.ts';
import { procedureHooks } from '../jobs/procedure-hooks.ts';
import { workInputOf } from '../jobs/stored-request.ts';
import { outcomeJson } from '../procedures-view.ts';
import { tpuJobFactsOf } from './stored-tpu-job.ts';

/** What TPU jobs run with. */
export interface TpuHandlerDeps {
  readonly fleet: TpuFleet;
  readonly work: Pick<MonitoredProcedures, 'run'>;
  readonly pool: Pick<ProcedurePool, 'queuePosition'>;
  /** As the operating system names the CPU. */
  readonly cpuModel: string;
}

/** The handler over the modelled fleet. */
export function createTpuJobHandler({ fleet, work, pool, cpuModel }: TpuHandlerDeps): JobHandler {
  return {
    async run(job, hooks, signal) {
      const { id, keyId, priority } = job;
      const facts = tpuJobFactsOf(job.request);
      const { tier, seed, processor, chips, tpu_type: tpuType } = facts;
      const placed = { zone: job.target, tpuType, chips };
      const { readmitted } = hooks;
      const queuedAt = performance.now();
      using _slice = await fleet.place(
        { ...placed, id, priority, tier, keyId, readmitted },
        signal,
      );
      const input = workInputOf(job.request);
      const placementMs = performance.now() - queuedAt;
      const outcome = await work.run(
        {
          id,
          task: facts.job_type,
          input,
          seed,
          priority,
          keyId,
          tier,
          ...(processor !== undefined && { processorId: processor }),
        },
        // It was admitted to the fleet, which has the queue that callers see.
        { ...procedureHooks(hooks), readmitted: true },
        signal,
      );
      const modelled = modelledDuration(flopsOf(outcome.resultJson), placed);
      const { queueMs, executionMs } = outcome.timing;
      const timing = { queueMs: placementMs + queueMs, executionMs };
      return outcomeJson({ ...outcome, timing }, { input, seed }, cpuModel, {
        measured: { basis: 'measured', duration_ms: milliseconds(executionMs) },
        modelled: {
          basis: modelled.basis,
          duration_ms: milliseconds(modelled.ms),
          how: modelled.how,
        },
      });
    },
    queuePosition: (id: JobId) => fleet.queuePosition(id) ?? pool.queuePosition(id),
  };
}

/** Floating-point operations that the job counted. */
function flopsOf(resultJson: string): number {
  // Checked: the pool gives the text of a JSON object.
  const { flops } = JSON.parse(resultJson) as JsonObject;
  if (typeof flops !== 'number') throw new Error('unreachable: a TPU job that counted nothing');
  return flops;
}
