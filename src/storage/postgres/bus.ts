/**
 * Messages between the nodes of a cluster, over LISTEN and NOTIFY on a connection of its own.
 *
 * Messages that are sent while others are under way go together in the next statement. They may be lost, with the
 * connection or before it is opened again, so every receiver also looks in the database from time to time.
 *
 * It is the one connection of a node that listens, since each message wakes all that do: it also hears what the
 * database itself notifies, as of keys that have changed.
 */
import type pg from 'pg';
import { drop, end, openWriter, send } from './connection.ts';
import type { PostgresDatabase } from './postgres-database.ts';

const CHANNEL = 'qcs_cluster';
/** Greatest size of a notification, bytes; the server's own limit is 8000. */
const MAX_PAYLOAD_BYTES = 7900;
/** Messages that wait to be sent; further ones are dropped. */
const MAX_WAITING = 20_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 1000;
/** An idle connection is asked this often whether it lives. */
const BEAT_MS = 2000;
/** Time for the answer to a message. Messages are short, and their contents are looked up each second. */
const ANSWER_MS = 5000;

const NOTIFY = {
  name: 'bus-notify',
  text: `SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`,
};

/** Options of a PostgresBus. */
interface BusOptions {
  readonly database: PostgresDatabase;
  /** Called with each message of any node, this one's own among them. */
  readonly onMessage: (message: string) => void;
  /** Called when messages come from now on; earlier ones may have been lost. */
  readonly onConnected: () => void;
}

/** Sends and receives messages, each a line of text. */
export class PostgresBus {
  readonly #options: BusOptions;
  #client: pg.Client | undefined;
  readonly #waiting = new Set<string>();
  #isSending = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  readonly #beat: NodeJS.Timeout;
  #numSent = 0;
  #numReceived = 0;

  constructor(options: BusOptions) {
    this.#options = options;
    this.#beat = setInterval(() => void this.#askWhetherAlive(), BEAT_MS).unref();
  }

  /** Connects; goes on trying in the background. */
  open(): Promise<void> {
    return this.#connect(FIRST_RETRY_MS);
  }

  /** Messages sent and received since the start. */
  get counts(): { readonly sent: number; readonly received: number } {
    return { sent: this.#numSent, received: this.#numReceived };
  }

  /** Sends a message soon, unless it is too long. The same message that still waits is sent once. */
  send(message: string): void {
    if (this.#client === undefined || this.#waiting.size >= MAX_WAITING) return;
    // The server would refuse it, and all that is sent with it.
    if (Buffer.byteLength(message) > MAX_PAYLOAD_BYTES) return;
    this.#waiting.add(message);
    if (this.#isSending) return;
    this.#isSending = true;
    // Messages of this turn of the event loop go together.
    setImmediate(() => void this.#sendWaiting());
  }

  /** Ends the connection after the waiting messages were sent. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#beat);
    clearTimeout(this.#retry);
    await this.#sendWaiting();
    const client = this.#client;
    this.#client = undefined;
    this.#options.database.noteHeard(false);
    if (client !== undefined) await end(client);
  }

  async #sendWaiting(): Promise<void> {
    this.#isSending = true;
    while (this.#client !== undefined && this.#waiting.size > 0) {
      const client = this.#client;
      const messages = [...this.#waiting];
      this.#waiting.clear();
      try {
        await send(client, NOTIFY, [payloads(messages)]);
        this.#numSent += messages.length;
      } catch {
        this.#lose(client);
      }
    }
    this.#isSending = false;
  }

  async #connect(retryMs: number): Promise<void> {
    const { database } = this.#options;
    let client: pg.Client | undefined;
    try {
      client = await openWriter(database.url, `${database.name} bus`, ANSWER_MS);
      client.on('notification', ({ channel, payload = '' }) => {
        if (channel !== CHANNEL) {
          database.notify(channel, payload);
          return;
        }
        for (const message of payload.split('\n')) {
          this.#numReceived += 1;
          this.#options.onMessage(message);
        }
      });
      // Messages need not survive a crash.
      await send(client, 'SET synchronous_commit = off');
      for (const channel of [CHANNEL, ...database.channels]) {
        await send(client, `LISTEN ${channel}`);
      }
    } catch {
      if (client !== undefined) drop(client);
      this.#connectLater(retryMs);
      return;
    }
    if (this.#isClosed) {
      drop(client);
      return;
    }
    const opened = client;
    opened.on('error', () => this.#lose(opened));
    opened.on('end', () => this.#lose(opened));
    this.#client = opened;
    database.noteHeard(true);
    this.#options.onConnected();
  }

  #lose(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#options.database.noteHeard(false);
    this.#waiting.clear();
    drop(client);
    this.#connectLater(FIRST_RETRY_MS);
  }

  #connectLater(delayMs: number): void {
    if (this.#isClosed) return;
    const nextMs = Math.min(2 * delayMs, LONGEST_RETRY_MS);
    this.#retry = setTimeout(() => void this.#connect(nextMs), delayMs);
  }

  async #askWhetherAlive(): Promise<void> {
    const client = this.#client;
    if (client === undefined || this.#isSending) return;
    await send(client, 'SELECT 1').catch(() => this.#lose(client));
  }
}

/** Joins messages to payloads, in order. */
function payloads(messages: readonly string[]): readonly string[] {
  const joined: string[] = [];
  let last = '';
  for (const message of messages) {
    const both = `${last}\n${message}`;
    if (last === '') last = message;
    else if (Buffer.byteLength(both) <= MAX_PAYLOAD_BYTES) last = both;
    else {
      joined.push(last);
      last = message;
    }
  }
  return last === '' ? joined : [...joined, last];
}
