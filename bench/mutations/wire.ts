/** One kept-alive connection that sends bytes as they are, well-formed or not, and reads the answer. */
import { connect, type Socket } from 'node:net';

/** An answer as it came. */
export interface WireAnswer {
  readonly status: number;
  /** Media type without its parameters; empty without one. */
  readonly type: string;
  /** Empty for a stream, whose connection is closed. */
  readonly body: string;
}

/** A request as it is sent. */
export interface Sending {
  readonly bytes: Buffer;
  /** HEAD, whose answer states the length of a body that does not come. */
  readonly isHead: boolean;
  /** Whether the request is complete; otherwise the connection is ended after its bytes. */
  readonly isFramed: boolean;
}

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '0\r\n\r\n';
const LONGEST_WAIT_MS = 60_000;

/**
 * One connection with at most one request in progress. A lost connection is reopened by the next
 * request.
 */
export class Wire implements Disposable {
  readonly #port: number;
  readonly #host: string;
  #socket: Socket | undefined;

  constructor({ hostname, port }: URL) {
    this.#host = hostname;
    this.#port = Number(port);
  }

  /**
   * Sends a request.
   *
   * @returns The answer; undefined if the service closes the connection without one, or gives none
   *   within a minute.
   */
  async send(sending: Sending): Promise<WireAnswer | undefined> {
    const wasKept = this.#socket !== undefined;
    const answer = await this.#exchange(sending);
    // A kept connection may have been closed by the service just as the request went out.
    return answer === undefined && wasKept ? await this.#exchange(sending) : answer;
  }

  [Symbol.dispose](): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #exchange({ bytes, isHead, isFramed }: Sending): Promise<WireAnswer | undefined> {
    const socket = this.#socket ?? this.#open();
    const { promise, resolve } = Promise.withResolvers<WireAnswer | undefined>();
    const received: Buffer[] = [];
    const end = (answer: WireAnswer | undefined, isKept: boolean) => {
      clearTimeout(timer);
      socket.removeAllListeners('data').removeAllListeners('close');
      if (!isKept) {
        socket.destroy();
        if (this.#socket === socket) this.#socket = undefined;
      }
      resolve(answer);
    };
    const timer = setTimeout(() => end(undefined, false), LONGEST_WAIT_MS);
    socket.on('close', () => end(undefined, false));
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      const read = readAnswer(Buffer.concat(received), isHead);
      if (read !== undefined) end(read.answer, isFramed && read.isReusable);
    });
    if (isFramed) socket.write(bytes);
    else socket.end(bytes);
    return promise;
  }

  #open(): Socket {
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true });
    // The event 'close' follows and tells what came of it.
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#socket === socket) this.#socket = undefined;
    });
    this.#socket = socket;
    return socket;
  }
}

/** The first final answer in the bytes, once it is whole. */
function readAnswer(
  bytes: Buffer,
  isHead: boolean,
): { readonly answer: WireAnswer; readonly isReusable: boolean } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const rest = bytes.subarray(headEnd + HEAD_END.length);
  const status = Number(head.slice(9, 12));
  if (status === 100) return readAnswer(rest, isHead);
  const type = (/\r\ncontent-type: *([^;\r]*)/i.exec(head)?.[1] ?? '').trim().toLowerCase();
  const isOpen = !/\r\nconnection: *close/i.test(head);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? Number.NaN);
  if (isHead || status === 204 || status === 304) {
    return { answer: { status, type, body: '' }, isReusable: isOpen && rest.length === 0 };
  }
  if (type === 'text/event-stream') {
    return { answer: { status, type, body: '' }, isReusable: false };
  }
  if (Number.isNaN(length)) {
    // Chunks; only files of the page come so, whose text nobody reads here.
    if (rest.subarray(-LAST_CHUNK.length).toString('latin1') !== LAST_CHUNK) return undefined;
    return { answer: { status, type, body: rest.toString() }, isReusable: false };
  }
  if (rest.length < length) return undefined;
  const body = rest.toString('utf8', 0, length);
  return { answer: { status, type, body }, isReusable: isOpen && rest.length === length };
}
