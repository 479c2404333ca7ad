/** Everything that runs tasks and TPU jobs: the process pool, the agents, the planner and the TPU fleet. */
import { extname } from 'node:path';
import type { Processor } from '../fleet/processor.ts';
import { AgentRoster } from './agents/agent-roster.ts';
import { MonitoredProcedures, type ProcedureOwner } from './monitored-procedures.ts';
import { Planner } from './plans/planner.ts';
import type { ProcedurePool } from './procedures/procedure-pool.ts';
import { TpuFleet } from './tpu/tpu-fleet.ts';
import { TPU_OWNER, TPU_PROCEDURES, TPU_SELF_TEST } from './tpu/tpu-procedures.ts';

const TPU: ProcedureOwner = {
  id: TPU_OWNER,
  title: 'The TPU fleet',
  procedures: TPU_PROCEDURES,
  selfTest: TPU_SELF_TEST,
};

/** Interval at which the processors' availability is compared. */
const CHECK_EVERY_MS = 1000;

/** Module in which the processes find procedures by name. */
export const PROCEDURE_CATALOG = new URL(
  `./procedure-catalog${extname(import.meta.url)}`,
  import.meta.url,
);

/** The part of a ProcedurePool that workloads use. */
export type WorkPool = Pick<
  ProcedurePool,
  'start' | 'run' | 'admit' | 'withdraw' | 'queuePosition' | 'load' | 'close'
>;

/** Settings of the workloads. */
export interface WorkloadsOptions {
  /** Pool of processes; closed with the workloads. */
  readonly pool: WorkPool;
  /** Processors that run circuits. When the availability of one changes, every self-test runs again. */
  readonly processors: readonly Pick<Processor, 'availability'>[];
  /** TPU jobs that may wait for chips. */
  readonly queueLimit: number;
  /** Wall clock, milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Monotonic clock, milliseconds; `performance.now()` unless given. */
  readonly elapsedMs?: () => number;
}

/** The agents, the planner and the TPU fleet over one pool of processes. */
export class Workloads {
  readonly pool: WorkPool;
  readonly agents: AgentRoster;
  readonly planner: Planner;
  readonly tpu: { readonly fleet: TpuFleet; readonly work: MonitoredProcedures };

  readonly #processors: WorkloadsOptions['processors'];
  #wereAvailable = '';
  #watching: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ pool, processors, queueLimit, now, elapsedMs }: WorkloadsOptions) {
    this.#processors = processors;
    this.pool = pool;
    const served = { pool, now, elapsedMs };
    this.agents = new AgentRoster(served);
    this.planner = new Planner({ agents: this.agents, now });
    this.tpu = {
      fleet: new TpuFleet({ queueLimit }),
      work: new MonitoredProcedures(TPU, served),
    };
  }

  /** Starts the first process. A failure is not reported here: the self-tests find and report it. */
  async prepare(): Promise<void> {
    await this.pool.start().catch(() => undefined);
  }

  /** Runs the first self-tests. */
  async start(): Promise<void> {
    this.#wereAvailable = this.#areAvailable();
    this.#watching = setInterval(() => this.#checkProcessors(), CHECK_EVERY_MS).unref();
    for (const each of this.#served) await each.start();
    await this.planner.start();
  }

  /**
   * Runs the self-tests when a processor becomes available or unavailable: the next scheduled ones may be
   * a minute away.
   */
  #checkProcessors(): void {
    const areAvailable = this.#areAvailable();
    if (areAvailable === this.#wereAvailable) return;
    this.#wereAvailable = areAvailable;
    for (const each of this.#served) void each.start();
    void this.planner.start();
  }

  #areAvailable(): string {
    return this.#processors.map((each) => Number(each.availability().available)).join('');
  }

  /** Measures how fast each owner's procedures are, one owner at a time, so that they do not compete. */
  async measure(): Promise<void> {
    for (const each of this.#served) {
      if (this.#isClosed) return;
      // A failure is found and reported by the next self-test.
      await each.measure().catch(() => undefined);
    }
  }

  /** Availability of each owner, with the reason if it is unavailable; one line each. */
  describe(): readonly string[] {
    return this.#served.map((each) => {
      const { available, reason } = each.availability();
      return `${each.owner.id}: ${available ? 'available' : `not available. ${reason}`}`;
    });
  }

  /** Ends the self-tests, and after `graceMs` milliseconds all calls that still run. */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#watching);
    for (const each of this.#served) each.close();
    this.planner.close();
    await this.pool.close(graceMs);
  }

  get #served(): readonly MonitoredProcedures[] {
    return [...this.agents.agents, this.tpu.work];
  }
}
