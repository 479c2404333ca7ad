/**
 * Errors of estimates: asks the service how long a request would take, runs it, and compares. Requests of every method
 * come in turns, each another one. `--requests N` of each family (20), `--seed N`, `--print` writes each.
 *
 * Two estimates of each are compared: that of the cost model alone, as of a service that has run nothing, and that of a
 * service that has run the requests before. Times are those of the processor, without the HTTP interface.
 */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { statevectorSpec } from '../src/fleet/cpu-processors.ts';
import { qvmSpec } from '../src/fleet/simulated-processor.ts';
import { openTestService, type TestService } from '../test/service/support/test-service.ts';
import { eventually } from '../test/support/eventually.ts';
import { type Case, casesOf } from './estimates/cases.ts';
import { MeasuredProcessor, newEstimates } from './estimates/measured-processor.ts';
import { median, store } from './harness.ts';

/** Aim of the median of relative errors. */
const GOAL = 0.2;
/** Requests that are expected to take longer, milliseconds, are left out: a bench is to end. */
const MAX_MS = 4000;

/** Requests of each family that run before any is counted. */
const WARM_UP = 8;
const WARM_UP_SEED = 1_000_000;

interface Compared {
  readonly family: string;
  readonly ranMs: number;
  /** By the cost model alone. */
  readonly modelMs: number;
  readonly learnedMs: number;
}

async function post(service: TestService, url: string, body: object) {
  const headers = { 'content-type': 'application/json' };
  const answer = await service.request({ method: 'POST', url, headers, payload: body });
  if (answer.statusCode > 201) throw new Error(`${url}: ${answer.body.slice(0, 500)}`);
  return answer;
}

/** Estimates a request both ways, and runs it; undefined for one that is left out. */
async function compare(
  service: TestService,
  processor: MeasuredProcessor,
  { family, path, body }: Case,
): Promise<Compared | undefined> {
  const expectedMs = async (): Promise<number> =>
    (await post(service, '/quantum/estimate', body)).json().data.engine_ms;
  processor.estimates = newEstimates();
  const modelMs = await expectedMs();
  processor.estimates = processor.learning;
  const learnedMs = await expectedMs();
  if (Math.min(modelMs, learnedMs) > MAX_MS) return undefined;
  const before = processor.ranMs;
  const { location = '' } = (await post(service, path, body)).headers;
  const url = String(location).replace('/api/v1', '');
  await eventually(async () => {
    const { status, error } = (await service.get(url)).json().data;
    if (status === 'failed') throw new Error(`${family}: ${JSON.stringify(error)}`);
    return status === 'completed';
  });
  return { family, ranMs: processor.ranMs - before, modelMs, learnedMs };
}

const errorOf = (expected: number, { ranMs }: Compared) => Math.abs(expected - ranMs) / ranMs;

/** Median and 90 % quantile of relative errors. */
function quantiles(errors: readonly number[]) {
  const sorted = errors.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.floor(0.9 * sorted.length));
  return { median: rounded(median(sorted)), quantile_90: rounded(sorted[at] ?? Number.NaN) };
}

const rounded = (value: number) => Number(value.toPrecision(3));

function summaryOf(family: string, compared: readonly Compared[]) {
  return {
    name: family,
    requests: compared.length,
    ran_ms: [compared.map(({ ranMs }) => ranMs)].map((all) => ({
      median: rounded(median(all)),
      most: rounded(Math.max(...all)),
    }))[0],
    /** Median of expected by measured. */
    model_ratio: rounded(median(compared.map(({ modelMs, ranMs }) => modelMs / ranMs))),
    error_of_model: quantiles(compared.map((each) => errorOf(each.modelMs, each))),
    error_after_runs: quantiles(compared.map((each) => errorOf(each.learnedMs, each))),
    goal: GOAL,
  };
}

/** Compares estimates with times. */
export async function benchEstimates(args: readonly string[] = []): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      print: { type: 'boolean' },
    },
  });
  const limits = { engine: 'cpu', numThreads: 2, memoryBytes: 2 ** 31, maxQubits: 24 } as const;
  const spec = statevectorSpec({ ...limits, maxShots: 1_000_000, maxGates: 100_000 });
  const processor = new MeasuredProcessor(qvmSpec(spec));
  await using service = await openTestService({ processors: [processor] });
  // The compiler is compiled itself when it has run for a while.
  for (const each of casesOf(Number(values.seed) + WARM_UP_SEED, WARM_UP)) {
    await compare(service, processor, each);
  }
  processor.learning = newEstimates();
  const compared: Compared[] = [];
  const before = loadavg()[0];
  for (const each of casesOf(Number(values.seed), Number(values.requests))) {
    if (values.only !== undefined && !each.family.includes(values.only)) continue;
    const one = await compare(service, processor, each);
    if (one === undefined) continue;
    compared.push(one);
    if (values.print === true) process.stdout.write(`${JSON.stringify(one)}\n`);
  }
  const families = Map.groupBy(compared, ({ family }) => family);
  const rows = [...families].map(([family, list]) => summaryOf(family, list));
  rows.push(summaryOf('all', compared));
  for (const { name, ran_ms, model_ratio, error_of_model, error_after_runs } of rows) {
    process.stdout.write(
      `${name.padEnd(32)} ${JSON.stringify({ ran_ms, model_ratio, error_of_model, error_after_runs })}\n`,
    );
  }
  store('estimates', rows, { load_average: before });
}

if (import.meta.main) await benchEstimates(process.argv.slice(2));
