/**
 * The first hundred circuits after `/readyz` says yes beside later ones, and the start itself. Each round starts a service
 * with an empty folder, with the warm-up and without it (`QCS_WARM_UP`), A B A B. Beside the times of the client stands
 * the processor time of the main thread, which other work on the machine changes less.
 *
 * Every answer is checked by its status.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { withFinalMeasurement } from '../src/circuit/circuit.ts';
import { printOpenQasm } from '../src/circuit/openqasm/print-openqasm.ts';
import {
  bellLoad,
  HttpConnections,
  type HttpRequest,
  httpRequest,
} from '../src/cli/capacity/http-load.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../test/support/service-process.ts';
import { drawsOf, FRESH_FAMILIES } from './fresh-circuits.ts';
import { type Measurement, median, report } from './harness.ts';
import { threadTimes } from './thread-times.ts';

const ROUNDS = 3;
const NUM_FIRST = 100;
/** Requests before the later ones. */
const NUM_BETWEEN = 1000;
const PROCESSOR = 'statevector-sim';
const QUBITS = 12;
const READY_AGAIN_MS = 50;

/** Requests of one kind, each new but for Bell circuits. */
interface Kind {
  readonly name: string;
  readonly status: number;
  readonly next: () => HttpRequest;
}

/** Figures of one start, by name. */
type Figures = Map<string, { readonly unit: string; readonly value: number }>;

/** Prints and stores medians over the rounds. */
export async function benchFirstRequests(): Promise<void> {
  const found = new Map<string, { unit: string; values: number[] }>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const warmUp of ['1', '0']) {
      for (const [name, { unit, value }] of await measureStart(warmUp)) {
        const key = `QCS_WARM_UP=${warmUp}: ${name}`;
        const entry = found.get(key) ?? { unit, values: [] };
        entry.values.push(value);
        found.set(key, entry);
      }
    }
  }
  report(
    'first-requests',
    [...found].map(([name, { unit, values }]): Measurement => {
      return { name, unit, value: median(values) };
    }),
  );
}

async function measureStart(warmUp: string): Promise<Figures> {
  using folder = temporaryFolder();
  const figures: Figures = new Map();
  const startedAt = performance.now();
  const service = await startServiceProcess(
    folder.path,
    {
      QCS_RATE_LIMIT_STANDARD: '1000000000',
      QCS_LOG_LEVEL: 'fatal',
      QCS_ENGINE: 'cpu',
      QCS_WARM_UP: warmUp,
    },
    { says: 'Listening' },
  );
  using connections = new HttpConnections(1);
  try {
    figures.set('until it listens', { unit: 'ms', value: performance.now() - startedAt });
    const ready = httpRequest('GET', new URL('/readyz', service.origin), {});
    while ((await connections.send(ready)).status !== 200) await sleep(READY_AGAIN_MS);
    figures.set('until it is ready', { unit: 'ms', value: performance.now() - startedAt });
    const spent = threadTimes(service.process.pid ?? 0);
    if (spent !== undefined) {
      const { main } = spent;
      figures.set('main thread until then', { unit: 'ms of processor time', value: 1000 * main });
    }
    const kinds = kindsOf(service);
    for (const kind of kinds) await addSeries('first', kind, service, connections, figures);
    for (const { next } of kinds) {
      for (let i = 0; i < NUM_BETWEEN; i++) await connections.send(next());
    }
    for (const kind of kinds) await addSeries('later', kind, service, connections, figures);
  } finally {
    await service.stop('SIGTERM');
  }
  return figures;
}

function kindsOf({ origin, key = '' }: ServiceProcess): readonly Kind[] {
  const url = new URL('/api/v1/quantum/circuits', origin);
  const ofText = (qasm: string) => {
    const body = JSON.stringify({ qasm, target_processor: PROCESSOR, shots: 1000 });
    return httpRequest('POST', url, { 'x-api-key': key }, body);
  };
  const draw = drawsOf(7);
  const program = () =>
    printOpenQasm(withFinalMeasurement(FRESH_FAMILIES['efficient-su2'](QUBITS, draw)), '2');
  const bell = bellLoad(origin, key, PROCESSOR).request;
  return [
    { name: 'refused, 60 qubits', status: 400, next: () => ofText(entangled(60)) },
    { name: 'Bell circuits', status: 201, next: () => bell },
    { name: `OpenQASM, ${QUBITS} qubits`, status: 201, next: () => ofText(program()) },
  ];
}

/** A text whose bonds are looked at in a reading process. */
function entangled(numQubits: number): string {
  const lines = ['OPENQASM 2.0;', 'include "qelib1.inc";', `qreg q[${numQubits}];`];
  for (let layer = 1; layer <= 4; layer++) {
    for (let q = 0; q < numQubits; q++) {
      lines.push(`ry(${q + layer}.3) q[${q}];`, `cx q[${q}],q[${(q + 7 * layer) % numQubits}];`);
    }
  }
  return lines.join('\n');
}

async function addSeries(
  when: 'first' | 'later',
  { name, status, next }: Kind,
  { process: { pid = 0 } }: ServiceProcess,
  connections: HttpConnections,
  figures: Figures,
): Promise<void> {
  const times: number[] = [];
  const before = threadTimes(pid)?.main ?? Number.NaN;
  for (let i = 0; i < NUM_FIRST; i++) {
    const sentAt = performance.now();
    const answer = await connections.send(next());
    times.push(performance.now() - sentAt);
    if (answer.status !== status) throw new Error(`${answer.status}: ${answer.body}`);
  }
  const mainMs = (1000 * ((threadTimes(pid)?.main ?? Number.NaN) - before)) / NUM_FIRST;
  const what = `${name}, ${when} ${NUM_FIRST}`;
  figures.set(`${what}, median`, { unit: 'ms', value: median(times) });
  figures.set(`${what}, main thread`, { unit: 'ms of processor time each', value: mainMs });
  if (when === 'first') figures.set(`${name}, the first`, { unit: 'ms', value: times[0]! });
}
