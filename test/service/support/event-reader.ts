/** A reader of text/event-stream over a socket of its own, event by event, as a browser reads it. */
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { doneData, progressData, statusData } from '../../../src/service/jobs/job-event-stream.ts';

/** How the data of each event is documented. */
const SCHEMAS = new Map(
  Object.entries({ status: statusData, progress: progressData, done: doneData }),
);

/** An event as it came. */
export interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An open stream. */
export class EventReader implements Disposable {
  readonly response: IncomingMessage;
  readonly #lines: AsyncIterator<string>;

  private constructor(response: IncomingMessage) {
    this.response = response;
    this.#lines = createInterface({ input: response })[Symbol.asyncIterator]();
  }

  /** Asks for a stream; resolves with the head of the answer. */
  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventReader> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // As clients do that mean to use the connection again.
    const head = { connection: 'keep-alive', ...headers };
    get(url, { headers: head, agent: false }, resolve).on('error', reject);
    return new EventReader(await promise);
  }

  /**
   * The next event; undefined where the stream ended. Comments are passed over.
   *
   * @throws where its data is not as documented.
   */
  async next(): Promise<ReceivedEvent | undefined> {
    const fields = new Map<string, string>();
    for (;;) {
      const { value: line, done } = await this.#lines.next();
      if (done) return undefined;
      if (line === '') {
        const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
        fields.clear();
        if (id === undefined || event === undefined || data === undefined) continue;
        const schema = SCHEMAS.get(event);
        if (schema === undefined) throw new Error(`an event "${event}"`);
        return { id, event, data: schema.parse(JSON.parse(data)) };
      }
      const colon = line.indexOf(': ');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
  }

  /** The next so many events. */
  async take(count: number): Promise<readonly ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the stream ended after ${events.length} events`);
      events.push(event);
    }
    return events;
  }

  /** Everything until the stream ends. */
  async rest(): Promise<readonly ReceivedEvent[]> {
    const events: ReceivedEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      events.push(event);
    }
    return events;
  }

  /** Breaks the connection. */
  [Symbol.dispose](): void {
    this.response.destroy();
  }
}

/** Ids of a stream's events. */
export function idsOf(events: readonly ReceivedEvent[]): readonly string[] {
  return events.map(({ id }) => id);
}
