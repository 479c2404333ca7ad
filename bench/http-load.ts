/**
 * A closed loop of one request over kept-alive connections: each connection sends the next request
 * once its answer is read and verified. It sends a number of requests; the loads of `qcs capacity`
 * run for a time.
 */
import { LoadFailedError } from '../src/cli/capacity/errors.ts';
import { HttpConnection } from '../src/cli/capacity/http-connection.ts';

/** One load. */
export interface Load {
  readonly origin: URL;
  /** The whole request as bytes on the wire. */
  readonly request: Buffer;
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
 * @returns Milliseconds of each request, in the order of the answers; length `numRequests`.
 * @throws what `verify` throws.
 * @throws {LoadFailedError} for an answer of another status, and for a lost connection.
 */
export async function closedLoop(load: Load): Promise<readonly number[]> {
  const { origin, request, verify, status: expected = 201, numRequests } = load;
  const latencies: number[] = [];
  let numStarted = 0;
  using stack = new DisposableStack();
  const drive = async () => {
    const connection = stack.use(new HttpConnection(origin));
    await connection.opened;
    while (numStarted < numRequests) {
      numStarted++;
      const sentAt = performance.now();
      const { status, body } = await connection.send(request);
      if (status !== expected) throw new LoadFailedError(`${status}: ${body.slice(0, 500)}`);
      verify(body);
      latencies.push(performance.now() - sentAt);
    }
  };
  const numConnections = Math.min(load.numConnections, numRequests);
  await Promise.all(Array.from({ length: numConnections }, drive));
  return latencies;
}
