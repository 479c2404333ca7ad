/** Expressions that try to escape the sandbox, or to exhaust time and memory. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { evaluate } from '../../../../../src/workloads/agents/computation/computation-tasks.ts';
import { guardOf } from '../../../../../src/workloads/algorithms/expressions/argument-guards.ts';
import { BoundedMath } from '../../../../../src/workloads/algorithms/expressions/bounded-math.ts';
import {
  ALLOWED_CONSTANTS,
  ALLOWED_FUNCTIONS,
} from '../../../../../src/workloads/algorithms/expressions/expression-limits.ts';
import type { JsonObject } from '../../../../../src/workloads/procedures/json.ts';
import { openTestContext } from '../../../../support/procedure-context.ts';

async function evaluated(expression: string, more: JsonObject = {}): Promise<JsonObject> {
  await using opened = openTestContext();
  return await opened.run(evaluate, { expression, ...more });
}

/** Refused as the caller's fault, for the reason given. */
async function expectRefused(expression: string, reason: RegExp, more: JsonObject = {}) {
  await expect(evaluated(expression, more)).rejects.toMatchObject({
    code: 'WORKLOADS_TASK_INPUT',
    faults: [{ path: 'expression', message: expect.stringMatching(reason) }],
  });
}

const PROTOTYPES = [Object, Function, Array, String, Number, Map].map(({ prototype }) => prototype);
const namesOf = () => PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype));
let before: ReturnType<typeof namesOf>;

beforeEach(() => {
  before = namesOf();
});

// Whatever an expression tried, what all objects share is as it was.
afterEach(() => {
  expect(namesOf()).toEqual(before);
});

describe('an expression cannot reach', () => {
  test.each([
    ['process', /Undefined symbol/],
    ['globalThis', /Undefined symbol/],
    ['Function("return process")', /Undefined function/],
    ['require("fs")', /Undefined function/],
    ['eval("1")', /Undefined function/],
    ['this', /Undefined symbol/],
    ['constructor', /cannot be a name/],
    ['__proto__', /cannot be a name/],
    ['toString()', /cannot be a name/],
    ['valueOf()', /cannot be a name/],
    ['hasOwnProperty("a")', /cannot be a name/],
    ['f(__proto__) = 1', /cannot be a name/],
    ['constructor(x) = x', /cannot be a name/],
    ['__proto__ = [1]', /cannot be a name/],
    ['sin.constructor', /no access to the property "constructor"/],
    ['sin["constructor"]', /no access to the property "constructor"/],
    ['"a".constructor', /no access to the property/],
    ['[1].constructor', /no access to the property/],
    ['eigs([1, 0; 0, 2]).constructor', /no access to the property/],
    ['eigs([1, 0; 0, 2]).__proto__', /no access to the property/],
    ['sin.constructor("return process")', /Methods are not taken|no access/],
    ['f(x) = x; f.constructor("return process")', /Methods are not taken|no access/],
    ['"a".toString()', /Methods are not taken/],
    ['[1, 2].map(sin)', /Methods are not taken/],
    ['[sin][1].call(1)', /Methods are not taken/],
    ['f(x) = x; f.a = 1', /Properties are not assigned/],
    ['a = [1]; a["__proto__"] = [2]', /Properties are not assigned/],
    ['a = eigs([1, 0; 0, 2]); a.values = 2', /Properties are not assigned/],
    ['a = eigs([1, 0; 0, 2]); a.values[1] = 2', /Properties are not assigned/],
    ['{a: 1}', /An object is not taken/],
    ['{"__proto__": {a: 1}}', /An object is not taken/],
    ['{}.constructor', /not taken|no access/],
    ['[1][concat("const", "ructor")]', /An index is a number/],
    ['a = eigs([1, 0; 0, 2]); a[concat("const", "ructor")]', /An index is a number/],
    ['a = eigs([1, 0; 0, 2]); a[concat("__pro", "to__")] = 1', /An index is a number/],
    ['subset(eigs([1, 0; 0, 2]), index("constructor"))', /An index is a number/],
    ['map([1], "constructor")', /./],
    ['sort([2, 1], "constructor")', /./],
    ['matrix([1], "constructor")', /./],
    ['zeros(2, "__proto__")', /./],
    ['number("constructor")', /./],
    ['unit("5 constructor")', /./],
    ['to(5 cm, "constructor")', /./],
    ['format(1, "constructor")', /./],
    ['sin', /function is not a result/],
    ['f(x) = x', /function is not a result/],
    ['[sin, cos]', /function is not a result/],
    ['index(1, 2)', /is not a result/],
  ])('%s', async (expression, reason) => {
    await expectRefused(expression, reason);
  });

  test.each(
    'import config createUnit typed parse compile evaluate parser help simplify derivative rationalize resolve reviver replacer print simplifyCore simplifyConstant symbolicEqual leafCount solveODE numeric clone splitUnit version'.split(
      ' ',
    ),
  )('%s, by name, as a value, or by defining it', async (name) => {
    await expectRefused(`${name}("1")`, /is not available|Undefined/);
    await expectRefused(`map(["1"], ${name})`, /is not available|Undefined/);
    // A function of the caller's own called import would be just that.
    if (name !== 'import') await expectRefused(`${name}(x) = x`, /is not available/);
  });

  test('the names of a scope beyond the variables', async () => {
    for (const name of ['constructor', 'toString', '__defineGetter__', 'a.b', 'a b', '', '1a']) {
      const input = { expression: '1', scope: { [name]: 1 } };
      expect(evaluate.faultsOf(input)).toMatchObject([{ path: `scope.${name}` }]);
    }
    // zod drops this key of a JSON body; nothing comes of it.
    const scope: JsonObject = JSON.parse('{"__proto__": {"polluted": 1}, "x": 1}');
    expect(await evaluated('x', { scope })).toMatchObject({ result: 1 });
    await expectRefused('polluted', /Undefined symbol/, { scope });
  });

  test('anything but the allowed names: all others are gone from the namespace', () => {
    const { math } = new BoundedMath({ kind: 'number' });
    const expression: unknown = Reflect.get(math, 'expression');
    const mathWithTransform = Reflect.get(Object(expression), 'mathWithTransform');
    const names = Object.getOwnPropertyNames(mathWithTransform).sort();
    const allowed = [...ALLOWED_FUNCTIONS, ...ALLOWED_CONSTANTS, 'config'].sort();
    expect(names).toEqual(allowed);
    expect(mathWithTransform.config).toEqual({ matrix: 'Matrix' });
    expect(Object.isFrozen(mathWithTransform.config)).toBe(true);
  });
});

describe('an expression cannot make', () => {
  test.each([
    ['1:1e9', /max_elements/],
    ['0:1e-9:1', /max_elements/],
    ['range("0:1:1e9")', /max_elements/],
    ['range(0, 1e9, 2)', /max_elements/],
    ['0:0:1', /max_elements|step/i],
    ['zeros(1e5, 1e5)', /max_elements/],
    ['zeros([1e5, 1e5])', /max_elements/],
    ['zeros(1e5, 1e5, "sparse")', /max_elements/],
    ['ones(1e9)', /max_elements/],
    ['identity(1e4)', /max_elements/],
    ['random([1e5, 1e5])', /max_elements/],
    ['randomInt([1e9], 1, 7)', /max_elements/],
    ['resize([1], [1e9])', /max_elements/],
    ['diag(1:200)', /max_elements/],
    ['diag([1], 1e6)', /max_elements/],
    ['kron(ones(100), ones(101))', /max_elements/],
    ['(1:200) + reshape(1:200, [200, 1])', /max_elements/],
    ['reshape(1:200, [200, 1]) * reshape(1:200, [1, 200])', /max_elements/],
    ['setCartesian(1:200, 1:200)', /max_elements/],
    ['setPowerset(1:100)', /max_elements/],
    ['x = [1]; x[1e9] = 1', /max_elements/],
    ['subset([1], index(1e9), 1)', /max_elements/],
    [
      'a = 1:9; a = [a, a, a, a; a, a, a, a]; a = [a; a]; a = [a, a; a, a]; a = [a, a; a, a]; a = [a, a; a, a]; a = [a, a; a, a]',
      /max_elements|[Dd]imension/,
    ],
    ['nthRoots(1, 1e9)', /limit/],
    ['bigint(2)^bigint(1000000000)', /max_integer_bits/],
    ['leftShift(bigint(1), bigint(1000000000))', /limit/],
    ['fraction(3, 2)^100000', /max_integer_bits/],
    [`f(x) = x * x; a = bigint(3); ${'a = f(a);'.repeat(40)} a`, /max_integer_bits/],
    [`a = [bigint(3)]; ${'a = a .* a;'.repeat(40)} a`, /max_integer_bits/],
    [`a = "0123456789"; ${'a = concat(a, a);'.repeat(40)} a`, /max_text_length/],
    ['format(1/3, 1e9)', /limit/],
    ['bin(1, 1e9)', /limit/],
  ])('%s', async (expression, reason) => {
    await expectRefused(expression, reason);
  });
});

describe('an expression cannot run on', () => {
  test.each([
    ['factorial(1e6)', /limit/],
    ['bignumber(1e6)!', /limit/],
    ['factorial([3, 1e6])', /limit/],
    ['map([1e6], factorial)', /limit/],
    ['map([1e9, 1e9], zeros)', /max_elements/],
    ['filter([1e17], isPrime)', /limit/],
    ['gamma(bignumber(1e6))', /limit/],
    ['combinations(1e15, 5e14)', /limit/],
    ['stirlingS2(1000, 500)', /limit/],
    ['bellNumbers(1000)', /limit/],
    ['isPrime(bigint("170141183460469231731687303715884105727"))', /limit/],
    ['fraction("123456789012345678901234567891/7")^fraction(1, 3)', /limit/],
    ['det(random([65, 65]))', /max_matrix_rows/],
    ['eigs(random([65, 65]))', /max_matrix_rows/],
    ['eigs(random([25, 25]))', /max_iterated_rows is 24\. The task eigenvalues/],
    ['schur(random([25, 25]))', /max_iterated_rows/],
    ['sqrtm(random([25, 25]))', /max_iterated_rows/],
    ['lyap(random([25, 25]), identity(25))', /max_iterated_rows/],
    ['sylvester(random([25, 25]), identity(25), identity(25))', /max_iterated_rows/],
    ['sqrtm(map(random([9, 9]), bignumber))', /max_iterated_exact_rows/],
    ['inv(random([65, 65]))', /max_matrix_rows/],
    ['random([65, 65])^2', /max_matrix_rows/],
    ['[1, 1; 1, 0]^1e9', /limit/],
    ['f(x) = f(x + 1); f(1)', /too deeply/],
    ['f(x) = f(x); f(1)', /too deeply/],
    ['f(x) = g(x); g(x) = f(x); f(1)', /too deeply/],
    ['f(x) = map([x, x], f); f(1)', /too deeply|max_elements|call stack/],
    ['f(n) = n < 2 ? 1 : f(n - 1) + f(n - 2); f(60)', /max_calls/],
    // Doubles the calls with every definition and has no operator at all.
    [
      `f0(x) = x; ${Array.from({ length: 60 }, (_, k) => `f${k + 1}(x) = f${k}(f${k}(x))`).join('; ')}; f60(1)`,
      /max_calls/,
    ],
    [`${'-'.repeat(5000)}1`, /max_depth|too deeply|nodes/],
    [`1${'^2'.repeat(2000)}`, /max_depth|nodes/],
    [`1${'+1'.repeat(2000)}`, /max_depth|nodes/],
  ])('%s', async (expression, reason) => {
    await expectRefused(expression, reason);
  });

  test('eigenvalues of a symmetric matrix are found up to the limit of matrices', async () => {
    const { result } = await evaluated(
      "a = random([64, 64]); sum(eigs(a + a').values) - 2 trace(a)",
    );
    expect(Number(Object(result)[0])).toBeCloseTo(0, 9);
  });

  test('brackets nested too deeply are refused before a job exists', () => {
    const deep = `${'('.repeat(101)}1${')'.repeat(101)}`;
    const faults = evaluate.faultsOf({ expression: deep });
    expect(faults).toMatchObject([{ path: 'expression' }]);
    const deepest = `${'['.repeat(4000)}1${']'.repeat(4000)}`;
    const bounded = new BoundedMath({ kind: 'number' });
    expect(() => bounded.parse(deepest)).toThrow(/max_depth/);
  });

  test('lists nested deeper than a matrix are refused before a job exists', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
    expect(evaluate.faultsOf({ expression: nested(16) })).toEqual([]);
    expect(evaluate.faultsOf({ expression: nested(17) })).toMatchObject([
      { path: 'expression', message: expect.stringContaining('max_dimensions') },
    ]);
  });

  test('a result of more dimensions than a matrix may have is refused', async () => {
    const ones = (count: number) => Array(count).fill(1).join(', ');
    expect((await evaluated(`size(zeros(${ones(16)}))`)).result).toEqual(Array(16).fill(1));
    await expect(evaluated(`zeros(${ones(16)})`)).resolves.toMatchObject({ type: 'DenseMatrix' });
    await expect(evaluated(`zeros(${ones(17)})`)).rejects.toMatchObject({
      faults: [{ path: 'expression', message: expect.stringContaining('max_dimensions') }],
    });
  });

  test.each([
    ['an expression of more than 10,000 characters', { expression: '1'.repeat(10_001) }],
    ['no expression', { expression: '' }],
    ['65 digits', { expression: '1', precision: 'bignumber', digits: 65 }],
    ['an unknown precision', { expression: '1', precision: 'double' }],
    ['an unknown field', { expression: '1', scop: {} }],
    ['a function in the scope', { expression: '1', scope: { f: () => 1 } }],
    ['an object in the scope', { expression: '1', scope: { f: { mathjs: 'Unit' } } }],
    ['a list of 10,001', { expression: '1', scope: { f: Array(10_001).fill(1) } }],
  ])('%s is of bad form', (_, input) => {
    expect(evaluate.input.safeParse(input).success).toBe(false);
  });

  test('digits are only taken with bignumber, and a hundred variables at most', () => {
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`x${i}`, i]));
    const input = evaluate.input.parse({ expression: '1', digits: 5, scope: many });
    expect(evaluate.faultsOf(input).map(({ path }) => path)).toEqual(['scope', 'digits']);
  });

  test('a power is refused before it is computed', () => {
    expect(() => guardOf('pow')?.([3n, 100_000], 'pow')).toThrow(/max_integer_bits/);
    expect(() => guardOf('pow')?.([3n, 1000], 'pow')).not.toThrow();
  });
});
