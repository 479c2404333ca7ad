/** An agent: procedures under one name, which callers execute as tasks. */
import type { Procedure } from '../procedures/procedure.ts';

/** The agents' ids. */
export const AGENT_IDS = ['computation', 'research', 'security', 'design', 'robotics'] as const;

/** Name of an agent. */
export type AgentId = (typeof AGENT_IDS)[number];

/** An agent: a named group of procedures with a self-test. */
export interface Agent {
  readonly id: AgentId;
  readonly name: string;
  /** As the specification names it. */
  readonly kind: 'Computation' | 'Research' | 'Security' | 'Design' | 'Robotics';
  /** One or two sentences. */
  readonly description: string;
  /** The tasks it takes, in the order in which they are listed. */
  readonly procedures: readonly Procedure[];
  /**
   * Its self-test and micro-benchmark: a task of a few milliseconds with a known answer, which goes the
   * way of requests.
   */
  readonly selfTest: SelfTestTask;
}

/** A task with a known answer. */
export interface SelfTestTask {
  /** The name of one of its procedures. */
  readonly task: string;
  readonly input: Procedure['example'];
  /** The fault of a self-test's result; undefined if it is right. */
  readonly faultOf: (result: Awaited<ReturnType<Procedure['run']>>) => string | undefined;
}
