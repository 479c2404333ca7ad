/** Patterns of errors: how often each comes up, against their exact probabilities. */
import { expect, test } from 'vitest';
import { drawErrors, errorModel } from '../../../../src/workloads/algorithms/noise/draw-errors.ts';
import {
  DEVICE_NAMES,
  deviceNoise,
} from '../../../../src/workloads/algorithms/noise/noise-levels.ts';

const LEVEL = { oneQubitError: 0.2, twoQubitError: 0.5, readoutError: 0 };
const SITES = [{ qubits: [0] }, { qubits: [0, 1] }, { qubits: [1] }];

test('patterns come up as often as their probabilities among those with an error say', () => {
  const model = errorModel(SITES, LEVEL);
  expect(model.anyError).toBeCloseTo(1 - 0.8 * 0.5 * 0.8, 14);
  const seen = new Map<string, number>();
  const numDraws = 20_000;
  for (let t = 0; t < numDraws; t++) {
    const key = drawErrors(model, 5, t, 0)
      .map(({ site }) => site)
      .join();
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  const rates = [0.2, 0.5, 0.2];
  for (let pattern = 1; pattern < 8; pattern++) {
    const failed = [0, 1, 2].filter((site) => (pattern >> site) & 1);
    const product = rates.reduce((p, rate, i) => p * (failed.includes(i) ? rate : 1 - rate), 1);
    const expected = product / model.anyError;
    const spread = Math.sqrt((expected * (1 - expected)) / numDraws);
    const found = (seen.get(failed.join()) ?? 0) / numDraws;
    expect(Math.abs(found - expected)).toBeLessThan(5 * spread);
  }
  expect(seen.has('')).toBe(false);
});

test('each Pauli but the identity is as likely as any other', () => {
  const model = errorModel([{ qubits: [0, 1] }], LEVEL);
  const seen = new Array<number>(16).fill(0);
  for (let t = 0; t < 15_000; t++) seen[drawErrors(model, 9, t, 3)[0]!.pauli]!++;
  expect(seen[0]).toBe(0);
  for (const count of seen.slice(1)) expect(Math.abs(count - 1000)).toBeLessThan(5 * 31);
});

test('a gate that never fails never does, and one that always fails always does', () => {
  const never = errorModel(SITES, { oneQubitError: 0, twoQubitError: 0.1, readoutError: 0 });
  const always = errorModel(SITES, { oneQubitError: 1, twoQubitError: 0, readoutError: 0 });
  for (let t = 0; t < 200; t++) {
    expect(drawErrors(never, 1, t, 0).map(({ site }) => site)).toEqual([1]);
    expect(drawErrors(always, 1, t, 0).map(({ site }) => site)).toEqual([0, 2]);
  }
  expect(always.anyError).toBe(1);
});

test('tiny rates keep their digits', () => {
  const { anyError } = errorModel(SITES, {
    oneQubitError: 1e-18,
    twoQubitError: 0,
    readoutError: 0,
  });
  expect(anyError / 2e-18).toBeCloseTo(1, 12);
});

test.each(DEVICE_NAMES)('noise of %s ends where nothing is left of the state', (name) => {
  const { oneQubitError, twoQubitError, readoutError } = deviceNoise(name, 1);
  expect(twoQubitError).toBeGreaterThan(oneQubitError);
  expect(readoutError).toBeGreaterThan(0);
  expect(deviceNoise(name, 1000)).toEqual({
    oneQubitError: expect.closeTo(Math.min(0.75, 1000 * oneQubitError), 12),
    twoQubitError: 15 / 16,
    readoutError: 0.5,
  });
});
