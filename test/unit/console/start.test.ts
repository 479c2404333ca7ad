/** The first page: the Bell pair it draws, and its line about the service. */
import { describe, expect, test } from 'vitest';
import type { Routes } from '../../../src/client/api-types.ts';
import {
  BELL_GATES,
  probabilitiesAfter,
  STEP_WORDS,
  statusInWords,
  troubles,
} from '../../../src/console/start/start-words.ts';

describe('the Bell pair', () => {
  test.each([
    [0, [1, 0, 0, 0]],
    [1, [0.5, 0.5, 0, 0]],
    [2, [0.5, 0, 0, 0.5]],
  ])('after %i gates has the probabilities %j', (gates, expected) => {
    const probabilities = probabilitiesAfter(BELL_GATES.slice(0, gates));
    for (const [index, value] of probabilities.entries())
      expect(value).toBeCloseTo(expected[index] ?? 0, 12);
    expect(STEP_WORDS[gates]).toBeDefined();
  });

  test('H twice changes nothing', () => {
    const h = { gate: 'h', qubit: 1 } as const;
    const probabilities = probabilitiesAfter([h, h]);
    expect(probabilities[0]).toBeCloseTo(1, 12);
  });
});

describe('the line about the service', () => {
  const part = (id: string, available: boolean) => ({ id, available, queue_depth: 1 });
  const devices = { available: 47, total: 48, busy: 3 };
  // The words need these parts of the answer.
  const status = (changes: object) =>
    ({
      status: 'operational',
      processors: [{ ...part('gpu-fleet', true), devices }, part('qvm', true)],
      agents: [],
      models: [part('llma-text', false)],
      ...changes,
    }) as unknown as Routes['GET /status']['data'];

  test('has health, devices and queues', () => {
    expect(statusInWords(status({}))).toBe(
      'All is well. 47 of 48 devices are in service, 3 of them busy. 2 circuits wait.',
    );
    expect(statusInWords(status({ processors: [] }))).toBe('All is well. No circuit waits.');
  });

  test('names what is not available only if the service is not operational', () => {
    expect(troubles(status({}))).toBeUndefined();
    const hardware = { ...part('superconducting-1', false), execution: 'hardware' };
    const degraded = status({ status: 'degraded', processors: [part('qvm', false), hardware] });
    expect(troubles(degraded)).toBe('Not available: qvm and llma-text.');
  });
});
