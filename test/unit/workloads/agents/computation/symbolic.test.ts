/** Simpler forms and derivatives of expressions, compared with numbers. */
import { evaluate as valueAt } from 'mathjs';
import { describe, expect, test } from 'vitest';
import { uniformDraw } from '../../../../../src/math/philox.ts';
import {
  derivative,
  simplify,
} from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

async function simplified(expression: string): Promise<JsonObject> {
  await using opened = openTestContext();
  return await opened.run(simplify, { expression });
}

async function derived(expression: string, more: JsonObject = {}): Promise<JsonObject> {
  await using opened = openTestContext();
  return await opened.run(derivative, { expression, variable: 'x', ...more });
}

/** A complex number that mathjs may give, as parts. */
function partsOf(value: unknown): [number, number] {
  const { re = Number(value), im = 0 } = Object(value);
  return [re, im];
}

describe('simplify', () => {
  test.each([
    ['2x + 3x', '5 * x'],
    ['x + x + y - x', 'x + y'],
    ['sin(x)^2 + cos(x)^2', '1'],
    ['cosh(2y)^2 - sinh(2y)^2', '1'],
    ['3 * cos(x)^2 * y + 3 * y * sin(x)^2', '3 * y'],
    ['(x + 1)^2 - x^2', '2 * x + 1'],
    ['(x + y)^2 - (x - y)^2', '4 * x * y'],
    ['(x + 1)^10 * (x + 1)', '(x + 1) ^ 11'],
    ['x / x', '1'],
    ['(2x + 2) / (x + 1)', '2'],
    ['(x * y) / (y * x)', '1'],
    ['x^(1/2) * x^(1/2)', 'x'],
    ['sqrt(x)^2', 'x'],
    ['log(exp(3x))', '3 * x'],
    ['abs(-x)', 'abs(x)'],
    ['0.1x + 0.2x', '3 * x / 10'],
    ['1/2 + 1/3', '5 / 6'],
    ['i^2 * i', '-i'],
    ['x^2^3', 'x ^ 8'],
    ['5! + sqrt(16)', '124'],
    ['f(x + x) + f(2x)', '2 * f(2 * x)'],
    ['x - x', '0'],
  ])('%s is %s', async (expression, result) => {
    const { result: found, verification } = await simplified(expression);
    expect(found).toBe(result);
    if (!expression.startsWith('f(')) expect(verification).toMatchObject({ points: 16 });
  });

  test.each([
    // Not x: roots of squares forget signs.
    ['sqrt(x^2)', 'sqrt(x ^ 2)'],
    ['(x^3)^(1/3)', '(x ^ 3) ^ (1 / 3)'],
    ['sqrt(8)', 'sqrt(8)'],
    ['0 / 0', '0 / 0'],
    ['sin(x)^2 + cos(y)^2', 'cos(y) ^ 2 + sin(x) ^ 2'],
    ['sin(x)^2 - cos(x)^2', 'sin(x) ^ 2 - cos(x) ^ 2'],
  ])('leaves %s what it is', async (expression, result) => {
    expect(await simplified(expression)).toMatchObject({ result });
  });

  test('keeps the value of random expressions at random points', async () => {
    const scopeAt = (k: number) => ({
      x: 3 * uniformDraw(5, k, 1, 0) + 0.1,
      y: -2 * uniformDraw(5, k, 1, 1) - 0.1,
    });
    for (let k = 0; k < 200; k++) {
      let at = 0;
      const pick = <T>(list: readonly T[]): T =>
        list[Math.floor(uniformDraw(9, k, 0, at++) * list.length)]!;
      const make = (depth: number): string => {
        if (depth === 0) return pick(['x', 'y', '2', '3', '0.5', 'pi', 'x', 'y']);
        const kind = pick(['+', '-', '*', '/', '^', 'call', 'minus']);
        if (kind === 'call') {
          return `${pick(['sin', 'cos', 'exp', 'sqrt', 'abs', 'log'])}(${make(depth - 1)})`;
        }
        if (kind === 'minus') return `(-${make(depth - 1)})`;
        if (kind === '^') return `(${make(depth - 1)})^${pick(['2', '3', '(1/2)', '(-1)', '0'])}`;
        return `(${make(depth - 1)} ${kind} ${make(depth - 1)})`;
      };
      const expression = make(4);
      const { result, verification } = await simplified(expression);
      const scope = scopeAt(k);
      const [a, b] = [expression, `${result}`].map((each) => partsOf(valueAt(each, scope)));
      const size = Math.hypot(...a!);
      if (!Number.isFinite(size) || size > 1e8) continue;
      const difference = Math.hypot(a![0] - b![0], a![1] - b![1]);
      expect(difference / (1 + size), `${expression} => ${result}`).toBeLessThan(1e-6);
      expect(Object(verification).max_relative_difference ?? 0).toBeLessThan(1e-9);
    }
  });

  test('does not try all ways to split long sums and deep calls', async () => {
    // Their number is exponential: trying them takes longer than any test may.
    expect(await simplified(`${'x + '.repeat(99)}x`)).toMatchObject({ result: '100 * x' });
    const deep = `${'sin('.repeat(80)}x${')'.repeat(80)}`;
    expect(await simplified(deep)).toMatchObject({ result: deep });
  });
});

describe('derivative', () => {
  test.each([
    ['x^3', '3 * x ^ 2'],
    ['a * x^2 + b', '2 * a * x'],
    ['sin(x)', 'cos(x)'],
    ['exp(2x)', '2 * exp(2 * x)'],
    ['log(x)', '1 / x'],
    ['sqrt(x)', '1 / (2 * sqrt(x))'],
    ['y', '0'],
    ['x * x * x', '3 * x ^ 2'],
  ])('of %s is %s', async (expression, result) => {
    expect(await derived(expression)).toMatchObject({ result, variable: 'x', order: 1 });
  });

  test.each([
    'x^2 * sin(x)',
    'x^x',
    'exp(-x^2 / 2) * cos(3x)',
    'atan(x) / (1 + x^2)',
    'log(1 + x^2) * tanh(x)',
    'sec(x) + asinh(x^3)',
    'sqrt(1 + sin(x)^2)',
    'log(x, 2) + x^(1/3)',
    '2^x / x',
  ])('of %s is the limit of its difference quotients', async (expression) => {
    const { result, verification } = await derived(expression);
    for (let k = 0; k < 8; k++) {
      const x = 0.2 + uniformDraw(3, k, 0, 0);
      const h = 1e-5;
      const [above] = partsOf(valueAt(expression, { x: x + h }));
      const [below] = partsOf(valueAt(expression, { x: x - h }));
      const [slope] = partsOf(valueAt(`${result}`, { x }));
      expect((above - below) / (2 * h)).toBeCloseTo(slope, 6);
    }
    expect(Object(verification).points).toBeGreaterThan(0);
    expect(Object(verification).max_relative_difference).toBeLessThan(1e-5);
  });

  test('of higher order is the derivative of the derivative', async () => {
    expect(await derived('x^5', { order: 3 })).toMatchObject({ result: '60 * x ^ 2', order: 3 });
    expect(await derived('sin(x)', { order: 4 })).toMatchObject({ result: 'sin(x)' });
  });

  test('of deep calls and long products does not try all ways to split them', async () => {
    const deep = await derived(`${'sin('.repeat(30)}x${')'.repeat(30)}`);
    expect(Object(deep['verification']).max_relative_difference).toBeLessThan(1e-8);
    const product = await derived(`${'(x + 1) * '.repeat(20)}x`);
    expect(Object(product['verification']).max_relative_difference).toBeLessThan(1e-6);
  });

  test.each([
    ['a function without a rule', 'floor(x)', /not supported/],
    ['a comparison', 'x > 1', /not supported|larger/],
    ['chance', 'random() * x', /not available/],
    ['a matrix', '[x, x^2]', /A matrix is not taken/],
    ['an assignment', 'y = x', /An assignment is not taken/],
    ['several expressions', 'x; x', /several expressions is not taken/],
    ['a function definition', 'f(x) = x', /definition is not taken/],
    ['what reaches out', 'import("fs") + parse("x")', /not available/],
    ['a property', 'x.constructor', /not taken/],
    ['what is no expression', 'x +* ', /./],
    ['more nodes than the limit', 'x * y + '.repeat(70).concat('x'), /200 nodes/],
  ])('refuses %s', async (what, expression, reason) => {
    const fault = { path: 'expression', message: expect.stringMatching(reason) };
    const refusal = { code: 'WORKLOADS_TASK_INPUT', faults: [fault] };
    await expect(derived(expression)).rejects.toMatchObject(refusal);
    // Those have simpler forms all the same.
    if (!/rule|comparison/.test(what)) {
      await expect(simplified(expression)).rejects.toMatchObject(refusal);
    }
  });

  test.each(['pi', 'sin', 'constructor', '__proto__', 'x y', '2'])(
    'is not taken by %s',
    (variable) => {
      const input = derivative.input.parse({ expression: 'x', variable });
      expect(derivative.faultsOf(input)).toMatchObject([{ path: 'variable' }]);
    },
  );
});
