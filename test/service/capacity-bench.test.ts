// @needs processes
/** The benchmark of capacity as a process: it starts the service, drives it, and writes what it found. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { CapacityReport } from '../../bench/capacity/capacity-report.ts';
import { closedLoad, MixRequests } from '../../bench/capacity/load.ts';
import { processEnd } from '../support/command-line.ts';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';

const run = promisify(execFile);
const capacity = (...args: readonly string[]) =>
  run(process.execPath, ['bench/capacity.ts', ...args]);

test('capacity measures the service and says of each figure of the fleet what it is', async () => {
  using folder = temporaryFolder();
  const json = join(folder.path, 'capacity.json');
  const html = join(folder.path, 'capacity.html');
  const load = ['--duration', '0.3', '--connections', '1,3', '--rates', '40', '--mix', 'bell'];
  const { stdout } = await capacity(
    ...load,
    ...['--starts', '3', '--jobs', '2000', '--json', json, '--html', html],
  );
  const report: CapacityReport = JSON.parse(readFileSync(json, 'utf8'));
  const { service, fleet } = report;

  expect(service?.closed.map(({ offered }) => offered)).toEqual([1, 3]);
  expect(service?.open.map(({ offered }) => offered)).toEqual([40]);
  for (const step of [...(service?.closed ?? []), ...(service?.open ?? [])]) {
    expect(step.numVerified).toBeGreaterThan(0);
    expect(step.latency.p99).toBeGreaterThanOrEqual(step.latency.p50);
  }
  expect(service?.devices.length).toBe(48);
  expect(service?.devices.reduce((sum, { completed }) => sum + completed, 0)).toBeGreaterThan(0);
  expect(report.knee?.kind).toBe('closed');
  expect(fleet.result.longRun.numJobs).toBe(2000);
  expect(service?.newCircuits.numVerified).toBe(16);
  expect(fleet.kinds.map(({ compileBasis }) => compileBasis)).not.toContain('service');
  expect(fleet.gpu.basis).toBe('modelled');
  for (const kind of fleet.kinds) expect(kind.gpuBasis).toBe('modelled');
  expect(stdout).toContain('MEASURED: the service on this machine');
  expect(stdout).toContain('MODELLED: 48 GPUs');
  const page = readFileSync(html, 'utf8');
  expect(page).not.toMatch(/(?:src|href)=|url\(|@import/);
  expect(page.match(/class="chart"/g)).toHaveLength(2);
});

test('a closed load whose time is over before its connections are open still measures each of them', async () => {
  using folder = temporaryFolder();
  const { origin, key = '', stop } = await startServiceProcess(folder.path, { QCS_ENGINE: 'cpu' });
  const target = { origin: new URL(origin), key, processor: 'statevector-sim' };
  const mix = [{ qubits: 1, layers: 1, shots: 5, weight: 1 }];
  const { samples } = await closedLoad(new MixRequests(mix, target, 1), 2, 0);
  expect(samples).toHaveLength(2);
  await stop('SIGTERM');
});

test('capacity --simulate-only measures nothing and says so', async () => {
  using folder = temporaryFolder();
  const json = join(folder.path, 'capacity.json');
  await capacity('--simulate-only', '--jobs', '2000', '--seed', '3', '--json', json);
  const report: CapacityReport = JSON.parse(readFileSync(json, 'utf8'));

  expect(report.service).toBeUndefined();
  expect(report.fleet.circuits).toBe('new');
  for (const { cpuBasis } of report.fleet.kinds) expect(cpuBasis ?? 'modelled').toBe('modelled');
});

test.each([
  ['--connections', '0'],
  ['--rates', 'many'],
  ['--mix', 'unknown'],
  ['--duration', ''],
  ['--seed', '1.5'],
  ['--starts', '0.5'],
  ['--jobs', '2000.5'],
  ['--threads', '1.5'],
  ['--connections', '1,2.5'],
  ['--circuits', 'old'],
])('capacity %s %s is wrong usage', async (...args) => {
  const ended = await processEnd(process.execPath, ['bench/capacity.ts', ...args]);
  expect(ended).toMatchObject({ code: 1, stdout: '' });
  expect(ended.stderr).toContain(args[0]);
});
