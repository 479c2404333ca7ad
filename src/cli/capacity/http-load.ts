/**
 * Loads of one HTTP request: connections that are kept open, a closed loop over them, in which each connection sends
 * the next request once its answer is read and verified, and the smallest circuit as a request.
 *
 * The load shares the machine that it measures, so the client is Node's own: for a small circuit it takes a fifth of
 * the processor time that `fetch` does.
 */
import { Agent, request as httpRequestOf, type RequestOptions } from 'node:http';
import { LoadFailedError } from '../errors.ts';

/** Request that may be sent many times. */
export interface HttpRequest {
  readonly options: RequestOptions;
  readonly body: string;
}

/** Status and body of an answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
}

/** Prepares a request; a body is JSON. */
export function httpRequest(
  method: 'GET' | 'POST',
  { hostname, port, pathname, search }: URL,
  headers: Readonly<Record<string, string>>,
  body = '',
): HttpRequest {
  const ofBody = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return {
    options: {
      host: hostname,
      port,
      method,
      path: pathname + search,
      headers: { ...headers, ...(body !== '' && ofBody) },
    },
    body,
  };
}

/** Connections that are kept open, each with at most one request in flight. Further requests wait for one. */
export class HttpConnections implements Disposable {
  readonly #agent: Agent;
  #isClosed = false;

  constructor(numConnections: number) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: numConnections });
  }

  /**
   * Sends a request and reads its answer.
   *
   * @throws {LoadFailedError} if the service does not listen, closes the connection or breaks the protocol.
   */
  send({ options, body }: HttpRequest): Promise<HttpAnswer> {
    // The agent would connect anew.
    if (this.#isClosed) return Promise.reject(new LoadFailedError('another request failed'));
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) =>
        reject(new LoadFailedError(`the connection broke, ${cause.message}`, { cause }));
      httpRequestOf({ ...options, agent: this.#agent }, (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (chunk: string) => {
            text += chunk;
          })
          .on('end', () => resolve({ status: response.statusCode ?? 0, body: text }))
          .on('error', fail);
      })
        .on('error', fail)
        .end(body);
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#agent.destroy();
  }
}

/** One load. */
export interface Load {
  readonly request: HttpRequest;
  /** Throws if the body of an answer is wrong. */
  readonly verify: (body: string) => void;
  /** Status of a right answer; 201 by default. */
  readonly status?: number;
  readonly numConnections: number;
  readonly numRequests: number;
}

/**
 * Drives the load to its end.
 *
 * @returns Milliseconds of each request, in the order of the answers; length `numRequests`. The first of each
 *   connection have its opening in them.
 * @throws what `verify` throws.
 * @throws {LoadFailedError} for an answer of another status, and for a lost connection.
 */
export async function closedLoop(load: Load): Promise<readonly number[]> {
  const { request, verify, status: expected = 201, numRequests } = load;
  const numConnections = Math.min(load.numConnections, numRequests);
  const latencies: number[] = [];
  let numStarted = 0;
  using connections = new HttpConnections(numConnections);
  const drive = async () => {
    while (numStarted < numRequests) {
      numStarted++;
      const sentAt = performance.now();
      const { status, body } = await connections.send(request);
      if (status !== expected) throw new LoadFailedError(`${status}: ${body.slice(0, 500)}`);
      verify(body);
      latencies.push(performance.now() - sentAt);
    }
  };
  await Promise.all(Array.from({ length: numConnections }, drive));
  return latencies;
}

const SHOTS = 100;

/** A Bell circuit, and the check that an answer counts all its shots on 00 and 11. */
export function bellLoad(
  origin: string,
  key: string,
  processor: string,
): Omit<Load, 'numConnections' | 'numRequests'> {
  const url = new URL('/api/v1/quantum/circuits', origin);
  const body = JSON.stringify({
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    target_processor: processor,
    shots: SHOTS,
  });
  return {
    request: httpRequest('POST', url, { 'x-api-key': key }, body),
    verify(text) {
      const { data } = JSON.parse(text) as { data?: { counts?: Record<string, number> } };
      const { '00': zeros = 0, '11': ones = 0, ...others } = data?.counts ?? {};
      if (zeros + ones !== SHOTS || Object.keys(others).length > 0) {
        throw new LoadFailedError(`a wrong answer, ${text.slice(0, 500)}`);
      }
    },
  };
}
