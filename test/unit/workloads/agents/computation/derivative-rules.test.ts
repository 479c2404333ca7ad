/** Derivatives of functions whose usual rules fail somewhere, and what is said of what is not known. */
import { evaluate as valueAt } from 'mathjs';
import { expect, test } from 'vitest';
import { derivative } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

async function derived(expression: string, more: JsonObject = {}): Promise<JsonObject> {
  await using opened = openTestContext();
  return await opened.run(derivative, { expression, variable: 'x', ...more });
}

/** Truth written by hand, in operations that have one meaning. */
test.each([
  ['acoth(x)', '1 / (1 - x^2)', [-3, -1.5, 1.5, 4]],
  ['acoth(2x) * x', 'acoth(2x) + 2 * x / (1 - 4 * x^2)', [-3, -0.7, 0.7, 2]],
  ['acoth(acoth(x))', '1 / (1 - acoth(x)^2) / (1 - x^2)', [1.1, 1.2, -1.2]],
  ['cbrt(x)', '1 / (3 * cbrt(x)^2)', [-8, -0.3, 0.3, 27]],
  ['nthRoot(x, 3)', '1 / (3 * cbrt(x)^2)', [-8, -0.3, 0.3, 27]],
  ['nthRoot(x^2 + 1, 5)', '2 * x / (5 * nthRoot(x^2 + 1, 5)^4)', [-2, 0.5, 3]],
  ['nthRoot(5, x)', '-log(5) * 5^(1/x) / x^2', [0.5, 2, 3]],
  ['sin(cbrt(x))^2 + v * cbrt(x)', '(sin(2 * cbrt(x)) + v) / (3 * cbrt(x)^2)', [-2, 0.5, 3]],
  ['cbrt(x)^cbrt(x)', 'cbrt(x)^cbrt(x) * (log(cbrt(x)) + 1) / (3 * cbrt(x)^2)', [0.5, 2, 3]],
  ['acosh(x)', '1 / sqrt(x^2 - 1)', [1.5, 3]],
  ['acosh(x - 10)', '1 / sqrt((x - 10)^2 - 1)', [12, 30]],
  ['asech(x)', '-1 / (x * sqrt(1 - x^2))', [0.2, 0.8]],
  ['abs(x)', 'sign(x)', [-2, 3]],
  // Of complex numbers, too, abs is real; the rule is that of real ones.
  ['abs(log(x))', 'sign(log(x)) / x', [0.3, 4]],
])('of %s is %s, verified where it is real', async (expression, truth, points) => {
  const { result, ...rest } = await derived(expression);
  expect(rest).toMatchObject({ verified: true, verification: { domain: 'real' } });
  expect(Object(rest['verification']).points).toBeGreaterThan(0);
  expect(Object(rest['verification']).max_relative_difference).toBeLessThan(1e-5);
  for (const x of points) {
    const scope = { x, v: 0.7 };
    expect(valueAt(`${result}`, { ...scope }), `${result}`).toBeCloseTo(
      valueAt(truth, { ...scope }),
      10,
    );
  }
});

test('of what is complex everywhere is compared there', async () => {
  expect(await derived('exp(i * x)')).toMatchObject({
    verified: true,
    verification: { points: 16, domain: 'complex' },
  });
});

test('is refused where difference quotients contradict it', async () => {
  // Complex for all x, where the rule of real numbers has the wrong sign.
  await expect(derived('acosh(-x^2 - 2)')).rejects.toMatchObject({
    code: 'WORKLOADS_TASK_INPUT',
    faults: [{ path: 'expression', message: expect.stringMatching(/contradict/) }],
  });
});

test('of each order is compared, not only the last', async () => {
  const { verification } = await derived('acoth(x)', { order: 3 });
  expect(verification).toMatchObject({ domain: 'real' });
  await expect(derived('acosh(-x^2 - 2)', { order: 2 })).rejects.toMatchObject({
    code: 'WORKLOADS_TASK_INPUT',
  });
});

test('says that it is not verified where it has no value to be compared', async () => {
  expect(await derived('log(0) * x')).toMatchObject({
    verified: false,
    verification: { points: 0 },
  });
});
