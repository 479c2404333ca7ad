// @needs processes
/** kill -9 at random under a mixed load; bench/kills.ts does the same a hundred times. */
import { expect, test, vi } from 'vitest';
import { runKillLoad } from '../support/mixed-load/kill-load.ts';
import { createLoadKeys } from '../support/mixed-load/mixed-load.ts';
import { temporaryFolder } from '../support/service-process.ts';

vi.setConfig({ testTimeout: 900_000 });

test('a service that is killed again and again at random completes every accepted job, once', async () => {
  using folder = temporaryFolder();
  const keys = await createLoadKeys(folder.path);
  const report = await runKillLoad({
    dataDir: folder.path,
    keys,
    kills: 4,
    lanes: 6,
    seed: 11,
    maxUptimeMs: 2500,
  });
  expect(report.faults).toEqual([]);
  expect(report.completed).toBe(report.accepted);
  expect(report.kills).toBeGreaterThanOrEqual(4);
  expect(report.interruptions).toBeGreaterThan(0);
});
