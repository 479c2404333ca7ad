// @needs processes
/**
 * `qcs`, what scripts see of it. Most command lines run within this process, as `cli.ts` runs them; what a
 * process adds (exit codes, streams, the end) is tested on processes; adapters, in
 * command-line-adapters.test.ts.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAuditLog } from '../../src/service/audit/audit-log.ts';
import { DATABASE_FILE, openDatabase } from '../../src/storage/database.ts';
import { type Ended, processEnd, runQcs, runQcsProcess } from '../support/command-line.ts';
import { temporaryFolder } from '../support/service-process.ts';

type Environment = Readonly<Record<string, string>>;

/** Within this process. One thread a fleet: each has a self-test to pass before it begins. */
function qcs(args: readonly string[], environment: Environment = {}): Promise<Ended> {
  return runQcs(args, { environment: { QCS_THREADS: '1', ...environment } });
}

describe('as a process', () => {
  test('run prints a histogram of an OpenQASM file', async () => {
    const args = ['run', 'examples/bell.qasm', '--shots', '100', '--seed', '1'];
    const { code, stdout } = await runQcsProcess(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^00 +\d+ +\d+\.\d+% +█/m);
    expect(stdout).toMatch(/^11 +\d+ +\d+\.\d+% +█/m);
  });

  test('run of a small circuit loads no web framework, database or driver, and starts no thread', async () => {
    const tell = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({
        load(url, context, next) {
          loaded.push(url);
          return next(url, context);
        },
      });
      process.on('exit', () => process.stderr.write(loaded.join('\\n')));`;
    const { code, stderr } = await runQcsProcess(['run', 'examples/bell.qasm'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
    });
    expect(code).toBe(0);
    expect(stderr).toMatch(/cpu-engine\.ts$/m);
    const unneeded =
      /node_modules\/(?!commander|zod|uuidv7).*|node:sqlite|.*\/(?:compose|fleet|engine-worker|thread-pool-helper)\.ts$/m;
    expect(unneeded.exec(stderr)?.[0]).toBeUndefined();
  });

  test.each([
    [['run', 'nowhere.qasm'], 3, 'nowhere.qasm'],
    [['fly'], 2, 'fly'],
    [['gates', 'frobnicate'], 3, 'frobnicate'],
    [['jobs', '--url', 'here'], 2, 'no address of a service'],
  ])('%j ends with its exit code, and says why on stderr', async (args, code, text) => {
    const failed = await runQcsProcess(args);
    expect(failed).toMatchObject({ code, stdout: '' });
    expect(failed.stderr).toContain(text);
  });

  test('--help lists the commands, and serve --help the settings', async () => {
    const [help, serve] = await Promise.all([
      runQcsProcess(['--help']),
      runQcsProcess(['serve', '--help']),
    ]);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(/^Usage: qcs(.|\n)+ jobs (.|\n)+Exit codes: 0 ok/);
    expect(serve).toMatchObject({ code: 0, stderr: '' });
    expect(serve.stdout).toContain('QCS_DATA_DIR');
  });

  test('a reader that has seen enough is no failure', async () => {
    const command = `set -o pipefail; "${process.execPath}" bin/qcs.js gates --json | head -c 10`;
    const { code, stdout, stderr } = await processEnd('bash', ['-c', command]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toHaveLength(10);
  });
});

test('run --json prints the fields of the HTTP response, timing included', async () => {
  const { stdout } = await qcs(['run', 'examples/teleport.json', '--json', '--seed', '5']);
  const answer = JSON.parse(stdout);
  expect(answer).toMatchObject({
    status: 'completed',
    processor: 'statevector-sim',
    shots: 4000,
    seed: 5,
    qubits: 3,
    bit_order: 'little-endian',
    measured_qubits: [0, 1, 2],
    timing: { queue_ms: expect.any(Number), execution_ms: expect.any(Number) },
  });
  // RY(π/3) was teleported: qubit 2 is 1 with probability sin²(π/6) = 1/4; four standard deviations.
  const ones = Object.entries(answer.counts as Record<string, number>)
    .filter(([label]) => label.startsWith('1'))
    .reduce((sum, [, count]) => sum + count, 0);
  expect(Math.abs(ones - 1000)).toBeLessThan(4 * Math.sqrt(4000 * 0.25 * 0.75));
});

test.each(['run', 'compile'])(
  '%s says beside its report what of a program it ignores',
  async (command) => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'noted.qasm');
    writeFileSync(file, 'OPENQASM 3.0;\n#pragma user alice\nqubit q;\n');
    const { code, stdout, stderr } = await qcs([command, file]);
    expect(code).toBe(0);
    expect(stderr).toContain('OpenQASM line 2: The pragma "user alice" is ignored.');
    expect(stdout).not.toContain('ignored');
  },
);

test('run takes a noise model from a file or by name, and a method', async () => {
  using folder = temporaryFolder();
  const model = join(folder.path, 'model.json');
  const flip = { gates: ['X'], channel: { type: 'bit_flip', probability: 1 } };
  writeFileSync(model, JSON.stringify({ gates: [flip] }));
  const circuit = join(folder.path, 'x.json');
  writeFileSync(circuit, JSON.stringify([{ gate: 'X', qubit: 0 }]));
  for (const method of ['statevector', 'density_matrix']) {
    const args = [
      'run',
      circuit,
      '--target',
      'qvm',
      '--noise',
      model,
      '--method',
      method,
      '--json',
    ];
    const answer = JSON.parse((await qcs(args)).stdout);
    expect(answer).toMatchObject({ processor: 'qvm', method, counts: { 0: 1000 } });
  }
  const byName = await qcs(['run', circuit, '--noise', 'ibm-fez', '--shots', '500']);
  expect(byName.stdout).toContain('statevector: Trajectories: ');
  const wrong = await qcs(['run', circuit, '--noise', 'ibm-fes']);
  expect(wrong).toMatchObject({ code: 2 });
  expect(wrong.stderr).toContain(
    'noise.model: There is no noise model called "ibm-fes". Did you mean',
  );
});

test('run emulates devices, under their noise or without it', async () => {
  using folder = temporaryFolder();
  const none = join(folder.path, 'none.json');
  writeFileSync(none, '{}');
  const args = ['run', 'examples/bell.qasm', '--processor', 'emulator-iqm-garnet', '--json'];
  const ideal = JSON.parse((await qcs([...args, '--noise', none])).stdout);
  expect(Object.keys(ideal.counts).sort()).toEqual(['00', '11']);
  expect(ideal).toMatchObject({ method: 'statevector', qubits: 2, fitting: { swaps: 0 } });
  const noisy = JSON.parse((await qcs([...args, '--shots', '20000', '--seed', '1'])).stdout);
  // Garnet misreads a bit of 40, so that one shot of 20 and more is odd.
  expect(noisy.counts['01'] + noisy.counts['10']).toBeGreaterThan(600);
  expect(noisy.counts['01'] + noisy.counts['10']).toBeLessThan(2000);
});

test('run with the same seed prints the same counts', async () => {
  const args = ['run', 'examples/bell.qasm', '--json', '--seed', '42', '--processor', 'gpu-fleet'];
  const [first, second] = await Promise.all([qcs(args), qcs(args)]);
  expect(JSON.parse(first.stdout).counts).toEqual(JSON.parse(second.stdout).counts);
});

/** Part of the output of `run --json` about a measured engine. */
interface Measured {
  readonly counts: Readonly<Record<string, number>>;
  readonly backend: { readonly engine: string; readonly precision: string };
  readonly measurement: {
    readonly threads: number;
    readonly runs: readonly object[];
    readonly state_passes: number;
    readonly amplitudes_touched: number;
    readonly gb_moved: number;
  };
}

test.each([
  ['cpu in f64 on one thread', ['--engine', 'cpu', '--threads', '1'], 'cpu', 'f64', 1],
  ['cpu in f32', ['--precision', 'f32', '--threads', '2'], 'cpu', 'f32', 2],
  ['reference', ['--engine', 'reference'], 'reference', 'f64', 1],
] as const)(
  'run measures the engine that it is given: %s',
  async (_, options, engine, precision, threads) => {
    const args = [
      'run',
      'examples/bell.qasm',
      '--seed',
      '1',
      '--repeat',
      '3',
      '--json',
      ...options,
    ];
    const { stdout } = await qcs(args);
    const { counts, backend, measurement } = JSON.parse(stdout) as Measured;
    expect(counts['00']! + counts['11']!).toBe(1000);
    expect(backend).toMatchObject({ engine, precision });
    expect(measurement).toMatchObject({ engine, precision, threads });
    const figure = expect.any(Number);
    expect(measurement.runs).toEqual(Array(3).fill({ evolution_ms: figure, sampling_ms: figure }));
    // Four amplitudes a pass, each read and written.
    const touched = 4 * measurement.state_passes;
    expect(measurement.amplitudes_touched).toBe(touched);
    const bytes = precision === 'f32' ? 8 : 16;
    expect(measurement.gb_moved * 1e9).toBeCloseTo(2 * touched * bytes, 6);
  },
);

test('all engines, precisions and thread counts give the counts of the service for one seed', async () => {
  const choices = [
    [],
    ['--engine', 'cpu'],
    ['--precision', 'f32', '--threads', '1'],
    ['--engine', 'reference'],
  ];
  const answers = await Promise.all(
    choices.map((options) =>
      qcs(['run', 'examples/teleport.json', '--json', '--seed', '9', ...options]),
    ),
  );
  const [first, ...others] = answers.map(({ stdout }) => JSON.parse(stdout).counts);
  for (const other of others) expect(other).toEqual(first);
});

test('run prints evolution and sampling of each repeat, and what was moved', async () => {
  const { code, stdout } = await qcs(['run', 'examples/bell.qasm', '--repeat', '2']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^RUN +EVOLUTION +SAMPLING$/m);
  expect(stdout).toMatch(/^2 +[\d.]+ ms +[\d.]+ ms$/m);
  expect(stdout).toMatch(/compiled in [\d.]+ ms, prepared in [\d.]+ ms/);
  expect(stdout).toMatch(/\d+ state passes, \d+ amplitudes touched, .* GB moved, .* GB\/s/);
});

test('run measures all gates of a circuit that measures nothing', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'phases.json');
  // Phases change no count; without the state they would be dropped.
  writeFileSync(
    file,
    JSON.stringify([
      { gate: 'H', qubit: 0 },
      { gate: 'T', qubit: 0 },
    ]),
  );
  const { stdout } = await qcs(['run', file, '--engine', 'cpu', '--json']);
  const { compilation } = JSON.parse(stdout);
  expect(compilation.passes).toContainEqual({
    name: 'drop-unobservable',
    operations: { before: 3, after: 3 },
  });
});

test.each([
  ['WebGPU in f64', ['--engine', 'webgpu', '--precision', 'f64'], 'f32 only'],
  ['WebGPU on threads', ['--engine', 'webgpu', '--threads', '2'], '--threads'],
  ['reference in f32', ['--engine', 'reference', '--precision', 'f32'], 'f64 only'],
  ['reference on two threads', ['--engine', 'reference', '--threads', '2'], 'one thread'],
  ['an engine and a processor', ['--engine', 'cpu', '--processor', 'gpu-fleet'], '--target'],
  ['an unknown engine', ['--engine', 'abacus'], 'cpu, reference, webgpu'],
  ['an unknown precision', ['--precision', 'f16'], 'f32, f64'],
  ['no thread', ['--threads', '0'], 'from 1 to 256'],
  ['too many threads', ['--threads', '257'], 'from 1 to 256'],
  ['half a repeat', ['--repeat', '0.5'], 'whole number'],
])('run refuses to measure %s', async (_, options, text) => {
  const ended = await qcs(['run', 'examples/bell.qasm', ...options]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(text);
});

test('run refuses a circuit that memory cannot hold, with the figures', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'wide.qasm');
  writeFileSync(file, 'OPENQASM 3.0;\nqubit[24] q;\n');
  const environment = { QCS_MEMORY_MIB: '64' };
  for (const [options, figures] of [
    [
      ['--engine', 'cpu'],
      'need 256 MiB; this service holds 22 qubits (64 MiB). QCS_MEMORY_MIB raises it.',
    ],
    [
      ['--precision', 'f32'],
      'need 128 MiB; this service holds 23 qubits (64 MiB). QCS_MEMORY_MIB raises it.',
    ],
    [[], 'need 256 MiB; this service holds 21 qubits (32 MiB). QCS_MEMORY_MIB raises it.'],
  ] as const) {
    const ended = await qcs(['run', file, ...options], { ...environment, QCS_THREADS: '2' });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(figures);
  }
});

test.each([
  ['a missing file', ['run', 'nowhere.qasm'], 3, 'nowhere.qasm'],
  ['an unknown command', ['fly'], 2, 'fly'],
  ['an unknown option', ['run', 'examples/bell.qasm', '--shot', '5'], 2, '--shot'],
  ['shots that are no number', ['run', 'examples/bell.qasm', '--shots', 'many'], 2, 'shots'],
  ['an unknown processor', ['run', 'examples/bell.qasm', '--processor', 'abacus'], 2, 'abacus'],
  [
    'an offline processor',
    ['run', 'examples/bell.qasm', '--processor', 'superconducting-1'],
    4,
    'superconducting-1',
  ],
  ['an unknown gate', ['gates', 'frobnicate'], 3, 'frobnicate'],
  ['an unknown key', ['keys', 'revoke', 'nobody'], 3, 'nobody'],
  [
    'a key of no known scope',
    ['keys', 'create', '--name', 'x', '--scopes', 'all'],
    2,
    'read, circuits',
  ],
])('%s is an error on stderr with its own exit code', async (_, args, code, text) => {
  using folder = temporaryFolder();
  const ended = await qcs(args, { QCS_DATA_DIR: folder.path });
  expect(ended).toMatchObject({ code, stdout: '' });
  expect(ended.stderr).toContain(text);
});

test('a faulty circuit file is answered with every fault and its path', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'faulty.json');
  const circuit = [
    { gate: 'H', qubit: 0 },
    { gate: 'RX', qubit: 0 },
    { gate: 'HH', qubit: 1 },
  ];
  writeFileSync(file, JSON.stringify(circuit));
  const { code, stderr } = await qcs(['run', file]);
  expect(code).toBe(2);
  expect(stderr).toContain('circuit[1]');
  expect(stderr).toContain('circuit[2].gate');
});

test('a syntax error in OpenQASM is answered with line and column', async () => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'faulty.qasm');
  writeFileSync(file, 'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[1];\nh q[0]\n');
  const { code, stderr } = await qcs(['run', file]);
  expect(code).toBe(2);
  expect(stderr).toMatch(/line [45]/);
});

test('keys are created, listed and revoked, as JSON where asked', async () => {
  using folder = temporaryFolder();
  const environment = { QCS_DATA_DIR: folder.path };
  const created = await qcs(
    ['keys', 'create', '--name', 'ci', '--tier', 'enterprise', '--scopes', 'read,admin', '--json'],
    environment,
  );
  const key = JSON.parse(created.stdout);
  expect(key).toMatchObject({ name: 'ci', tier: 'enterprise', scopes: ['read', 'admin'] });
  expect(key.key).toMatch(/^qcs_/);

  await qcs(['keys', 'revoke', key.id], environment);
  const listed = await qcs(['keys', 'list', '--json'], environment);
  const { keys } = JSON.parse(listed.stdout);
  expect(keys).toHaveLength(1);
  expect(keys[0]).toMatchObject({ id: key.id, revoked_at: expect.any(String) });
  expect(listed.stdout).not.toContain(key.key);
});

test('a key that is to expire is listed with its end', async () => {
  using folder = temporaryFolder();
  const environment = { QCS_DATA_DIR: folder.path };
  const create = (time: string) => ['keys', 'create', '--name', 'ci', '--expires', time];
  expect((await qcs(create('soon'), environment)).code).toBe(2);
  expect((await qcs(create('2100-01-31T12:00Z'), environment)).code).toBe(0);
  expect((await qcs(create('2001-01-31T12:00Z'), environment)).code).toBe(0);
  const { stdout } = await qcs(['keys', 'list'], environment);
  expect(stdout).toContain('active until 2100-01-31T12:00:00.000Z');
  expect(stdout).toContain('expired 2001-01-31T12:00:00.000Z');
});

test('a key is changed and rotated, and the audit log names the command line', async () => {
  using folder = temporaryFolder();
  const environment = { QCS_DATA_DIR: folder.path };
  const ask = async (...args: readonly string[]) => {
    const { code, stdout } = await qcs(['keys', ...args, '--json'], environment);
    expect([args, code]).toEqual([args, 0]);
    return JSON.parse(stdout);
  };
  const { id, key } = await ask('create', '--name', 'ci');
  expect(await ask('change', id, '--scopes', 'read', '--expires', '2100-01-31T12:00Z')).toEqual(
    expect.objectContaining({ scopes: ['read'], expires_at: '2100-01-31T12:00:00.000Z' }),
  );
  expect(await ask('change', id, '--expires', 'never', '--name', 'cd')).toEqual(
    expect.objectContaining({ name: 'cd', scopes: ['read'], expires_at: null }),
  );
  const rotated = await ask('rotate', id, '--grace', '2h');
  expect(rotated).toMatchObject({ id, old_secret_until: expect.any(String) });
  expect(rotated.key).not.toBe(key);
  await ask('revoke', id);

  for (const wrong of [
    ['change', id],
    ['rotate', id, '--grace', '31d'],
    ['rotate', id, '--grace', '5'],
  ]) {
    expect((await qcs(['keys', ...wrong], environment)).code).toBe(2);
  }
  using database = openDatabase(join(folder.path, DATABASE_FILE));
  const entries = await createAuditLog(database).list({ limit: 10 });
  expect(entries.map(({ actor, action, subject }) => [actor, action, subject])).toEqual(
    ['key.revoked', 'key.rotated', 'key.changed', 'key.changed', 'key.created'].map((action) => [
      'command line',
      action,
      id,
    ]),
  );
  expect(Date.parse(String(entries[1]?.details['old_secret_until']))).toBe(
    (entries[1]?.at ?? 0) + 7_200_000,
  );
});

test('compile prints OpenQASM on stdout and the report on stderr', async () => {
  const { code, stdout, stderr } = await qcs([
    'compile',
    'examples/bell.qasm',
    '--format',
    'qasm2',
  ]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^OPENQASM 2\.0;/);
  expect(stderr).toMatch(/gates +2 +2/);
});

test('devices says of each processor whether it would run a circuit now', async () => {
  const { stdout } = await qcs(['devices', '--json']);
  const { processors, devices, adapters } = JSON.parse(stdout);
  expect(processors).toMatchObject([
    { id: 'statevector-sim', available: true },
    { id: 'gpu-fleet', available: true, execution: 'cpu-fallback' },
    { id: 'qvm', available: true },
    { id: 'emulator', available: true },
    { id: 'emulator-ibm-fez', available: true, max_qubits: 156 },
    { id: 'emulator-ibm-brisbane', available: true, max_qubits: 127 },
    { id: 'emulator-iqm-garnet', available: true, max_qubits: 20 },
    { id: 'emulator-google-willow', available: true, max_qubits: 105 },
    { id: 'superconducting-1', available: false },
  ]);
  expect(Array.isArray(adapters)).toBe(true);
  expect(devices).toHaveLength(48);
  expect(devices[47]).toMatchObject({ id: 'gpu-47', available: true, modelled: true });
});

test('devices shows the 48 devices in a row for each thing that backs them', async () => {
  const { stdout } = await qcs(['devices']);
  expect(stdout).toMatch(/^gpu-00 to gpu-47 .* CPU, modelled +48 of 48 +\d+ MiB each +\d+$/m);
});

test.each([
  [[]],
  [['serve']],
  [['run']],
  [['keys']],
  [['keys', 'create']],
  [['jobs']],
  [['jobs', 'follow']],
  [['devices']],
  [['gates']],
])('qcs %j --help explains itself', async (command) => {
  const { code, stdout } = await qcs([...command, '--help']);
  expect(code).toBe(0);
  expect(stdout).toContain('Usage: qcs');
});

/** Options that an example needs besides its file. */
const EXAMPLE_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  'braket-gradient.qasm': ['--input', 'a=pi/3'],
  'ramsey.qasm': ['--input', 'phase=0.8'],
  'ghz-1000.qasm': ['--target', 'qvm'],
  'ising-quench.qasm': ['--target', 'qvm'],
  'repetition-code.qasm': ['--target', 'qvm'],
};

const EXAMPLE_CIRCUITS = readdirSync('examples').filter((name) => /\.(qasm|json)$/.test(name));

test.each(EXAMPLE_CIRCUITS)('the example %s runs', async (name) => {
  const options = EXAMPLE_OPTIONS[name] ?? [];
  const ended = await qcs(['run', join('examples', name), '--json', ...options]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ended.stdout)).toMatchObject({ status: 'completed' });
});
