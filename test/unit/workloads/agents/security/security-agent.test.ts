/** The security agent as a whole. */
import { expect, test } from 'vitest';
import { securityAgent } from '../../../../../src/workloads/agents/agents.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

test('lists its tasks', () => {
  expect(securityAgent.procedures.map(({ name }) => name)).toEqual([
    'random_bits',
    'randomness_tests',
    'bb84',
    'chsh',
  ]);
});

test('passes its self-test, and would say if the answer were another', async () => {
  await using context = openTestContext();
  const { selfTest, procedures } = securityAgent;
  const task = procedures.find(({ name }) => name === selfTest.task)!;
  const result = await context.run(task, selfTest.input);
  expect(selfTest.faultOf(result)).toBeUndefined();
  expect(selfTest.faultOf({ ...result, s_exact: 2 })).toMatch(/2/);
  expect(selfTest.faultOf({})).toMatch(/undefined/);
});

test.each(securityAgent.procedures.map((procedure) => [procedure.name, procedure] as const))(
  'runs the example of %s, progress going forward',
  async (_, procedure) => {
    await using context = openTestContext();
    const result = await context.run(procedure, procedure.example);
    expect(Object.keys(result).length).toBeGreaterThan(5);
    const fractions = context.told.progress.map(({ fraction }) => fraction);
    expect(fractions.length).toBeGreaterThan(0);
    expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    expect(context.told.units).toBeLessThanOrEqual(context.told.circuits);
  },
);
