/**
 * Mutated requests to every operation of docs/openapi.json: `node bench/mutations.ts
 * [--requests 1000000] [--seed 7] [--lanes 32] [--replay NUMBER,NUMBER]`.
 *
 * No answer may be 5xx but a 503 whose condition docs/errors.md names, none may be outside the schema
 * that the document has for it, and nothing may hold the event loop for more than 50 ms. With --replay the
 * requests of those numbers are sent one after the other, and their answers and pauses printed.
 *
 * The service runs with its default settings, but for
 * - the limits of requests a minute, since they would refuse nearly all requests unread;
 * - 64 MiB for states, so that a mutated width is refused or takes milliseconds, rather than GiB and minutes;
 * - the level of its log.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { DEFAULT_SCOPES, SCOPES } from '../src/service/http/api-key.ts';
import { createSqliteKeyStore } from '../src/service/keys/sqlite-key-store.ts';
import { DATABASE_FILE, openDatabase } from '../src/storage/database.ts';
import { ServiceClient } from '../test/support/service-client.ts';
import {
  type ServiceProcess,
  startServiceProcess,
  temporaryFolder,
} from '../test/support/service-process.ts';
import { residentMib } from './child-processes.ts';
import { store } from './harness.ts';
import { AnswerCheck, parseOpenApi } from './mutations/answer-check.ts';
import type { Pause } from './mutations/loop-watch.ts';
import { MutationReport } from './mutations/mutation-report.ts';
import {
  type BenchKeys,
  type IdPools,
  type MutatedRequest,
  type OwnedId,
  RequestDeck,
} from './mutations/request-deck.ts';
import { Wire } from './mutations/wire.ts';

const NO_LIMIT = '1000000';
const SETTINGS = {
  QCS_RATE_LIMIT_STANDARD: NO_LIMIT,
  QCS_RATE_LIMIT_ENTERPRISE: NO_LIMIT,
  QCS_DEMO_RATE_LIMIT: NO_LIMIT,
  QCS_PUBLIC_RATE_LIMIT: NO_LIMIT,
  QCS_MEMORY_MIB: '64',
  QCS_LOG_LEVEL: 'error',
};
const LONGEST_PAUSE_MS = 50;
/** Most ids that requests may use at a time. */
const POOL_SIZE = 200;
/**
 * Fraction of accepted jobs that are left to run; the others are cancelled at once, so that queues
 * stay short.
 */
const LEFT_TO_RUN = 1 / 8;
/** Number of requests remembered, to be found when a pause is reported. */
const REMEMBERED = 4000;
const SUSPECT_PAUSES = 12;
const REPLAYS = 3;

/** A request and the time it was in progress, milliseconds since 1970. */
interface Sent {
  readonly request: MutatedRequest;
  readonly from: number;
  to: number;
}

const now = () => performance.timeOrigin + performance.now();
const answered = z.looseObject({ id: z.string().optional(), status: z.string().optional() });

async function createKeys(dataDir: string): Promise<BenchKeys> {
  const database = openDatabase(`${dataDir}/${DATABASE_FILE}`);
  try {
    const keyStore = createSqliteKeyStore(database);
    const create = async (tier: 'standard' | 'enterprise', scopes: typeof DEFAULT_SCOPES) => {
      const key = { name: 'mutations', tier, scopes, createdAt: 1 };
      return (await keyStore.create(key, 'the load')).text;
    };
    return {
      whole: [
        await create('standard', SCOPES),
        await create('enterprise', SCOPES),
        await create('standard', SCOPES),
        await create('enterprise', SCOPES),
      ],
      narrow: [
        await create('standard', DEFAULT_SCOPES),
        await create('standard', ['read']),
        await create('enterprise', ['circuits']),
        await create('standard', ['admin']),
      ],
    };
  } finally {
    database.close();
  }
}

/** One service and the requests sent to it. */
class MutationRun {
  readonly report = new MutationReport();
  readonly #service: ServiceProcess;
  readonly #deck: RequestDeck;
  readonly #check: AnswerCheck;
  readonly #ids: Record<keyof IdPools, OwnedId[]>;
  readonly #watchFile: string;
  readonly #origin: URL;
  readonly #sent: Sent[] = [];
  #pausesRead = 0;

  constructor(
    service: ServiceProcess,
    deck: RequestDeck,
    check: AnswerCheck,
    ids: Record<keyof IdPools, OwnedId[]>,
    watchFile: string,
  ) {
    this.#service = service;
    this.#deck = deck;
    this.#check = check;
    this.#ids = ids;
    this.#watchFile = watchFile;
    this.#origin = new URL(service.origin);
    // Pauses during the start of the service do not count.
    this.newPauses();
  }

  /** Sends the requests 0 to `requests` over several connections. */
  async load(requests: number, lanes: number): Promise<void> {
    let next = 0;
    const since = performance.now();
    const lane = async () => {
      using wire = new Wire(this.#origin);
      while (next < requests) {
        const request = this.#deck.deal(next++);
        const data = await this.#send(wire, request, 'mutated');
        await this.#keepOrCancel(wire, request, data);
      }
    };
    const timer = setInterval(() => {
      this.#lookAtPauses();
      const seconds = Math.round((performance.now() - since) / 1000);
      if (seconds % 10 === 0) {
        const { faults, longestPauseMs } = this.report;
        process.stdout.write(
          `${seconds} s: ${next} requests, ${faults} faults, pauses of at most ${Math.round(longestPauseMs)} ms, ${Math.round(residentMib(this.#service.process.pid ?? 0))} MiB\n`,
        );
      }
      this.report.rss(Math.round(residentMib(this.#service.process.pid ?? 0)));
    }, 1000);
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
    } finally {
      clearInterval(timer);
    }
    this.report.seconds = (performance.now() - since) / 1000;
    await sleep(1000);
    this.#lookAtPauses();
  }

  /** Resends the requests that were in progress in the longest pauses, each alone. */
  async replaySuspects(): Promise<void> {
    for (const suspect of this.report.suspects(SUSPECT_PAUSES)) {
      for (const request of suspect.requests) {
        const ms = await this.aloneMs(request);
        suspect.alone.push({ number: request.number, ms });
      }
    }
  }

  /** Computing time in the longest pause that a request causes when sent alone. */
  async aloneMs(request: MutatedRequest): Promise<number> {
    using wire = new Wire(this.#origin);
    let longest = 0;
    for (let i = 0; i < REPLAYS; i++) {
      this.newPauses();
      await this.#send(wire, request, 'replayed');
      await sleep(60);
      longest = Math.max(longest, ...this.newPauses().map(({ computed_ms }) => computed_ms));
    }
    return longest;
  }

  /** Prints requests, their answers and pauses. */
  async show(numbers: readonly number[]): Promise<void> {
    for (const number of numbers) {
      const request = this.#deck.deal(number);
      using wire = new Wire(this.#origin);
      const answer = await wire.send({ ...request, isHead: request.method === 'HEAD' });
      const sent = request.bytes.toString('latin1');
      const verdict =
        answer && this.#check.judge(request.method, request.target, request.isFramed, answer);
      process.stdout.write(
        `#${number} (${request.mutations.join(', ')})\n${sent.slice(0, 4000)}\n→ ${answer?.status} ${answer?.body.slice(0, 1000)}\n${verdict?.fault ?? 'no fault'}; pauses of at most ${Math.round(await this.aloneMs(request))} ms\n\n`,
      );
    }
  }

  /** Pauses since the last look. */
  newPauses(): readonly Pause[] {
    const lines = readFileSync(this.#watchFile, 'utf8').split('\n').slice(0, -1);
    const fresh = lines.slice(this.#pausesRead);
    this.#pausesRead = lines.length;
    // Checked: written by loop-watch.ts, a whole line at a time.
    return fresh.map((line) => JSON.parse(line) as Pause);
  }

  async #send(wire: Wire, request: MutatedRequest, kind: 'mutated' | 'cancel' | 'replayed') {
    const sent: Sent = { request, from: now(), to: Number.POSITIVE_INFINITY };
    this.#sent.push(sent);
    if (this.#sent.length > REMEMBERED) this.#sent.splice(0, REMEMBERED / 2);
    const { method, target, isFramed } = request;
    const answer = await wire.send({ ...request, isHead: method === 'HEAD' });
    sent.to = now();
    if (answer === undefined) {
      this.report.unanswered(kind, request, sent.to - sent.from);
      return undefined;
    }
    const verdict = this.#check.judge(method, target, isFramed, answer);
    this.report.answered(kind, request, answer, verdict, sent.to - sent.from);
    return verdict.data;
  }

  /** Records the ids of created resources, and cancels most jobs that have not ended. */
  async #keepOrCancel(
    wire: Wire,
    { number, key: sender }: MutatedRequest,
    data: unknown,
  ): Promise<void> {
    const known = answered.safeParse(data);
    if (!known.success || sender === undefined) return;
    const { circuit_id, task_id, job_id, key, id, status } = known.data;
    for (const [name, path, made] of [
      ['circuit_id', '/quantum/circuits', circuit_id],
      ['task_id', '/tasks', task_id],
      ['job_id', '/tpu/jobs', job_id],
    ] as const) {
      if (typeof made !== 'string') continue;
      const owned = { id: made, key: sender };
      addTo(this.#ids[name], owned);
      const isOpen = status === 'queued' || status === 'running';
      if (isOpen && number % Math.round(1 / LEFT_TO_RUN) !== 0) {
        await this.#send(wire, this.#deck.cancel(path, owned), 'cancel');
      }
    }
    if (typeof key === 'string' && id !== undefined) addTo(this.#ids.key_id, { id, key: sender });
  }

  #lookAtPauses(): void {
    for (const pause of this.newPauses()) {
      const isLong = pause.computed_ms > LONGEST_PAUSE_MS;
      const underWay = isLong
        ? this.#sent.filter(({ from, to }) => from <= pause.to && to >= pause.from)
        : [];
      this.report.paused(
        pause,
        underWay.map(({ request }) => request),
      );
    }
  }
}

/** Waits for the self-tests of the processors that will run requests. */
async function untilAvailable(client: ServiceClient): Promise<void> {
  for (const path of ['/quantum/processors/statevector-sim', '/models/qnn-hybrid', '/tpu/fleet']) {
    for (let tries = 0; ; tries++) {
      const { available, reason } = z
        .looseObject({ available: z.boolean(), reason: z.string().optional() })
        .parse(await client.get(path));
      if (available) break;
      if (tries > 600) throw new Error(`${path}: ${reason}`);
      await sleep(100);
    }
  }
}

function addTo(pool: OwnedId[], owned: OwnedId): void {
  if (pool.some(({ id }) => id === owned.id)) return;
  pool.push(owned);
  if (pool.length > POOL_SIZE) pool.shift();
}

/** Number of accepted jobs by kind, final status, and condition of a failure. */
function endsOfJobs(dataDir: string): readonly Readonly<Record<string, unknown>>[] {
  const database = openDatabase(`${dataDir}/${DATABASE_FILE}`);
  try {
    return database
      .prepare(
        `SELECT kind, status, error_code, count(*) AS jobs, min(error_message) AS message,
           min(id) AS example FROM jobs GROUP BY kind, status, error_code ORDER BY kind, status, jobs DESC`,
      )
      .all();
  } finally {
    database.close();
  }
}

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '7' },
    lanes: { type: 'string', default: '32' },
    replay: { type: 'string' },
  },
});
const [requests = 0, seed = 0, lanes = 0] = [values.requests, values.seed, values.lanes].map(
  Number,
);
const replayed = values.replay?.split(',').map(Number) ?? [];
if (![requests, seed, lanes, ...replayed].every(Number.isInteger) || requests * lanes === 0) {
  throw new Error('--requests, --seed, --lanes and --replay are whole numbers');
}

using folder = temporaryFolder();
const watchFile = `${folder.path}/pauses`;
writeFileSync(watchFile, '');
const keys = await createKeys(folder.path);
const service = await startServiceProcess(folder.path, {
  ...SETTINGS,
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --import ${new URL('./mutations/loop-watch.ts', import.meta.url)}`,
  LOOP_WATCH_FILE: watchFile,
});
let run: MutationRun;
try {
  const document = parseOpenApi(readFileSync('docs/openapi.json', 'utf8'));
  const client = new ServiceClient(service.origin, keys.whole[0] ?? '');
  await untilAvailable(client);
  const published = await client.publishedWork();
  const ids = { circuit_id: [], task_id: [], job_id: [], key_id: [] };
  const { host } = new URL(service.origin);
  const deck = new RequestDeck(seed, host, keys, ids, document, published);
  run = new MutationRun(service, deck, new AnswerCheck(document), ids, watchFile);
  if (replayed.length > 0) {
    await run.show(replayed);
  } else {
    await run.load(requests, lanes);
    await run.replaySuspects();
  }
} finally {
  await service.stop('SIGTERM');
}
if (replayed.length === 0) {
  run.report.log(service.log());
  const { rows, facts } = run.report.results();
  const jobs = endsOfJobs(folder.path);
  const database_mib = Math.round(statSync(`${folder.path}/${DATABASE_FILE}`).size / 2 ** 20);
  const all = { load: { requests, seed, lanes }, ...facts, database_mib, jobs };
  store('mutations', rows, all);
  process.stdout.write(`${JSON.stringify(all, null, 2)}\n`);
  if (run.report.faults > 0) process.exitCode = 1;
}
