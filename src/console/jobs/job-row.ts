/** Jobs of all kinds as rows of one list. */
import type {
  Batch,
  BatchSummary,
  Circuit,
  CircuitSummary,
  Experiment,
  ExperimentSummary,
  Task,
  TaskSummary,
  TpuJob,
  TpuJobSummary,
} from '../../client/api-types.ts';
import { numberOf } from '../numbers.ts';

/** Listings of the service: the route, and the field of a page that holds its jobs. */
export const LISTS = {
  circuits: { route: 'GET /quantum/circuits', items: 'circuits' },
  batches: { route: 'GET /quantum/batches', items: 'batches' },
  experiments: { route: 'GET /quantum/experiments', items: 'experiments' },
  tasks: { route: 'GET /tasks', items: 'tasks' },
  tpu: { route: 'GET /tpu/jobs', items: 'jobs' },
} as const;
export type List = keyof typeof LISTS;

const TASK_RECORD = { list: 'tasks', record: 'GET /tasks/{task_id}', idName: 'task_id' } as const;

/** Kinds of jobs: name, listing, route of a record and its parameter. Plans are tasks for the service. */
export const KINDS = {
  circuit: {
    name: 'Circuit',
    list: 'circuits',
    record: 'GET /quantum/circuits/{circuit_id}',
    idName: 'circuit_id',
  },
  batch: {
    name: 'Batch',
    list: 'batches',
    record: 'GET /quantum/batches/{batch_id}',
    idName: 'batch_id',
  },
  experiment: {
    name: 'Experiment',
    list: 'experiments',
    record: 'GET /quantum/experiments/{experiment_id}',
    idName: 'experiment_id',
  },
  task: { name: 'Task', ...TASK_RECORD },
  plan: { name: 'Plan', ...TASK_RECORD },
  tpu: { name: 'TPU job', list: 'tpu', record: 'GET /tpu/jobs/{job_id}', idName: 'job_id' },
} as const satisfies Record<string, { readonly list: List } & Readonly<Record<string, string>>>;

export type Kind = keyof typeof KINDS;

export const STATUSES = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const;
export type Status = (typeof STATUSES)[number];

/** Row of a job in the list. */
export interface JobRow {
  readonly id: string;
  readonly kind: Kind;
  readonly status: Status;
  /** Processor, agent or zone. */
  readonly where: string;
  /** Work of the job: "5 qubits, 1,000 shots", "vqe". */
  readonly what: string;
  readonly name: string | undefined;
  readonly tags: readonly string[];
  readonly createdAt: string;
  readonly startedAt: string | undefined;
  readonly finishedAt: string | undefined;
  /** 0 to 1, while it runs. */
  readonly progress: number | undefined;
  readonly queuePosition: number | undefined;
  /** Why no node of a cluster that is up can run it, in a sentence, while it waits for one that can. */
  readonly waitingFor: string | undefined;
  readonly error: string | undefined;
}

/** Record of a job of any kind. */
export type Job = Circuit | Batch | Experiment | Task | TpuJob;

type Summary = CircuitSummary | BatchSummary | ExperimentSummary | TaskSummary | TpuJobSummary;

/** Row of a record or of an item of a listing. */
export function rowOf(job: Summary): JobRow {
  const common = {
    status: job.status,
    name: job.name,
    tags: job.tags ?? [],
    createdAt: job.created_at,
    startedAt: job.started_at,
    finishedAt: job.finished_at,
    progress: job.progress,
    queuePosition: job.queue_position,
    waitingFor: job.waiting_for,
    error: job.error?.message,
  };
  if ('circuit_id' in job) {
    const { qubits, shots } = job;
    const what = `${numberOf(qubits, 'qubit')}, ${numberOf(shots, 'shot')}`;
    return { ...common, id: job.circuit_id, kind: 'circuit', where: job.processor, what };
  }
  if ('batch_id' in job) {
    const what = numberOf(job.points, 'point');
    return { ...common, id: job.batch_id, kind: 'batch', where: job.processor, what };
  }
  if ('experiment_id' in job) {
    const what = numberOf(job.num_tasks, 'task');
    return { ...common, id: job.experiment_id, kind: 'experiment', where: job.processor, what };
  }
  if ('task_id' in job) {
    const kind = job.task === 'plan' ? 'plan' : 'task';
    return { ...common, id: job.task_id, kind, where: job.agent, what: job.task };
  }
  const what = `${job.job_type}, ${numberOf(job.chips, 'chip')} ${job.tpu_type}`;
  return { ...common, id: job.job_id, kind: 'tpu', where: job.zone, what };
}

/** Whether a job waits or runs. */
export function isActive({ status }: Pick<JobRow, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Filters of the list; empty strings restrict nothing. */
export interface Filters {
  readonly kind: Kind | '';
  readonly status: Status | '';
  /** Processor, agent or zone, exactly. */
  readonly where: string;
  /** Tag, exactly. */
  readonly tag: string;
  /** Part of the id, the name, the work or a tag, in any case. */
  readonly text: string;
}

/** Filters in the query of an address. Unknown kinds and statuses restrict nothing. */
export function filtersOf(query: URLSearchParams): Filters {
  const read = (name: keyof Filters) => query.get(name) ?? '';
  const kind = read('kind');
  const status = read('status');
  return {
    kind: Object.hasOwn(KINDS, kind) ? (kind as Kind) : '',
    status: STATUSES.find((each) => each === status) ?? '',
    where: read('where'),
    tag: read('tag'),
    text: read('text'),
  };
}

/** The query of an address with the filters. */
export function queryOf(filters: Filters): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, value === '' ? undefined : value]),
  );
}

/** Whether a row passes all filters. */
export function passes(row: JobRow, { kind, status, where, tag, text }: Filters): boolean {
  if (kind !== '' && row.kind !== kind) return false;
  if (status !== '' && row.status !== status) return false;
  if (where !== '' && row.where !== where) return false;
  if (tag !== '' && !row.tags.includes(tag)) return false;
  if (text === '') return true;
  const searched = [row.id, row.name ?? '', row.what, row.where, ...row.tags].join('\n');
  return searched.toLowerCase().includes(text.trim().toLowerCase());
}
