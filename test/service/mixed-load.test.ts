// @needs processes
/**
 * Jobs of all kinds at once on a real service, by several keys, with cancels, repeats, listings, and
 * watchers whose connections break. bench/mixed-load.ts runs the same for a minute.
 */
import { expect, test, vi } from 'vitest';
import type { LoadReport } from '../support/mixed-load/load-report.ts';
import {
  createLoadKeys,
  MIXED_LOAD_SETTINGS,
  runMixedLoad,
} from '../support/mixed-load/mixed-load.ts';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';

vi.setConfig({ testTimeout: 900_000 });

/**
 * Whether a load has had some of everything that is checked. How soon that is depends on the machine;
 * a load that never comes to it runs into the test's limit. Where something is wrong there is no more
 * to wait for.
 */
function hasSeenAll(report: LoadReport): boolean {
  const { watched, reconnects, repeats, sawRunning, faults } = report;
  const all =
    report.total('completed') > 80 &&
    report.total('cancelled') > 0 &&
    Math.min(watched, reconnects, repeats) > 5 &&
    sawRunning > 0;
  return all || faults.length > 0 || report.total('failed') > 0;
}

test('under a mixed load every job ends, nothing goes back, and watchers that come back miss nothing', async () => {
  using folder = temporaryFolder();
  const keys = await createLoadKeys(folder.path);
  const service = await startServiceProcess(folder.path, MIXED_LOAD_SETTINGS);
  try {
    const { origin } = service;
    const report = await runMixedLoad({ origin, keys, isEnough: hasSeenAll, lanes: 12, seed: 7 });
    expect(report.faults).toEqual([]);
    expect(report.total('failed')).toBe(0);
    expect(service.log()).toBe('');
  } finally {
    await service.stop('SIGTERM');
  }
});
