/**
 * Random faults of a cluster under a mixed load: `node bench/cluster/faults.ts [--faults 200] [--seed 7] [--lanes 6]
 * [--nodes 3] [--lease-s 3]`. No acknowledged job may be lost, reported twice or changed after it was seen. Prints the
 * report, and stores it in bench/results/cluster-faults.json; test/service/cluster-faults.test.ts does the same with
 * each fault once.
 */
import { parseArgs } from 'node:util';
import { runFaults } from '../../test/support/cluster-load/fault-run.ts';
import { postgresPrograms } from '../../test/support/postgres-server.ts';
import { store } from '../harness.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    seed: { type: 'string', default: '7' },
    lanes: { type: 'string', default: '6' },
    nodes: { type: 'string', default: '3' },
    'lease-s': { type: 'string', default: '3' },
  },
});
const [faults = 0, seed = 0, lanes = 0, nodes = 0, leaseS = 0] = [
  values.faults,
  values.seed,
  values.lanes,
  values.nodes,
  values['lease-s'],
].map(Number);
if (![faults, seed, lanes, nodes, leaseS].every(Number.isInteger) || faults * lanes * leaseS === 0)
  throw new Error('--faults, --seed, --lanes, --nodes and --lease-s are whole numbers');
if (nodes < 2) throw new Error('--nodes is 2 or more');
const programs = postgresPrograms();
if (programs === undefined) throw new Error('PostgreSQL is not installed');

const options = { faults, seed, lanes, leaseS, roles: Array<'all'>(nodes).fill('all') };
const report = await runFaults({
  programs,
  jobsBetween: 10,
  ...options,
  onStep: (text) => process.stderr.write(`${text}\n`),
});
store('cluster-faults', [], { run: options, ...report });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
if (report.wrong.length > 0) process.exitCode = 1;
