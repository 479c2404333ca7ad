/**
 * Random programs through a running service, against oracles of their own: `npm run fuzz -- [--area static,noise]
 * [--seed 1] [--minutes 10 | --cases 100] [--url http://… --key …] [--json FILE] [--failures FOLDER] [--replay FILE]`.
 *
 * Case k of an area depends on the seed and k alone. A failure is shrunk and written to a file of its own.
 * QCS_FUZZ_PYTHON names a Python with Stim, Qiskit Aer, Cirq and PennyLane; without it, a line says what did not run.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Area, Service, Wrong } from './area.ts';
import { AREAS } from './areas/index.ts';
import { closePython, pythonVersions } from './python.ts';
import { Random } from './random.ts';
import { serviceAt, startService } from './service.ts';
import { shrink } from './shrink.ts';

/** Cases of an area in progress at a time. */
const LANES = 3;
/** Failures of an area that are shrunk and written; more are only counted. */
const WRITTEN = 20;

interface Tally {
  readonly area: string;
  cases: number;
  failures: number;
  seconds: number;
  readonly files: string[];
}

const { values } = parseArgs({
  options: {
    area: { type: 'string' },
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    cases: { type: 'string' },
    url: { type: 'string' },
    key: { type: 'string' },
    json: { type: 'string' },
    failures: { type: 'string', default: '.fuzz' },
    replay: { type: 'string' },
    root: { type: 'string', default: '.' },
    'until-failure': { type: 'boolean', default: false },
  },
});
const print = (line: string) => process.stdout.write(`${line}\n`);

function areaNamed(name: string): Area<unknown> {
  const area = AREAS.find((each) => each.name === name);
  if (area) return area;
  throw new Error(
    `There is no area ${name}; there are ${AREAS.map((each) => each.name).join(', ')}.`,
  );
}

/** Checks one case. One that the oracle cannot read while it is shrunk counts as right. */
async function failing(area: Area<unknown>, fuzzCase: unknown, service: Service, kind: string) {
  try {
    const wrong = await area.check(fuzzCase, service);
    return wrong?.kind === kind ? wrong : undefined;
  } catch {
    return undefined;
  }
}

async function written(
  area: Area<unknown>,
  index: number,
  first: unknown,
  wrong: Wrong,
  service: Service,
) {
  const smallest = await shrink(first, async (each) =>
    Boolean(await failing(area, each, service, wrong.kind)),
  );
  const shown = (await failing(area, smallest, service, wrong.kind)) ?? wrong;
  const file = `${values.failures}/${area.name}-${values.seed}-${index}.json`;
  mkdirSync(values.failures, { recursive: true });
  const record = { area: area.name, seed: values.seed, index, ...shown, case: smallest };
  writeFileSync(file, `${JSON.stringify(record, null, 1)}\n`);
  print(`  ${area.name} ${index}: ${shown.message.slice(0, 300)}\n    ${file}`);
  return file;
}

async function fuzz(
  area: Area<unknown>,
  service: Service,
  isOver: (tally: Tally) => boolean,
): Promise<Tally> {
  const tally: Tally = { area: area.name, cases: 0, failures: 0, seconds: 0, files: [] };
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (; !isOver({ ...tally, cases: next }); ) {
        const index = next++;
        const fuzzCase = area.generate(new Random(`${area.name} ${values.seed} ${index}`));
        const wrong = await area.check(fuzzCase, service).catch((cause: unknown) => {
          throw new Error(`${area.name}, seed ${values.seed}, case ${index}`, { cause });
        });
        tally.cases++;
        if (!wrong) continue;
        tally.failures++;
        if (tally.files.length < WRITTEN) {
          tally.files.push(await written(area, index, fuzzCase, wrong, service));
        }
      }
    }),
  );
  tally.seconds = Math.round((performance.now() - start) / 100) / 10;
  return tally;
}

async function replay(file: string, service: Service): Promise<number> {
  const record = JSON.parse(readFileSync(file, 'utf8')) as { area: string; case: unknown };
  const wrong = await areaNamed(record.area).check(record.case, service);
  print(wrong ? `${record.area}: ${wrong.message}\n${JSON.stringify(wrong, null, 1)}` : 'right');
  return wrong ? 1 : 0;
}

/** Runs the areas that are asked for, each with its part of the time. */
async function main(): Promise<number> {
  const { url, key = process.env['QCS_API_KEY'] ?? '' } = values;
  await using started = url === undefined ? await startService(values.root) : undefined;
  const service = started ?? serviceAt(url ?? '', key);
  if (values.replay !== undefined) return await replay(values.replay, service);
  const areas = values.area?.split(',').map(areaNamed) ?? AREAS;
  const share = (Number(values.minutes ?? '1') * 60_000) / areas.length;
  const tallies: Tally[] = [];
  for (const area of areas) {
    const end = performance.now() + share;
    const tally = await fuzz(area, service, ({ cases, failures }) => {
      if (values['until-failure'] && failures > 0) return true;
      return values.cases === undefined ? performance.now() > end : cases >= Number(values.cases);
    });
    tallies.push(tally);
    const { cases, failures, seconds } = tally;
    print(`${area.name.padEnd(10)} ${cases} cases, ${failures} failures, ${seconds} s`);
  }
  if (values.json !== undefined) {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    const date = new Date().toISOString();
    const oracles = await pythonVersions();
    const facts = {
      bench: 'fuzz',
      date,
      commit,
      node: process.version,
      seed: values.seed,
      oracles,
    };
    const record = { ...facts, areas: tallies.map(({ files: _, ...rest }) => rest) };
    writeFileSync(values.json, `${JSON.stringify(record, null, 2)}\n`);
  }
  return tallies.some(({ failures }) => failures > 0) ? 1 : 0;
}

try {
  process.exitCode = await main();
} finally {
  closePython();
}
