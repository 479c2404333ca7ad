/** What does the work of tasks and TPU jobs: the processes that run it, the agents, the planner, the fleet. */
import { extname } from 'node:path';
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

/** What the processes that run procedures look them up in. */
export const PROCEDURE_CATALOG = new URL(
  `./procedure-catalog${extname(import.meta.url)}`,
  import.meta.url,
);

/** What runs procedures, as far as it is needed here. */
export type WorkPool = Pick<
  ProcedurePool,
  'start' | 'run' | 'admit' | 'queuePosition' | 'load' | 'close'
>;

/** What it is made with. */
export interface WorkforceOptions {
  /** Closed with it. */
  readonly pool: WorkPool;
  /** TPU jobs that may wait for chips. */
  readonly queueLimit: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** All of it. */
export class Workforce {
  readonly pool: WorkPool;
  readonly agents: AgentRoster;
  readonly planner: Planner;
  readonly tpu: { readonly fleet: TpuFleet; readonly work: MonitoredProcedures };

  #isClosed = false;

  constructor({ pool, queueLimit, now }: WorkforceOptions) {
    this.pool = pool;
    const served = { pool, now };
    this.agents = new AgentRoster(served);
    this.planner = new Planner({ agents: this.agents, now });
    this.tpu = {
      fleet: new TpuFleet({ queueLimit }),
      work: new MonitoredProcedures(TPU, served),
    };
  }

  /** Has the first process started; that it cannot be is found out, and told of, by self-tests. */
  async prepare(): Promise<void> {
    await this.pool.start().catch(() => undefined);
  }

  /** Runs the first self-tests. */
  async start(): Promise<void> {
    for (const each of this.#served) await each.start();
    await this.planner.start();
  }

  /** Measures how fast everything is, one after the other: each has what there is to itself. */
  async measure(): Promise<void> {
    for (const each of this.#served) {
      if (this.#isClosed) return;
      // What cannot be measured is found out, and told of, by its next self-test.
      await each.measure().catch(() => undefined);
    }
  }

  /** What does work and why what does not, a line each. */
  describe(): readonly string[] {
    return this.#served.map((each) => {
      const { available, reason } = each.availability();
      return `${each.owner.id}: ${available ? 'available' : `not available. ${reason}`}`;
    });
  }

  /** Ends self-tests; what runs after `graceMs` is ended. */
  async close(graceMs = 0): Promise<void> {
    this.#isClosed = true;
    for (const each of this.#served) each.close();
    this.planner.close();
    await this.pool.close(graceMs);
  }

  get #served(): readonly MonitoredProcedures[] {
    return [...this.agents.agents, this.tpu.work];
  }
}
