// @needs processes
/** `qcs capacity` as a process: it starts the service, drives it, and prints what it found. */
import { expect, test } from 'vitest';
import { runQcs, runQcsProcess } from '../support/command-line.ts';

test('capacity prints rate and latencies of each number of connections', async () => {
  const { code, stdout } = await runQcsProcess([
    'capacity',
    ...['--connections', '1,3', '--requests', '50', '--processor', 'statevector-sim'],
  ]);
  expect(code).toBe(0);
  const [facts, heading, ...rows] = stdout.trimEnd().split('\n');
  expect(facts).toMatch(/^Bell circuits to statevector-sim; .* every answer verified$/);
  expect(heading).toMatch(/^CONNECTIONS +CIRCUITS\/S +P50 MS +P95 MS +P99 MS$/);
  const figures = rows.map((row) => row.split(/ +/).map(Number));
  expect(figures.map(([connections]) => connections)).toEqual([1, 3]);
  for (const [, perSecond = 0, p50 = 0, p95 = 0, p99 = 0] of figures) {
    expect(perSecond).toBeGreaterThan(0);
    expect(p50).toBeGreaterThan(0);
    expect(p95).toBeGreaterThanOrEqual(p50);
    expect(p99).toBeGreaterThanOrEqual(p95);
  }
});

test('capacity ends with an error if the service answers otherwise', async () => {
  const ended = await runQcs(['capacity', '--processor', 'nowhere', '--requests', '1']);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain('The load was broken off: 400');
});

test.each([
  ['--connections', '0'],
  ['--connections', '1,2.5'],
  ['--requests', '0.5'],
])('capacity %s %s is wrong usage', async (...args) => {
  const ended = await runQcs(['capacity', ...args]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  expect(ended.stderr).toContain(args[0]);
});
