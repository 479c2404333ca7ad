// @needs processes
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runtimePackages, stageBundle } from '../../../scripts/stage-bundle.ts';

const root = join(import.meta.dirname, '../../..');
const isPacked = `${process.platform}-${process.arch}` === 'linux-x64';

describe.skipIf(!isPacked)('an offline bundle', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'qcs-bundle-test-')), 'qcs-gpu');
  const run = (starter: string, ...parameters: readonly string[]) =>
    execFileSync(join(folder, starter), parameters, { env: {}, cwd: '/', encoding: 'utf8' });

  beforeAll(() => stageBundle(folder, { root, debs: [] }));
  afterAll(() => rmSync(join(folder, '..'), { recursive: true }));

  test('runs a circuit with an empty environment, from any folder', () => {
    const circuit = join(folder, 'app/examples/bell.qasm');
    const answer = JSON.parse(run('qcs', 'run', circuit, '--shots', '100', '--json'));
    expect(answer.counts['00'] + answer.counts['11']).toBe(100);
  });

  test('loads Dawn, which says what adapters there are', () => {
    expect(run('qcs', 'devices')).not.toContain('could not be loaded');
  });

  test('starts the benchmarks', () => {
    const failure = () => run('bench', 'no-such-benchmark');
    expect(failure).toThrow('There is no benchmark no-such-benchmark');
  });

  test('holds every shader of the engine', () => {
    const shaders = readdirSync(join(root, 'shaders'));
    expect(readdirSync(join(folder, 'app/shaders'))).toEqual(shaders);
  });

  test('holds the console as it is built, and not its views', () => {
    const console = join(folder, 'app/src/console');
    expect(readdirSync(join(console, 'built'))).toEqual(
      readdirSync(join(root, 'src/console/built')),
    );
    const files = readdirSync(console, { recursive: true, encoding: 'utf8' });
    const views = files.filter(
      (file) => /\.(tsx|css|html)$/.test(file) && !file.startsWith('built'),
    );
    expect(views).toEqual([]);
  });

  test('holds Dawn for this platform alone, and no development package', () => {
    expect(readdirSync(join(folder, 'app/node_modules/webgpu/dist'))).toEqual(['linux-x64']);
    for (const name of ['typescript', 'vitest', '@biomejs/biome', 'assemblyscript', 'node']) {
      expect(existsSync(join(folder, 'app/node_modules', name))).toBe(false);
    }
  });
});

test.skipIf(!isPacked)('a checkout without the console built says what to run', () => {
  const checkout = mkdtempSync(join(tmpdir(), 'qcs-bundle-test-'));
  try {
    const wasm = join(checkout, 'src/engine/cpu/wasm');
    mkdirSync(wasm, { recursive: true });
    writeFileSync(join(wasm, 'f32.wasm'), '');
    const stage = () => stageBundle(join(checkout, 'bundle'), { root: checkout, debs: [] });
    expect(stage).toThrow('The console is not built: run `npm run build:page`.');
  } finally {
    rmSync(checkout, { recursive: true });
  }
});

test('packages nested in others are packed on their own', () => {
  const packages = runtimePackages(root);
  expect(packages).toContain('node_modules/fastify');
  expect(packages.filter((path) => path.lastIndexOf('node_modules/') > 0)).not.toEqual([]);
});
