/**
 * Events of one job, complete and each once, over as many connections as needed. If a connection ends without
 * `done`, is lost, or is silent for too long, the next one names the last event seen, and the service
 * continues from there.
 */
import type { DoneEvent, ProgressEvent, StatusEvent } from './api-types.ts';
import { ConnectionError, UnreadableAnswerError } from './errors.ts';
import { EventStreamParser, EventTooLongError, type StreamEvent } from './event-stream-parser.ts';
import { fieldsOf, parsedJson } from './json.ts';
import type { Transport } from './transport.ts';

/** An event of a job. `id` says how far its reader has come. */
export type JobEvent =
  | { readonly id: string; readonly event: 'status'; readonly data: StatusEvent }
  | { readonly id: string; readonly event: 'progress'; readonly data: ProgressEvent }
  | { readonly id: string; readonly event: 'done'; readonly data: DoneEvent };

/** Options of a watch. */
export interface WatchOptions {
  /** Id of the last event that was seen; the events after it are sent. */
  readonly lastEventId?: string;
  /** Ends the watch with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called before each wait for a new connection with the reason, a sentence without its full stop. */
  readonly onReconnect?: (reason: string, delayMs: number) => void;
  /** Silence, in milliseconds, after which a connection counts as dead; by default three heartbeats. */
  readonly silenceMs?: number;
}

/** There are no events to be had, but perhaps records: thrown only to a caller that can poll. */
export class EventsUnavailableError extends Error {}

const SILENCE_MS = 45_000;
/** First wait before reconnecting, unless the stream states another. */
const RETRY_MS = 1000;
const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 30_000;
/** Time without any data after which the watch fails. */
const GIVE_UP_MS = 600_000;
/** The field that every event of a type has, and its type. */
const FIELD_OF_EVENT = new Map([
  ['status', ['status', 'string']],
  ['progress', ['progress', 'number']],
  ['done', ['status', 'string']],
]);

/**
 * Yields events to `done`, or nothing if the service has no more events.
 *
 * @param path - Path of the record, below /api/v1.
 * @param canPoll - True if the caller can do without events.
 * @throws {ConnectionError} if no connection can be had at first, or if nothing arrives for ten minutes.
 * @throws {ApiError | UnreadableAnswerError}
 * @throws {EventsUnavailableError} only if the caller can poll.
 */
export async function* watchJob(
  transport: Transport,
  path: string,
  options: WatchOptions,
  canPoll = false,
): AsyncGenerator<JobEvent, void, undefined> {
  const connections = new Connections(transport, path, options, canPoll);
  for (;;) {
    const lost = yield* connections.open();
    if (lost === undefined) return;
    await connections.waitFor(lost);
  }
}

/** Lost or failed connection that may be tried again. */
interface Lost {
  readonly reason: string;
  /** Milliseconds that the service asks to wait; undefined if it does not say. */
  readonly waitMs?: number | undefined;
}

/** Successive connections of a watch. */
class Connections {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #options: WatchOptions;
  readonly #canPoll: boolean;
  #lastEventId: string;
  #retryMs = RETRY_MS;
  /** Connections lost since the last event. */
  #numLost = 0;
  #heardAt: number;
  #wasOpen = false;
  #wasHeard = false;

  constructor(transport: Transport, path: string, options: WatchOptions, canPoll: boolean) {
    this.#transport = transport;
    this.#path = path;
    this.#options = options;
    this.#canPoll = canPoll;
    this.#lastEventId = options.lastEventId ?? '';
    this.#heardAt = transport.surroundings.now();
  }

  /** Yields the events of the next connection; returns undefined if the stream ended properly. */
  async *open(): AsyncGenerator<JobEvent, Lost | undefined, undefined> {
    const silence = new SilenceTimer(this.#options.silenceMs ?? SILENCE_MS);
    const { signal: stop } = this.#options;
    const signal = stop === undefined ? silence.signal : AbortSignal.any([stop, silence.signal]);
    try {
      const response = await this.#transport.send({
        method: 'GET',
        path: `${this.#path}/events`,
        headers: this.#headers(),
        signal,
        isRepeatable: true,
      });
      if (response.status === 204) return undefined;
      const refused = await this.#refusalOf(response);
      if (refused !== undefined || response.body === null) return refused;
      this.#wasOpen = true;
      return yield* this.#read(response.body, silence);
    } catch (error) {
      stop?.throwIfAborted();
      if (signal.aborted) return this.#lost('Nothing was heard any more', !this.#wasHeard);
      if (!(error instanceof ConnectionError)) throw error;
      if (this.#wasOpen || this.#mayTryAgain(error))
        return { reason: 'The service does not answer' };
      throw error;
    } finally {
      silence.end();
    }
  }

  /**
   * Waits before the next connection.
   *
   * @throws {ConnectionError} if nothing was received for too long.
   */
  async waitFor({ reason, waitMs }: Lost): Promise<void> {
    const { baseUrl, surroundings } = this.#transport;
    if (surroundings.now() - this.#heardAt > GIVE_UP_MS) {
      throw new ConnectionError(baseUrl, `${reason}, for ten minutes`);
    }
    const doubled = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2 ** this.#numLost++);
    // Add random time: other clients may have lost their connections at the same moment.
    const ms = waitMs ?? Math.max(doubled, this.#retryMs) * (1 + surroundings.random() / 4);
    this.#options.onReconnect?.(reason, ms);
    await surroundings.sleep(ms, this.#options.signal);
  }

  async *#read(
    body: ReadableStream<Uint8Array>,
    silence: SilenceTimer,
  ): AsyncGenerator<JobEvent, Lost | undefined, undefined> {
    const parser = new EventStreamParser(this.#lastEventId);
    const reader = body.getReader();
    for (;;) {
      const chunk = await reader.read().catch(() => undefined);
      this.#options.signal?.throwIfAborted();
      if (chunk === undefined) {
        const isSilent = silence.signal.aborted && !this.#wasHeard;
        return this.#lost('The connection was lost', isSilent);
      }
      if (chunk.done) return { reason: 'The service ended the connection' };
      silence.restart();
      // Comments count as data: a long job may have hours between two events.
      this.#heardAt = this.#transport.surroundings.now();
      this.#wasHeard = true;
      const events = this.#parsed(parser, chunk.value);
      this.#retryMs = Math.max(SHORTEST_RETRY_MS, parser.retryMs ?? this.#retryMs);
      for (const event of events) {
        this.#lastEventId = event.id;
        this.#numLost = 0;
        const jobEvent = jobEventOf(event);
        if (jobEvent !== undefined) yield jobEvent;
        if (event.event === 'done') return undefined;
      }
    }
  }

  #parsed(parser: EventStreamParser, bytes: Uint8Array): readonly StreamEvent[] {
    try {
      return parser.push(bytes);
    } catch (error) {
      if (!(error instanceof EventTooLongError)) throw error;
      throw new UnreadableAnswerError(this.#transport.baseUrl, 'an event has no end');
    }
  }

  #headers(): Readonly<Record<string, string>> {
    const accept = { accept: 'text/event-stream' };
    if (this.#lastEventId === '') return accept;
    // fetch takes header values as bytes (Latin-1); the service expects the id in UTF-8.
    const bytes = new TextEncoder().encode(this.#lastEventId);
    return { ...accept, 'last-event-id': String.fromCharCode(...bytes) };
  }

  /** Checks the answer; undefined if it is a stream. */
  async #refusalOf(response: Response): Promise<Lost | undefined> {
    const { status, headers } = response;
    if (status === 200 && headers.get('content-type')?.startsWith('text/event-stream')) {
      return undefined;
    }
    if (status === 200) {
      await response.body?.cancel();
      const fault = 'its events are no text/event-stream';
      if (this.#canPoll) throw new EventsUnavailableError(fault);
      throw new UnreadableAnswerError(this.#transport.baseUrl, fault);
    }
    const refusal = await this.#transport.refusal(response);
    if (status !== 429 && status < 500) throw refusal;
    const isFull = refusal.details.some(({ code }) => code === 'SERVICE_TOO_MANY_STREAMS');
    const lost = this.#lost(refusal.message.replace(/\.$/, ''), isFull);
    return { ...lost, waitMs: refusal.retryAfterMs };
  }

  /** A lost connection; throws for a caller that can poll, if no other connection is likely to be better. */
  #lost(reason: string, isLasting: boolean): Lost {
    if (isLasting && this.#canPoll) throw new EventsUnavailableError(reason);
    return { reason };
  }

  /** Whether a connection that failed before any was open is tried again, as other requests are. */
  #mayTryAgain(error: ConnectionError): boolean {
    const { maxRetries, isWorthRetrying } = this.#transport.retry;
    return this.#numLost < maxRetries && isWorthRetrying(error);
  }
}

/** Aborts its signal once it was not restarted for the given time. */
class SilenceTimer {
  readonly #ms: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout>;

  constructor(ms: number) {
    this.#ms = ms;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  /** Ends the time now, which closes the connection. */
  end(): void {
    clearTimeout(this.#timer);
    this.#controller.abort();
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#controller.abort(), this.#ms);
  }
}

/** The event as the service documents it; undefined if it is of another type or lacks its data. */
function jobEventOf({ id, event, data: text }: StreamEvent): JobEvent | undefined {
  const data = fieldsOf(parsedJson(text));
  const [field = '', type] = FIELD_OF_EVENT.get(event) ?? [];
  return typeof data?.[field] === type ? ({ id, event, data } as unknown as JobEvent) : undefined;
}

/** State of a job that is waited for. */
export interface Progress {
  readonly status: DoneEvent['status'];
  /** Completed part of the work, 0 to 1, while the job runs. */
  readonly progress?: number;
  /** Current step of a task or TPU job. */
  readonly message?: string;
  /** Number of jobs that start before it, while it waits. */
  readonly queuePosition?: number;
}

/** The state that an event tells of. */
export function progressOf(event: Exclude<JobEvent, { readonly event: 'done' }>): Progress {
  if (event.event === 'progress') {
    const { progress, message } = event.data;
    return { status: 'running', progress, ...(message !== undefined && { message }) };
  }
  const { status, queue_position: queuePosition } = event.data;
  return { status, ...(queuePosition !== undefined && { queuePosition }) };
}
