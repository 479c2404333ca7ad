// @needs service
/** The circuits and programs of examples/, run by `qcs run` and as their readers run them. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { runQcs } from '../support/command-line.ts';
import { openExamples } from '../support/examples.ts';

const report = z.looseObject({
  shots: z.number().default(0),
  counts: z.record(z.string(), z.number()).default({}),
});

const fringes = z.object({
  inputs: z.object({ phase: z.array(z.number()) }),
  programs: z.tuple([z.object({ expectation: z.array(z.array(z.number())) })]),
});

const pragmaResults = z.tuple([
  z.object({
    value: z.object({ expectation: z.number(), gradient: z.object({ a: z.number() }) }),
  }),
  z.object({ value: z.number() }),
  z.object({ value: z.record(z.string(), z.number()) }),
  z.object({ value: z.array(z.number()) }),
]);

/** Runs `qcs run` and gives its report. */
async function run(file: string, ...options: readonly string[]) {
  const args = ['run', `examples/${file}`, '--seed', '7', '--json', ...options];
  const { stdout } = await runQcs(args, { environment: { QCS_THREADS: '1' } });
  return report.parse(JSON.parse(stdout));
}

/** The part of the shots in which a bit, or the lowest bits, read as said. */
const partOf = (
  { counts, shots }: z.output<typeof report>,
  isMeant: (outcome: string) => boolean,
): number =>
  Object.entries(counts)
    .filter(([outcome]) => isMeant(outcome))
    .reduce((sum, [, count]) => sum + count, 0) / shots;

/** Circuits whose outcome is certain. */
const CERTAIN: Readonly<Record<string, string>> = {
  'qft.qasm': '0101',
  'bernstein-vazirani.qasm': '1011',
  'phase-estimation.qasm': '0101',
  'iterative-phase-estimation.qasm': '101',
  // The checks, 11, then the data.
  'bit-flip-code.qasm': '11111',
};
const TESTED = [
  ...Object.keys(CERTAIN),
  'bell.ll',
  'bell.qasm',
  'braket-gradient.qasm',
  'ghz.json',
  'ghz-1000.qasm',
  'grover.qasm',
  'ising-quench.qasm',
  'observables.json',
  'ramsey.qasm',
  'teleport.json',
  'agent_task.py',
  'qaoa-maxcut.ts',
  'rabi_httpx.py',
  'repetition-code.qasm',
  'repetition-code.stim',
  'surface_code.py',
  'low_error_rates.py',
  'threshold.py',
  'vqe_h2.py',
  'watch-job.mjs',
  // In clients/python/tests/test_documents.py.
  'python-client.ipynb',
  'threshold.ipynb',
  // In test/service/train-over-http.test.ts.
  'train-over-http.ts',
];

test('every example is among those that are run, and in the list for readers', () => {
  const files = readdirSync('examples', { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map(({ name }) => name);
  expect(files.sort()).toEqual([...TESTED].sort());
  expect(files.length).toBeGreaterThanOrEqual(15);
  const list = readFileSync('examples/README.md', 'utf8');
  const listed = [...list.matchAll(/^\| \[(.+?)\]\((.+?)\) \|/gm)].map(([, , link]) => link ?? '');
  expect(listed.sort()).toEqual(files.sort());
});

describe('a circuit of the examples', () => {
  test.each(Object.entries(CERTAIN))('%s always reads %s', async (file, outcome) => {
    const { counts, shots } = await run(file);
    expect(counts).toEqual({ [outcome]: shots });
  });

  test.each([
    ['bell.ll', ['00', '11']],
    ['bell.qasm', ['00', '11']],
    ['ghz.json', ['00000', '11111']],
    ['ghz-1000.qasm', [`0x${'0'.repeat(250)}`, `0x${'f'.repeat(250)}`], '--target', 'qvm'],
  ] as const)('%s reads one of two outcomes, each in half of the shots', async (...given) => {
    const [file, outcomes, ...options] = given;
    const found = await run(file, ...options);
    expect(Object.keys(found.counts).sort()).toEqual(outcomes);
    for (const one of outcomes) {
      const part = partOf(found, (outcome) => outcome === one);
      expect(Math.abs(part - 0.5)).toBeLessThan(0.08);
    }
  });

  test('grover.qasm finds the marked item with a chance of 94.5 %', async () => {
    const found = await run('grover.qasm');
    expect(Math.abs(partOf(found, (outcome) => outcome === '101') - 0.945)).toBeLessThan(0.04);
  });

  test('teleport.json has the chance of the state that was sent, 1/4', async () => {
    const found = await run('teleport.json');
    expect(Math.abs(partOf(found, (outcome) => outcome.startsWith('1')) - 0.25)).toBeLessThan(0.03);
  });

  test('repetition-code.qasm keeps its bit in nearly all shots', async () => {
    const found = await run('repetition-code.qasm', '--target', 'qvm', '--shots', '500');
    expect(found['method']).toBe('stabilizer');
    const ones = (outcome: string) => outcome.split('1').length - 1;
    expect(partOf(found, (outcome) => ones(outcome) > 25)).toBe(1);
    // Each data qubit was flipped an odd number of times in 10 rounds with this chance.
    const flipped = (1 - 0.98 ** 10) / 2;
    const mean = Object.entries(found.counts).reduce((sum, [o, n]) => sum + n * ones(o), 0);
    expect(Math.abs(1 - mean / (500 * 50) - flipped)).toBeLessThan(0.01);
  });

  test('repetition-code.stim has no error in about the shots that its noise says', async () => {
    const found = await run('repetition-code.stim', '--target', 'qvm', '--shots', '4000');
    // Noise on 12 pairs, of whose 15 errors 12 have an X, which is measured; and 9 readings.
    const chance = (1 - (0.01 * 12) / 15) ** 12 * 0.99 ** 9;
    const part = partOf(found, (outcome) => Number(outcome) === 0);
    expect(Math.abs(part - chance)).toBeLessThan(0.05);
  });

  test('ising-quench.qasm stays a chain with small bonds', async () => {
    const found = await run('ising-quench.qasm', '--target', 'qvm', '--shots', '100');
    expect(found['method']).toBe('matrix_product_state');
    expect(found['largest_bond']).toBeGreaterThan(2);
    expect(found['largest_bond']).toBeLessThan(32);
    expect(found['truncation_error']).toBeLessThan(1e-6);
  });

  test('ramsey.qasm has the chance that its input asks for', async () => {
    const found = await run('ramsey.qasm', '--input', 'phase=0.8', '--shots', '4000');
    const chance = Math.cos(0.4) ** 2;
    expect(Math.abs(partOf(found, (outcome) => outcome === '1') - chance)).toBeLessThan(0.03);
  });

  test('ramsey.qasm has fringes over its input', async () => {
    const answer = await run('ramsey.qasm', '--sweep', 'phase=0:2pi:101', '--observable', 'Z0');
    const { inputs, programs } = fringes.parse(answer);
    for (const [k, phase] of inputs.phase.entries()) {
      expect(programs[0].expectation[k]?.[0]).toBeCloseTo(-Math.cos(phase), 12);
    }
    expect(inputs.phase).toHaveLength(101);
  });

  test('braket-gradient.qasm has the results of its pragmas', async () => {
    const found = await run('braket-gradient.qasm', '--input', 'a=pi/3', '--shots', '2000');
    const [gradient, variance, probability, sample] = pragmaResults.parse(found['results']);
    expect(gradient.value.expectation).toBeCloseTo(-1 - Math.sin(Math.PI / 3), 12);
    expect(gradient.value.gradient.a).toBeCloseTo(-0.5, 12);
    expect(variance.value).toBeCloseTo(0.75, 12);
    expect(probability.value['1']).toBeCloseTo(0.25, 12);
    expect(sample.value).toHaveLength(2000);
    const mean = sample.value.reduce((sum, value) => sum + value, 0) / 2000;
    expect(Math.abs(mean - Math.sin(Math.PI / 3))).toBeLessThan(0.06);
  });

  test('observables.json has exact expectation values', async () => {
    const { expectation, probabilities } = await run('observables.json');
    const { values } = z.object({ values: z.array(z.number()) }).parse(expectation);
    const expected = [1, 0.5, Math.sqrt(3) / 2];
    for (const [index, value] of values.entries())
      expect(value).toBeCloseTo(expected[index] ?? 0, 12);
    expect(values).toHaveLength(3);
    expect(Object.keys(Object(probabilities)).sort()).toEqual(['00', '11']);
  });
});

describe('a program of the examples', () => {
  const examples = openExamples();

  test('watch-job.mjs follows the job to its end', async () => {
    const output = await examples.printed(process.execPath, 'watch-job.mjs');
    expect(output).toMatch(/^submitted \/api\/v1\/quantum\/circuits\/circ_\w+$/m);
    expect(output).toMatch(/^status completed$/m);
    expect([...output.matchAll(/^(0{10}|1{10}) +\d+ █+$/gm)]).toHaveLength(2);
  });

  test('qaoa-maxcut.ts reaches what theory has for one layer, and finds the best cut', async () => {
    const output = await examples.printed(process.execPath, 'qaoa-maxcut.ts');
    expect(output).toContain('expected cut 4.5000');
    expect(output).toMatch(/^best of the shots (010101|101010): cut 6$/m);
  });
});
