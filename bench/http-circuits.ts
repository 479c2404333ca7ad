/**
 * Bell circuits over HTTP, closed loop: the whole path (HTTP, parse, compile, queue, run, sample,
 * store, answer) with client and service on one machine, a process each. Every answer is checked.
 *
 * Beside the rate stands what a circuit costs in processor time, by kind of thread: on a machine with
 * other work the rate says little and the cost still much, and where the cost of the main thread times
 * the rate comes near one second per second, the main thread is the bound.
 */
import { bellLoad, closedLoop } from '../src/cli/capacity/http-load.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { type Measurement, report } from './harness.ts';
import { measureRound, type Round, roundsMeasurement } from './http-rounds.ts';

/** `gpu-fleet` on whatever backs it here: its circuits pass the fleet's devices as well. */
const PROCESSORS = ['statevector-sim', 'gpu-fleet'] as const;
const CONNECTIONS = [16, 64] as const;
/**
 * Requests to each processor before the measurement, while the service's code is being compiled.
 */
const WARM_UP = 12_000;
const REQUESTS = 6000;
const ROUNDS = 5;
const GOAL_PER_S = 3000;
const GOAL_P99_MS = 50;

/** A load and its measurements. */
interface Case {
  readonly processor: string;
  readonly numConnections: number;
  readonly rounds: Round[];
}

/** Prints and stores requests a second, latency percentiles and processor time. */
export async function benchHttpCircuits(): Promise<void> {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
  });
  const cases = PROCESSORS.flatMap((processor) =>
    CONNECTIONS.map((numConnections): Case => ({ processor, numConnections, rounds: [] })),
  );
  try {
    const loadOf = (processor: string) => bellLoad(service.origin, service.key ?? '', processor);
    for (const processor of PROCESSORS) {
      await closedLoop({ ...loadOf(processor), numConnections: 64, numRequests: WARM_UP });
    }
    // Interleaved, so that other load on the machine affects all alike.
    for (let i = 0; i < ROUNDS; i++) {
      for (const { processor, numConnections, rounds } of cases) {
        const load = { ...loadOf(processor), numConnections, numRequests: REQUESTS };
        rounds.push(await measureRound(load, service.process.pid));
      }
    }
  } finally {
    await service.stop('SIGTERM');
  }
  report('http-circuits', cases.flatMap(summary));
}

/** Medians of the rounds, with the smallest and largest values. */
function summary({ processor, numConnections, rounds }: Case): readonly Measurement[] {
  const of = (name: string, unit: string, figure: keyof Round, goal?: number): Measurement => ({
    ...roundsMeasurement(
      `${processor}, ${numConnections} connections: ${name}`,
      unit,
      rounds.map((round) => round[figure]),
    ),
    ...(goal === undefined ? {} : { goal }),
  });
  const cost = 'µs of processor time a circuit';
  return [
    of('Bell circuits, 100 shots', 'per second', 'perSecond', GOAL_PER_S),
    of('latency p50', 'ms', 'p50Ms'),
    of('latency p95', 'ms', 'p95Ms'),
    of('latency p99', 'ms', 'p99Ms', GOAL_P99_MS),
    of('client', cost, 'clientUs'),
    of("the service's main thread", cost, 'mainUs'),
    of('its workers', cost, 'workersUs'),
    of('its garbage collection and compilation', cost, 'helpersUs'),
  ].filter(({ value }) => !Number.isNaN(value));
}
