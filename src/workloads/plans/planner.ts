/**
 * Availability of the planner, by a self-test: a plan of two tasks, the second of which uses the first's
 * result, must give its known answer. It runs the same way as other plans.
 */
import { HealthMonitor } from '../../fleet/health-monitor.ts';
import type { Availability } from '../../fleet/processor.ts';
import type { AgentRoster } from '../agents/agent-roster.ts';
import { PLAN_AGENTS } from '../agents/agents.ts';
import { WorkUnavailableError } from '../errors.ts';
import { SELF_TEST_WAIT_MS } from '../monitored-procedures.ts';
import type { JsonObject } from '../procedures/json.ts';
import { makePlan } from './make-plan.ts';
import type { PlanTask } from './plan.ts';
import { runPlan } from './run-plan.ts';

const SELF_TEST: readonly PlanTask[] = [
  { name: 'product', agent: 'computation', task: 'evaluate', input: { expression: '6 * 7' } },
  {
    name: 'successor',
    agent: 'computation',
    task: 'evaluate',
    input: { expression: 'x + 1', scope: { x: { $from: 'product', path: 'result' } } },
  },
];
const KNOWN_ANSWER = 43;
const INTERVAL_MS = 60_000;
const LIMIT_MS = 20_000;

/** Agents and clock of the planner. */
export interface PlannerOptions {
  readonly agents: AgentRoster;
  /** Wall clock, milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** Monitors planning. */
export class Planner {
  readonly #agents: AgentRoster;
  readonly #monitor: HealthMonitor;
  #numSelfTests = 0;

  constructor({ agents, now }: PlannerOptions) {
    this.#agents = agents;
    this.#monitor = new HealthMonitor({
      selfTest: (onStarted, signal) => this.#selfTest(onStarted, signal),
      lastSignOfLife: () => -Infinity,
      onChange: () => {},
      now,
      intervalMs: INTERVAL_MS,
      limitMs: LIMIT_MS,
      stallMs: SELF_TEST_WAIT_MS,
      work: 'plan',
    });
  }

  /** Outcome of the last self-test. */
  availability(): Availability {
    return this.#monitor.availability;
  }

  /** @throws {WorkUnavailableError} if the planner is unavailable. */
  admit(): void {
    const { available, reason = '', retryAfterS } = this.availability();
    if (!available) throw new WorkUnavailableError('The planner', reason, retryAfterS);
  }

  /** Runs the first self-test; further ones follow at intervals. */
  start(): Promise<void> {
    return this.#monitor.check();
  }

  /** Stops self-tests. */
  close(): void {
    this.#monitor.close();
  }

  async #selfTest(onStarted: () => void, signal: AbortSignal): Promise<string | undefined> {
    const made = makePlan(SELF_TEST, PLAN_AGENTS);
    if ('faults' in made) return `Its own plan has a fault: ${made.faults[0]?.message}`;
    const results = await runPlan(made.steps, {
      onProgress: () => {},
      runStep: async ({ name, agent, task }, input) => {
        const served = this.#agents.get(agent);
        if (served === undefined) throw new Error(`unreachable: there is no agent ${agent}`);
        const outcome = await served.runSelfTest(
          `plan-${this.#numSelfTests++}`,
          task,
          input,
          // The self-test's time limit starts with the second task: either task may have to wait for a
          // process.
          name === 'successor' ? { onStarted } : {},
          signal,
        );
        // Safe: the pool returns the text of a JSON object.
        return JSON.parse(outcome.resultJson) as JsonObject;
      },
    });
    const answer = results.get('successor')?.['result'];
    return answer === KNOWN_ANSWER ? undefined : `It came to ${JSON.stringify(answer)}, not 43.`;
  }
}
