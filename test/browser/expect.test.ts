import { describe, test, expect as vitestExpect } from 'vitest';
import { expect } from './expect.ts';

const values: readonly [string, unknown][] = [
  ['0', 0],
  ['−0', -0],
  ['1', 1],
  ['1.004', 1.004],
  ['NaN', Number.NaN],
  ['null', null],
  ['undefined', undefined],
  ['a text', 'ab'],
  ['an empty list', []],
  ['a list', [1, 2]],
  ['a longer list', [1, 2, 3]],
  ['a nested list', [[1], { a: 2 }]],
  ['a typed array', Uint32Array.of(1, 2)],
  ['one of floats', Float64Array.of(1, 2)],
  ['an object', { a: 1 }],
  ['one with more', { a: 1, b: { c: 2 } }],
  ['one with an absent property', { a: 1, d: undefined }],
  ['a map', new Map([['a', 1]])],
  ['another map', new Map([['a', 2]])],
  ['an error with a code', Object.assign(new Error('not here'), { code: 'A' })],
];

/** Matchers that vitest's `expect` and the page's both have. */
interface Judge {
  toBe(expected: unknown): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: unknown): void;
}

/** Whether claims can match against a value: it is a plain object. */
const isPattern = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** Whether a claim is refused. */
async function refuses(claim: () => unknown): Promise<boolean> {
  try {
    await claim();
    return false;
  } catch {
    return true;
  }
}

describe('a page’s matchers judge as vitest’s do:', () => {
  test.each(['toBe', 'toEqual', 'toMatchObject'] as const)(
    '%s, of any two values',
    async (name) => {
      for (const [actualName, actual] of values) {
        for (const [expectedName, expected] of values) {
          if (name === 'toMatchObject' && !isPattern(expected)) continue;
          for (const isNegated of [false, true]) {
            const ours: Judge & { readonly not: Judge } = expect(actual);
            const theirs: Judge & { readonly not: Judge } = vitestExpect(actual);
            const context = `${actualName} ${isNegated ? 'not ' : ''}${name} ${expectedName}`;
            vitestExpect(
              await refuses(() => (isNegated ? ours.not : ours)[name](expected)),
              context,
            ).toBe(await refuses(() => (isNegated ? theirs.not : theirs)[name](expected)));
          }
        }
      }
    },
  );

  test.each([
    'toBeLessThan',
    'toBeLessThanOrEqual',
    'toBeGreaterThan',
    'toBeGreaterThanOrEqual',
    'toBeCloseTo',
  ] as const)('%s', async (name) => {
    const numbers = [0, 1, 1.004, 1.0051, 1.1, -1, Number.NaN, Number.POSITIVE_INFINITY];
    for (const actual of numbers) {
      for (const expected of numbers) {
        vitestExpect(await refuses(() => expect(actual)[name](expected)), `${actual} ${name}`).toBe(
          await refuses(() => vitestExpect(actual)[name](expected)),
        );
      }
    }
  });

  test('toHaveLength', async () => {
    for (const [name, actual] of values) {
      vitestExpect(await refuses(() => expect(actual).toHaveLength(2)), name).toBe(
        await refuses(() => vitestExpect(actual).toHaveLength(2)),
      );
    }
  });

  test('rejects, by message and by code', async () => {
    const error = Object.assign(new Error('not here'), { code: 'A' });
    for (const promise of [() => Promise.reject(error), () => Promise.resolve(1)]) {
      for (const [ours, theirs] of [
        [
          () => expect(promise()).rejects.toThrow('here'),
          () => vitestExpect(promise()).rejects.toThrow('here'),
        ],
        [
          () => expect(promise()).rejects.toThrow('there!'),
          () => vitestExpect(promise()).rejects.toThrow('there!'),
        ],
        [
          () => expect(promise()).rejects.toThrow(/^here/),
          () => vitestExpect(promise()).rejects.toThrow(/^here/),
        ],
        [
          () => expect(promise()).rejects.toMatchObject({ code: 'A' }),
          () => vitestExpect(promise()).rejects.toMatchObject({ code: 'A' }),
        ],
        [
          () => expect(promise()).rejects.toMatchObject({ code: 'B' }),
          () => vitestExpect(promise()).rejects.toMatchObject({ code: 'B' }),
        ],
      ] as const) {
        vitestExpect(await refuses(ours), ours.toString()).toBe(await refuses(theirs));
      }
    }
  });
});
