/**
 * Inference over HTTP, closed loop, with a service of its own: one row by the number of connections,
 * batches of 256 rows, the public demo; and Bell circuits in turns with them, which take the other way
 * through the service, with a job's record. Every answer is checked.
 *
 * As in http-circuits.ts the processor time of a request stands beside the rate: where the main thread's
 * time of a request times the rate comes near one second per second, the main thread is the bound.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { bellLoad, closedLoop, httpRequest, type Load } from '../../src/cli/capacity/http-load.ts';
import { startServiceProcess, temporaryFolder } from '../../test/support/service-process.ts';
import type { Measurement } from '../harness.ts';
import { measureRound, type Round, roundsMeasurement } from '../http-rounds.ts';
import { type AnsweredRow, checkCounts, checkExpectations } from './answer-checks.ts';
import type { DeployedModel, Flowers } from './deployed-model.ts';

const ROUNDS = 5;
/** Requests before the measurement, while the service's code is being compiled. */
const WARM_UP = 6000;
const BATCH = 256;
const US_PER_S = 1e6;

type Answers = Omit<Load, 'numConnections' | 'numRequests'>;

/** A load and its measurements. */
interface Case {
  readonly name: string;
  readonly answers: Answers;
  readonly numConnections: number;
  readonly numRequests: number;
  readonly rowsPerRequest: number;
  readonly rounds: Round[];
}

/** Requests a second, latencies, and processor time of a request by kind of thread. */
export async function measureOverHttp(model: DeployedModel): Promise<readonly Measurement[]> {
  using folder = temporaryFolder();
  const service = await startServiceProcess(folder.path, {
    QCS_RATE_LIMIT_ENTERPRISE: '1000000000',
    QCS_DEMO_RATE_LIMIT: '1000000',
    QCS_LOG_LEVEL: 'warn',
  });
  try {
    const cases = casesOf(model, service.origin, await enterpriseKey(folder.path));
    for (const { answers, rowsPerRequest } of cases) {
      const numRequests = Math.ceil(WARM_UP / cases.length / Math.sqrt(rowsPerRequest));
      await closedLoop({ ...answers, numConnections: 16, numRequests });
    }
    for (let i = 0; i < ROUNDS; i++) {
      for (const { answers, numConnections, numRequests, rounds } of cases) {
        const load = { ...answers, numConnections, numRequests };
        rounds.push(await measureRound(load, service.process.pid));
      }
    }
    return [...cases.flatMap(summary), ...beside(cases)];
  } finally {
    await service.stop('SIGTERM');
  }
}

async function enterpriseKey(dataDir: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['src/cli.ts', 'keys', 'create', '--name', 'bench', '--tier', 'enterprise'],
    { env: { ...process.env, QCS_DATA_DIR: dataDir } },
  );
  return stdout.trim();
}

function casesOf(model: DeployedModel, origin: string, key: string): readonly Case[] {
  const one = inferenceAnswers(model, origin, key, 1);
  const batch = inferenceAnswers(model, origin, key, BATCH);
  const demo = demoAnswers(model, origin);
  const bell = bellLoad(origin, key, 'gpu-fleet');
  const of = (
    what: string,
    answers: Answers,
    numConnections: number,
    numRequests: number,
    rowsPerRequest = 1,
  ): Case => {
    const connections = numConnections === 1 ? '1 connection' : `${numConnections} connections`;
    const name = `over HTTP, ${what}, ${connections}`;
    return { name, answers, numConnections, numRequests, rowsPerRequest, rounds: [] };
  };
  return [
    of('one row', one, 1, 1000),
    of('one row', one, 16, 3000),
    of('Bell circuit', bell, 16, 3000),
    of('one row', one, 64, 3000),
    of(`${BATCH} rows`, batch, 16, 100, BATCH),
    of('demo', demo, 16, 3000),
  ];
}

/** Inferences of the same rows; seeds are the service's, so that every answer is another one. */
function inferenceAnswers(
  model: DeployedModel,
  origin: string,
  key: string,
  numRows: number,
): Answers {
  const url = new URL('/api/v1/models/qnn-hybrid/inference', origin);
  const flowers = model.flowers(numRows);
  const { rows, exact } = flowers;
  const body = numRows === 1 ? { input: rows[0] } : { inputs: rows };
  return {
    request: httpRequest('POST', url, { 'x-api-key': key }, JSON.stringify(body)),
    status: 200,
    verify: (text) => {
      const { data } = JSON.parse(text) as {
        data: AnsweredRow & { results?: readonly AnsweredRow[] };
      };
      const found = (data.results ?? [data]).map(({ expectation }) => expectation);
      checkExpectations(found, exact, model.shots);
    },
  };
}

function demoAnswers(model: DeployedModel, origin: string): Answers {
  const url = new URL('/api/v1/demo/qnn-hybrid', origin);
  const { rows, exact }: Flowers = model.flowers(1);
  return {
    request: httpRequest('POST', url, {}, JSON.stringify({ input: rows[0] })),
    status: 200,
    verify: (text) => {
      const { data } = JSON.parse(text) as {
        data: AnsweredRow & { counts: Readonly<Record<string, number>> };
      };
      checkCounts(data, data.counts, model.shots);
      checkExpectations([data.expectation], exact, model.shots);
    },
  };
}

function summary({ name, rounds, rowsPerRequest }: Case): readonly Measurement[] {
  const of = (what: string, unit: string, figure: (round: Round) => number) =>
    roundsMeasurement(`${name}: ${what}`, unit, rounds.map(figure));
  const cost = 'µs of processor time a request';
  return [
    of('requests', 'per second', ({ perSecond }) => perSecond),
    ...(rowsPerRequest === 1
      ? []
      : [of('rows', 'per second', ({ perSecond }) => perSecond * rowsPerRequest)]),
    of('latency p50', 'ms', ({ p50Ms }) => p50Ms),
    of('latency p99', 'ms', ({ p99Ms }) => p99Ms),
    of('client', cost, ({ clientUs }) => clientUs),
    of("the service's main thread", cost, ({ mainUs }) => mainUs),
    of('its workers', cost, ({ workersUs }) => workersUs),
    of('its garbage collection and compilation', cost, ({ helpersUs }) => helpersUs),
    of(
      'main thread busy',
      'of the time',
      ({ mainUs, perSecond }) => (mainUs * perSecond) / US_PER_S,
    ),
  ].filter(({ value }) => !Number.isNaN(value));
}

/** One row compared with a Bell circuit, at the same number of connections, round by round. */
function beside(cases: readonly Case[]): readonly Measurement[] {
  const roundsOf = (what: string) =>
    cases.find(({ name }) => name === `over HTTP, ${what}, 16 connections`)?.rounds ?? [];
  const [rows, bells] = [roundsOf('one row'), roundsOf('Bell circuit')];
  const ratios = (figure: keyof Round) =>
    rows.map((round, i) => round[figure] / (bells[i]?.[figure] ?? Number.NaN));
  const name = 'over HTTP, 16 connections, one row by a Bell circuit';
  return [
    roundsMeasurement(`${name}: requests`, 'times', ratios('perSecond')),
    roundsMeasurement(`${name}: the service's main thread`, 'times', ratios('mainUs')),
  ].filter(({ value }) => !Number.isNaN(value));
}
