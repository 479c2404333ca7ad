/**
 * Jobs of all kinds at once on a real service, by several keys, with cancels, repeats, listings, and
 * watchers whose connections break. bench/mixed-load.ts runs the same for a minute.
 */
import { expect, test } from 'vitest';
import {
  createLoadKeys,
  MIXED_LOAD_SETTINGS,
  runMixedLoad,
} from '../support/mixed-load/mixed-load.ts';
import { startServiceProcess, temporaryFolder } from '../support/service-process.ts';

test('under a mixed load every job ends, nothing goes back, and watchers that come back miss nothing', async () => {
  using folder = temporaryFolder();
  const keys = await createLoadKeys(folder.path);
  const service = await startServiceProcess(folder.path, MIXED_LOAD_SETTINGS);
  try {
    const { origin } = service;
    const report = await runMixedLoad({ origin, keys, seconds: 6, lanes: 12, seed: 7 });
    expect(report.faults).toEqual([]);
    expect(report.total('failed')).toBe(0);
    expect(report.total('completed')).toBeGreaterThan(20);
    expect(report.total('cancelled')).toBeGreaterThan(0);
    expect(report.watched).toBeGreaterThan(5);
    expect(report.reconnects).toBeGreaterThan(5);
    expect(report.repeats).toBeGreaterThan(5);
    expect(report.sawRunning).toBeGreaterThan(0);
    expect(service.log()).toBe('');
  } finally {
    await service.stop('SIGTERM');
  }
}, 120_000);
