/** List of all agents, in the order of listings. */
import type { PlanAgents } from '../plans/make-plan.ts';
import type { Agent } from './agent.ts';
import { computationAgent } from './computation/computation-agent.ts';
import { designAgent } from './design/design-agent.ts';
import { researchAgent } from './research/research-agent.ts';
import { roboticsAgent } from './robotics/robotics-agent.ts';
import { securityAgent } from './security/security-agent.ts';

/** All agents. */
export const AGENTS: readonly Agent[] = [
  computationAgent,
  researchAgent,
  securityAgent,
  designAgent,
  roboticsAgent,
];

/** Agents and procedures that plans can name. */
export const PLAN_AGENTS: PlanAgents = {
  ids: AGENTS.map(({ id }) => id),
  proceduresOf: (agent) => AGENTS.find(({ id }) => id === agent)?.procedures,
};
