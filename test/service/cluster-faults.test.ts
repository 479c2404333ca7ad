// @needs facilities
/**
 * Faults of a cluster of three nodes under a mixed load, with an oracle outside the service: a trigger in PostgreSQL
 * and the answers that clients got. bench/cluster/faults.ts does the same two hundred times.
 */
import { expect, test, vi } from 'vitest';
import { runFaults } from '../support/cluster-load/fault-run.ts';
import { describeWith, facilityPath } from '../support/facilities/describe-with.ts';

vi.setConfig({ testTimeout: 900_000 });

describeWith(['PostgreSQL'], 'faults of a cluster', () => {
  test('a cluster that has each fault once loses no job, reports each once, and changes none', async () => {
    const report = await runFaults({
      programs: facilityPath('PostgreSQL'),
      faults: 10,
      jobsBetween: 3,
      seed: 23,
      lanes: 5,
      leaseS: 3,
      roles: ['all', 'all', 'all'],
    });
    expect(report.wrong).toEqual([]);
    expect(report).toMatchObject({ lost: 0, reportedTwice: 0, changed: 0, unfinished: 0 });
    expect(Object.keys(report.byKind)).toHaveLength(10);
    expect(report.load.compared).toBeGreaterThan(0);
  });
});
