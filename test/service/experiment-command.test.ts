// @needs service
/** `qcs experiment` on this machine and at a service. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, vi } from 'vitest';
import { type Around, runQcs } from '../support/command-line.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { type SharedService, test } from '../support/shared-service.ts';

vi.setConfig({ testTimeout: 60_000 });

const folder = temporaryFolder();
let service: SharedService;

test.beforeAll(({ service: shared }) => {
  service = shared;
});
afterAll(() => folder[Symbol.dispose]());

const experiment = (args: readonly string[], around: Around = {}) =>
  runQcs(['experiment', ...args], {
    ...around,
    environment: { QCS_URL: service.origin, QCS_API_KEY: service.key },
  });

/** A repetition code of three qubits, whose second detector has a fourth coordinate. */
function written(name: string, p: number): string {
  const file = join(folder.path, name);
  const text = `R 0 1 2 3 4\nX_ERROR(${p}) 0 2 4\nCX 0 1 2 3 2 1 4 3\nM 1 3 0 2 4\nDETECTOR(1, 0) rec[-5]\nDETECTOR(3, 0, 0, 1) rec[-4]\nOBSERVABLE_INCLUDE(0) rec[-1]\n`;
  writeFileSync(file, text);
  return file;
}

/** Rows of a table of Sinter's, but for the seconds. */
const rowsOf = (csv: string) =>
  csv
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => {
      const [shots, errors, discards, , decoder, strongId, ...metadata] = line.split(',');
      const counts = [shots, errors, discards].map(Number);
      return { counts, decoder, strongId, metadata: metadata.slice(0, -1).join(',') };
    });

test('counts each circuit with each decoder, here as at a service', async () => {
  const files = [written('d=3,p=0.1.stim', 0.1), written('plain.stim', 0.2)];
  const limits = ['--max-shots', '20000', '--max-errors', '300', '--seed', '5', '--csv'];
  const asked = [...files, ...limits, '--decoder', 'matching', '--decoder', 'none'];
  const here = await experiment([...asked, '--metadata', 'by=me']);
  expect(here).toMatchObject({ code: 0, stderr: '' });
  const rows = rowsOf(here.stdout);
  expect(rows.map(({ decoder }) => decoder)).toEqual(['matching', 'none', 'matching', 'none']);
  expect(rows[0]!.metadata).toBe('"{""d"":3,""p"":0.1,""by"":""me""}"');
  expect(rows[2]!.metadata).toBe(`"{""path"":""${files[1]}"",""by"":""me""}"`);
  for (const [i, p] of [0.1, 0.1, 0.2, 0.2].entries()) {
    const [shots, errors, discards] = rows[i]!.counts as [number, number, number];
    expect(discards).toBe(0);
    expect(errors).toBeGreaterThanOrEqual(300);
    const rate = i % 2 === 0 ? 3 * p ** 2 - 2 * p ** 3 : p;
    expect(Math.abs(errors / shots - rate)).toBeLessThan(5 * Math.sqrt(rate / shots));
  }
  const there = await experiment([...asked, '--metadata', 'by=me', '--submit']);
  expect(there).toMatchObject({ code: 0, stderr: expect.stringContaining('completed in') });
  expect(rowsOf(there.stdout)).toEqual(rows);
});

test('discards shots by detectors that are named, that have a fourth coordinate, or all', async () => {
  const file = written('p=0.1.stim', 0.1);
  const discardsWith = async (...postselect: readonly string[]) => {
    const fixed = ['--max-shots', '20000', '--decoder', 'none', '--csv', ...postselect];
    const [row] = rowsOf((await experiment([file, ...fixed])).stdout);
    return row!.counts[2]! / 20_000;
  };
  // A detector fires if one of two qubits flips.
  const one = 2 * 0.1 * 0.9;
  expect(await discardsWith('--postselect-detectors', '0')).toBeCloseTo(one, 1);
  expect(await discardsWith('--postselect-detectors-with-non-zero-4th-coord')).toBeCloseTo(one, 1);
  expect(await discardsWith('--postselect-detectors', 'all')).toBeCloseTo(
    1 - 0.9 ** 3 - 0.1 ** 3,
    2,
  );
});

test('appends to a table and goes on where it ends', async () => {
  const [file, table] = [written('p=0.3.stim', 0.3), join(folder.path, 'stats.csv')];
  const asked = [file, '--save-resume', table];
  const first = await experiment([...asked, '--max-shots', '5000']);
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toMatch(/matching +5000 +\d+ +0 +0\.\d{3} +0\.\d+ to 0\.\d+\n$/);
  // As Sinter writes rows; its task is another one.
  const others = '     7,     1,     0,    0.5,pymatching,abc,"{""shots"":[1,2]}",\n';
  writeFileSync(table, readFileSync(table, 'utf8') + others);
  const done = readFileSync(table, 'utf8');
  const again = await experiment([...asked, '--max-shots', '5000']);
  expect(again.stdout).toBe(first.stdout);
  expect(readFileSync(table, 'utf8')).toBe(done);
  const more = await experiment([...asked, '--max-shots', '9000', '--submit', '--csv']);
  const added = rowsOf(readFileSync(table, 'utf8').slice(done.length - 1));
  expect(added.reduce((sum, { counts }) => sum + counts[0]!, 0)).toBe(4000);
  expect(rowsOf(more.stdout)).toMatchObject([{ counts: [9000, expect.any(Number), 0] }]);
  const seeded = await experiment([...asked, '--max-shots', '10000', '--seed', '5']);
  expect(seeded).toMatchObject({ code: 2, stderr: expect.stringContaining('--seed would draw') });
});

test.each([
  ['here', []],
  ['at a service', ['--submit']],
])(
  'prints the rate of stratified shots, which are not the errors by the shots, %s',
  async (_, options) => {
    const asked = [written('low.stim', 1e-6), '--max-shots', '10000', '--sampling', 'stratified'];
    const { code, stdout } = await experiment([...asked, ...options]);
    // 3p² − 2p³, from all eight sets of faults: four of them err.
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/matching +8 +4 +0 +3\.00e-12 +3\.00e-12 to 3\.00e-12\n$/),
    });
  },
);

test('keeps the counts of an experiment that Ctrl-C ends', async () => {
  const [file, table] = [written('p=0.4.stim', 0.4), join(folder.path, 'interrupted.csv')];
  let interrupt: (() => void) | undefined;
  const ended = experiment([file, '--max-shots', '1000000000000', '--save-resume', table], {
    onListening: (listener) => {
      interrupt = listener;
    },
  });
  await vi.waitUntil(
    () => {
      const isKept = rowsOf(readIfThere(table)).length > 0;
      if (isKept) interrupt?.();
      return isKept;
    },
    { timeout: 50_000 },
  );
  expect(await ended).toMatchObject({ code: 130 });
  expect(rowsOf(readFileSync(table, 'utf8'))[0]!.counts[0]).toBeGreaterThan(0);
});

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

test.each([
  ['here', []],
  ['at a service', ['--submit']],
])('names the file that is refused %s', async (_, options) => {
  const [good, bad] = [written('good.stim', 0.1), join(folder.path, 'bad.stim')];
  writeFileSync(bad, 'H 0\nT 0\nM 0\nDETECTOR rec[-1]\nOBSERVABLE_INCLUDE(0) rec[-1]\n');
  const { code, stderr } = await experiment([good, bad, '--max-shots', '10', ...options]);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`${bad} decoder: matching cannot decode this task`),
  });
});

test('prints an estimate of a service with --estimate, and runs nothing', async () => {
  const file = written('one.stim', 0.1);
  const table = join(folder.path, 'estimated.csv');
  const asked = [file, '--max-shots', '20000', '--estimate', '--save-resume', table];
  const { code, stdout, stderr } = await experiment(asked);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^processor +qvm\nshots +20,000\nmethod +stabilizer\. /);
  expect(existsSync(table)).toBe(false);
});

test.each([
  [['--max-shots', '10', '--decoder', 'best'], 'one of matching, union_find, bp_osd, lookup, none'],
  [
    ['--max-shots', '10', '--metadata', 'd'],
    '--metadata has "d"; metadata are written as name=value',
  ],
  [[], "required option '--max-shots <n>' not specified"],
  [['--max-shots', '10000', '--min-faults', '2'], '--min-faults is of --sampling stratified'],
  [
    ['--max-shots', '10000', '--sampling', 'stratified', '--csv'],
    "--csv writes a table of Sinter's, which has no place for the rate",
  ],
])('refuses %j', async (options, message) => {
  const { code, stderr } = await experiment([written('one.stim', 0.1), ...options]);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
