import { describe, expect, test } from 'vitest';
import { researchAgent } from '../../../../../src/workloads/agents/agents.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

test('the research agent takes five tasks', () => {
  expect(researchAgent.procedures.map(({ name }) => name)).toEqual([
    'vqe',
    'parameter_sweep',
    'noise_scan',
    'mitigate',
    'phase_estimation',
  ]);
});

describe.each(researchAgent.procedures)('$name', (procedure) => {
  test('runs its example, and ends at full progress or before', async () => {
    await using test = openTestContext();
    const result = await test.run(procedure, procedure.example);
    expect(Object.keys(result).length).toBeGreaterThan(3);
    expect(test.told.units).toBeGreaterThan(0);
    expect(test.told.units).toBe(test.told.circuits);
    const fractions = test.told.progress.map(({ fraction }) => fraction);
    expect(fractions.length).toBeGreaterThan(0);
    expect(Math.max(...fractions)).toBeLessThanOrEqual(1);
    expect([...fractions].sort((a, b) => a - b)).toEqual(fractions);
  });

  test('gives what later tasks are fed with', async () => {
    await using test = openTestContext();
    const result = await test.run(procedure, procedure.example);
    expect(Object.keys(result)).toEqual(expect.arrayContaining(Object.keys(procedure.feeds)));
  });

  test('refuses unknown fields', () => {
    const input = { ...procedure.example, unknown: 1 };
    expect(procedure.input.safeParse(input).success).toBe(false);
  });

  test('ends with the reason of a signal that has aborted', async () => {
    const reason = new Error('cancelled');
    await using test = openTestContext({ signal: AbortSignal.abort(reason) });
    await expect(test.run(procedure, procedure.example)).rejects.toBe(reason);
  });
});
