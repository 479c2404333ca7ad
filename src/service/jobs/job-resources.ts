/** Where the jobs of each kind are, and what they are called: for every route below their records. */
import type { JobId, JobKind } from '../../jobs/job.ts';
import type { Scope } from '../keys/api-key.ts';

/** Jobs of one kind as a resource. */
export interface JobResource {
  readonly kind: JobKind;
  /** Of the listing; records are below it. */
  readonly path: string;
  /** The field and the path parameter that name one. */
  readonly idName: string;
  /** The field of a page that lists them. */
  readonly listName: string;
  readonly scope: Scope;
  /** Of operations in the OpenAPI document: `getCircuit`. */
  readonly operation: string;
  readonly tag: string;
  /** What people call one, and many. */
  readonly noun: string;
  readonly plural: string;
}

/** Circuits. */
export const CIRCUITS = {
  kind: 'circuit',
  path: '/quantum/circuits',
  idName: 'circuit_id',
  listName: 'circuits',
  scope: 'circuits',
  operation: 'Circuit',
  tag: 'circuits',
  noun: 'circuit',
  plural: 'circuits',
} as const satisfies JobResource;

/** Tasks of agents, and plans of them. */
export const TASKS = {
  kind: 'task',
  path: '/tasks',
  idName: 'task_id',
  listName: 'tasks',
  scope: 'agents',
  operation: 'Task',
  tag: 'tasks',
  noun: 'task',
  plural: 'tasks',
} as const satisfies JobResource;

/** Jobs of the TPU fleet. */
export const TPU_JOBS = {
  kind: 'tpu_job',
  path: '/tpu/jobs',
  idName: 'job_id',
  listName: 'jobs',
  scope: 'tpu',
  operation: 'TpuJob',
  tag: 'tpu',
  noun: 'TPU job',
  plural: 'TPU jobs',
} as const satisfies JobResource;

/** Every kind. */
export const JOB_RESOURCES: readonly JobResource[] = [CIRCUITS, TASKS, TPU_JOBS];

/** Where a job's record is. */
export function locationOf({ path }: JobResource, id: JobId): string {
  return `/api/v1${path}/${id}`;
}
