/**
 * Events of one job for one reader, as text/event-stream.
 *
 * The reader pulls: new events are computed from the job's present state only when the reader takes more. A
 * slow reader therefore costs no memory; it gets every status and the latest progress. A new stream that
 * starts at the last event seen continues as this one would have.
 */
import { Readable, type Writable } from 'node:stream';
import { z } from 'zod';
import { JOB_STATUSES } from '../../jobs/job.ts';
import {
  type EventPosition,
  eventsSince,
  formatPosition,
  type JobEvent,
  queuedEvent,
} from '../../jobs/job-events.ts';
import type { JobWatch } from '../../jobs/job-watch.ts';
import type { Scope } from '../http/api-key.ts';
import { isoTime, isoTimestamp } from '../http/envelope.ts';
import { TooManyStreamsError } from '../http/errors.ts';
import { WAITING_FOR } from './job-schema.ts';
import type { LiveFacts } from './job-view.ts';
import { type ProgressFields, taskCounts } from './task-counts-schema.ts';

/** Shortest time between two progress events. */
const PROGRESS_EVERY_MS = 100;
/** Interval for updates of a waiting job's place and for heartbeats. */
const LOOK_EVERY_MS = 1000;
const HEARTBEAT_AFTER_MS = 15_000;
/** A stream is ended if its reader takes nothing for this time; the reader may reconnect. */
const STALLED_AFTER_MS = 60_000;

/** Options of a stream. */
interface JobEventSource {
  /** Watch of the job; disposed of with the stream. */
  readonly watch: JobWatch;
  /** Position of the last event that the reader has seen. */
  readonly since: EventPosition | undefined;
  /** Path of the job's record. */
  readonly location: string;
  readonly live: Pick<LiveFacts, 'queuePosition' | 'expectedStart' | 'waitingFor'>;
  /** Fields of the next progress event that the kind of job adds. */
  readonly progressFields?: (() => ProgressFields) | undefined;
}

/** Stream of a job's events. It ends after the event `done`, or when it is stopped. */
export class JobEventStream extends Readable {
  readonly #source: JobEventSource;
  readonly #looking: NodeJS.Timeout;
  #told: EventPosition | undefined;
  #toldQueue: QueueFacts = {};
  /** True if the reader has taken everything so far. */
  #isWanted = false;
  #hasBegun = false;
  /** Times of performance.now(), milliseconds. */
  #lastWrite = performance.now();
  #lastProgress = -Infinity;
  #progressTimer: NodeJS.Timeout | undefined;

  constructor(source: JobEventSource) {
    // Buffer nothing: the reader's own buffers are enough.
    super({ highWaterMark: 1 });
    this.#source = source;
    this.#told = source.since;
    source.watch.onChange = () => this.#try(() => this.#tell());
    // A client that reconnects gets the error that there is no such job.
    source.watch.onGone = () => this.#try(() => this.stop());
    this.#looking = setInterval(() => this.#try(() => this.#look()), LOOK_EVERY_MS).unref();
  }

  /** Ends the stream without `done`, so that clients reconnect. */
  stop(): void {
    if (this.#isWanted) this.#write('', true);
    else this.destroy();
  }

  override _read(): void {
    this.#isWanted = true;
    this.#tell();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#looking);
    clearTimeout(this.#progressTimer);
    this.#source.watch[Symbol.dispose]();
    callback(error);
  }

  /** Runs a step. An error in it ends the stream, but neither the job nor the process. */
  #try(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Writes the events that the reader has not seen, if the reader takes more. */
  #tell(): void {
    if (!this.#isWanted) return;
    const events = this.#timely(eventsSince(this.#told, this.#source.watch.state));
    if (events.length > 0) this.#writeEvents(events);
    else if (!this.#hasBegun) this.#write('');
  }

  /** Drops progress that follows the last one too soon; a timer sends it later. */
  #timely(events: readonly JobEvent[]): readonly JobEvent[] {
    const isEnd = events.some(({ kind }) => kind === 'done');
    const wait = this.#lastProgress + PROGRESS_EVERY_MS - performance.now();
    if (isEnd || wait <= 0 || !events.some(({ kind }) => kind === 'progress')) return events;
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      this.#try(() => this.#tell());
    }, wait).unref();
    return events.filter(({ kind }) => kind !== 'progress');
  }

  #writeEvents(events: readonly JobEvent[]): void {
    const queue = this.#queueFacts();
    const { location, progressFields } = this.#source;
    let text = '';
    for (const event of events) {
      text += eventText(event, { location, queue, progressFields });
      this.#told = event.position;
      if (event.kind === 'progress') this.#lastProgress = performance.now();
    }
    this.#toldQueue = queue;
    this.#write(text, events.at(-1)?.kind === 'done');
  }

  #write(text: string, isEnd = false): void {
    const whole = this.#hasBegun ? text : RETRY + text;
    this.#hasBegun = true;
    this.#isWanted = false;
    this.#lastWrite = performance.now();
    if (whole !== '') this.push(whole);
    if (isEnd) this.push(null);
  }

  /** Sends a job's new place in the queue, or a heartbeat. */
  #look(): void {
    const quietMs = performance.now() - this.#lastWrite;
    if (!this.#isWanted) {
      if (quietMs >= STALLED_AFTER_MS) this.destroy();
      return;
    }
    const { record } = this.#source.watch.state;
    const { position, waitingFor } = this.#queueFacts();
    const told = this.#toldQueue;
    const isOther = position !== told.position || waitingFor !== told.waitingFor;
    if (record.status === 'queued' && isOther) this.#writeEvents([queuedEvent(record)]);
    else if (quietMs >= HEARTBEAT_AFTER_MS) this.#write(HEARTBEAT);
  }

  #queueFacts(): QueueFacts {
    const { watch, live } = this.#source;
    const { record } = watch.state;
    if (record.status !== 'queued') return {};
    const waitingFor = live.waitingFor?.(record);
    if (waitingFor !== undefined) return { waitingFor };
    const { id } = record;
    return { position: live.queuePosition(id), expectedStart: live.expectedStart(id) };
  }
}

/** First text of every stream: clients reconnect 1 s after a connection ended. */
const RETRY = 'retry: 1000\n\n';

/** Comment that keeps a connection alive; clients ignore it. */
export const HEARTBEAT = ': still there\n\n';

/** Facts of a queued job that are not in its record. */
interface QueueFacts {
  readonly position?: number | undefined;
  /** Milliseconds since 1970 UTC. */
  readonly expectedStart?: number | undefined;
  readonly waitingFor?: string;
}

/** Facts that are not in a job's events. */
interface EventFacts extends Pick<JobEventSource, 'location' | 'progressFields'> {
  /** Of a waiting job, for events of the status `queued`. */
  readonly queue: QueueFacts;
}

/** Encodes one event as text/event-stream. */
function eventText(event: JobEvent, facts: EventFacts): string {
  const data = JSON.stringify(dataOf(event, facts));
  return `id: ${formatPosition(event.position)}\nevent: ${event.kind}\ndata: ${data}\n\n`;
}

function dataOf(
  event: JobEvent,
  { location, queue, progressFields }: EventFacts,
): StatusData | ProgressData | DoneData {
  const { attempt } = event.position;
  const { position, expectedStart, waitingFor } = queue;
  switch (event.kind) {
    case 'progress': {
      const { permille, message } = event;
      return {
        progress: permille / 1000,
        percent: Math.floor(permille / 10),
        attempt,
        ...(message === undefined ? {} : { message }),
        ...progressFields?.(),
      };
    }
    case 'status': {
      const { status, at, error } = event;
      return {
        status,
        at: isoTime(at),
        attempt,
        ...(position === undefined ? {} : { queue_position: position }),
        ...(expectedStart === undefined ? {} : { expected_start_at: isoTime(expectedStart) }),
        ...(waitingFor === undefined ? {} : { waiting_for: waitingFor }),
        ...(error && { error }),
      };
    }
    case 'done': {
      const { status, at, error } = event;
      return { status, at: isoTime(at), location, ...(error && { error }) };
    }
  }
}

/** Greatest number of open streams of one key. */
export const MAX_STREAMS_OF_KEY = 50;

/** Time for the last bytes of a stopped stream to reach its reader, who may not be reading. */
const FAREWELL_MS = 1000;

/** Authorization of an open stream. */
interface StreamPermit {
  readonly keyId: string;
  readonly keyText: string;
  readonly scope: Scope;
}

/** Counts streams and ends them. */
export class OpenStreams {
  readonly #numOfKey = new Map<string, number>();
  readonly #open = new Map<
    JobEventStream,
    { readonly permit: StreamPermit; readonly response: Writable }
  >();
  #isClosing = false;

  /** Distinct keys of the open streams. */
  keyTexts(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ permit }) => permit.keyText));
  }

  /**
   * Checks that the key may open another stream.
   *
   * @throws {TooManyStreamsError} if it has too many.
   */
  admit(keyId: string): void {
    if ((this.#numOfKey.get(keyId) ?? 0) >= MAX_STREAMS_OF_KEY) {
      throw new TooManyStreamsError(MAX_STREAMS_OF_KEY);
    }
  }

  /** Counts the stream until its response is closed. */
  add(permit: StreamPermit, stream: JobEventStream, response: Writable): void {
    const { keyId } = permit;
    this.#numOfKey.set(keyId, (this.#numOfKey.get(keyId) ?? 0) + 1);
    this.#open.set(stream, { permit, response });
    stream.once('close', () => {
      this.#open.delete(stream);
      const left = (this.#numOfKey.get(keyId) ?? 0) - 1;
      if (left > 0) this.#numOfKey.set(keyId, left);
      else this.#numOfKey.delete(keyId);
    });
    if (this.#isClosing) end(stream, response);
  }

  /** Ends all streams, and later ones at once; readers reconnect to the next process. */
  close(): void {
    this.#isClosing = true;
    for (const [stream, { response }] of this.#open) end(stream, response);
  }

  /** Ends the streams whose permit is now refused. */
  endRefused(isRefused: (permit: StreamPermit) => boolean): void {
    for (const [stream, { permit, response }] of this.#open) {
      if (isRefused(permit)) end(stream, response);
    }
  }
}

function end(stream: JobEventStream, response: Writable): void {
  stream.stop();
  const timer = setTimeout(() => response.destroy(), FAREWELL_MS).unref();
  response.once('close', () => clearTimeout(timer));
}

const status = z.enum(JOB_STATUSES);
const attempt = z
  .int()
  .min(1)
  .describe('Number of the run, from 1; it grows when the service crashes under the job');
const error = z
  .strictObject({ code: z.string(), message: z.string() })
  .optional()
  .describe('Error of a failed job');

/** `data` of the event `status`. */
export const statusData = z
  .strictObject({
    status,
    at: isoTimestamp.describe('When the job was created, started or finished'),
    attempt,
    queue_position: z
      .int()
      .optional()
      .describe('Number of jobs that start before this one, while it is queued'),
    expected_start_at: isoTimestamp.optional(),
    waiting_for: z.string().optional().describe(WAITING_FOR),
    error,
  })
  .meta({ id: 'StatusEvent' });
export type StatusData = z.output<typeof statusData>;

/** `data` of the event `progress`. */
export const progressData = z
  .strictObject({
    progress: z
      .number()
      .min(0)
      .max(1)
      .describe('Completed part of the work, rounded down to a thousandth'),
    percent: z.int().min(0).max(100),
    attempt,
    message: z
      .string()
      .optional()
      .describe('Current step of a task, TPU job or experiment; circuits have none'),
    tasks: z
      .array(taskCounts)
      .optional()
      .describe(
        'An experiment’s events have the counts of the tasks that went on since the last event',
      ),
  })
  .meta({ id: 'ProgressEvent' });
export type ProgressData = z.output<typeof progressData>;

/** `data` of the event `done`. */
export const doneData = z
  .strictObject({
    status,
    at: isoTimestamp,
    location: z.string().describe('Path of the job record, which has the result'),
    error,
  })
  .meta({ id: 'DoneEvent' });
export type DoneData = z.output<typeof doneData>;

/** Schemas of the `data` of each event, by the event's name. */
const EVENT_DATA = { status: statusData, progress: progressData, done: doneData } as const;

/**
 * A stream, whole; clients read it event by event. OpenAPI 3.1 has no word for the schemas of events
 * (3.2 has), so they stand in an extension.
 */
export const eventStream = z.string().meta({
  description:
    'Server-Sent Events until the event `done`. Each has `event`, `id` and `data`. `data` is JSON; `x-event-data` has its schema for each event',
  'x-event-data': Object.fromEntries(
    Object.entries(EVENT_DATA).map(([event, data]) => [
      event,
      { $ref: `#/components/schemas/${data.meta()?.id}` },
    ]),
  ),
  examples: [
    [
      'retry: 1000',
      '',
      'id: 1.queued',
      'event: status',
      'data: {"status":"queued","at":"2026-01-02T03:04:05.678Z","attempt":1,"queue_position":0}',
      '',
      'id: 1.running.1767323046678',
      'event: status',
      'data: {"status":"running","at":"2026-01-02T03:04:06.678Z","attempt":1}',
      '',
      'id: 1.progress.1767323046678.250',
      'event: progress',
      'data: {"progress":0.25,"percent":25,"attempt":1}',
      '',
      'id: 1.final.1767323047678',
      'event: status',
      'data: {"status":"completed","at":"2026-01-02T03:04:07.678Z","attempt":1}',
      '',
      'id: 1.done.1767323047678',
      'event: done',
      'data: {"status":"completed","at":"2026-01-02T03:04:07.678Z","location":"/api/v1/quantum/circuits/circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35"}',
      '',
      '',
    ].join('\n'),
  ],
});

/** Headers of a request for a stream; others pass. */
export const eventHeaders = z.looseObject({
  'last-event-id': z
    .string()
    .optional()
    .describe(
      'Id of the last event that the client received. The stream continues after it; with an unknown id it starts at the beginning',
    ),
});
