/** Gauges that are read at each scrape: of fleet, jobs and models, and of agents, planner, TPU fleet and the process pool. */
import { Counter, Gauge, type Registry } from 'prom-client';
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

/** Gauges that are read at each scrape. */
export class LiveMetrics {
  readonly #processors: ProcessorGauges;
  readonly #devices: DeviceGauges;
  readonly #jobs: Gauge<'kind' | 'status'>;
  readonly #reading: Gauge<'status'>;
  readonly #readingBytes: Gauge;
  readonly #models: Gauge<'model'>;
  readonly #build: Gauge<'version' | 'nodejs'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#processors = new ProcessorGauges(registry);
    this.#devices = new DeviceGauges(registry);
    this.#jobs = new Gauge({
      name: 'qcs_jobs_in_flight',
      help: 'Jobs that this process has in hand, by kind and whether their work has begun.',
      labelNames: ['kind', 'status'],
      registers,
    });
    this.#reading = new Gauge({
      name: 'qcs_bodies_to_read',
      help: 'Bodies that wait for a process that reads them, and those that are read.',
      labelNames: ['status'],
      registers,
    });
    this.#readingBytes = new Gauge({
      name: 'qcs_bodies_to_read_bytes',
      help: 'Bytes of the large bodies that arrive, wait or are read.',
      registers,
    });
    this.#models = new Gauge({
      name: 'qcs_model_available',
      help: '1 if an inference would run now, else 0.',
      labelNames: ['model'],
      registers,
    });
    this.#build = new Gauge({
      name: 'qcs_build_info',
      help: '1, with what runs in its labels.',
      labelNames: ['version', 'nodejs'],
      registers,
    });
  }

  /** Reads all sources once. */
  read({ fleet, devices, readers, models, jobs, settings }: LiveSources): void {
    const { waiting, running, bytes } = readers.load();
    this.#reading.set({ status: 'waiting' }, waiting);
    this.#reading.set({ status: 'running' }, running);
    this.#readingBytes.set(bytes);
    this.#processors.read(fleet);
    this.#devices.read(devices);
    for (const kind of JOB_KINDS) {
      for (const status of ['queued', 'running']) this.#jobs.set({ kind, status }, 0);
    }
    for (const { job, hasBegun } of jobs.inHand()) {
      this.#jobs.inc({ kind: job.kind, status: hasBegun ? 'running' : 'queued' });
    }
    for (const model of models.models) {
      this.#models.set({ model: model.id }, Number(model.availability().available));
    }
    this.#build.set({ version: settings.version, nodejs: process.versions.node }, 1);
  }
}

class ProcessorGauges {
  readonly #available: Gauge<'processor'>;
  readonly #queueDepth: Gauge<'processor'>;
  readonly #running: Gauge<'processor'>;
  readonly #expectedWait: Gauge<'processor' | 'width'>;
  readonly #physicalGpus: Gauge<'processor'>;

  constructor(registry: Registry) {
    const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
      new Gauge({ name, help, labelNames, registers: [registry] });
    this.#available = gauge(
      'qcs_processor_available',
      '1 if a circuit would be taken now, else 0.',
      'processor',
    );
    this.#queueDepth = gauge(
      'qcs_processor_queue_depth',
      'Tasks waiting for what runs circuits, those of processors that share it together.',
      'processor',
    );
    this.#running = gauge(
      'qcs_processor_running',
      'Tasks of the processor that run now.',
      'processor',
    );
    this.#expectedWait = gauge(
      'qcs_processor_expected_wait_seconds',
      'Until a small or wide circuit sent now would start, as planned; none while unavailable.',
      'processor',
      'width',
    );
    this.#physicalGpus = gauge(
      'qcs_processor_physical_gpus',
      'GPUs that are there and well, software adapters not counted.',
      'processor',
    );
  }

  read({ processors }: LiveSources['fleet']): void {
    this.#expectedWait.reset();
    for (const { spec, ...rest } of processors.map(snapshotOf)) {
      const processor = spec.id;
      this.#available.set({ processor }, Number(rest.isAvailable));
      this.#queueDepth.set({ processor }, rest.load.queueDepth);
      this.#running.set({ processor }, rest.load.running);
      if (spec.physicalGpus !== undefined) {
        this.#physicalGpus.set({ processor }, spec.physicalGpus);
      }
      if (!rest.isAvailable) continue;
      const waits = { small: rest.load.expectedWaitMs, wide: rest.load.expectedWideWaitMs };
      for (const [width, waitMs] of Object.entries(waits)) {
        // An infinite wait, or one that a vendor decides, has no expected value.
        if (waitMs !== undefined && Number.isFinite(waitMs))
          this.#expectedWait.set({ processor, width }, waitMs / 1000);
      }
    }
  }
}

function snapshotOf(processor: LiveSources['fleet']['processors'][number]) {
  return {
    spec: processor.spec,
    isAvailable: processor.availability().available,
    load: processor.load(),
  };
}

class DeviceGauges {
  readonly #byState: Gauge<'state'>;
  readonly #busy: Gauge;
  readonly #busyTime: Counter<'device'>;
  readonly #tasks: Counter<'device' | 'ending'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#byState = new Gauge({
      name: 'qcs_fleet_devices',
      help: 'Devices of the fleet, each in one state.',
      labelNames: ['state'],
      registers,
    });
    this.#busy = new Gauge({
      name: 'qcs_fleet_devices_busy',
      help: 'Devices that run circuits now, whatever their state.',
      registers,
    });
    this.#busyTime = new Counter({
      name: 'qcs_fleet_device_busy_seconds_total',
      help: 'Time that a device had a circuit.',
      labelNames: ['device'],
      registers,
    });
    this.#tasks = new Counter({
      name: 'qcs_fleet_device_tasks_total',
      help: 'Circuits and batches that ended on a device, by how they ended.',
      labelNames: ['device', 'ending'],
      registers,
    });
  }

  read(directory: LiveSources['devices']): void {
    const { available, inMaintenance, quarantined, busy } = directory.summary();
    this.#byState.set({ state: 'available' }, available);
    this.#byState.set({ state: 'maintenance' }, inMaintenance);
    this.#byState.set({ state: 'quarantined' }, quarantined);
    this.#busy.set(busy);
    // The fleet keeps totals of its own, so they replace the previous values.
    this.#busyTime.reset();
    this.#tasks.reset();
    for (const { id: device, counters } of directory.devices()) {
      this.#busyTime.inc({ device }, counters.busyMs / 1000);
      for (const ending of ENDINGS) this.#tasks.inc({ device, ending }, counters[ending]);
    }
  }
}

/** Sources of the metrics of tasks and TPU jobs. */
export interface WorkSources {
  readonly agents: AgentDirectory;
  readonly planner: Pick<Planner, 'availability'>;
  readonly tpu: TpuDirectory;
  readonly pool: Pick<ProcedurePool, 'load'>;
}

const OUTCOMES = ['completed', 'failed', 'cancelled'] as const;

/** Metrics of tasks and TPU jobs, without those that all jobs share. */
export class WorkMetrics {
  readonly #available: Gauge<'owner'>;
  readonly #runs: Gauge<'owner' | 'state'>;
  readonly #finished: Counter<'owner' | 'outcome'>;
  readonly #durations: Gauge<'owner' | 'quantile'>;
  readonly #processes: Gauge<'state'>;
  readonly #waiting: Gauge;
  readonly #chips: Gauge<'zone' | 'tpu_type' | 'state'>;
  readonly #placements: Gauge<'zone' | 'tpu_type' | 'state'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const gauge = <L extends string>(name: string, help: string, ...labelNames: L[]): Gauge<L> =>
      new Gauge({ name, help, labelNames, registers });
    this.#available = gauge(
      'qcs_work_available',
      '1 if an agent, the planner (asi) or the TPU fleet (tpu) would take work now, else 0.',
      'owner',
    );
    this.#runs = gauge(
      'qcs_work_runs',
      'Runs of procedures, by owner and state.',
      'owner',
      'state',
    );
    this.#finished = new Counter({
      name: 'qcs_work_runs_total',
      help: 'Runs of procedures that ended, by owner and outcome; self-tests are not among them.',
      labelNames: ['owner', 'outcome'],
      registers,
    });
    this.#durations = gauge(
      'qcs_work_run_seconds',
      'Duration of the last 256 completed runs; none before the first.',
      'owner',
      'quantile',
    );
    this.#processes = gauge(
      'qcs_work_processes',
      'Processes that run procedures, by state.',
      'state',
    );
    this.#waiting = gauge('qcs_work_waiting', 'Runs that wait for a process.');
    this.#chips = gauge(
      'qcs_tpu_chips',
      'Chips of the modelled TPU fleet, by state.',
      'zone',
      'tpu_type',
      'state',
    );
    this.#placements = gauge(
      'qcs_tpu_jobs',
      'TPU jobs that have their chips, or wait for them.',
      'zone',
      'tpu_type',
      'state',
    );
  }

  /** Reads all sources once. */
  read({ agents, planner, tpu, pool }: WorkSources): void {
    // The sources keep totals of their own, so they replace the previous values.
    this.#finished.reset();
    this.#durations.reset();
    for (const served of [...agents.agents, tpu.work]) {
      const owner = served.owner.id;
      const figures = served.statistics();
      const { queued, running } = served.load;
      this.#available.set({ owner }, Number(served.availability().available));
      this.#runs.set({ owner, state: 'queued' }, queued);
      this.#runs.set({ owner, state: 'running' }, running);
      for (const outcome of OUTCOMES) this.#finished.inc({ owner, outcome }, figures[outcome]);
      const { p50Ms, p95Ms } = figures;
      if (p50Ms !== null) this.#durations.set({ owner, quantile: '0.5' }, p50Ms / 1000);
      if (p95Ms !== null) this.#durations.set({ owner, quantile: '0.95' }, p95Ms / 1000);
    }
    this.#available.set({ owner: 'asi' }, Number(planner.availability().available));
    const { processes, running, waiting } = pool.load();
    this.#processes.set({ state: 'running' }, running);
    this.#processes.set({ state: 'idle' }, Math.max(0, processes - running));
    this.#waiting.set(waiting);
    for (const { zone, tpuType: tpu_type, ...state } of tpu.fleet.snapshot().pools) {
      this.#chips.set({ zone, tpu_type, state: 'available' }, state.availableChips);
      this.#chips.set({ zone, tpu_type, state: 'in_use' }, state.inUseChips);
      this.#placements.set({ zone, tpu_type, state: 'placed' }, state.jobsPlaced);
      this.#placements.set({ zone, tpu_type, state: 'waiting' }, state.jobsWaiting);
    }
  }
}
