/** Interfaces of the layers below that the service uses: processors, models, agents, TPU fleet and jobs. */
import type { Processor } from '../fleet/processor.ts';
import type { Job } from '../jobs/job.ts';
import type { JobRunner } from '../jobs/job-runner.ts';
import type { AgentRoster } from '../workloads/agents/agent-roster.ts';
import type { Model } from '../workloads/models/model.ts';
import type { QnnHybrid } from '../workloads/models/qnn-hybrid/qnn-hybrid.ts';
import type { TextModel } from '../workloads/models/text-generation/text-model.ts';
import type { MonitoredProcedures } from '../workloads/monitored-procedures.ts';
import type { TpuFleet } from '../workloads/tpu/tpu-fleet.ts';

/** Processors that callers may target. */
export interface ProcessorDirectory {
  readonly processors: readonly Processor[];
  get(id: string): Processor | undefined;
}

/** Models that callers may use. */
export interface ModelDirectory {
  readonly models: readonly Model[];
  readonly classifier: Pick<
    QnnHybrid,
    keyof Model | 'card' | 'knownAnswers' | 'lastSelfTest' | 'classify'
  >;
  readonly text: Pick<TextModel, keyof Model | 'limits' | 'isConfigured' | 'generate'>;
}

/** Agents that callers may send tasks to. */
export type AgentDirectory = Pick<AgentRoster, 'agents' | 'get'>;

/** Modelled TPU fleet with the procedures of its jobs. */
export interface TpuDirectory {
  readonly fleet: TpuFleet;
  readonly work: MonitoredProcedures;
}

/** Methods of the job runner that routes use. */
export type Jobs = Pick<
  JobRunner,
  | 'submit'
  | 'run'
  | 'get'
  | 'list'
  | 'waitFor'
  | 'cancel'
  | 'remove'
  | 'watch'
  | 'parts'
  | 'queuePosition'
  | 'expectedStart'
  | 'progress'
  | 'inFlightCharacters'
  | 'inHand'
  | 'hasWaiting'
  | 'cancelWaiting'
  | 'isShuttingDown'
  | 'isHeld'
> & {
  /** In a cluster: why no node that is up can run a queued job, in a sentence; undefined if one can. */
  waitingFor?(job: Pick<Job, 'id' | 'target'>): string | undefined;
};
