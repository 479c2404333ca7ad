/** The first page: the Bell pair it draws, and its line about the service. */
import { describe, expect, test } from 'vitest';
import type { Routes } from '../../../src/client/api-types.ts';
import { EXAMPLES } from '../../../src/console/composer/examples.ts';
import { StateComputer } from '../../../src/console/live-state/state-computer.ts';
import { BELL_STEPS, statusInWords, troubles } from '../../../src/console/start/start-words.ts';
import { NODE_HOST } from '../../../src/engine/cpu/cpu-engine.ts';

describe('the Bell pair', () => {
  test.each(BELL_STEPS.map((step, gates) => [step.name, gates, step.probabilities] as const))(
    '%s has the probabilities that the composer computes',
    async (_, step, expected) => {
      const { circuit = [] } = EXAMPLES.find(({ name }) => name === 'bell') ?? {};
      const computer = new StateComputer(NODE_HOST);
      const answer = await computer.answer({ ask: 'show', source: { circuit }, options: { step } });
      if (answer.kind !== 'state') throw new Error(`The answer is ${JSON.stringify(answer)}.`);
      for (const [index, value] of answer.probabilities.entries())
        expect(value).toBeCloseTo(expected[index] ?? 0, 12);
    },
  );
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
