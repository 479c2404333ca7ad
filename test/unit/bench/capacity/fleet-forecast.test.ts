import { expect, test } from 'vitest';
import { forecastFleet } from '../../../../bench/capacity/fleet-forecast.ts';
import { H200 } from '../../../../bench/capacity/model/hardware.ts';

const GPU = { basis: 'modelled', hardware: H200, memoryBytes: 0.2e9, explanation: '' } as const;
const OPTIONS = {
  gpu: GPU,
  circuits: 'new',
  numJobs: 1000,
  numThreads: 48,
  seed: 1,
  measured: undefined,
  onStep: () => {},
} as const;

/** Forecasts that several tests compare. */
const fresh = forecastFleet(OPTIONS);
const kept = forecastFleet({ ...OPTIONS, circuits: 'kept' });

test('a fleet whose workers kept what they compiled does more than one that compiles every circuit', () => {
  expect([fresh.circuits, kept.circuits]).toEqual(['new', 'kept']);
  expect(kept.result.maxPerSecond).toBeGreaterThan(fresh.result.maxPerSecond);
});

test('what was kept takes no compiling: the forecast is the same however long that takes', () => {
  const again = forecastFleet({ ...OPTIONS, circuits: 'kept' });

  expect(again.kinds.map(({ compileMs }) => compileMs)).not.toEqual(
    kept.kinds.map(({ compileMs }) => compileMs),
  );
  expect(again.result).toEqual(kept.result);
});

test('a fleet is sent no circuit that its cards do not hold', () => {
  const { kinds, result } = fresh;

  // 2^24 amplitudes take 0.13 GB, 2^26 take 0.54.
  expect(Math.max(...kinds.map(({ qubits }) => qubits))).toBe(24);
  expect(result.sizes.length).toBe(kinds.length);
});
