/**
 * Effect of an attack on other callers: `node bench/under-attack.ts [--seconds 60] [NAME …]`.
 *
 * The service runs with its default settings, except for the limits of requests a minute, which
 * would end most attacks at once. One process attacks it, with one key or without one. This process
 * uses another key: it sends a Bell circuit ten times a second, requests /status twice a second,
 * and measures the memory of the service and its child processes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { percentilesOf } from '../src/cli/capacity/percentiles.ts';
import { createLoadKeys } from '../test/support/mixed-load/mixed-load.ts';
import { startServiceProcess, temporaryFolder } from '../test/support/service-process.ts';
import { childProcessesOf, residentMib } from './child-processes.ts';
import { store } from './harness.ts';

const MIB = 2 ** 20;
const GOALS = { bellP99Ms: 500, statusMaxMs: 100, rssMib: 1024 };

/** A text just below the size limit of a body. */
function filled(head: string, part: string, tail: string): string {
  const room = 16 * MIB - 200 - head.length - tail.length;
  return head + part.repeat(Math.floor(room / part.length)) + tail;
}

const qasm = (text: string) =>
  JSON.stringify({ qasm: text, target_processor: 'statevector-sim', shots: 1 });

interface Attacker {
  readonly origin: string;
  readonly key: string;
}

const post = ({ origin, key }: Attacker, body: string | Buffer) =>
  fetch(`${origin}/api/v1/quantum/circuits`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body,
  }).then((answer) => answer.text());

/** Sends bodies for ever, several at a time. */
async function flood(attacker: Attacker, bodies: readonly (string | Buffer)[], lanes: number) {
  let next = 0;
  const lane = async () => {
    for (;;) {
      const body = bodies[next++ % bodies.length] ?? '';
      await post(attacker, body).catch(() => sleep(10));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Resolves when the connection is closed, for whatever reason. */
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => socket.once('close', () => resolve()));

/** Opens connections and writes to each; reopens them when they end. */
async function holdOpen({ origin }: Attacker, count: number, text: (i: number) => string) {
  const { port, hostname } = new URL(origin);
  const hold = async (i: number) => {
    for (;;) {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.on('data', () => {});
      socket.write(text(i));
      await closed(socket);
      await sleep(20);
    }
  };
  await Promise.all(Array.from({ length: count }, (_, i) => hold(i)));
}

const ATTACKS: Readonly<Record<string, (attacker: Attacker) => Promise<void>>> = {
  'bodies that fill the heap': (attacker) =>
    flood(
      attacker,
      [
        qasm(filled('OPENQASM 3;qubit[2] q;let z=q[{0', ',0', '}];')),
        qasm(filled('OPENQASM 3;qubit[2] q;for int i in {0', ',0', '}{}')),
        qasm(filled('OPENQASM 3;gate g q {', 'U(0,0,0) q;', '} qubit q; g q;')),
        `{"circuit":[{}${',{}'.repeat(5_500_000)}]}`,
      ].map((text) => Buffer.from(text)),
      16,
    ),
  'short programs that loop': (attacker) =>
    flood(
      attacker,
      [
        qasm('OPENQASM 3;for int i in [10:-1:-1000000000]{}'),
        qasm('OPENQASM 3;while(true){}'),
        qasm('OPENQASM 3;int i;while(true){i=i+1;}'),
      ],
      30,
    ),
  'large programs that take long': (attacker) =>
    flood(
      attacker,
      [
        qasm(filled('OPENQASM 3;float f=', '-', '1;')),
        qasm(filled('OPENQASM 3;', '{}', '')),
        qasm(filled('OPENQASM 3;float f=1', '+1', ';')),
      ].map((text) => Buffer.from(text)),
      40,
    ),
  'pipelined documents that nobody reads': async ({ origin }) => {
    const { port, hostname } = new URL(origin);
    const request = `GET /api/v1/openapi.json HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`;
    const pipeline = async () => {
      for (;;) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.write(request.repeat(1500));
        socket.pause();
        await Promise.race([closed(socket), sleep(2000)]);
        socket.destroy();
      }
    };
    await Promise.all(Array.from({ length: 20 }, pipeline));
  },
  'connections that say nothing, or half of it': (attacker) =>
    holdOpen(attacker, 1500, (i) => {
      const head = `POST /api/v1/quantum/circuits HTTP/1.1\r\nhost: a\r\nx-api-key: ${attacker.key}\r\n`;
      if (i % 3 === 0) return '';
      if (i % 3 === 1) return head;
      return `${head}content-type: application/json\r\ncontent-length: 60000\r\n\r\n{"circuit":[`;
    }),
  'callers that hang up': async ({ origin, key }) => {
    const { port, hostname } = new URL(origin);
    const body = qasm(filled('OPENQASM 3;', '{}', ''));
    const head = `POST /api/v1/quantum/circuits HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\n`;
    const type = 'content-type: application/json\r\n';
    const lane = async () => {
      for (;;) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.write(`${head}${type}content-length: ${body.length}\r\n\r\n`);
        socket.write(body);
        await Promise.race([closed(socket), sleep(700)]);
        socket.destroy();
      }
    };
    await Promise.all(Array.from({ length: 8 }, lane));
  },
};

if (process.send !== undefined && process.argv[2] === 'attack') {
  const [name = '', origin = '', key = ''] = process.argv.slice(3);
  await ATTACKS[name]?.({ origin, key });
}

interface Figures {
  readonly name: string;
  readonly circuits: number;
  readonly bell_p50_ms: number;
  readonly bell_p99_ms: number;
  readonly bell_max_ms: number;
  readonly status_p99_ms: number;
  readonly status_max_ms: number;
  readonly statuses: readonly string[];
  readonly service_rss_mib: number;
  readonly children_rss_mib: number;
}

async function underAttack(name: string, seconds: number): Promise<Figures> {
  using folder = temporaryFolder();
  const [attackersKey = '', key = ''] = (await createLoadKeys(folder.path)).map(String);
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_STANDARD: '1000000000',
    QCS_RATE_LIMIT_ENTERPRISE: '1000000000',
    QCS_PUBLIC_RATE_LIMIT: '1000000000',
    QCS_LOG_LEVEL: 'error',
  });
  const { origin } = service;
  const pid = service.process.pid ?? 0;
  const bell = JSON.stringify({
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    target_processor: 'statevector-sim',
    shots: 100,
  });
  const sendBell = async () => {
    const answer = await fetch(`${origin}/api/v1/quantum/circuits`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: bell,
    });
    const text = await answer.text();
    if (answer.status !== 201)
      throw new Error(`${name}: a Bell circuit got ${answer.status}: ${text}`);
  };
  for (let i = 0; i < 20; i++) await sendBell();

  let attacker: ChildProcess | undefined;
  const bells: number[] = [];
  const checks: number[] = [];
  const statuses = new Set<string>();
  let [most, mostOfChildren] = [0, 0];
  const timed = async (into: number[], work: () => Promise<void>) => {
    const since = performance.now();
    await work();
    into.push(performance.now() - since);
  };
  const askStatus = async () => {
    const answer = await fetch(`${origin}/api/v1/status`, { headers: { 'x-api-key': key } });
    const { data } = (await answer.json()) as { data: { status: string } };
    statuses.add(data.status);
  };
  try {
    const entry = fileURLToPath(import.meta.url);
    attacker = spawn(process.execPath, [entry, 'attack', name, origin, attackersKey], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    await sleep(1000);
    const until = performance.now() + 1000 * seconds;
    const every = async (ms: number, work: () => Promise<void>) => {
      for (let at = performance.now(); at < until; at += ms) {
        await sleep(Math.max(0, at - performance.now()));
        await work();
      }
    };
    await Promise.all([
      every(100, () => timed(bells, sendBell)),
      every(500, () => timed(checks, askStatus)),
      every(250, async () => {
        most = Math.max(most, residentMib(pid));
        const children = childProcessesOf(pid).map((child) => residentMib(child.pid));
        mostOfChildren = Math.max(
          mostOfChildren,
          children.reduce((sum, mib) => sum + mib, 0),
        );
      }),
    ]);
  } finally {
    attacker?.kill('SIGKILL');
    await service.stop('SIGTERM');
  }
  const ofBells = percentilesOf(bells);
  const round = (value: number) => Math.round(10 * value) / 10;
  return {
    name,
    circuits: bells.length,
    bell_p50_ms: round(ofBells.p50),
    bell_p99_ms: round(ofBells.p99),
    bell_max_ms: round(Math.max(...bells)),
    status_p99_ms: round(percentilesOf(checks).p99),
    status_max_ms: round(Math.max(...checks)),
    statuses: [...statuses],
    service_rss_mib: Math.round(most),
    children_rss_mib: Math.round(mostOfChildren),
  };
}

if (process.argv[2] !== 'attack') {
  const { values, positionals } = parseArgs({
    options: { seconds: { type: 'string', default: '60' } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : Object.keys(ATTACKS);
  const measurements: Figures[] = [];
  for (const name of names) {
    const figures = await underAttack(name, Number(values.seconds));
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    measurements.push(figures);
  }
  if (positionals.length === 0) {
    store('under-attack', measurements, { seconds: Number(values.seconds), goals: GOALS });
  }
}
