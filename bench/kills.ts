/**
 * The service killed at random under a mixed load: `node bench/kills.ts [--kills 100] [--lanes 12]
 * [--seed 7] [--uptime-ms 4000]`. Every job that was acknowledged has to complete, once, and none may be
 * given up; test/service/kills.test.ts does the same with a handful of kills.
 */
import { parseArgs } from 'node:util';
import { runKillLoad } from '../test/support/mixed-load/kill-load.ts';
import { createLoadKeys } from '../test/support/mixed-load/mixed-load.ts';
import { temporaryFolder } from '../test/support/service-process.ts';
import { store } from './harness.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    lanes: { type: 'string', default: '12' },
    seed: { type: 'string', default: '7' },
    'uptime-ms': { type: 'string', default: '4000' },
  },
});
const [kills = 0, lanes = 0, seed = 0, maxUptimeMs = 0] = [
  values.kills,
  values.lanes,
  values.seed,
  values['uptime-ms'],
].map(Number);
if (![kills, lanes, seed, maxUptimeMs].every(Number.isInteger) || kills * lanes * maxUptimeMs === 0)
  throw new Error('--kills, --lanes, --seed and --uptime-ms are whole numbers');

using folder = temporaryFolder();
const keys = await createLoadKeys(folder.path);
const options = { kills, lanes, seed, maxUptimeMs };
const report = await runKillLoad({ dataDir: folder.path, keys, ...options });
store('kills', [], { load: options, ...report });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (report.faults.length > 0) process.exitCode = 1;
