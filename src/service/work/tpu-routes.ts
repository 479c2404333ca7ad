/** Routes of the TPU fleet, and its present state. */
import { DEFAULT_SLICE_CHIPS, sliceSizesOfType } from '../../workloads/tpu/slice-request.ts';
import type { PoolState } from '../../workloads/tpu/tpu-fleet.ts';
import {
  chipsOfType,
  FLEET_RATED_TASKS_PER_SEC,
  RATING_BASIS,
  ratedTasksPerSecOf,
  ratedTasksPerSecOfPool,
  TPU_CHIPS,
  TPU_POOLS,
  TPU_TYPES,
  TPU_ZONES,
  type TpuType,
} from '../../workloads/tpu/tpu-zones.ts';
import type { TpuDirectory } from '../directories.ts';
import { isoTime } from '../http/envelope.ts';
import { type RouteContext, type ServiceApp, showRoute } from '../http/route-context.ts';
import { MAX_PROCEDURE_BODY_BYTES } from '../jobs/procedure-jobs.ts';
import { jobRecordRoutes, submissionRoute } from '../jobs/record-routes.ts';
import { JobSubmissions } from '../jobs/submit-job.ts';
import { rate, viewBenchmark, viewCapability, viewStats } from './procedures-view.ts';
import { type TpuFleetView, tpuFleet, tpuJobBody } from './tpu-schema.ts';

/** Slice of the examples. */
const EXAMPLE = { tpu_type: 'v5e', zone: 'us-central1-a', chips: DEFAULT_SLICE_CHIPS };

/** Present state of the whole fleet. */
export function viewTpuFleet({ fleet, work }: TpuDirectory, cpuModel: string): TpuFleetView {
  const state = fleet.snapshot();
  const { available, reason, checkedAt } = work.availability();
  const stats = viewStats(work);
  const { benchmark } = work;
  return {
    modelled: true,
    backing: `The simulators of this service, on ${cpuModel} and the GPUs that GET /quantum/processors names.`,
    available,
    ...(reason !== undefined && { reason }),
    checked_at: isoTime(checkedAt),
    chips: state.chips,
    available_chips: state.availableChips,
    jobs_placed: state.jobsPlaced,
    jobs_waiting: state.jobsWaiting,
    zones: TPU_ZONES.map((zone) => viewZone(zone, state.pools)),
    types: TPU_TYPES.map((type) => viewType(type, state.pools)),
    rated_tasks_per_sec: FLEET_RATED_TASKS_PER_SEC,
    rated_tasks_per_sec_basis: RATING_BASIS,
    measured_tasks_per_sec: stats.units_per_sec,
    measured_tasks_per_sec_basis: {
      basis: 'measured',
      how: 'Circuits that TPU jobs completed within the window had run on this node, a second; a task is a circuit.',
      window_s: stats.window_s,
      measured_at: stats.measured_at,
    },
    benchmark: benchmark
      ? { ...viewBenchmark(benchmark, cpuModel), jobs_per_sec: rate(benchmark.tasksPerSec) }
      : null,
    capabilities: work.owner.procedures.map((each) =>
      viewCapability(each, { job_type: each.name, ...EXAMPLE, input: each.example }),
    ),
    stats,
  };
}

function viewZone(zone: string, states: readonly PoolState[]): TpuFleetView['zones'][number] {
  const pools = states.filter((pool) => pool.zone === zone);
  const total = (of: (pool: PoolState) => number) => pools.reduce((sum, p) => sum + of(p), 0);
  return {
    zone,
    chips: total(({ chips }) => chips),
    jobs_placed: total(({ jobsPlaced }) => jobsPlaced),
    jobs_waiting: total(({ jobsWaiting }) => jobsWaiting),
    types: pools.map((pool) => ({
      tpu_type: pool.tpuType,
      chips: pool.chips,
      available_chips: pool.availableChips,
      rated_tasks_per_sec: ratedTasksPerSecOfPool(pool),
    })),
  };
}

function viewType(type: TpuType, states: readonly PoolState[]): TpuFleetView['types'][number] {
  const pools = states.filter(({ tpuType }) => tpuType === type);
  return {
    tpu_type: type,
    chips: chipsOfType(type),
    available_chips: pools.reduce((sum, { availableChips }) => sum + availableChips, 0),
    rated_tasks_per_sec: ratedTasksPerSecOf(type),
    zones: TPU_POOLS.filter(({ tpuType }) => tpuType === type).map(({ zone }) => zone),
    peak_bf16_tflops_per_chip: TPU_CHIPS[type].bf16Tflops,
    pod_chips: TPU_CHIPS[type].podChips,
    slice_chips: [...sliceSizesOfType(type)],
  };
}

/** Registers the routes below `/tpu`. */
export function tpuRoutes(app: ServiceApp, context: RouteContext): void {
  const { deps, envelopes } = context;
  const { tpu, cpuModel } = deps;
  const { tpu_job: tpuJobs } = deps.kinds;
  const submissions = new JobSubmissions(deps, envelopes, tpuJobs);

  showRoute(app, context, {
    path: '/tpu/fleet',
    operationId: 'getTpuFleet',
    tag: 'tpu',
    summary: 'The modelled TPU fleet as it stands',
    answer: tpuFleet,
    view: () => viewTpuFleet(tpu, cpuModel),
  });

  submissionRoute(app, tpuJobs.definition, submissions, {
    path: '/tpu/jobs',
    operationId: 'submitTpuJob',
    tag: 'tpu',
    summary: 'Submit a TPU job',
    description:
      'Answers at once. The job waits for a slice of the modelled fleet; then its work runs on this node. The record has what ran it, the measured duration, and the modelled one.',
    schema: tpuJobBody,
    bodyLimit: MAX_PROCEDURE_BODY_BYTES,
    body: () => tpuJobs.body,
  });

  jobRecordRoutes(app, context, tpuJobs, submissions);
}
