/**
 * Client of a quantum compute service, for Node and browsers. It has no dependencies.
 *
 *     const client = new QcsClient({ baseUrl: 'http://127.0.0.1:8080', key });
 *     const { counts } = await client.circuits.run({ qasm, target_processor: 'statevector-sim', shots: 1000 });
 */
import type {
  Batch,
  BatchSummary,
  Circuit,
  CircuitSubmissionInput,
  CircuitSummary,
  Estimate,
  Experiment,
  ExperimentSubmissionInput,
  ExperimentSummary,
  PlanSubmissionInput,
  Routes,
  Task,
  TaskSubmissionInput,
  TaskSummary,
  TpuJob,
  TpuJobSubmissionInput,
  TpuJobSummary,
} from './api-types.ts';
import { type BatchResult, type BatchSubmission, batchResultOf } from './batch-result.ts';
import { JobIdError } from './errors.ts';
import { type AnyJobs, idempotencyKey, Jobs } from './jobs.ts';
import {
  createsJob,
  isRepeatable,
  methodAndPath,
  type Query,
  type RequestOptions,
  type Route,
  type RouteArguments,
  type RouteOptions,
} from './routes.ts';
import { type ClientOptions, Transport } from './transport.ts';

export type * from './api-types.ts';
export type {
  BatchProgram,
  BatchProgramResult,
  BatchResult,
  BatchSubmission,
} from './batch-result.ts';
export * from './errors.ts';
export type { JobEvent, Progress, WatchOptions } from './job-events.ts';
export type {
  AnyJobs,
  Jobs,
  ListFilters,
  RunOptions,
  SubmitOptions,
  WaitOptions,
} from './jobs.ts';
export * from './packed-array.ts';
export type { RequestOptions, Route, RouteOptions } from './routes.ts';
export type { ClientOptions, RetryNotice, RetryOptions, Surroundings } from './transport.ts';

/** A task, with the id of the agent that does it. */
export type TaskSubmission = TaskSubmissionInput & { readonly agent: string };

/** Client of one service with one key. */
export class QcsClient {
  /** Address of the service, without a trailing slash and without `/api/v1`. */
  readonly baseUrl: string;
  readonly circuits: Jobs<CircuitSubmissionInput, Circuit, CircuitSummary>;
  /** `run` and `wait` return arrays of numbers as Float64Array; `get` returns the unchanged record. */
  readonly batches: Jobs<BatchSubmission, Batch, BatchSummary, BatchResult>;
  readonly experiments: Jobs<ExperimentSubmissionInput, Experiment, ExperimentSummary>;
  /** Tasks of agents. The listing has plans and their tasks, too. */
  readonly tasks: Jobs<TaskSubmission, Task, TaskSummary>;
  /** Plans, whose records are those of tasks: read, list and cancel them with `tasks`. */
  readonly plans: Pick<Jobs<PlanSubmissionInput, Task, TaskSummary>, 'submit' | 'run'>;
  readonly tpuJobs: Jobs<TpuJobSubmissionInput, TpuJob, TpuJobSummary>;
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    const transport = new Transport(options);
    this.#transport = transport;
    this.baseUrl = transport.baseUrl;
    this.circuits = new Jobs(
      transport,
      {
        path: '/quantum/circuits',
        idPrefix: 'circ_',
        idName: 'circuit_id',
        listName: 'circuits',
        canWait: true,
        submissionOf: (body) => ({ path: '/quantum/circuits', body }),
      },
      (circuit) => circuit,
    );
    this.batches = new Jobs(
      transport,
      {
        path: '/quantum/batches',
        idPrefix: 'batch_',
        idName: 'batch_id',
        listName: 'batches',
        canWait: true,
        submissionOf: (batch) => ({
          path: '/quantum/batches',
          body: { array_format: 'base64', ...batch },
        }),
      },
      batchResultOf,
    );
    this.experiments = new Jobs(
      transport,
      {
        path: '/quantum/experiments',
        idPrefix: 'exp_',
        idName: 'experiment_id',
        listName: 'experiments',
        canWait: false,
        submissionOf: (body) => ({ path: '/quantum/experiments', body }),
      },
      (experiment) => experiment,
    );
    const tasks = { path: '/tasks', idPrefix: 'task_', idName: 'task_id', listName: 'tasks' };
    this.tasks = new Jobs(
      transport,
      {
        ...tasks,
        canWait: false,
        submissionOf: ({ agent, ...body }) => ({
          path: `/agents/${encodeURIComponent(agent)}/execute`,
          body,
        }),
      },
      (task) => task,
    );
    this.plans = new Jobs(
      transport,
      {
        ...tasks,
        canWait: false,
        submissionOf: (body) => ({ path: '/systems/asi/plans', body }),
      },
      (task) => task,
    );
    this.tpuJobs = new Jobs(
      transport,
      {
        path: '/tpu/jobs',
        idPrefix: 'tpujob_',
        idName: 'job_id',
        listName: 'jobs',
        canWait: false,
        submissionOf: (body) => ({ path: '/tpu/jobs', body }),
      },
      (job) => job,
    );
  }

  /**
   * Sends a request to any route and returns `data` of the answer.
   *
   *     await client.request('GET /quantum/processors/{processor_id}', { path: { processor_id: 'qvm' } });
   *
   * @throws {ApiError | ConnectionError | UnreadableAnswerError}
   */
  async request<R extends Route>(
    route: R,
    ...[options]: RouteArguments<R>
  ): Promise<Routes[R]['data']> {
    const { path, query, body, signal, retry } = (options ?? {}) as RequestOptions & {
      readonly path?: Readonly<Record<string, unknown>>;
      readonly query?: Query;
      readonly body?: unknown;
    };
    return (await this.#transport.request({
      ...methodAndPath(route, path, query),
      headers: createsJob(route) ? { 'idempotency-key': idempotencyKey() } : {},
      isRepeatable: isRepeatable(route),
      body,
      signal,
      retry,
    })) as Routes[R]['data'];
  }

  /**
   * Estimates the time and memory of a circuit, a batch or an experiment, and when it would start. Nothing is submitted.
   *
   * @throws {ApiError | ConnectionError | UnreadableAnswerError} as its submission would.
   */
  estimate(
    body: CircuitSubmissionInput | BatchSubmission | ExperimentSubmissionInput,
    options: RequestOptions = {},
  ): Promise<Estimate> {
    // The cast is safe: the service takes the readonly arrays of programs, too.
    const sent = body as RouteOptions<'POST /quantum/estimate'>['body'];
    return this.request('POST /quantum/estimate', { ...options, body: sent });
  }

  /**
   * The state vector of a circuit that was run with `statevector_format: 'binary'`: real and imaginary part of each amplitude,
   * one after the other, by basis index.
   *
   * @throws {ApiError | ConnectionError}
   */
  async statevector(circuitId: string, options: RequestOptions = {}): Promise<Float64Array> {
    const route = 'GET /quantum/circuits/{circuit_id}/statevector';
    const sent = methodAndPath(route, { circuit_id: circuitId });
    return new Float64Array(
      await this.#transport.bytes({ ...sent, ...options, isRepeatable: true }),
    );
  }

  /**
   * Jobs of the kind that an id names.
   *
   * @throws {JobIdError}
   */
  jobsOf(id: string): AnyJobs {
    const kinds = [this.circuits, this.batches, this.experiments, this.tasks, this.tpuJobs];
    const found = kinds.find(({ place }) => id.startsWith(place.idPrefix));
    if (found === undefined) {
      throw new JobIdError(
        id,
        kinds.map(({ place }) => place.idPrefix),
      );
    }
    return found;
  }
}
