/**
 * Puts each fault of FAULTS into a copy of a tree and says whether its tests catch it: `node test/seeded-faults/main.ts
 * [--only NAME,NAME] [--tests FILE,FILE] [--root TREE] [--nearest 40] [--whole] [--minutes 20] [--json FILE [--resume]]`.
 *
 * Test files run in stages until one fails: those of `--tests`, or the file that caught the fault last time (in FILE), then those that depend on the
 * changed file, the nearest first. `--nearest` says how many of these run; `--whole` runs all others after them. A file that fails
 * without the fault, too, catches nothing. Rows of FILE whose faults are not chosen are kept; `--resume` leaves
 * out the faults that FILE says are caught.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { FAULTS } from './faults.ts';
import { dependantsIn, relatedTests } from './related-tests.ts';
import { chosenFaults, copyOfTree, type SeededFault, seed } from './seeded-fault.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    tests: { type: 'string' },
    root: { type: 'string', default: '.' },
    whole: { type: 'boolean', default: false },
    nearest: { type: 'string', default: '40' },
    resume: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '20' },
    json: { type: 'string' },
  },
});
/** Nearest test files in the first stages together; few, because most faults are caught by one of them. */
const STAGES = [2, 10, Number(values.nearest)].map((end) => Math.min(end, Number(values.nearest)));
const LIMIT_MS = 60_000 * Number(values.minutes);

const rowSchema = z.object({
  name: z.string(),
  layer: z.string(),
  file: z.string(),
  /** `unclear`: a run ended without saying which test failed, or did not end. */
  outcome: z.enum(['caught', 'survived', 'unclear']),
  /** First test that failed, or the last stage that ran. */
  by: z.object({ file: z.string(), test: z.string(), message: z.string() }).optional(),
  stage: z.string(),
  numFiles: z.number(),
  seconds: z.number(),
  commit: z.string(),
});
type Row = z.infer<typeof rowSchema>;
const recordSchema = z.object({ skipped: z.array(z.string()), faults: z.array(rowSchema) });
const listSchema = z.array(z.object({ file: z.string(), projectName: z.string() }));
const runSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});

const git = (...args: readonly string[]) =>
  execFileSync('git', args, { cwd: values.root, encoding: 'utf8' }).trim();
const commit = git('rev-parse', 'HEAD');
const last =
  values.json !== undefined && existsSync(values.json)
    ? recordSchema.parse(JSON.parse(readFileSync(values.json, 'utf8')))
    : { skipped: [], faults: [] };
const rows = new Map(last.faults.map((row) => [row.name, row]));
const skipped = new Set<string>();

using copy = copyOfTree(values.root);
const node = (...args: readonly string[]) =>
  spawnSync(process.execPath, args, {
    cwd: copy.path,
    encoding: 'utf8',
    timeout: LIMIT_MS,
    maxBuffer: 1 << 28,
  });
const VITEST = 'node_modules/vitest/vitest.mjs';
const files = listSchema.parse(JSON.parse(node(VITEST, 'list', '--filesOnly', '--json').stdout));
const projectOf = new Map(
  files.map(({ file, projectName }) => [relative(copy.path, file), projectName]),
);
const dependants = dependantsIn(copy.path);

type Failure = NonNullable<Row['by']>;
const isFailed = ({ status }: { readonly status: string }) => status === 'failed';

/** Runs test files until one of them fails. @returns undefined if none does. */
function firstFailure(tests: readonly string[]): Failure | undefined | 'unclear' {
  const output = `${copy.path}/.seeded-faults.json`;
  // Without the others, vitest sets up no browsers and drivers.
  const projects = new Set(tests.map((file) => projectOf.get(file) ?? ''));
  const { status, stdout, stderr } = node(
    ...[VITEST, 'run', '--bail', '1', '--reporter', 'default', '--reporter', 'json'],
    ...[`--outputFile.json=${output}`, ...Array.from(projects, (name) => `--project=${name}`)],
    ...tests,
  );
  for (const line of stdout.match(/SKIPPED without .*/g) ?? []) skipped.add(line);
  if (status === 0) return undefined;
  const run =
    status === null
      ? undefined
      : runSchema.safeParse(JSON.parse(readFileSync(output, 'utf8'))).data;
  // A file that was ended because another one failed counts as failed, too.
  const failed =
    run?.testResults.find(({ assertionResults }) => assertionResults.some(isFailed)) ??
    run?.testResults.find((each) => isFailed(each) && each.message !== '');
  if (failed === undefined) {
    process.stdout.write(`${stdout.slice(-2000)}${stderr.slice(-2000)}\n`);
    return 'unclear';
  }
  const test = failed.assertionResults.find(isFailed);
  const message = test?.failureMessages?.[0] ?? failed.message;
  return {
    file: relative(copy.path, failed.name),
    test: test?.fullName ?? '',
    message: message.split(/\n\s+at /)[0]?.slice(0, 400) ?? '',
  };
}

/** Sources that tests see only after a build. */
const IS_BUILT = /^(?:assembly|src\/console|src\/client)\//;

/** Seeds a fault and builds what is built of its file. @returns what undoes both. */
function seeded(fault: SeededFault): () => void {
  const build = () => {
    if (!IS_BUILT.test(fault.file)) return;
    for (const name of ['wasm', 'page']) {
      const { status, stderr } = node(`scripts/build-${name}.ts`, '--if-stale');
      if (status !== 0) throw new Error(`${fault.name} is not built: ${stderr}`);
    }
  };
  const undo = seed(fault, copy.path);
  build();
  return () => {
    undo();
    build();
  };
}

interface Stage {
  readonly name: string;
  readonly tests: readonly string[];
}

/** Where a project of vitest comes among files that are equally near: those that start no processes first. */
const rankOf = (file: string) => (projectOf.get(file) === 'fast' ? 0 : 1);

/** Test files in the order in which they run. */
function stagesOf(fault: SeededFault): readonly Stage[] {
  const first = values.tests?.split(',') ?? [rows.get(fault.name)?.by?.file ?? ''];
  const related = relatedTests(fault.file, dependants, rankOf).filter(
    (file) => projectOf.has(file) && !first.includes(file),
  );
  const near = STAGES.map((end, i) => ({
    name: `nearest ${end}`,
    tests: related.slice(STAGES[i - 1] ?? 0, end),
  }));
  const named = { name: 'named', tests: first.filter((file) => projectOf.has(file)) };
  const ran = new Set([named, ...near].flatMap(({ tests }) => tests));
  const rest = values.whole ? [...projectOf.keys()].filter((file) => !ran.has(file)) : [];
  return [named, ...near, { name: 'whole', tests: rest }].filter(({ tests }) => tests.length > 0);
}

/** Files that fail without a fault, too, by what was found of them so far. */
const failsAlways = new Map<string, boolean>();

function measure(fault: SeededFault): Row {
  const start = performance.now();
  let undo = seeded(fault);
  let numFiles = 0;
  const row = (outcome: Row['outcome'], stage: string, by?: Failure): Row => {
    undo();
    const seconds = Math.round((performance.now() - start) / 1000);
    const layer = fault.file.split('/').slice(0, -1).slice(0, 3).join('/');
    return {
      name: fault.name,
      layer,
      file: fault.file,
      outcome,
      by,
      stage,
      numFiles,
      seconds,
      commit,
    };
  };
  let stage = 'none';
  for (const { name, tests } of stagesOf(fault)) {
    stage = name;
    numFiles += tests.length;
    for (;;) {
      const left = tests.filter((file) => failsAlways.get(file) !== true);
      const failure = left.length === 0 ? undefined : firstFailure(left);
      if (failure === 'unclear') return row('unclear', stage);
      if (failure === undefined) break;
      if (!failsAlways.has(failure.file)) {
        undo();
        failsAlways.set(failure.file, firstFailure([failure.file]) !== undefined);
        undo = seeded(fault);
      }
      if (failsAlways.get(failure.file) === false) return row('caught', stage, failure);
    }
  }
  return row('survived', stage);
}

const chosen = chosenFaults(FAULTS, values.only).filter(
  ({ name }) => !(values.resume && rows.get(name)?.outcome === 'caught'),
);
// A text that is gone stops the run before it begins.
for (const fault of FAULTS) seed(fault, copy.path)();
for (const fault of chosen) {
  const row = measure(fault);
  rows.set(fault.name, row);
  const by = row.by ? ` by ${row.by.file} ("${row.by.test}")` : '';
  process.stdout.write(`${row.outcome}${by}, ${row.stage}, ${row.seconds} s: ${row.name}\n`);
  if (values.json) writeRecord(resolve(values.json));
}
for (const line of skipped) process.stdout.write(`${line}\n`);
const caught = chosen.filter(({ name }) => rows.get(name)?.outcome === 'caught');
process.stdout.write(`${caught.length} of ${chosen.length} faults are caught.\n`);

function writeRecord(path: string): void {
  const faults = FAULTS.flatMap(({ name }) => rows.get(name) ?? []);
  const numCaught = faults.filter(({ outcome }) => outcome === 'caught').length;
  const facts = {
    bench: 'seeded-faults',
    date: new Date().toISOString(),
    commit,
    node: process.version,
  };
  const numRun = faults.length;
  const all = {
    ...facts,
    numFaults: FAULTS.length,
    numRun,
    numCaught,
    skipped: [...skipped],
    faults,
  };
  writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`);
}
