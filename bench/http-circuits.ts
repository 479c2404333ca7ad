/**
 * Bell circuits over HTTP, closed loop: the whole path (HTTP, parse, compile, queue, run, sample,
 * store, answer) with client and service on one machine, a process each. Every answer is checked.
 *
 * Beside the rate stands what a circuit costs in processor time, by kind of thread: on a machine with
 * other work the rate says little and the cost still much, and where the cost of the main thread times
 * the rate comes near one second per second, the main thread is the bound.
 */
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { type Measurement, median, report } from './harness.ts';
import { closedLoop, type Load, postRequest } from './http-load.ts';
import { threadTimes } from './thread-times.ts';

const CONNECTIONS = [16, 64] as const;
/** Until then the service's code is still being compiled. */
const WARM_UP = 12_000;
const REQUESTS = 6000;
const ROUNDS = 5;
const SHOTS = 100;
const GOAL_PER_S = 3000;
const GOAL_P99_MS = 50;
const US_PER_S = 1e6;

/** One round's figures; processor time is microseconds a circuit. */
interface Round {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly clientUs: number;
  readonly mainUs: number;
  readonly workersUs: number;
  readonly helpersUs: number;
}

/** Prints and stores requests a second, latency percentiles and processor time. */
export async function benchHttpCircuits(): Promise<void> {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_LOG_LEVEL: 'warn',
  });
  const rounds = new Map<number, Round[]>(CONNECTIONS.map((number) => [number, []]));
  try {
    const load = bellLoad(service.origin, service.key ?? '');
    await closedLoop({ ...load, numConnections: 64, numRequests: WARM_UP });
    // Interleaved, so that what else the machine does falls on both alike.
    for (let i = 0; i < ROUNDS; i++) {
      for (const [numConnections, measured] of rounds) {
        measured.push(
          await measure({ ...load, numConnections, numRequests: REQUESTS }, service.process.pid),
        );
      }
    }
  } finally {
    await service.stop('SIGTERM');
  }
  report(
    'http-circuits',
    [...rounds].flatMap(([number, measured]) => summary(number, measured)),
  );
}

/** A Bell circuit, and the check that an answer counts all its shots on 00 and 11. */
function bellLoad(origin: string, key: string): Omit<Load, 'numConnections' | 'numRequests'> {
  const url = new URL('/api/v1/quantum/circuits', origin);
  const body = JSON.stringify({
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    target_processor: 'statevector-sim',
    shots: SHOTS,
  });
  return {
    host: url.hostname,
    port: Number(url.port),
    request: postRequest(url, { 'x-api-key': key }, body),
    verify(text) {
      const { data } = JSON.parse(text) as { data?: { counts?: Record<string, number> } };
      const { '00': zeros = 0, '11': ones = 0, ...others } = data?.counts ?? {};
      if (zeros + ones !== SHOTS || Object.keys(others).length > 0) {
        throw new Error(`a wrong answer: ${text}`);
      }
    },
  };
}

async function measure(load: Load, pid = 0): Promise<Round> {
  const before = threadTimes(pid);
  const clientBefore = process.cpuUsage();
  const start = performance.now();
  const latencies = [...(await closedLoop(load))].sort((a, b) => a - b);
  const seconds = (performance.now() - start) / 1000;
  const client = process.cpuUsage(clientBefore);
  const after = threadTimes(pid);
  const percentile = (p: number) => latencies[Math.floor((latencies.length - 1) * p)] ?? Number.NaN;
  const spentUs = (kind: 'main' | 'workers' | 'helpers') =>
    (((after?.[kind] ?? Number.NaN) - (before?.[kind] ?? Number.NaN)) * US_PER_S) /
    load.numRequests;
  return {
    perSecond: load.numRequests / seconds,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
    clientUs: (client.user + client.system) / load.numRequests,
    mainUs: spentUs('main'),
    workersUs: spentUs('workers'),
    helpersUs: spentUs('helpers'),
  };
}

/** The medians of the rounds, each with its smallest and largest. */
function summary(numConnections: number, rounds: readonly Round[]): readonly Measurement[] {
  const of = (name: string, unit: string, figure: keyof Round, goal?: number): Measurement => {
    const values = rounds.map((round) => round[figure]);
    return {
      name: `${numConnections} connections: ${name}`,
      value: median(values),
      unit,
      spread: [Math.min(...values), Math.max(...values)],
      ...(goal === undefined ? {} : { goal }),
    };
  };
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
