/**
 * Parser of text/event-stream. The bytes may be split anywhere.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6.
 */

/** Event of a stream. */
export interface StreamEvent {
  /** Id of this event, or else of the last one that had an id; empty if none had. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Greatest number of characters in a line or in an event's data. The service sends no longer ones. */
const MAX_LENGTH = 2 ** 20;

/** A line or an event is too long. The stream cannot be read further. */
export class EventTooLongError extends Error {}

/** Parser for one connection. An event cut off by the end of the connection is dropped with its parser. */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  /** Start of a line whose end has not arrived. */
  #line = '';
  /** True after a carriage return: a line feed that follows belongs to it. */
  #isAfterReturn = false;
  #id: string;
  #event = '';
  #data: string[] = [];
  #dataLength = 0;
  #retryMs: number | undefined;

  /** @param lastEventId - Last event id of the previous connection. */
  constructor(lastEventId = '') {
    this.#id = lastEventId;
  }

  /** Reconnection time that the stream asks for, milliseconds; undefined if it asks for none. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /**
   * Parses bytes and returns the events that they complete.
   *
   * @throws {EventTooLongError}
   */
  push(bytes: Uint8Array): readonly StreamEvent[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    const lines = (this.#isAfterReturn && text.startsWith('\n') ? text.slice(1) : text).split(
      /\r\n|\r|\n/,
    );
    this.#isAfterReturn = text.endsWith('\r');
    const events: StreamEvent[] = [];
    const last = lines.pop() ?? '';
    for (const rest of lines) {
      const event = this.#take(this.#line + rest);
      this.#line = '';
      if (event !== undefined) events.push(event);
    }
    this.#line += last;
    if (this.#line.length > MAX_LENGTH) throw new EventTooLongError();
    return events;
  }

  /** Processes a whole line and returns the event that it completes, if any. */
  #take(line: string): StreamEvent | undefined {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    switch (field) {
      case 'event':
        this.#event = value;
        break;
      case 'data':
        this.#data.push(value);
        this.#dataLength += value.length;
        if (this.#dataLength > MAX_LENGTH) throw new EventTooLongError();
        break;
      case 'id':
        if (!value.includes('\0')) this.#id = value;
        break;
      case 'retry':
        if (/^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
        break;
      // Other fields, and comments (whose field is empty), are ignored: the format may grow.
    }
    return undefined;
  }

  #dispatch(): StreamEvent | undefined {
    const [event, data] = [this.#event, this.#data];
    this.#event = '';
    this.#data = [];
    this.#dataLength = 0;
    if (data.length === 0) return undefined;
    return { id: this.#id, event: event === '' ? 'message' : event, data: data.join('\n') };
  }
}
