/**
 * A closed loop of one request over kept-alive connections: each connection sends the next request
 * once its answer is read and found right.
 *
 * Written on sockets, because the generator shares the machine with what it measures: a general
 * client spends as much on a small request as the service does. It reads the one form of answer that
 * the service gives, status line, headers with Content-Length, body, and refuses every other.
 */
import { connect, type Socket } from 'node:net';

/** One load. */
export interface Load {
  readonly host: string;
  readonly port: number;
  /** The whole request as bytes on the wire. */
  readonly request: Buffer;
  /** Throws where the body of an answer is wrong. */
  readonly verify: (body: string) => void;
  readonly numConnections: number;
  readonly numRequests: number;
}

const HEADER_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/**
 * Drives the load to its end.
 *
 * @returns Milliseconds of each request, in the order of the answers; length `numRequests`.
 * @throws what `verify` throws; an Error for an answer other than 201, and for a lost connection.
 */
export async function closedLoop(load: Load): Promise<readonly number[]> {
  const latencies: number[] = [];
  let numStarted = 0;
  const takeTurn = () => numStarted++ < load.numRequests;
  const numConnections = Math.min(load.numConnections, load.numRequests);
  const drive = () => driveConnection(load, takeTurn, latencies);
  try {
    await Promise.all(Array.from({ length: numConnections }, drive));
  } finally {
    // Where one connection failed, the others end with the answer they wait for.
    numStarted = load.numRequests;
  }
  return latencies;
}

/** One POST of a JSON body as bytes. */
export function postRequest(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
): Buffer {
  const all = {
    host: url.host,
    ...headers,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(body)}`,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

function driveConnection(
  { host, port, request, verify }: Load,
  takeTurn: () => boolean,
  latencies: number[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host, port, noDelay: true });
  let received = '';
  let sentAt = 0;
  const next = () => {
    if (!takeTurn()) {
      socket.end();
      resolve();
      return;
    }
    sentAt = performance.now();
    socket.write(request);
  };
  // Bytes as characters: a body of the service's numbers and names is ASCII.
  socket.setEncoding('latin1');
  socket.on('connect', next);
  socket.on('data', (chunk: string) => {
    received += chunk;
    try {
      const body = takeBody(received);
      if (body === undefined) return;
      verify(body);
    } catch (error) {
      fail(socket, error, reject);
      return;
    }
    received = '';
    latencies.push(performance.now() - sentAt);
    next();
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the service hung up')));
  return promise;
}

function fail(socket: Socket, error: unknown, reject: (error: unknown) => void): void {
  reject(error);
  socket.destroy();
}

/** The body of a whole answer; undefined while some of it is missing. */
function takeBody(answer: string): string | undefined {
  const headEnd = answer.indexOf(HEADER_END);
  if (headEnd < 0) return undefined;
  const head = answer.slice(0, headEnd + 2);
  const length = CONTENT_LENGTH.exec(head)?.[1];
  if (!head.startsWith('HTTP/1.1 201 ') || length === undefined) {
    throw new Error(`an answer other than 201 with its length: ${answer.slice(0, 2000)}`);
  }
  const start = headEnd + HEADER_END.length;
  const numMissing = start + Number(length) - answer.length;
  if (numMissing < 0) throw new Error('more bytes than the answer has');
  return numMissing > 0 ? undefined : answer.slice(start);
}
