/** What does the work of tasks and TPU jobs: the processes that run it, the agents, the planner, the fleet. */
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

const LOOK_EVERY_MS = 1000;

/** What the processes that run procedures look them up in. */
export const PROCEDURE_CATALOG = new URL(
  `./procedure-catalog${extname(import.meta.url)}`,
  import.meta.url,
);

/** What runs procedures, as far as it is needed here. */
export type WorkPool = Pick<
  ProcedurePool,
  'start' | 'run' | 'admit' | 'withdraw' | 'queuePosition' | 'load' | 'close'
>;

/** What it is made with. */
export interface WorkforceOptions {
  /** Closed with it. */
  readonly pool: WorkPool;
  /** What circuits run on: when one of them comes or goes, everything is tested anew. */
  readonly processors: readonly Pick<Processor, 'availability'>[];
  /** TPU jobs that may wait for chips. */
  readonly queueLimit: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back; `performance.now()` unless given. */
  readonly elapsedMs?: () => number;
}

/** All of it. */
export class Workforce {
  readonly pool: WorkPool;
  readonly agents: AgentRoster;
  readonly planner: Planner;
  readonly tpu: { readonly fleet: TpuFleet; readonly work: MonitoredProcedures };

  readonly #processors: WorkforceOptions['processors'];
  #wereAvailable = '';
  #watching: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor({ pool, processors, queueLimit, now, elapsedMs }: WorkforceOptions) {
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

  /** Has the first process started; that it cannot be is found out, and told of, by self-tests. */
  async prepare(): Promise<void> {
    await this.pool.start().catch(() => undefined);
  }

  /** Runs the first self-tests. */
  async start(): Promise<void> {
    this.#wereAvailable = this.#areAvailable();
    this.#watching = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
    for (const each of this.#served) await each.start();
    await this.planner.start();
  }

  /** Self-tests that are due in a minute would tell of a processor that went a minute late. */
  #look(): void {
    const areAvailable = this.#areAvailable();
    if (areAvailable === this.#wereAvailable) return;
    this.#wereAvailable = areAvailable;
    for (const each of this.#served) void each.start();
    void this.planner.start();
  }

  #areAvailable(): string {
    return this.#processors.map((each) => Number(each.availability().available)).join('');
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
    clearInterval(this.#watching);
    for (const each of this.#served) each.close();
    this.planner.close();
    await this.pool.close(graceMs);
  }

  get #served(): readonly MonitoredProcedures[] {
    return [...this.agents.agents, this.tpu.work];
  }
}
