/**
 * text/event-stream → events, however its bytes are cut up.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2.6.
 */

/** An event. */
export interface StreamEvent {
  /** Of the last event that had one; empty where none did. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Characters of one line, or of the data of one event; more is no stream of this service. */
const MAX_LENGTH = 2 ** 20;

/** Thrown by `push`; the stream cannot be read further. */
export class EventTooLongError extends Error {}

/** One for each connection; what a cut-off connection began to tell is forgotten with it. */
export class EventStreamParser {
  readonly #decoder = new TextDecoder();
  /** The line that is not yet at its end. */
  #line = '';
  /** The last character was a carriage return: a line feed that follows belongs to it. */
  #isAfterReturn = false;
  #id: string;
  #event = '';
  #data: string[] = [];
  #dataLength = 0;
  #retryMs: number | undefined;

  /** @param lastEventId - Of the connection before. */
  constructor(lastEventId = '') {
    this.#id = lastEventId;
  }

  /** What the stream says of the time to wait before coming back; undefined where it says nothing. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /**
   * The events that these bytes complete.
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

  /** A whole line; gives the event that it completes. */
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
      // Others, and comments, whose field is empty, are passed over: the format may grow.
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
