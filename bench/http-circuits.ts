/**
 * Bell circuits over HTTP, closed loop: the whole path (HTTP, parse, compile, queue, run, sample,
 * store, answer) with client and service on one machine, a process each. Every answer is checked.
 *
 * Beside the rate stands what a circuit costs in processor time, by kind of thread: on a machine with
 * other work the rate says little and the cost still much, and where the cost of the main thread times
 * the rate comes near one second per second, the main thread is the bound.
 */
import { httpRequest } from '../src/cli/capacity/http-connection.ts';
import { percentilesOf } from '../src/fleet/capacity/latency-log.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { type Measurement, median, report } from './harness.ts';
import { closedLoop, type Load } from './http-load.ts';
import { threadTimes } from './thread-times.ts';

/** `gpu-fleet` on whatever backs it here: its circuits pass the fleet's devices as well. */
const PROCESSORS = ['statevector-sim', 'gpu-fleet'] as const;
const CONNECTIONS = [16, 64] as const;
/** To each processor; until then the service's code is still being compiled. */
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

/** One load, and what was measured of it. */
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
    // Interleaved, so that what else the machine does falls on all alike.
    for (let i = 0; i < ROUNDS; i++) {
      for (const { processor, numConnections, rounds } of cases) {
        const load = { ...loadOf(processor), numConnections, numRequests: REQUESTS };
        rounds.push(await measure(load, service.process.pid));
      }
    }
  } finally {
    await service.stop('SIGTERM');
  }
  report('http-circuits', cases.flatMap(summary));
}

/** A Bell circuit, and the check that an answer counts all its shots on 00 and 11. */
function bellLoad(
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
    origin: url,
    request: httpRequest('POST', url, { 'x-api-key': key }, body),
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
  const { p50, p95, p99 } = percentilesOf(await closedLoop(load));
  const seconds = (performance.now() - start) / 1000;
  const client = process.cpuUsage(clientBefore);
  const after = threadTimes(pid);
  const spentUs = (kind: 'main' | 'workers' | 'helpers') =>
    (((after?.[kind] ?? Number.NaN) - (before?.[kind] ?? Number.NaN)) * US_PER_S) /
    load.numRequests;
  return {
    perSecond: load.numRequests / seconds,
    p50Ms: p50,
    p95Ms: p95,
    p99Ms: p99,
    clientUs: (client.user + client.system) / load.numRequests,
    mainUs: spentUs('main'),
    workersUs: spentUs('workers'),
    helpersUs: spentUs('helpers'),
  };
}

/** The medians of the rounds, each with its smallest and largest. */
function summary({ processor, numConnections, rounds }: Case): readonly Measurement[] {
  const of = (name: string, unit: string, figure: keyof Round, goal?: number): Measurement => {
    const values = rounds.map((round) => round[figure]);
    return {
      name: `${processor}, ${numConnections} connections: ${name}`,
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
