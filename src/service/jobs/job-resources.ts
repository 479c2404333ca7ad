/** Names and paths of each kind of job, for routes, documents and the command line. */
import type { JobId, JobKind } from '../../jobs/job.ts';
import type { Scope } from '../http/api-key.ts';

/** Jobs of one kind as a resource. */
export interface JobResource {
  readonly kind: JobKind;
  /** Path of the listing; records are below it. */
  readonly path: string;
  /** Name of the field and of the path parameter that hold a job's id. */
  readonly idName: string;
  /** Name of the field that holds the jobs of a page. */
  readonly listName: string;
  readonly scope: Scope;
  /** Part of operation ids in the OpenAPI document: `Circuit` in `getCircuit`. */
  readonly operation: string;
  /** The same of lists: `Circuits` in `listCircuits`. */
  readonly operations: string;
  readonly tag: string;
  /** Nouns for one job and for several. */
  readonly noun: string;
  readonly plural: string;
  /** Fields of a record that name its target and its work. */
  readonly targetFields: readonly string[];
}

/** Names and path of circuits. */
export const CIRCUITS = {
  kind: 'circuit',
  path: '/quantum/circuits',
  idName: 'circuit_id',
  listName: 'circuits',
  scope: 'circuits',
  operation: 'Circuit',
  operations: 'Circuits',
  tag: 'circuits',
  noun: 'circuit',
  plural: 'circuits',
  targetFields: ['processor'],
} as const satisfies JobResource;

/** Names and path of batches. */
export const BATCHES = {
  kind: 'batch',
  path: '/quantum/batches',
  idName: 'batch_id',
  listName: 'batches',
  scope: 'circuits',
  operation: 'Batch',
  operations: 'Batches',
  tag: 'batches',
  noun: 'batch',
  plural: 'batches',
  targetFields: ['processor'],
} as const satisfies JobResource;

/** Names and path of experiments. */
export const EXPERIMENTS = {
  kind: 'experiment',
  path: '/quantum/experiments',
  idName: 'experiment_id',
  listName: 'experiments',
  scope: 'circuits',
  operation: 'Experiment',
  operations: 'Experiments',
  tag: 'experiments',
  noun: 'experiment',
  plural: 'experiments',
  targetFields: ['processor'],
} as const satisfies JobResource;

/** Names and path of agents' tasks and of plans. */
export const TASKS = {
  kind: 'task',
  path: '/tasks',
  idName: 'task_id',
  listName: 'tasks',
  scope: 'agents',
  operation: 'Task',
  operations: 'Tasks',
  tag: 'tasks',
  noun: 'task',
  plural: 'tasks',
  targetFields: ['agent', 'task'],
} as const satisfies JobResource;

/** Names and path of TPU jobs. */
export const TPU_JOBS = {
  kind: 'tpu_job',
  path: '/tpu/jobs',
  idName: 'job_id',
  listName: 'jobs',
  scope: 'tpu',
  operation: 'TpuJob',
  operations: 'TpuJobs',
  tag: 'tpu',
  noun: 'TPU job',
  plural: 'TPU jobs',
  targetFields: ['job_type', 'tpu_type', 'zone'],
} as const satisfies JobResource;

const BY_KIND: Readonly<Record<JobKind, JobResource>> = {
  circuit: CIRCUITS,
  batch: BATCHES,
  experiment: EXPERIMENTS,
  task: TASKS,
  tpu_job: TPU_JOBS,
};

/** All resources. */
export const JOB_RESOURCES: readonly JobResource[] = Object.values(BY_KIND);

/** Path of a job's record. */
export function locationOf({ path }: JobResource, id: JobId): string {
  return `/api/v1${path}/${id}`;
}
