// @needs processes
/** Suites of missing drivers, browsers and servers are skipped and named, on a machine from which these were hidden. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WITHOUT = '.ci/without';

/** One file for each facility that can be hidden, and one that would run in the browser. */
const FILES = [
  'test/unit/fleet/adapter-discovery.test.ts',
  'test/browser/result-drawings.test.ts',
  'test/browser/webgpu-engine.test.ts',
  'test/conformance/stores-postgres.test.ts',
];

/** Runs these files as on a machine that has neither drivers, browsers nor PostgreSQL. */
function runWithout(environment: Readonly<Record<string, string>>) {
  const required = Object.keys(process.env).filter((name) => name.startsWith('QCS_TEST_REQUIRE_'));
  const env = { ...process.env, ...Object.fromEntries(required.map((name) => [name, undefined])) };
  const vitest = [process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...FILES];
  const hidden = ['drivers,loader,browser,postgresql', '--', ...vitest];
  const { status, stdout, stderr } = spawnSync(WITHOUT, hidden, {
    cwd: ROOT,
    env: { ...env, ...environment },
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const canHide = spawnSync(WITHOUT, ['--', 'true'], { cwd: ROOT }).status === 0;
if (!canHide) {
  process.stderr.write(
    'SKIPPED: this machine lets nobody hide files from a process, so the skipping of suites was not tried.\n',
  );
}

describe.skipIf(!canHide)('without drivers, browsers and PostgreSQL', () => {
  test('the run passes, and its last lines name what was skipped', () => {
    const { status, output } = runWithout({});
    expect(output).toMatch(/^SKIPPED without lavapipe: \d+ tests/m);
    expect(output).toMatch(/^SKIPPED without Chromium: \d+ tests/m);
    expect(output).toMatch(/^SKIPPED without WebGPU in Chromium: \d{3} tests/m);
    expect(output).toMatch(/^SKIPPED without PostgreSQL: \d+ tests/m);
    expect(status).toBe(0);
  });

  test('the run fails where they are required, and says of each that it is missing', () => {
    const required = ['VULKAN', 'CHROMIUM', 'POSTGRESQL'].map((name) => `QCS_TEST_REQUIRE_${name}`);
    const { status, output } = runWithout(Object.fromEntries(required.map((name) => [name, '1'])));
    for (const name of required) expect(output).toContain(`${name} is 1, but there is no `);
    expect(status).not.toBe(0);
  });
});
