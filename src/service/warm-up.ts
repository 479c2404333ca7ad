/**
 * Warm-up: while the service starts, it answers requests of its own, so that V8 has compiled the code of a circuit's
 * whole way when the first caller's comes.
 *
 * A second application takes the requests. It has the processors and readers of the service, but a database in memory
 * and metrics of its own: nothing of it is stored, counted or listed. The alternative, a call of each step by itself,
 * would be a second walk that has to be kept like the first.
 */
import type { FastifyInstance } from 'fastify';
import { JobRunner } from '../jobs/job-runner.ts';
import { LocalPlaces } from '../jobs/places.ts';
import { SqliteIdempotencyStore } from '../jobs/sqlite-idempotency-store.ts';
import { SqliteJobStore } from '../jobs/sqlite-job-store.ts';
import { openDatabase } from '../storage/database.ts';
import { StorageUsage } from '../storage/storage-space.ts';
import { buildApp } from './app.ts';
import { createAuditLog, SERVICE } from './audit/audit-log.ts';
import type { ProcessorDirectory } from './directories.ts';
import { DEFAULT_SCOPES } from './http/api-key.ts';
import { FixedWindows, WINDOW_S } from './http/limits.ts';
import { API_PREFIX } from './http/not-found.ts';
import { createIonqSessionStore } from './ionq/ionq-sessions.ts';
import { closeJobKinds, serveJobKinds } from './job-kinds.ts';
import { createSqliteKeyStore } from './keys/sqlite-key-store.ts';
import { ServiceMetrics } from './metrics/service-metrics.ts';
import { servedProcessors } from './served-processor.ts';
import type { ServiceDeps } from './service-deps.ts';
import { createSqliteMaintenanceStore } from './systems/maintenance.ts';

/** Requests of each kind; with fewer, `/readyz` comes hardly sooner. One refusal starts the process that reads such bodies. */
const NUM_REQUESTS = { gates: 120, programs: 60, refused: 1 } as const;
const PROCESSOR = 'statevector-sim';
const PROGRAM_QUBITS = 12;
/** More than any state vector has, so that the other methods are looked through. */
const REFUSED_QUBITS = 60;

/** A request with the status of its answer. */
interface WarmUpRequest {
  readonly body: object;
  readonly status: number;
}

/** Dependencies of the service that the warm-up shares. */
export type WarmUpDeps = Omit<ServiceDeps, 'own' | 'nodeFault' | 'isWarm'>;

/**
 * Answers the requests. It ends early, without an error, at the first answer with another status than expected: limits of
 * the settings may refuse the circuits, or no engine runs here.
 *
 * @param local - Processors of this process.
 * @param isOver - Whether the service is closing.
 * @returns Number of requests that were answered as expected.
 */
export async function warmUp(
  deps: WarmUpDeps,
  local: ProcessorDirectory,
  isOver: () => boolean,
): Promise<number> {
  const ignore = () => {};
  const database = openDatabase(':memory:');
  const metrics = new ServiceMetrics(deps.now);
  const fleet = servedProcessors(local, metrics.engines, ignore);
  const kinds = serveJobKinds({ ...deps, fleet, jobs: () => runner });
  const runner: JobRunner = new JobRunner({
    store: metrics.overStore(new SqliteJobStore(database, ignore)),
    handlers: kinds,
    now: deps.now,
    onUnexpectedError: ignore,
  });
  const keys = createSqliteKeyStore(database, ignore);
  const { settings, logger } = deps;
  const unlimited = { standard: Number.POSITIVE_INFINITY, enterprise: Number.POSITIVE_INFINITY };
  const app = await buildApp({
    ...deps,
    fleet,
    jobs: runner,
    places: new LocalPlaces((kind, keyId) => runner.inFlight(kind, keyId)),
    kinds,
    idempotency: new SqliteIdempotencyStore(database, ignore),
    keys,
    requestWindows: new FixedWindows(WINDOW_S * 1000),
    maintenance: createSqliteMaintenanceStore(database, ignore),
    ionqSessions: createIonqSessionStore(database),
    audit: createAuditLog(database),
    onDamaged: ignore,
    storageFault: () => undefined,
    usage: new StorageUsage(database),
    metrics,
    settings: { ...settings, role: 'all', rateLimits: unlimited },
    logger: logger && { ...logger, stream: { write: ignore } },
  });
  try {
    const first = { name: 'warm-up', tier: 'standard', scopes: DEFAULT_SCOPES } as const;
    const { text } = await keys.create({ ...first, createdAt: deps.now() }, SERVICE);
    return await answerAll(app, text, isOver);
  } finally {
    await app.close();
    await runner.shutdown(0);
    await closeJobKinds(kinds);
    database.close();
  }
}

async function answerAll(
  app: FastifyInstance,
  key: string,
  isOver: () => boolean,
): Promise<number> {
  let numAnswered = 0;
  for (const { body, status } of requests()) {
    if (isOver()) break;
    const { statusCode } = await app.inject({
      method: 'POST',
      url: `${API_PREFIX}/quantum/circuits`,
      headers: { 'x-api-key': key },
      payload: body,
    });
    if (statusCode !== status) break;
    numAnswered++;
  }
  return numAnswered;
}

function* requests(): Generator<WarmUpRequest> {
  const shared = { target_processor: PROCESSOR, shots: 1000 };
  for (let i = 0; i < NUM_REQUESTS.gates; i++) {
    yield { body: { circuit: gateObjects(i), ...shared }, status: 201 };
  }
  for (let i = 0; i < NUM_REQUESTS.programs; i++) {
    yield { body: { qasm: program(PROGRAM_QUBITS, i), ...shared }, status: 201 };
  }
  for (let i = 0; i < NUM_REQUESTS.refused; i++) {
    yield { body: { qasm: entangled(REFUSED_QUBITS, i), ...shared }, status: 400 };
  }
}

/** A circuit of two to five qubits, with other gates and angles each time but the first. */
function gateObjects(round: number): readonly object[] {
  const numQubits = 2 + (round % 4);
  const entangled = Array.from({ length: numQubits - 1 }, (_, q) => [
    { gate: 'CX', control: q, target: q + 1 },
    ...(round % 3 === 0 ? [] : [{ gate: 'RY', qubit: q, theta: 0.1 * (q + round) }]),
    ...(round % 3 === 2 ? [{ gate: 'RZZ', qubits: [q, q + 1], theta: 0.2 * round }] : []),
  ]);
  const all = Array.from({ length: numQubits }, (_, q) => q);
  return [{ gate: 'H', qubit: 0 }, ...entangled.flat(), { gate: 'M', qubits: all }];
}

/** Statements of the kinds that exporters write, in OpenQASM 2. */
function program(numQubits: number, round: number): string {
  const lines = ['OPENQASM 2.0;', 'include "qelib1.inc";'];
  if (round % 2 === 1) {
    lines.push(
      'gate ryy(t) a,b { rx(pi/2) a; rx(pi/2) b; cx a,b; rz(t) b; cx a,b; rx(-pi/2) a; rx(-pi/2) b; }',
    );
  }
  lines.push(`qreg q[${numQubits}];`, `creg c[${numQubits}];`, 'h q;');
  for (let q = 0; q + 1 < numQubits; q++) {
    const angle = 0.123456789 * (q + 1) + 0.01 * round;
    lines.push(`ry(${angle}) q[${q}];`, `rz(-${angle}) q[${q}];`, `cx q[${q}],q[${q + 1}];`);
    lines.push(`u3(${angle},pi/4,-2*pi/3) q[${q}];`, `rxx(${angle}) q[${q}],q[${q + 1}];`);
    if (round % 2 === 1) lines.push(`ryy(${angle}) q[${q}],q[${q + 1}];`);
    lines.push(`cp(pi/8) q[${q}],q[${q + 1}];`, `u3(-${angle},0.2,pi/7) q[${q}];`);
    lines.push(`cx q[${q + 1}],q[${q}];`, `sx q[${q}];`, `rz(${angle}) q[${q + 1}];`);
  }
  return [...lines, 'barrier q;', 'measure q -> c;'].join('\n');
}

/** Entangled far and wide: its bonds are looked at in a process, which is started for it. */
function entangled(numQubits: number, round: number): string {
  const lines = ['OPENQASM 2.0;', 'include "qelib1.inc";', `qreg q[${numQubits}];`];
  for (let layer = 0; layer < 4; layer++) {
    for (let q = 0; q < numQubits; q++) {
      const other = (q + 7 * (layer + 1)) % numQubits;
      lines.push(`ry(${0.3 + q + layer + 0.01 * round}) q[${q}];`, `cx q[${q}],q[${other}];`);
    }
  }
  return lines.join('\n');
}
