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
import { isSweepTag } from '../sweeps/stored-sweep.ts';
import { titleOf as nameOf } from './result-shape.ts';

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

/**
 * Kinds of jobs: name, listing, route of a record and its parameter. Plans are tasks for the service, and sweeps batches
 * with a tag.
 */
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
  sweep: {
    name: 'Sweep',
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
  /** Tag of the sweep that a batch is a part of. */
  readonly sweep?: string;
  /** Points of a batch. */
  readonly points?: number;
  /** Batches that the row of a sweep stands for. */
  readonly parts?: number;
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
    const { points, processor: where } = job;
    const sweep = common.tags.find(isSweepTag);
    return {
      ...common,
      tags: common.tags.filter((tag) => tag !== sweep),
      id: job.batch_id,
      kind: sweep === undefined ? 'batch' : 'sweep',
      where,
      what: numberOf(points, 'point'),
      points,
      ...(sweep !== undefined && { sweep }),
    };
  }
  if ('experiment_id' in job) {
    const what = numberOf(job.num_tasks, 'task');
    return { ...common, id: job.experiment_id, kind: 'experiment', where: job.processor, what };
  }
  if ('task_id' in job) {
    const kind = job.task === 'plan' ? 'plan' : 'task';
    return { ...common, id: job.task_id, kind, where: job.agent, what: nameOf(job.task) };
  }
  const what = `${job.job_type}, ${numberOf(job.chips, 'chip')} ${job.tpu_type}`;
  return { ...common, id: job.job_id, kind: 'tpu', where: job.zone, what };
}

/** Whether a job waits or runs. */
export function isActive({ status }: Pick<JobRow, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Status of a sweep: the first of these that a batch of it has. */
const MOST_TELLING: readonly Status[] = ['running', 'queued', 'failed', 'cancelled', 'completed'];

/** The rows with one in place of all batches of a sweep, where the newest of them was. */
export function withSweeps(rows: readonly JobRow[]): readonly JobRow[] {
  const bySweep = Map.groupBy(rows, ({ id, sweep }) => sweep ?? id);
  return Array.from(bySweep.values(), (parts) => {
    const [newest] = parts;
    const oldest = parts.at(-1);
    if (newest?.sweep === undefined || oldest === undefined) return parts;
    const points = parts.reduce((sum, part) => sum + (part.points ?? 0), 0);
    return [
      {
        ...newest,
        id: newest.sweep,
        status: MOST_TELLING.find((each) => parts.some(({ status }) => status === each)),
        what: numberOf(points, 'point'),
        points,
        parts: parts.length,
        createdAt: oldest.createdAt,
        startedAt: oldest.startedAt,
        finishedAt: parts.some(isActive) ? undefined : newest.finishedAt,
      } as JobRow,
    ];
  }).flat();
}

/** Columns by which the rows may be sorted. */
export const COLUMNS = ['status', 'job', 'where', 'took', 'sent'] as const;
export type Column = (typeof COLUMNS)[number];

/** A column, and whether its order is turned round: times begin with the newest and the longest. */
export interface Sorting {
  readonly column: Column;
  readonly isTurned: boolean;
}

/** The sorting in the query of an address: "where", "-took". By default the newest are first. */
export function sortingOf(query: URLSearchParams): Sorting {
  const text = query.get('sort') ?? '';
  const column = COLUMNS.find((each) => each === text.replace('-', '')) ?? 'sent';
  return { column, isTurned: text.startsWith('-') };
}

/** The sorting as a text of an address; undefined if it is the usual one. */
export function sortText({ column, isTurned }: Sorting): string | undefined {
  const text = `${isTurned ? '-' : ''}${column}`;
  return text === 'sent' ? undefined : text;
}

const tookMs = ({ startedAt, finishedAt }: JobRow): number =>
  startedAt === undefined || finishedAt === undefined
    ? -1
    : Date.parse(finishedAt) - Date.parse(startedAt);

const compared = (a: string, b: string) => (a < b ? -1 : Number(a > b));
const ORDERS: Readonly<Record<Column, (a: JobRow, b: JobRow) => number>> = {
  status: (a, b) => STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status),
  job: (a, b) => titleOf(a).localeCompare(titleOf(b), 'en', { numeric: true }),
  where: (a, b) => compared(a.where, b.where),
  took: (a, b) => tookMs(b) - tookMs(a),
  sent: (a, b) => compared(b.createdAt, a.createdAt),
};

/** Sorts rows that come newest first; equal ones stay so. */
export function sorted(rows: readonly JobRow[], { column, isTurned }: Sorting): readonly JobRow[] {
  if (column === 'sent' && !isTurned) return rows;
  const order = ORDERS[column];
  return rows.toSorted((a, b) => (isTurned ? order(b, a) : order(a, b)));
}

/** Name of a job, or its kind and work. */
export function titleOf({ name, kind, what }: Pick<JobRow, 'name' | 'kind' | 'what'>): string {
  return name ?? `${KINDS[kind].name}: ${what}`;
}

/** Filters of the list; empty strings restrict nothing. */
export interface Filters {
  readonly kind: Kind | '';
  readonly status: Status | '';
  /** Processor, agent or zone, exactly. */
  readonly where: string;
  /** Tag, exactly. */
  readonly tag: string;
  /** Words that the service looks for: in name and place, as status or kind, at the beginning of the id. */
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

/** Whether a row passes the filters. The text is for the service alone. */
export function passes(row: JobRow, { kind, status, where, tag }: Filters): boolean {
  if (kind !== '' && row.kind !== kind) return false;
  if (status !== '' && row.status !== status) return false;
  if (where !== '' && row.where !== where) return false;
  return tag === '' || row.sweep === tag || row.tags.includes(tag);
}
