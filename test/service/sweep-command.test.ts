// @needs service
/** `qcs run` with a sweep or observables: its values, those of a service for the same batch, and what it refuses. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { type BatchResultFields, batchResult } from '../../src/service/batches/batch-schema.ts';
import { type Around, type Ended, runQcs } from '../support/command-line.ts';
import { temporaryFolder } from '../support/service-process.ts';
import { type SharedService, test } from '../support/shared-service.ts';

const folder = temporaryFolder();
let service: SharedService;

test.beforeAll(({ service: shared }) => {
  service = shared;
});
afterAll(() => folder[Symbol.dispose]());

function run(args: readonly string[], around: Around = {}): Promise<Ended> {
  return runQcs(['run', ...args], { ...around, environment: { QCS_THREADS: '2' } });
}

/** The answer of a command line that succeeds with --json. */
async function answerOf(...args: readonly string[]) {
  const { code, stdout, stderr } = await run([...args, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { status, processor, points, seed, inputs, observables, ...fields } = JSON.parse(stdout);
  const result: BatchResultFields = batchResult.parse(fields);
  return { status, processor, points, seed, inputs, observables, program: result.programs[0]! };
}

/** The only program of a batch that the service ran. */
async function ofService(program: object) {
  const response = await fetch(`${service.origin}/api/v1/quantum/batches`, {
    method: 'POST',
    headers: { 'x-api-key': service.key, 'content-type': 'application/json' },
    body: JSON.stringify({ target_processor: 'statevector-sim', programs: [program] }),
  });
  expect(response.status).toBe(201);
  const { data } = (await response.json()) as { readonly data: BatchResultFields };
  return data.programs[0]!;
}

function written(name: string, content: unknown): string {
  const file = join(folder.path, name);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

const PAIR = [
  { gate: 'RY', qubit: 0, theta: { input: 'a' } },
  { gate: 'RZ', qubit: 0, theta: { input: 'b', scale: 2 } },
  { gate: 'CX', control: 0, target: 1 },
];
const OBSERVABLES = ['--observable', 'Z0', '--observable', '0.5*X0 X1 - Y0 Y1'];

describe('a sweep', () => {
  test('of one angle has its cosine, exact at each point', async () => {
    const file = written('cosine.json', [{ gate: 'RX', qubit: 0, theta: { input: 'a' } }]);
    const { program, inputs, ...facts } = await answerOf(
      file,
      '--sweep',
      'a=0:2pi:33',
      '--observable',
      'Z0',
      '--gradient',
    );
    expect(facts).toMatchObject({ status: 'completed', points: 33, observables: ['Z0'] });
    expect(inputs.a).toHaveLength(33);
    for (const [k, a] of (inputs.a as readonly number[]).entries()) {
      expect(a).toBeCloseTo((2 * Math.PI * k) / 32, 14);
      expect((program.expectation as number[][])[k]![0]).toBeCloseTo(Math.cos(a), 12);
      expect((program.gradient as number[][][])[k]![0]![0]).toBeCloseTo(-Math.sin(a), 12);
    }
  });

  test.each([
    ['exact values', [...OBSERVABLES], {}],
    ['derivatives', [...OBSERVABLES, '--gradient'], { return: ['expectation', 'gradient'] }],
    ['estimates', [...OBSERVABLES, '--shots', '100'], { shots: 100 }],
    [
      'derivatives from shots',
      [...OBSERVABLES, '--shots', '50', '--gradient'],
      { shots: 50, return: ['expectation', 'gradient'] },
    ],
    ['counts', [], { shots: 1000, observables: undefined }],
  ])('has the %s that a service has for the same seed', async (_, options, fields) => {
    const file = written('pair.json', PAIR);
    const swept = ['--sweep', 'a=0:3:7', '--input', 'b=0.3', '--seed', '11'];
    const { program, observables } = await answerOf(file, ...swept, ...options);
    const named = ['Z0', '0.5*X0 X1 - Y0 Y1'];
    expect(observables).toEqual(options.length === 0 ? undefined : named);
    const { method: _method, ...expected } = await ofService({
      circuit: PAIR,
      inputs: { b: 0.3, a: [0, 0.5, 1, 1.5, 2, 2.5, 3] },
      observables: [
        { pauli: 'Z0' },
        [
          { pauli: 'X0 X1', coefficient: 0.5 },
          { pauli: 'Y0 Y1', coefficient: -1 },
        ],
      ],
      seed: 11,
      ...fields,
    });
    expect(program).toMatchObject(expected);
    expect(Object.keys(expected)).toContain('observables' in fields ? 'counts' : 'expectation');
  });

  test('of several inputs changes them together, also those that decide which gates run', async () => {
    const file = written(
      'rounds.qasm',
      'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float a;\ninput int n;\nqubit q;\nfor int i in [1:n] { rx(a) q; }\n',
    );
    const sweep = ['--sweep', 'n=0,1,2,3', '--sweep', 'a=0.1,0.2,0.3,0.4'];
    const { program } = await answerOf(file, ...sweep, '--observable', 'Z0');
    for (const [n, [value]] of (program.expectation as number[][]).entries()) {
      expect(value).toBeCloseTo(Math.cos(n * 0.1 * (n + 1)), 12);
    }
  });

  test.each([
    ['13', 'statevector-sim'],
    ['19', 'statevector-sim'],
    ['13', 'gpu-fleet'],
  ])('of %s qubits runs on %s', async (width, processor) => {
    const circuit = Array.from({ length: Number(width) }, (_, qubit) => ({
      gate: 'RY',
      qubit,
      theta: { input: 'a', scale: qubit + 1 },
    }));
    const file = written(`wide-${width}.json`, circuit);
    const last = Number(width) - 1;
    const { program, ...facts } = await answerOf(
      file,
      '--sweep',
      'a=0.1,0.2',
      '--observable',
      `Z0 Z${last}`,
      '--processor',
      processor,
    );
    expect(facts.processor).toBe(processor);
    const digits = processor === 'gpu-fleet' ? 5 : 10;
    for (const [k, [value]] of (program.expectation as number[][]).entries()) {
      const a = 0.1 * (k + 1);
      expect(value).toBeCloseTo(Math.cos(a) * Math.cos(Number(width) * a), digits);
    }
  });

  test('point k has the counts that a run by itself has with the seed plus k', async () => {
    const sweep = ['--sweep', 'phase=0.5,0.8', '--shots', '300', '--seed', '5'];
    const { program } = await answerOf('examples/ramsey.qasm', ...sweep);
    const alone = await run([
      'examples/ramsey.qasm',
      '--input',
      'phase=0.8',
      '--shots',
      '300',
      '--seed',
      '6',
      '--json',
    ]);
    expect(program.counts).toHaveProperty(['1'], JSON.parse(alone.stdout).counts);
  });

  test('takes observables, inputs and shots of a file, whose options go first', async () => {
    const file = written('body.json', {
      circuit: PAIR,
      inputs: { a: 1, b: 2 },
      observables: [{ pauli: 'Z1' }],
      return: ['statevector', 'expectation'],
      shots: 10,
      seed: 3,
      target_processor: 'statevector-sim',
      name: 'of a file',
    });
    const { program, inputs, observables, seed } = await answerOf(file, '--sweep', 'a=0,pi');
    expect({ inputs, observables, seed }).toEqual({
      inputs: { a: [0, Math.PI], b: 2 },
      observables: ['Z1'],
      seed: 3,
    });
    // The shots of a file are for counts: nothing is estimated.
    expect(program).not.toHaveProperty('standard_error');
    const [[first], [second]] = program.expectation as [[number], [number]];
    expect([first, second]).toEqual([1, expect.closeTo(-1, 12)]);
  });
});

describe('what is printed', () => {
  const sweep = ['examples/ramsey.qasm', '--sweep', 'phase=0:2pi:41', '--observable', 'Z0'];

  test('is a chart within the width of the terminal, below facts about the run', async () => {
    const { code, stdout, stderr } = await run(sweep);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [facts, engine, ...lines] = stdout.trimEnd().split('\n');
    expect(facts).toBe('statevector-sim: 1 qubit, 41 points, exact');
    expect(engine).toMatch(/^cpu engine \(f64\) on .+: compiled in [\d.]+ ms, ran in [\d.]+ ms$/);
    expect(lines.slice(0, 3)).toEqual(['', 'Expectation:', '* Z0']);
    expect(lines.some((line) => /^ 1\.0 ┤ +\*+$/.test(line))).toBe(true);
    expect(lines.at(-1)?.trim()).toBe('phase');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
  });

  test('is what the guide shows', async () => {
    const guide = readFileSync('docs/command-line.md', 'utf8');
    const [, args = '', shown = ''] = /^\$ npx qcs run (.+)\n([^`]+)^```/m.exec(guide) ?? [];
    const { stdout } = await run(args.split(' '));
    const withoutTimes = (text: string) => text.replace(/^cpu engine .+$/m, '');
    expect(withoutTimes(stdout)).toBe(withoutTimes(shown));
  });

  test('of matrix product states says what was cut', async () => {
    const circuit = [0, 1, 2, 3, 0, 1, 2].map((qubit, i) =>
      i < 4
        ? { gate: 'RY', qubit, theta: { input: 'a' } }
        : { gate: 'CX', control: qubit, target: qubit + 1 },
    );
    const file = written('chain.json', [...circuit, ...circuit, ...circuit]);
    const limits = [
      '--target',
      'qvm',
      '--method',
      'matrix_product_state',
      '--max-bond-dimension',
      '2',
    ];
    const args = [file, '--sweep', 'a=0:1:3', '--observable', 'Z1 Z2', ...limits];
    const { program } = await answerOf(...args);
    expect(program).toMatchObject({ method: 'matrix_product_state', largest_bond: [1, 2, 2] });
    const worst = Math.max(...(program.truncation_error as number[]));
    expect(worst).toBeGreaterThan(1e-4);
    const said = `largest bond 2, truncation error up to ${worst}`;
    expect((await run(args)).stdout).toContain(`4 qubits, 3 points, ${said}\n`);
    expect((await run([...args, '--shots', '10'])).stdout).toContain(`\n${said}\n`);
  });

  test('is a table with --table, and for a single point', async () => {
    const table = await run([
      ...sweep.slice(0, 2),
      'phase=0,pi/2,pi',
      ...sweep.slice(3),
      '--table',
    ]);
    expect(table.stdout).toBe(
      'phase          Z0\n0              -1\n1.57079632679  0\n3.14159265359  1\n',
    );
    const single = await run(['examples/bell.qasm', '--observable', 'Z0 Z1', '--observable', 'Z0']);
    expect(single.stdout).toMatch(/1 point, exact\n.+\n\nZ0 Z1 {2}Z0\n1 {6}0\n$/);
  });

  test('has no number where there is no derivative', async () => {
    const file = written(
      'root.qasm',
      'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float a;\nqubit q;\nrx(sqrt(a)) q;\n',
    );
    const sweep = ['--sweep', 'a=0,1,4', '--observable', 'Z0', '--gradient'];
    const [table, chart] = [await run([file, ...sweep, '--table']), await run([file, ...sweep])];
    const rows = table.stdout.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows.slice(0, 2)).toEqual([
      ['a', 'Z0', 'd(Z0)/da'],
      ['0', '1', 'none'],
    ]);
    expect(Number(rows[2]?.[2])).toBeCloseTo(-Math.sin(1) / 2, 9);
    expect(chart.stdout).toContain('Derivatives:\n* d(Z0)/da\n');
  });

  test('has the standard errors of estimates beside them', async () => {
    const shots = ['--shots', '400', '--seed', '1'];
    const { stdout } = await run([...sweep, ...shots]);
    expect(stdout).toMatch(/^Expectation, standard errors up to 0\.0[45]\d*:$/m);
    expect(stdout).toContain('41 points, 400 shots a point, seed 1\n');
    const table = await run([...sweep, ...shots, '--table']);
    const rows = table.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/));
    expect(rows[0]).toEqual(['phase', 'Z0', '±']);
    for (const [phase = 0, value = 0, error = 0] of rows.slice(1).map((row) => row.map(Number))) {
      expect(error).toBeCloseTo(Math.sqrt((1 - value ** 2) / 399), 9);
      expect(Math.abs(value + Math.cos(phase))).toBeLessThan(5 * 0.05);
    }
  });

  test('is the share of each outcome without an observable, also where measurements are in the middle', async () => {
    const file = written(
      'reset.qasm',
      'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float a;\nqubit[2] q;\nbit[2] c;\nrx(a) q[0];\nc[0] = measure q[0];\nif (c[0]) x q[1];\nc[1] = measure q[1];\n',
    );
    const chart = await run([file, '--sweep', 'a=0:pi:11']);
    expect(chart.stdout).toContain('Share of the shots:\n* 00   o 11\n');
    const table = await run([file, '--sweep', 'a=0:pi:3', '--table', '--shots', '100']);
    const rows = table.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/));
    expect(rows[0]).toEqual(['a', '00', '11']);
    expect([rows[1]?.slice(1), rows[3]?.slice(1)]).toEqual([
      ['100', '0'],
      ['0', '100'],
    ]);
  });

  test('sums up the outcomes that have no line or column of their own', async () => {
    const circuit = Array.from({ length: 5 }, (_, qubit) => ({ gate: 'H', qubit }));
    const file = written('many.json', [
      ...circuit,
      { gate: 'RZ', qubit: 0, theta: { input: 'a' } },
    ]);
    const { stdout } = await run([file, '--sweep', 'a=0,1', '--table', '--shots', '5000']);
    const [heading = [], ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/\s+/));
    expect(heading).toHaveLength(17);
    expect(heading.at(-1)).toBe('others');
    for (const row of rows) {
      expect(row.slice(1).reduce((sum, count) => sum + Number(count), 0)).toBe(5000);
    }
  });

  test('stops on Ctrl-C', async () => {
    const file = written(
      'long.json',
      Array.from({ length: 16 }, (_, qubit) => ({ gate: 'RY', qubit, theta: { input: 'a' } })),
    );
    let interrupt = () => {};
    const ended = run([file, '--sweep', 'a=0:1:1000000', '--observable', 'Z0'], {
      onListening: (listener) => {
        interrupt = listener;
        setTimeout(interrupt, 50);
      },
    });
    expect(await ended).toMatchObject({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
  });
});

describe('a sweep is refused', () => {
  const ramsey = 'examples/ramsey.qasm';
  test.each([
    ['an unknown input', [ramsey, '--sweep', 'phse=0:1:5'], 'Did you mean phase?'],
    ['a further input', [ramsey, '--sweep', 'phase=0,1', '--input', 'b=1'], 'no input "b"'],
    ['an input without a value', [ramsey, '--observable', 'Z0'], '"phase" has no value'],
    [
      'lists of other lengths',
      [ramsey, '--sweep', 'phase=0,1', '--sweep', 'b=1,2,3'],
      'inputs.b: This array has 3 values, and phase has 2',
    ],
    ['a malformed range', [ramsey, '--sweep', 'phase=0:1'], 'from:to:points'],
    ['no points', [ramsey, '--sweep', 'phase=0:1:0'], 'from 2 to 1000000 points'],
    [
      'an input that is also given',
      [ramsey, '--sweep', 'phase=0,1', '--input', 'phase=1'],
      'phase is given by --input and by --sweep',
    ],
    [
      'an observable of a qubit that is not there',
      [ramsey, '--sweep', 'phase=0,1', '--observable', 'Z0 Z1'],
      'observables[0][0].pauli: "Z1" names qubit 1, but the circuit has 1 qubit',
    ],
    [
      'a qubit named twice',
      [ramsey, '--sweep', 'phase=0,1', '--observable', 'Z0 X0'],
      'Qubit 0 is named twice',
    ],
    [
      'an observable of a circuit that measures in the middle',
      ['examples/bit-flip-code.qasm', '--observable', 'Z0'],
      'expectation needs a circuit whose measurements are all last',
    ],
    ['a gradient of nothing', [ramsey, '--sweep', 'phase=0,1', '--gradient'], '--observable "Z0"'],
    [
      'an estimate from one shot',
      [ramsey, '--sweep', 'phase=0,1', '--observable', 'Z0', '--shots', '1'],
      'shots: At least 2',
    ],
    [
      'a measurement of an engine',
      [ramsey, '--sweep', 'phase=0,1', '--engine', 'cpu'],
      'unmeasured',
    ],
    [
      'an unknown processor',
      [ramsey, '--sweep', 'phase=0,1', '--target', 'abacus'],
      'There is no processor "abacus"',
    ],
  ])('%s', async (_, args, text) => {
    const ended = await run(args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(text);
    expect(ended.stderr).not.toContain('programs[0]');
  });

  test('a field of the file that there is not', async () => {
    const file = written('typo.json', { circuit: PAIR, input: { a: 1 } });
    const { code, stderr } = await run([file, '--observable', 'Z0']);
    expect(code).toBe(2);
    expect(stderr).toContain('input');
  });

  test('a processor that is offline, with the exit code of that', async () => {
    const target = ['--processor', 'superconducting-1'];
    const ended = await run([ramsey, '--sweep', 'phase=0,1', ...target]);
    expect(ended).toMatchObject({ code: 4, stdout: '' });
  });
});
