/** Gauges that are read at each scrape: fleet, jobs, models, agents, planner, TPU fleet and process pool. */
import type { Registry } from 'prom-client';
import type { DeviceDirectory } from '../../fleet/fleet-device.ts';
import { JOB_KINDS } from '../../jobs/job.ts';
import type { Planner } from '../../workloads/plans/planner.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import type {
  AgentDirectory,
  Jobs,
  ModelDirectory,
  ProcessorDirectory,
  TpuDirectory,
} from '../directories.ts';
import type { Readers } from '../http/reading/readers.ts';
import { makersIn } from './totals.ts';

/** Sources of the live metrics. */
export interface LiveSources {
  readonly fleet: ProcessorDirectory;
  readonly devices: DeviceDirectory;
  readonly readers: Pick<Readers, 'load'>;
  readonly models: Pick<ModelDirectory, 'models'>;
  readonly jobs: Pick<Jobs, 'inHand'>;
  readonly settings: { readonly version: string };
}

const ENDINGS = ['completed', 'failed', 'lost'] as const;

/** Makes the gauges of fleet, jobs and models; returns the function that reads all sources once. */
export function liveMetrics(registry: Registry): (sources: LiveSources) => void {
  const { gauge } = makersIn(registry);
  const readProcessors = processorGauges(registry);
  const readDevices = deviceGauges(registry);
  const inFlight = gauge(
    'qcs_jobs_in_flight',
    'Jobs that this process has in hand, by kind and whether their work has begun.',
    'kind',
    'status',
  );
  const bodies = gauge(
    'qcs_bodies_to_read',
    'Bodies that wait for a process that reads them, and those that are read.',
    'status',
  );
  const bodyBytes = gauge(
    'qcs_bodies_to_read_bytes',
    'Bytes of the large bodies that arrive, wait or are read.',
  );
  const available = gauge(
    'qcs_model_available',
    '1 if an inference would run now, else 0.',
    'model',
  );
  const build = gauge('qcs_build_info', '1, with what runs in its labels.', 'version', 'nodejs');

  return ({ fleet, devices, readers, models, jobs, settings }) => {
    const { waiting, running, bytes } = readers.load();
    bodies.set({ status: 'waiting' }, waiting);
    bodies.set({ status: 'running' }, running);
    bodyBytes.set(bytes);
    readProcessors(fleet);
    readDevices(devices);
    for (const kind of JOB_KINDS) {
      for (const status of ['queued', 'running']) inFlight.set({ kind, status }, 0);
    }
    for (const { job, hasBegun } of jobs.inHand()) {
      inFlight.inc({ kind: job.kind, status: hasBegun ? 'running' : 'queued' });
    }
    for (const model of models.models) {
      available.set({ model: model.id }, Number(model.availability().available));
    }
    build.set({ version: settings.version, nodejs: process.versions.node }, 1);
  };
}

function processorGauges(registry: Registry): (fleet: LiveSources['fleet']) => void {
  const { gauge } = makersIn(registry);
  const available = gauge(
    'qcs_processor_available',
    '1 if a circuit would be taken now, else 0.',
    'processor',
  );
  const queueDepth = gauge(
    'qcs_processor_queue_depth',
    'Tasks waiting for what runs circuits, those of processors that share it together.',
    'processor',
  );
  const running = gauge(
    'qcs_processor_running',
    'Tasks of the processor that run now.',
    'processor',
  );
  const expectedWait = gauge(
    'qcs_processor_expected_wait_seconds',
    'Until a small or wide circuit sent now would start, as planned; none while unavailable.',
    'processor',
    'width',
  );
  const physicalGpus = gauge(
    'qcs_processor_physical_gpus',
    'GPUs that are there and well, software adapters not counted.',
    'processor',
  );

  return ({ processors }) => {
    expectedWait.reset();
    for (const { spec, ...rest } of processors.map(snapshotOf)) {
      const processor = spec.id;
      available.set({ processor }, Number(rest.isAvailable));
      queueDepth.set({ processor }, rest.load.queueDepth);
      running.set({ processor }, rest.load.running);
      if (spec.physicalGpus !== undefined) physicalGpus.set({ processor }, spec.physicalGpus);
      if (!rest.isAvailable) continue;
      const waits = { small: rest.load.expectedWaitMs, wide: rest.load.expectedWideWaitMs };
      for (const [width, waitMs] of Object.entries(waits)) {
        // An infinite wait, or one that a vendor decides, has no expected value.
        if (waitMs !== undefined && Number.isFinite(waitMs))
          expectedWait.set({ processor, width }, waitMs / 1000);
      }
    }
  };
}

function snapshotOf(processor: LiveSources['fleet']['processors'][number]) {
  return {
    spec: processor.spec,
    isAvailable: processor.availability().available,
    load: processor.load(),
  };
}

function deviceGauges(registry: Registry): (directory: DeviceDirectory) => void {
  const { gauge, counter } = makersIn(registry);
  const byState = gauge('qcs_fleet_devices', 'Devices of the fleet, each in one state.', 'state');
  const busyNow = gauge(
    'qcs_fleet_devices_busy',
    'Devices that run circuits now, whatever their state.',
  );
  const busyTime = counter(
    'qcs_fleet_device_busy_seconds_total',
    'Time that a device had a circuit.',
    'device',
  );
  const tasks = counter(
    'qcs_fleet_device_tasks_total',
    'Circuits and batches that ended on a device, by how they ended.',
    'device',
    'ending',
  );

  return (directory) => {
    const { available, inMaintenance, quarantined, busy } = directory.summary();
    byState.set({ state: 'available' }, available);
    byState.set({ state: 'maintenance' }, inMaintenance);
    byState.set({ state: 'quarantined' }, quarantined);
    busyNow.set(busy);
    // The fleet keeps totals of its own, so they replace the previous values.
    busyTime.reset();
    tasks.reset();
    for (const { id: device, counters } of directory.devices()) {
      busyTime.inc({ device }, counters.busyMs / 1000);
      for (const ending of ENDINGS) tasks.inc({ device, ending }, counters[ending]);
    }
  };
}

/** Sources of the metrics of tasks and TPU jobs. */
export interface WorkSources {
  readonly agents: AgentDirectory;
  readonly planner: Pick<Planner, 'availability'>;
  readonly tpu: TpuDirectory;
  readonly pool: Pick<ProcedurePool, 'load'>;
}

const OUTCOMES = ['completed', 'failed', 'cancelled'] as const;

/**
 * Makes the metrics of tasks and TPU jobs, without those that all jobs share; returns the function that reads all
 * sources once.
 */
export function workMetrics(registry: Registry): (sources: WorkSources) => void {
  const { gauge, counter } = makersIn(registry);
  const available = gauge(
    'qcs_work_available',
    '1 if an agent, the planner (asi) or the TPU fleet (tpu) would take work now, else 0.',
    'owner',
  );
  const runs = gauge('qcs_work_runs', 'Runs of procedures, by owner and state.', 'owner', 'state');
  const finished = counter(
    'qcs_work_runs_total',
    'Runs of procedures that ended, by owner and outcome; self-tests are not among them.',
    'owner',
    'outcome',
  );
  const durations = gauge(
    'qcs_work_run_seconds',
    'Duration of the last 256 completed runs; none before the first.',
    'owner',
    'quantile',
  );
  const processes = gauge(
    'qcs_work_processes',
    'Processes that run procedures, by state.',
    'state',
  );
  const waitingRuns = gauge('qcs_work_waiting', 'Runs that wait for a process.');
  const chips = gauge(
    'qcs_tpu_chips',
    'Chips of the modelled TPU fleet, by state.',
    'zone',
    'tpu_type',
    'state',
  );
  const placements = gauge(
    'qcs_tpu_jobs',
    'TPU jobs that have their chips, or wait for them.',
    'zone',
    'tpu_type',
    'state',
  );

  return ({ agents, planner, tpu, pool }) => {
    // The sources keep totals of their own, so they replace the previous values.
    finished.reset();
    durations.reset();
    for (const served of [...agents.agents, tpu.work]) {
      const owner = served.owner.id;
      const figures = served.statistics();
      const { queued, running } = served.load;
      available.set({ owner }, Number(served.availability().available));
      runs.set({ owner, state: 'queued' }, queued);
      runs.set({ owner, state: 'running' }, running);
      for (const outcome of OUTCOMES) finished.inc({ owner, outcome }, figures[outcome]);
      const { p50Ms, p95Ms } = figures;
      if (p50Ms !== null) durations.set({ owner, quantile: '0.5' }, p50Ms / 1000);
      if (p95Ms !== null) durations.set({ owner, quantile: '0.95' }, p95Ms / 1000);
    }
    available.set({ owner: 'asi' }, Number(planner.availability().available));
    const { processes: numProcesses, running, waiting } = pool.load();
    processes.set({ state: 'running' }, running);
    processes.set({ state: 'idle' }, Math.max(0, numProcesses - running));
    waitingRuns.set(waiting);
    for (const { zone, tpuType: tpu_type, ...state } of tpu.fleet.snapshot().pools) {
      chips.set({ zone, tpu_type, state: 'available' }, state.availableChips);
      chips.set({ zone, tpu_type, state: 'in_use' }, state.inUseChips);
      placements.set({ zone, tpu_type, state: 'placed' }, state.jobsPlaced);
      placements.set({ zone, tpu_type, state: 'waiting' }, state.jobsWaiting);
    }
  };
}
