/**
 * A closed loop of one request over kept-alive connections: each connection sends the next request once its answer is
 * read and verified.
 */
import { LoadFailedError } from '../errors.ts';
import { HttpConnections, type HttpRequest } from './http-connections.ts';

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
 * @returns Milliseconds of each request, in the order of the answers; length `numRequests`. The first of each connection
 *   have its opening in them.
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
