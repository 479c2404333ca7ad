/** Jobs of one kind: submitting, waiting, listing, cancelling. All kinds share this class. */
import {
  ApiError,
  JobCancelledError,
  JobFailedError,
  type JobState,
  UnreadableAnswerError,
} from './errors.ts';
import {
  EventsUnavailableError,
  type JobEvent,
  type Progress,
  progressOf,
  type WatchOptions,
  watchJob,
} from './job-events.ts';
import { fieldsOf } from './json.ts';
import { pathWithQuery, type RequestOptions } from './routes.ts';
import type { SentRequest, Transport } from './transport.ts';

/** Paths of jobs of a kind. */
export interface JobPlace<Submission> {
  /** Path of the listing, below /api/v1; records are below it. */
  readonly path: string;
  /** Beginning of an id, such as `circ_`. */
  readonly idPrefix: string;
  /** Field of a record that holds its id. */
  readonly idName: string;
  /** Field of a page that holds its jobs. */
  readonly listName: string;
  /** True if a submission may wait for its result. */
  readonly canWait: boolean;
  /** Path and body of a submission. */
  readonly submissionOf: (submission: Submission) => {
    readonly path: string;
    readonly body: object;
  };
}

/** Options of a submission. */
export interface SubmitOptions extends RequestOptions {
  /** Idempotency-Key, 1 to 255 printable characters; drawn by default. With null none is sent, and the
   * submission is not repeated after a fault of the network. */
  readonly idempotencyKey?: string | null;
}

/** Options of waiting for a job. */
export interface WaitOptions extends Omit<WatchOptions, 'lastEventId'> {
  /** Called when the job's state changes. */
  readonly onProgress?: (progress: Progress) => void;
  /** If the signal ends the waiting, cancel the job, too; by default it goes on. */
  readonly cancelOnAbort?: boolean;
}

/** Options of running a job. */
export type RunOptions = SubmitOptions & WaitOptions;

/** Filters of a listing. */
export interface ListFilters {
  readonly status?: JobState['status'] | readonly JobState['status'][];
  /** Exact name. */
  readonly name?: string;
  /** Tag; several: all of them. */
  readonly tag?: string | readonly string[];
  /** Words, each of which a job begins its id with, or has in its name or target, or as its status or kind. */
  readonly search?: string;
  /** ISO 8601 time, or a date, which means midnight UTC. */
  readonly created_after?: string;
  readonly created_before?: string;
  /** Jobs that one request reads, 1 to 100; 20 by default. */
  readonly pageSize?: number;
}

/** Seconds for which the request of a submission waits before the events take over. */
const WAIT_S = 20;
const FIRST_POLL_MS = 250;
const LONGEST_POLL_MS = 5000;

/** Jobs of one kind of the client's key. */
export class Jobs<Submission, Job extends JobState, Summary, Result = Job> {
  readonly place: JobPlace<Submission>;
  readonly #transport: Transport;
  readonly #resultOf: (job: Job) => Result;

  /** @param resultOf - Reads the record of a completed job. */
  constructor(transport: Transport, place: JobPlace<Submission>, resultOf: (job: Job) => Result) {
    this.place = place;
    this.#transport = transport;
    this.#resultOf = resultOf;
  }

  /** Submits a job and returns its record without waiting for the result. */
  async submit(submission: Submission, options: SubmitOptions = {}): Promise<Job> {
    const { path, body } = this.place.submissionOf(submission);
    return await this.#create(path, body, 'respond-async', options);
  }

  /**
   * Submits a job, waits for it and returns its result.
   *
   * A short job costs one request. The job goes on if the signal ends the waiting, unless `cancelOnAbort` is
   * set; it is then cancelled even if the service had not answered the submission yet.
   *
   * @throws {JobFailedError | JobCancelledError} with the record.
   */
  async run(submission: Submission, options: RunOptions = {}): Promise<Result> {
    const { signal, onProgress, cancelOnAbort = false } = options;
    signal?.throwIfAborted();
    const { path, body } = this.place.submissionOf(submission);
    const isWatched = onProgress !== undefined || cancelOnAbort;
    // The id of a job that is to be cancelled must be known, so its submission is not interrupted.
    const submitOptions = cancelOnAbort ? { ...options, signal: undefined } : options;
    try {
      const prefer = isWatched ? 'respond-async' : `wait=${WAIT_S}`;
      const job = await this.#create(path, body, prefer, submitOptions);
      return isFinal(job) ? this.#outcome(job) : await this.wait(this.idOf(job), options);
    } catch (error) {
      // A job that fails while its submission waits is answered as an error that names its record.
      const location = error instanceof ApiError ? error.location : undefined;
      if (location === undefined) throw error;
      return await this.wait(location.slice(location.lastIndexOf('/') + 1), options);
    }
  }

  /**
   * Waits for a job and returns its result: by its events, or by asking for its record where events cannot be
   * had.
   *
   * @throws {JobFailedError | JobCancelledError} with the record.
   */
  async wait(id: string, options: WaitOptions = {}): Promise<Result> {
    try {
      return this.#outcome(await this.#finalRecord(id, options));
    } catch (error) {
      if (options.cancelOnAbort && options.signal?.aborted) {
        await this.cancel(id, { retry: { maxRetries: 1 } }).catch(() => undefined);
      }
      throw error;
    }
  }

  /**
   * Yields the events of a job to its end, each once, over connections that may break.
   *
   * @throws {ConnectionError} if no connection can be had at first, or if nothing arrives for ten minutes.
   */
  events(id: string, options: WatchOptions = {}): AsyncGenerator<JobEvent, void, undefined> {
    return watchJob(this.#transport, this.#pathOf(id), options);
  }

  /** A job's record. @param options.include - `request`, to have a request of more than 64 KiB in it. */
  async get(
    id: string,
    options: RequestOptions & { readonly include?: 'request' } = {},
  ): Promise<Job> {
    const { include, ...rest } = options;
    return await this.#record(
      { method: 'GET', path: pathWithQuery(this.#pathOf(id), { include }) },
      rest,
    );
  }

  /** Cancels a job and returns its record; that of a job that has ended does not change. */
  async cancel(id: string, options: RequestOptions = {}): Promise<Job> {
    return await this.#record({ method: 'POST', path: `${this.#pathOf(id)}/cancel` }, options);
  }

  /** Submits a failed or cancelled job again, under a new id. */
  async retry(id: string, options: SubmitOptions = {}): Promise<Job> {
    return await this.#create(`${this.#pathOf(id)}/retry`, undefined, 'respond-async', options);
  }

  /** Deletes a job that has ended, with its result. */
  async delete(id: string, { signal, retry }: RequestOptions = {}): Promise<void> {
    await this.#transport.request({
      method: 'DELETE',
      path: this.#pathOf(id),
      signal,
      retry,
      isRepeatable: true,
    });
  }

  /** Yields the jobs that pass all filters, newest first; reads pages on demand. */
  async *list(
    { pageSize, ...filters }: ListFilters = {},
    { signal, retry }: RequestOptions = {},
  ): AsyncGenerator<Summary, void, undefined> {
    const { path, listName } = this.place;
    let cursor: string | undefined;
    for (;;) {
      const query = { limit: pageSize, ...filters, cursor };
      const page = fieldsOf(
        await this.#transport.request({
          method: 'GET',
          path: pathWithQuery(path, query),
          signal,
          retry,
          isRepeatable: true,
        }),
      );
      const items = page?.[listName];
      if (!Array.isArray(items)) throw this.#unreadable(`a page of ${path} has no ${listName}`);
      for (const item of items) {
        this.idOf(item);
        yield item;
      }
      const next = page?.['next_cursor'];
      // A cursor that does not advance would be read for ever.
      if (typeof next !== 'string' || next === cursor || items.length === 0) return;
      cursor = next;
    }
  }

  /**
   * Id of a record.
   *
   * @throws {UnreadableAnswerError} if a field that every record has is missing.
   */
  idOf(record: unknown): string {
    const { path, idName } = this.place;
    const { [idName]: id, status, created_at: createdAt } = fieldsOf(record) ?? {};
    const isTime = !Number.isNaN(Date.parse(String(createdAt)));
    if (typeof id === 'string' && typeof status === 'string' && isTime) return id;
    throw this.#unreadable(`a record of ${path} has no ${idName}, status or created_at`);
  }

  async #finalRecord(id: string, options: WaitOptions): Promise<Job> {
    const { signal, onProgress } = options;
    try {
      const events = watchJob(this.#transport, this.#pathOf(id), options, true);
      for await (const event of events) {
        if (event.event !== 'done') onProgress?.(progressOf(event));
      }
    } catch (error) {
      if (!(error instanceof EventsUnavailableError)) throw error;
    }
    for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(LONGEST_POLL_MS, 2 * delayMs)) {
      const job = await this.get(id, { signal });
      if (isFinal(job)) return job;
      onProgress?.(progressOfRecord(job));
      await this.#transport.surroundings.sleep(delayMs, signal);
    }
  }

  #outcome(job: Job): Result {
    if (job.status === 'failed') throw new JobFailedError(this.idOf(job), job);
    if (job.status === 'cancelled') throw new JobCancelledError(this.idOf(job), job);
    return this.#resultOf(job);
  }

  async #create(
    path: string,
    body: object | undefined,
    prefer: string,
    options: SubmitOptions,
  ): Promise<Job> {
    const key = options.idempotencyKey === undefined ? idempotencyKey() : options.idempotencyKey;
    const headers = {
      ...(this.place.canWait && { prefer }),
      ...(key !== null && { 'idempotency-key': key }),
    };
    return await this.#record(
      { method: 'POST', path, headers, body, isRepeatable: key !== null },
      options,
    );
  }

  async #record(
    request: Partial<SentRequest> & Pick<SentRequest, 'method' | 'path'>,
    { signal, retry }: RequestOptions,
  ): Promise<Job> {
    const record = await this.#transport.request({ isRepeatable: true, ...request, signal, retry });
    this.idOf(record);
    return record as Job;
  }

  #pathOf(id: string): string {
    return `${this.place.path}/${encodeURIComponent(id)}`;
  }

  #unreadable(fault: string): UnreadableAnswerError {
    return new UnreadableAnswerError(this.#transport.baseUrl, fault);
  }
}

/** Jobs of a kind that is known only at run time. */
export type AnyJobs = Pick<
  Jobs<never, JobState, unknown, unknown>,
  'cancel' | 'delete' | 'events' | 'get' | 'idOf' | 'list' | 'place' | 'retry' | 'wait'
>;

/** A new Idempotency-Key. */
export function idempotencyKey(): string {
  // randomUUID exists only in secure contexts; a page of a service in a local network is in none.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isFinal({ status }: JobState): boolean {
  return status !== 'queued' && status !== 'running';
}

function progressOfRecord(job: JobState): Progress {
  const { progress, queue_position: queuePosition } = fieldsOf(job) ?? {};
  return {
    status: job.status,
    ...(typeof progress === 'number' && { progress }),
    ...(typeof queuePosition === 'number' && { queuePosition }),
  };
}
