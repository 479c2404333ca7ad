/**
 * HTTP client on one keep-alive connection, with one request at a time. It is written on a socket because the
 * load generator shares the machine that it measures, and a general client uses as much CPU time as the
 * service does for a small circuit. It reads only answers that state their length, and refuses others.
 */
import { connect, type Socket } from 'node:net';
import { LoadFailedError } from './errors.ts';

/** Status and body of an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

const HEADER_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/** Encodes one request as bytes. */
export function httpRequest(
  method: 'GET' | 'POST',
  url: URL,
  headers: Readonly<Record<string, string>>,
  body = '',
): Buffer {
  const all = {
    host: url.host,
    ...headers,
    ...(body !== '' && {
      'content-type': 'application/json',
      'content-length': `${Buffer.byteLength(body)}`,
    }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`,
  );
}

/** Connection with at most one request in flight. */
export class HttpConnection implements Disposable {
  /** Resolves once the service has accepted the connection. Requests sent earlier are transmitted then. */
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  #received: Buffer[] = [];
  #waiting: PromiseWithResolvers<HttpAnswer> | undefined;
  #fault: Error | undefined;

  constructor({ hostname, port }: URL) {
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.opened = promise;
    // A failed connection is reported by `send` to callers that do not await `opened`.
    promise.catch(() => {});
    this.#socket.on('connect', resolve);
    const fail = (what: string, cause?: Error) => {
      const error = new LoadFailedError(what, { cause });
      reject(error);
      this.#fail(error);
    };
    this.#socket.on('error', (error) => fail(`the connection broke, ${error.message}`, error));
    this.#socket.on('close', () => fail('the service hung up'));
  }

  /**
   * Sends a request and reads its answer.
   *
   * @throws {LoadFailedError} if the service closes the connection or answers in another form.
   */
  send(request: Buffer): Promise<HttpAnswer> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    this.#waiting = Promise.withResolvers();
    this.#socket.write(request);
    return this.#waiting.promise;
  }

  [Symbol.dispose](): void {
    this.#socket.removeAllListeners('close');
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received.push(chunk);
    const bytes = this.#received.length === 1 ? chunk : Buffer.concat(this.#received);
    this.#received = [bytes];
    const headEnd = bytes.indexOf(HEADER_END);
    if (headEnd < 0) return;
    const head = bytes.toString('latin1', 0, headEnd);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) {
      this.#fail(new LoadFailedError(`an answer does not state its length: ${head}`));
      return;
    }
    const end = headEnd + HEADER_END.length + Number(length);
    if (bytes.length < end) return;
    if (bytes.length > end) {
      this.#fail(new LoadFailedError('an answer is longer than it states'));
      return;
    }
    this.#received = [];
    const waiting = this.#waiting;
    this.#waiting = undefined;
    const body = bytes.toString('utf8', headEnd + HEADER_END.length, end);
    waiting?.resolve({ status: Number(head.slice(9, 12)), body });
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#waiting?.reject(error);
    this.#waiting = undefined;
    this.#socket.destroy();
  }
}
