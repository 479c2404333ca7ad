/** Gauges of agents, planner, TPU fleet and the process pool, read at each scrape. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Planner } from '../../workloads/plans/planner.ts';
import type { ProcedurePool } from '../../workloads/procedures/procedure-pool.ts';
import type { AgentDirectory, TpuDirectory } from '../directories.ts';

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
