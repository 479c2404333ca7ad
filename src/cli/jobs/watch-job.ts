/**
 * Events of one job, complete and each once, over as many connections as needed. If a connection ends without
 * `done`, is lost, or is silent for too long, the next one names the last event seen, and the service
 * continues from there.
 */
import type { CommandIo } from '../command-io.ts';
import { AnswerUnreadableError, ServiceUnreachableError } from './errors.ts';
import { EventStreamParser, EventTooLongError, type StreamEvent } from './event-stream-parser.ts';
import { retryAfterS, type ServiceClient } from './service-client.ts';

/** Options of a watch. */
export interface WatchOptions {
  /** Path of the record, below /api/v1. */
  readonly path: string;
  readonly io: Pick<CommandIo, 'now' | 'random' | 'sleep'>;
  /** Aborts the watch with its reason. */
  readonly signal: AbortSignal;
  /** Called before each wait with the reason (a sentence without its full stop) and the milliseconds. */
  readonly onWait: (why: string, ms: number) => void;
  /** Silence, in milliseconds, after which a connection counts as dead; by default three heartbeats. */
  readonly silenceMs?: number;
}

const SILENCE_MS = 45_000;
/** First wait before reconnecting, unless the stream states another. */
const RETRY_MS = 1000;
const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 30_000;
/** Time without any data after which the watch fails. */
const GIVE_UP_MS = 600_000;

/**
 * Yields events from the first to `done`, or nothing if the service has no more events.
 *
 * @throws {ServiceUnreachableError} if the first connection fails, or if nothing arrives for ten minutes.
 * @throws {KeyRefusedError | ServiceRefusedError | AnswerUnreadableError}
 */
export async function* watchJob(
  client: ServiceClient,
  options: WatchOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const connections = new Connections(client, options);
  for (;;) {
    const lost = yield* connections.open();
    if (lost === undefined) return;
    await connections.waitFor(lost);
  }
}

/** Lost or failed connection that may be tried again. */
interface Lost {
  readonly why: string;
  /** Milliseconds that the service asks to wait; undefined if it does not say. */
  readonly waitMs?: number;
}

/** Successive connections of a watch. */
class Connections {
  readonly #client: ServiceClient;
  readonly #options: WatchOptions;
  readonly #silenceMs: number;
  #lastEventId = '';
  #retryMs = RETRY_MS;
  /** Connections lost since the last event. */
  #numLost = 0;
  #heardAt: number;
  #wasOpen = false;

  constructor(client: ServiceClient, options: WatchOptions) {
    this.#client = client;
    this.#options = options;
    this.#silenceMs = options.silenceMs ?? SILENCE_MS;
    this.#heardAt = options.io.now();
  }

  /** Yields the events of the next connection; returns undefined if the stream ended properly. */
  async *open(): AsyncGenerator<StreamEvent, Lost | undefined, undefined> {
    const ended = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, ended.signal]);
    const silence = setTimeout(() => ended.abort(), this.#silenceMs);
    try {
      const { path } = this.#options;
      const headers = this.#headers();
      const response = await this.#client.send(`${path}/events`, { headers, signal });
      if (response.status === 204) return undefined;
      const refused = await this.#refusalOf(response);
      if (refused !== undefined || response.body === null) return refused;
      this.#wasOpen = true;
      return yield* this.#read(response.body, silence);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      if (signal.aborted) return { why: 'Nothing was heard any more' };
      if (!(error instanceof ServiceUnreachableError && this.#wasOpen)) throw error;
      return { why: 'The service does not answer' };
    } finally {
      clearTimeout(silence);
      ended.abort();
    }
  }

  /**
   * Waits before the next connection.
   *
   * @throws {ServiceUnreachableError} if nothing was received for too long.
   */
  async waitFor({ why, waitMs }: Lost): Promise<void> {
    const { io, signal, onWait } = this.#options;
    if (io.now() - this.#heardAt > GIVE_UP_MS) {
      throw new ServiceUnreachableError(this.#client.origin, `${why}, for ten minutes`);
    }
    const doubled = Math.min(LONGEST_RETRY_MS, this.#retryMs * 2 ** this.#numLost++);
    // Add random time: other clients may have lost their connections at the same moment.
    const ms = waitMs ?? Math.max(doubled, this.#retryMs) * (1 + io.random() / 4);
    onWait(why, ms);
    await io.sleep(ms, signal);
  }

  async *#read(
    body: ReadableStream<Uint8Array>,
    silence: NodeJS.Timeout,
  ): AsyncGenerator<StreamEvent, Lost | undefined, undefined> {
    const parser = new EventStreamParser(this.#lastEventId);
    const reader = body.getReader();
    for (;;) {
      const chunk = await reader.read().catch(() => undefined);
      this.#options.signal.throwIfAborted();
      if (chunk === undefined) return { why: 'The connection was lost' };
      if (chunk.done) return { why: 'The service ended the connection' };
      silence.refresh();
      // Comments count as data: a long job may have hours between two events.
      this.#heardAt = this.#options.io.now();
      const events = this.#parsed(parser, chunk.value);
      this.#retryMs = Math.max(SHORTEST_RETRY_MS, parser.retryMs ?? this.#retryMs);
      for (const event of events) {
        this.#lastEventId = event.id;
        this.#numLost = 0;
        yield event;
        if (event.event === 'done') return undefined;
      }
    }
  }

  #parsed(parser: EventStreamParser, bytes: Uint8Array): readonly StreamEvent[] {
    try {
      return parser.push(bytes);
    } catch (error) {
      if (!(error instanceof EventTooLongError)) throw error;
      throw new AnswerUnreadableError(this.#client.origin, 'an event has no end');
    }
  }

  #headers(): Readonly<Record<string, string>> {
    const accept = { accept: 'text/event-stream' };
    if (this.#lastEventId === '') return accept;
    // fetch takes header values as bytes (Latin-1); the service expects the id in UTF-8.
    return { ...accept, 'last-event-id': Buffer.from(this.#lastEventId).toString('latin1') };
  }

  /** Checks the answer; undefined if it is a stream. */
  async #refusalOf(response: Response): Promise<Lost | undefined> {
    const { status, headers } = response;
    if (status === 429 || status >= 500) {
      const { message } = await this.#client.refusal(response);
      const waitS = retryAfterS(response);
      return {
        why: message.replace(/\.$/, ''),
        ...(waitS !== undefined && { waitMs: waitS * 1000 }),
      };
    }
    if (status !== 200) throw await this.#client.refusal(response);
    if (headers.get('content-type')?.startsWith('text/event-stream')) return undefined;
    throw new AnswerUnreadableError(this.#client.origin, 'its events are no text/event-stream');
  }
}
