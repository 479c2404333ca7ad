/** An agent: a named group of procedures, which callers execute as tasks. */
import type { Procedure } from '../procedures/procedure.ts';

/** The agents' ids. */
export const AGENT_IDS = ['computation', 'research', 'security', 'design', 'robotics'] as const;

/** Name of an agent. */
export type AgentId = (typeof AGENT_IDS)[number];

/** An agent: a named group of procedures with a self-test. */
export interface Agent {
  readonly id: AgentId;
  readonly name: string;
  /** Display name, as in the specification. */
  readonly kind: 'Computation' | 'Research' | 'Security' | 'Design' | 'Robotics';
  /** Description in one or two sentences. */
  readonly description: string;
  /** Procedures of its tasks, in the order of listings. */
  readonly procedures: readonly Procedure[];
  /**
   * Self-test and micro-benchmark: a task of a few milliseconds with a known answer, run the same way as
   * a request.
   */
  readonly selfTest: SelfTestTask;
}

/** A task with a known answer. */
export interface SelfTestTask {
  /** Name of one of the agent's procedures. */
  readonly task: string;
  readonly input: Procedure['example'];
  /** Returns the fault of the self-test's result; undefined if the result is right. */
  readonly faultOf: (result: Awaited<ReturnType<Procedure['run']>>) => string | undefined;
}
