import { describe, expect, test } from 'vitest';
import { modelledDuration, modelledMs } from '../../../../src/workloads/tpu/slice-request.ts';
import {
  chipsOfType,
  FLEET_RATED_TASKS_PER_SEC,
  RATING_BASIS,
  ratedTasksPerSecOf,
  ratedTasksPerSecOfPool,
  TPU_CHIPS,
  TPU_POOLS,
  TPU_TYPES,
  TPU_ZONES,
} from '../../../../src/workloads/tpu/tpu-zones.ts';

describe('the TPU fleet', () => {
  test('has 320 chips in 6 zones', () => {
    expect(TPU_POOLS.reduce((total, { chips }) => total + chips, 0)).toBe(320);
    expect(new Set(TPU_ZONES).size).toBe(6);
  });

  test.each([
    ['v4', 64, 275, 4096, 11_500_000, { 'us-central2-b': 64 }],
    ['v5e', 128, 197, 256, 16_500_000, { 'europe-west4-b': 64, 'us-central1-a': 64 }],
    [
      'v6e',
      128,
      918,
      256,
      77_000_000,
      { 'europe-west4-a': 64, 'us-east1-d': 32, 'us-east5-b': 32 },
    ],
  ] as const)('has %s as published', (type, chips, tflops, podChips, rated, zones) => {
    expect(chipsOfType(type)).toBe(chips);
    expect(TPU_CHIPS[type]).toEqual({ bf16Tflops: tflops, podChips });
    expect(ratedTasksPerSecOf(type)).toBe(rated);
    const pools = TPU_POOLS.filter(({ tpuType }) => tpuType === type);
    expect(Object.fromEntries(pools.map((pool) => [pool.zone, pool.chips]))).toEqual(zones);
  });

  test('is rated at its nominal total, by types as by zones', () => {
    const byType = TPU_TYPES.reduce((total, type) => total + ratedTasksPerSecOf(type), 0);
    const byPool = TPU_POOLS.reduce((total, pool) => total + ratedTasksPerSecOfPool(pool), 0);
    expect(byType).toBe(FLEET_RATED_TASKS_PER_SEC);
    expect(byPool).toBe(FLEET_RATED_TASKS_PER_SEC);
    expect(RATING_BASIS.basis).toBe('modelled');
  });
});

describe('a modelled duration', () => {
  test('is the counted work over the slice, and a start', () => {
    // 4 × 918e12 × 0.004 = 1.4688e13 operations a second.
    expect(modelledMs(1.4688e13, { chips: 4, tpuType: 'v6e' })).toBeCloseTo(5 + 1000, 9);
    expect(modelledMs(0, { chips: 4, tpuType: 'v4' })).toBe(5);
  });

  test('halves beyond its start on twice the chips', () => {
    const [one, two] = [1, 2].map((chips) => modelledMs(1e15, { chips, tpuType: 'v5e' }) - 5);
    expect(one).toBeCloseTo(2 * (two ?? 0), 6);
  });

  test('names every constant it rests on, and that it is modelled', () => {
    const { basis, how, ms } = modelledDuration(1234, { chips: 8, tpuType: 'v5e' });
    expect(basis).toBe('modelled');
    expect(how).toMatch(/5 ms.*1234.*8 × 197 TFLOP\/s.*v5e.*0\.004.*Nothing was timed/);
    expect(ms).toBe(modelledMs(1234, { chips: 8, tpuType: 'v5e' }));
  });
});
