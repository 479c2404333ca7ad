/** Values of expressions, and how each kind of value is written as JSON. */
import { describe, expect, test } from 'vitest';
import { computationAgent } from '../../../../../src/workloads/agents/agents.ts';
import { evaluate } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

async function evaluated(expression: string, more: JsonObject = {}, seed = 7): Promise<JsonObject> {
  await using opened = openTestContext({ seed });
  return await opened.run(evaluate, { expression, ...more });
}

describe('the value of an expression', () => {
  test.each<[string, unknown, string]>([
    ['sqrt(3^2 + 4^2)', 5, 'number'],
    ['2 + 3 * 4', 14, 'number'],
    ['1/0', 'Infinity', 'number'],
    ['-1/0', '-Infinity', 'number'],
    ['0/0', 'NaN', 'number'],
    ['-0 * 1', 0, 'number'],
    ['i^2', { re: -1, im: 0 }, 'Complex'],
    ['sqrt(-4)', { re: 0, im: 2 }, 'Complex'],
    ['[1, 2; 3, 4] * [5; 6]', [[17], [39]], 'DenseMatrix'],
    ['[1/0, 2]', ['Infinity', 2], 'DenseMatrix'],
    ['inv([1, 2; 3, 4])[2, 1]', 1.5, 'number'],
    [
      'identity(2, "sparse")',
      [
        [1, 0],
        [0, 1],
      ],
      'SparseMatrix',
    ],
    ['fraction(1, 3) + fraction(1, 6)', '1/2', 'Fraction'],
    ['bignumber("0.1") + bignumber("0.2")', '0.3', 'BigNumber'],
    ['bigint(2)^bigint(80)', '1208925819614629174706176', 'bigint'],
    ['3 > 2', true, 'boolean'],
    ['concat("ab", "cd")', 'abcd', 'string'],
    ['5 cm + 2 inch to mm', { value: 100.8, unit: 'mm' }, 'Unit'],
    ['a = 2; a + 1\na * 5', [3, 10], 'ResultSet'],
    ['null', null, 'null'],
    ['# nothing', null, 'undefined'],
    ['f(n) = n < 2 ? 1 : n * f(n - 1); f(10)', [3_628_800], 'ResultSet'],
    ['map([1, 2, 3], x^2)', [1, 4, 9], 'DenseMatrix'],
    ['sum(map([4, 9], sqrt))', 5, 'number'],
    ['filter([3, -1, 2], x > 0)', [3, 2], 'DenseMatrix'],
    [
      'lup([4, 2; 2, 3]).U',
      [
        [4, 2],
        [0, 2],
      ],
      'DenseMatrix',
    ],
    ['x = [1, 2, 3]; x[2] = 7; x', [[1, 7, 3]], 'ResultSet'],
    ['[5, 6, 7][2:end]', [6, 7], 'DenseMatrix'],
    ['typeOf(index(1))', 'Index', 'string'],
  ])('%s is %j, a %s', async (expression, result, type) => {
    expect(await evaluated(expression)).toMatchObject({ result, type });
  });

  test('has a text as a person would write it', async () => {
    expect(await evaluated('0.1 + 0.2')).toMatchObject({ result: 0.1 + 0.2, text: '0.3' });
    expect(await evaluated('5 cm to inch')).toMatchObject({ text: '1.9685039370079 inch' });
  });

  test('takes variables of every form', async () => {
    const scope = {
      x: 3,
      z: { re: 0, im: 1 },
      flag: true,
      m: [
        [1, 2],
        [3, { re: 4, im: 1 }],
      ],
    };
    expect(await evaluated('flag ? x * z : 0', { scope })).toMatchObject({
      result: { re: 0, im: 3 },
    });
    expect(await evaluated('m[2, 2] + x', { scope })).toMatchObject({ result: { re: 7, im: 1 } });
    expect(await evaluated('a + b', { scope: { a: '1', b: [1, 2] } })).toMatchObject({
      result: [2, 3],
    });
  });

  test('does not see what an evaluation before it has defined', async () => {
    await evaluated('leaked = 5; sin(x) = 3; 1');
    await expect(evaluated('leaked')).rejects.toMatchObject({ code: 'WORKLOADS_TASK_INPUT' });
    expect(await evaluated('sin(0)')).toMatchObject({ result: 0 });
  });
});

describe('precision', () => {
  test('bignumber gives digits of π as they are known', async () => {
    expect(await evaluated('pi', { precision: 'bignumber', digits: 50 })).toMatchObject({
      result: '3.1415926535897932384626433832795028841971693993751',
      text: '3.1415926535897932384626433832795028841971693993751',
      type: 'BigNumber',
      digits: 50,
    });
  });

  test('fraction stays exact, scope included', async () => {
    const more = { precision: 'fraction', scope: { x: 0.2 } };
    expect(await evaluated('0.1 + x - 3/10', more)).toMatchObject({
      result: '0',
      type: 'Fraction',
    });
    expect(await evaluated('1/3 + 1/6', more)).toMatchObject({ result: '1/2' });
  });

  test('number has the digits of a double', async () => {
    expect(await evaluated('1/3')).toMatchObject({ result: 1 / 3, precision: 'number' });
  });
});

describe('chance', () => {
  test('is decided by the seed, which the result names', async () => {
    const expression = '[random(), randomInt(1, 7), pickRandom([5, 6, 7])]';
    const first = await evaluated(expression, { seed: 3 });
    expect(first).toMatchObject({ seed: 3, random_draws: 3 });
    expect(await evaluated(expression, { seed: 3 })).toEqual(first);
    expect(await evaluated(expression, {}, 3)).toEqual(first);
    expect(await evaluated(expression, { seed: 4 })).not.toEqual(first);
  });

  test('gives fair dice', async () => {
    const { result } = await evaluated('mean(randomInt([6000], 1, 7))', { seed: 11 });
    // Five standard deviations of the mean of 6000 throws.
    expect(Math.abs(Number(result) - 3.5)).toBeLessThan(5 * Math.sqrt(35 / 12 / 6000));
    const all = await evaluated('sort(setDistinct(randomInt([200], 1, 7)))', { seed: 11 });
    expect(all['result']).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('has no part in what draws nothing', async () => {
    const result = await evaluated('1 + 1');
    expect(result).not.toHaveProperty('seed');
    expect(result).not.toHaveProperty('random_draws');
  });
});

describe('the computation agent', () => {
  test('has a self-test that passes, and would notice a wrong answer', async () => {
    const { task, input, faultOf } = computationAgent.selfTest;
    await using opened = openTestContext();
    const procedure = computationAgent.procedures.find(({ name }) => name === task);
    const result = await opened.run(procedure!, input);
    expect(faultOf(result)).toBeUndefined();
    expect(faultOf({ ...result, result: 1.001 })).toMatch(/expected/);
    expect(faultOf({})).toMatch(/expected/);
  });

  test.each(computationAgent.procedures.map((each) => [each.name, each] as const))(
    'runs the published example of %s',
    async (_, procedure) => {
      await using opened = openTestContext();
      expect(Object.keys(await opened.run(procedure, procedure.example))).not.toEqual([]);
    },
  );

  test('publishes a schema of every input', async () => {
    const { z } = await import('zod');
    for (const { input } of computationAgent.procedures) {
      expect(z.toJSONSchema(input, { io: 'input' })).toMatchObject({
        type: 'object',
        additionalProperties: false,
      });
    }
  });
});
