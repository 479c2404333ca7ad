import { expect, test } from 'vitest';
import { forecastFleet } from '../../../../src/cli/capacity/fleet-forecast.ts';
import { H200 } from '../../../../src/fleet/capacity/hardware.ts';

const GPU = { basis: 'modelled', hardware: H200, memoryBytes: 24e9, explanation: '' } as const;
const OPTIONS = {
  gpu: GPU,
  circuits: 'new',
  numJobs: 1000,
  numThreads: 48,
  seed: 1,
  measured: undefined,
  onStep: () => {},
} as const;

test('a fleet whose workers kept what they compiled does more than one that compiles every circuit', () => {
  const fresh = forecastFleet(OPTIONS);
  const kept = forecastFleet({ ...OPTIONS, circuits: 'kept' });

  expect([fresh.circuits, kept.circuits]).toEqual(['new', 'kept']);
  expect(kept.result.maxPerSecond).toBeGreaterThan(1.3 * fresh.result.maxPerSecond);
});

test('a fleet is sent no circuit that its cards do not hold', () => {
  const { kinds, result } = forecastFleet(OPTIONS);

  // 2^31 amplitudes take 17 GB, 2^32 take 34.
  expect(Math.max(...kinds.map(({ qubits }) => qubits))).toBe(30);
  expect(result.sizes.length).toBe(kinds.length);
});
