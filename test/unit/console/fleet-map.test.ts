/** The map of the fleet: where keys lead, what the history keeps, the curves, the chips of TPU zones. */
import { describe, expect, test } from 'vitest';
import type { TpuFleet, TpuJobSummary } from '../../../src/client/api-types.ts';
import {
  FleetHistory,
  pollMs,
  SPARK,
  sparkShape,
} from '../../../src/console/fleet/fleet-history.ts';
import { tileAfterKey } from '../../../src/console/fleet/map-moves.ts';
import {
  sliceInWords,
  sliceInZone,
  squaresOf,
  zoneInWords,
  zoneMaps,
} from '../../../src/console/fleet/tpu-map.ts';
import { device } from './fleet-fixtures.ts';

describe('arrow keys on the map', () => {
  // Two nodes beside each other, each of two rows of two tiles, with a wide gap between them.
  const tiles = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id, i) => ({
    id,
    x: (i % 2) * 80 + Math.floor(i / 4) * 300,
    y: Math.floor((i % 4) / 2) * 60,
  }));

  test.each([
    ['ArrowRight', 'a', 'b'],
    ['ArrowRight', 'b', 'e'],
    ['ArrowLeft', 'g', 'd'],
    ['ArrowDown', 'f', 'h'],
    ['ArrowUp', 'c', 'a'],
    ['Home', 'f', 'a'],
    ['End', 'a', 'h'],
  ])('%s leads from %s to %s', (key, from, to) => {
    expect(tileAfterKey(tiles, from, key)).toBe(to);
  });

  test.each([
    ['ArrowLeft', 'a'],
    ['ArrowUp', 'b'],
    ['ArrowDown', 'h'],
    ['Enter', 'a'],
    ['ArrowRight', 'unknown'],
  ])('%s leads nowhere from %s', (key, from) => {
    expect(tileAfterKey(tiles, from, key)).toBeUndefined();
  });

  test('every tile is reached from every other one', () => {
    const reached = new Set(['a']);
    for (const from of reached) {
      for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
        const next = tileAfterKey(tiles, from, key);
        if (next !== undefined) reached.add(next);
      }
    }
    expect([...reached].sort()).toEqual(tiles.map(({ id }) => id));
  });
});

describe('the history', () => {
  const counted = (busyMs: number, completed: number) =>
    device({ counters: { completed, failed: 0, lost: 0, busy_ms: busyMs } });

  test('has the load between answers, and circuits a second', () => {
    const history = new FleetHistory();
    history.add([counted(100, 5)], 1000);
    expect(history.recentLoad('gpu-07')).toBeUndefined();
    history.add([counted(600, 9)], 3000);
    expect(history.recentLoad('gpu-07')).toBe(0.25);
    expect(history.throughput()).toEqual([{ at: 3000, value: 2 }]);
    expect(history.loadOf('gpu-07')).toEqual([{ at: 3000, value: 0.25 }]);
  });

  test('has no load of a device that was started anew, and at most 1', () => {
    const history = new FleetHistory();
    history.add([counted(500, 5)], 1000);
    history.add([counted(100, 0)], 2000);
    expect(history.recentLoad('gpu-07')).toBeUndefined();
    history.add([counted(5000, 0)], 3000);
    expect(history.recentLoad('gpu-07')).toBe(1);
  });

  test('has no load of a device whose node is silent', () => {
    const history = new FleetHistory();
    const reason = 'Node b was not heard of since 2026-01-02T03:04:05.678Z.';
    history.add([counted(0, 0)], 1000);
    history.add([{ ...counted(0, 0), available: false, reason }], 2000);
    expect(history.recentLoad('gpu-07')).toBeUndefined();
  });

  test('keeps ten minutes', () => {
    const history = new FleetHistory();
    for (let minute = 0; minute <= 20; minute += 1) history.add([counted(0, 0)], minute * 60_000);
    expect(history.samples.map(({ at }) => at / 60_000)).toEqual([
      11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    ]);
  });

  test('has the mean of several devices', () => {
    const history = new FleetHistory();
    const both = (a: number, b: number) => [
      { ...counted(a, 0), id: 'a' },
      { ...counted(b, 0), id: 'b' },
    ];
    history.add(both(0, 0), 1000);
    history.add(both(1000, 500), 2000);
    expect(history.meanLoad(['a', 'b'])).toEqual([{ at: 2000, value: 0.75 }]);
    expect(history.recentMean(['a', 'b'])).toBe(0.75);
    expect(history.meanLoad([])).toEqual([]);
    expect(history.recentMean(['c'])).toBeUndefined();
  });

  test('lists devices that go out of service and come back, not those that become busy', () => {
    const history = new FleetHistory();
    const out = device({ available: false, maintenance: { reason: 'a fan' } });
    history.add([device({})], 1000);
    history.add([device({ busy: true })], 2000);
    history.add([out], 3000);
    history.add([device({})], 4000);
    expect(history.changesOf('gpu-07')).toEqual([
      { at: 4000, id: 'gpu-07', from: 'maintenance', to: 'idle' },
      { at: 3000, id: 'gpu-07', from: 'busy', to: 'maintenance' },
    ]);
    expect(history.changesOf('gpu-08')).toEqual([]);
  });

  test('is asked for at most once a second, and with a quarter of what the key may ask', () => {
    expect(pollMs({ requests: 100, window_s: 60 })).toBe(2400);
    expect(pollMs({ requests: 1000, window_s: 60 })).toBe(1000);
    expect(pollMs(undefined)).toBe(2400);
  });
});

describe('a small curve', () => {
  test('ends at the right edge, and begins a minute before or earlier', () => {
    const shape = sparkShape(
      [
        { at: 0, value: 0 },
        { at: 30_000, value: 0.5 },
      ],
      1,
    );
    expect(shape?.line).toBe(
      `M${SPARK.width / 2} ${SPARK.height}L${SPARK.width} ${SPARK.height / 2}`,
    );
    expect(shape?.spanMs).toBe(30_000);
    expect(shape?.last).toBe(0.5);
  });

  test('makes room for values above its upper edge', () => {
    const points = [0, 4, 2].map((value, i) => ({ at: i * 60_000, value }));
    expect(sparkShape(points, 1)?.line).toBe(
      `M0 ${SPARK.height}L${SPARK.width / 2} 0L${SPARK.width} ${SPARK.height / 2}`,
    );
  });

  test('needs two points', () => {
    expect(sparkShape([{ at: 0, value: 1 }], 1)).toBeUndefined();
  });
});

describe('the chips of a zone', () => {
  // The map needs the zones of the fleet, and of a job what it has.
  const fleet = {
    zones: [
      {
        zone: 'us-east1-d',
        chips: 8,
        jobs_placed: 2,
        jobs_waiting: 1,
        types: [{ tpu_type: 'v6e', chips: 8, available_chips: 2, rated_tasks_per_sec: 1 }],
      },
    ],
  } as unknown as TpuFleet;
  const job = (changes: Partial<TpuJobSummary>) =>
    ({
      job_id: 'tpu_1',
      zone: 'us-east1-d',
      tpu_type: 'v6e',
      chips: 4,
      placed: true,
      ...changes,
    }) as TpuJobSummary;

  test('are own slices, those of others, and free ones', () => {
    const [zone] = zoneMaps(fleet, [job({}), job({ placed: false }), job({ zone: 'us-east5-b' })]);
    expect(zone?.types[0]?.slices).toEqual([
      { kind: 'own', chips: 4, jobId: 'tpu_1' },
      { kind: 'other', chips: 2 },
      { kind: 'free', chips: 2 },
    ]);
    expect(squaresOf(zone?.types[0]?.slices ?? []).map(({ kind }) => kind)).toEqual([
      'own',
      'own',
      'own',
      'own',
      'other',
      'other',
      'free',
      'free',
    ]);
  });

  test('are never more than the zone has, though the answers are of different times', () => {
    const [zone] = zoneMaps(fleet, [job({}), job({ job_id: 'tpu_2' })]);
    expect(squaresOf(zone?.types[0]?.slices ?? [])).toHaveLength(8);
  });

  test('are told in words', () => {
    const [zone] = zoneMaps(fleet, []);
    expect(zone && zoneInWords(zone)).toBe(
      '2 of 8 v6e chips are free. 2 jobs have chips, 1 job waits for chips.',
    );
  });

  test('are those of one job, whatever else the zone does', () => {
    const ended = { zone: 'us-east1-d', tpu_type: 'v6e', chips: 4, status: 'completed' } as const;
    const slices = sliceInZone(fleet, ended) ?? [];
    expect(slices).toEqual([
      { kind: 'own', chips: 4 },
      { kind: 'free', chips: 4 },
    ]);
    const words = (job: Parameters<typeof sliceInWords>[1]) => sliceInWords(slices, job);
    expect(words({ ...ended, started_at: '2026-01-02T03:04:05.678Z' })).toMatch(
      /^The job had 4 of the 8 v6e chips of us-east1-d\./,
    );
    expect(words({ ...ended, status: 'cancelled' })).toMatch(/^The job asked for 4/);
    expect(words({ ...ended, status: 'running', placed: true })).toMatch(/^The job has 4/);
    expect(words({ ...ended, status: 'queued', placed: false })).toMatch(/^The job waits for 4/);
    expect(sliceInZone(fleet, { ...ended, chips: 8 })).toEqual([{ kind: 'own', chips: 8 }]);
    expect(sliceInZone(fleet, { ...ended, zone: 'elsewhere' })).toBeUndefined();
  });
});
