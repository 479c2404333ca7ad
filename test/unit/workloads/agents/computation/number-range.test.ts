/** Numbers at the limits of their types: refused or right, never silently infinite or zero. */
import { describe, expect, test } from 'vitest';
import { evaluate } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

async function evaluated(expression: string, more: JsonObject = {}): Promise<JsonObject> {
  await using opened = openTestContext();
  return await opened.run(evaluate, { expression, precision: 'bignumber', ...more });
}

describe('a bignumber', () => {
  test('has an exponent whose bound is published', () => {
    expect(evaluate.limits['max_decimal_exponent']).toBe(9999);
  });

  test.each([
    'factorial(5000)',
    'gamma(5000)',
    '2^33300',
    '-2^33301',
    '10^10001',
    '10^-10001',
    '10^9000 * 10^9000',
    '10^(-9000) / 10^9000',
    '10^-9000 * 10^-9000',
    'exp(30000)',
    'exp(-30000)',
    'cosh(30000)',
    'prod([1e9000, 1e9000])',
    '[1e9000, 0] * 1e9000',
    '[1e9000, 1] .* [1e9000, 0]',
    'square(1e-9000)',
    'f(x) = x * x; f(1e9000)',
    'map([1e9000], square)',
    '1e10001',
    '1e-10001 + 1',
    '100e9998',
    '0.001e-9998',
    'bignumber("1e10001")',
    'bignumber("1e-10001")',
    '1e1000000',
  ])('%s is refused by the name of that bound', async (expression) => {
    await expect(evaluated(expression)).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
      faults: [{ path: 'expression', message: expect.stringMatching(/max_decimal_exponent/) }],
    });
  });

  test.each([
    ['1/0', 'Infinity'],
    ['-1/0', '-Infinity'],
    ['log(0)', '-Infinity'],
    ['0^-1', 'Infinity'],
    ['Infinity * 2', 'Infinity'],
    ['1 / Infinity', '0'],
    ['exp(-1/0)', '0'],
    ['0 * 5', '0'],
    ['2 - 2', '0'],
    ['[1, 2] * [2; -1]', ['0']],
    ['0.000', '0'],
    ['1e9999', '1e+9999'],
    ['1e-9999', '1e-9999'],
    ['bignumber("0")', '0'],
    // The last factorial below 10^10000.
    ['floor(log10(factorial(3248)))', '9997'],
    ['x1e5 = 3; x1e5', ['3']],
  ])('%s is %j, as it was', async (expression, result) => {
    expect(await evaluated(expression)).toMatchObject({ result });
  });
});

describe('a double', () => {
  test.each(['factorial(170.5)', 'gamma(171.5)'])(
    'holds %s, which is below its end',
    async (expression) => {
      const { result } = await evaluated(expression, { precision: 'number' });
      const logOf = (n: number) =>
        Array.from({ length: n }, (_, i) => Math.log(i + 1)).reduce((a, b) => a + b, 0);
      // By Legendre's duplication formula, Γ(n + 1/2) = (2n)! √π / (4^n n!).
      const log = logOf(342) + Math.log(Math.PI) / 2 - 171 * Math.log(4) - logOf(171);
      expect(Math.log(Number(result))).toBeCloseTo(log, 10);
    },
  );

  test('is infinite beyond its end, as IEEE 754 has it', async () => {
    for (const expression of ['factorial(171)', 'gamma(171.63)', '2^1024', 'exp(1000)']) {
      expect(await evaluated(expression, { precision: 'number' })).toMatchObject({
        result: 'Infinity',
      });
    }
  });

  test('of a list is refused rather than infinite', async () => {
    await expect(evaluated('gamma([171.5])', { precision: 'number' })).rejects.toMatchObject({
      code: 'WORKLOADS_TASK_INPUT',
    });
  });
});
