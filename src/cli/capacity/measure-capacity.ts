/** Action of `qcs capacity`. */
import { availableParallelism, cpus } from 'node:os';
import { type CommandIo, table } from '../command-io.ts';
import { InterruptedError } from '../errors.ts';
import { bellLoad, closedLoop } from './http-load.ts';
import { startOwnService } from './own-service.ts';
import { percentilesOf } from './percentiles.ts';

/** Options of the command. */
export interface MeasureOptions {
  readonly connections: readonly number[];
  readonly requests: number;
  readonly processor: string;
}

/** The first circuits take longer, until the code of the service is compiled. */
const WARM_UP = { numConnections: 16, numRequests: 2000 };

/**
 * Measures a service of this process, and writes rates and latencies.
 *
 * @param entry - Module of the command line; it is started again with `serve`.
 * @throws {LoadFailedError} if the service does not start, or answers wrongly.
 */
export async function measureCapacity(
  options: MeasureOptions,
  io: CommandIo,
  entry: string,
): Promise<void> {
  // Ctrl-C also stops the service and removes its folder.
  const interrupt = Promise.withResolvers<never>();
  using _listener = io.onInterrupt(() => interrupt.reject(new InterruptedError()));
  // Ctrl-C may come before the promise is awaited.
  interrupt.promise.catch(() => {});
  io.err.write('starting the service …\n');
  await using service = await startOwnService(entry, io.environment);
  const load = bellLoad(service.origin.href, service.key, options.processor);
  const rows = await Promise.race([measured(load, options, io), interrupt.promise]);
  io.out.write(
    `Bell circuits to ${options.processor}; client and service share ${availableParallelism()} cores of ${cpus()[0]?.model ?? 'unknown'}; every answer verified\n`,
  );
  io.out.write(`${table(['CONNECTIONS', 'CIRCUITS/S', 'P50 MS', 'P95 MS', 'P99 MS'], rows)}\n`);
}

async function measured(
  load: ReturnType<typeof bellLoad>,
  { connections, requests: numRequests }: MeasureOptions,
  { err }: CommandIo,
): Promise<readonly (readonly string[])[]> {
  await closedLoop({ ...load, ...WARM_UP });
  const rows: string[][] = [];
  for (const numConnections of connections) {
    err.write(`${numConnections} connections …\n`);
    const begin = performance.now();
    const { p50, p95, p99 } = percentilesOf(
      await closedLoop({ ...load, numConnections, numRequests }),
    );
    const perSecond = (1000 * numRequests) / (performance.now() - begin);
    const figures = [perSecond, p50, p95, p99].map((value) => `${Number(value.toPrecision(3))}`);
    rows.push([`${numConnections}`, ...figures]);
  }
  return rows;
}
