/** Registry of the agents in service, by id. */

import { MonitoredProcedures, type MonitoredProceduresOptions } from '../monitored-procedures.ts';
import type { Agent } from './agent.ts';
import { AGENTS } from './agents.ts';

/** An agent in service. */
export type ServedAgent = MonitoredProcedures<Agent & { readonly title: string }>;

/** All agents. */
export class AgentRoster {
  readonly agents: readonly ServedAgent[];

  constructor(options: MonitoredProceduresOptions, agents: readonly Agent[] = AGENTS) {
    this.agents = agents.map(
      (agent) => new MonitoredProcedures({ ...agent, title: `The ${agent.id} agent` }, options),
    );
  }

  /** The agent with this id. */
  get(id: string): ServedAgent | undefined {
    return this.agents.find(({ owner }) => owner.id === id);
  }
}
