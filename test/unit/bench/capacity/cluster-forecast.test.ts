// @needs processes
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forecastCluster } from '../../../../bench/capacity/cluster-forecast.ts';
import { temporaryFolder } from '../../../support/service-process.ts';

const way = (nodesUs: Readonly<Record<string, number>>, databaseUs: number) => ({
  best: { perSecond: 1000 },
  cost: {
    databaseUs,
    nodesUs: Object.fromEntries(Object.entries(nodesUs).map(([role, main]) => [role, { main }])),
  },
});

function forecastOf(results: object) {
  using folder = temporaryFolder();
  const path = join(folder.path, 'results.json');
  writeFileSync(path, JSON.stringify(results));
  return forecastCluster(path);
}

describe('a cluster of six nodes', () => {
  test('does what its main threads and its database can, whichever is less', () => {
    const { ways, explanation } = forecastOf({
      date: '2026-01-02T03:04:05Z',
      machine: { cores: 2 },
      figures: { atOnce: way({ all: 300 }, 100), queued: way({ api: 300, worker: 200 }, 800) },
    });
    expect(ways).toMatchObject([
      { name: 'at once', perSecond: 20_000, limit: 'main threads of the nodes' },
      { name: 'queued', perSecond: 10_000, limit: 'processors of the database' },
    ]);
    expect(explanation).toContain('2026-01-02 on 2 cores');
  });

  test('is not predicted where none was measured, and that is said', () => {
    const { ways, explanation } = forecastCluster('/nowhere/cluster.json');
    expect(ways).toEqual([]);
    expect(explanation).toBe('No cluster was measured: there is no /nowhere/cluster.json.');
  });

  test('is not predicted from another file', () => {
    expect(() => forecastOf({ date: 'x' })).toThrow(
      expect.objectContaining({ code: 'CLI_FILE_UNREADABLE' }),
    );
  });
});
