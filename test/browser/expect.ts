/**
 * `expect` in a browser page: the matchers that the conformance suite uses, with vitest's meaning.
 * Vitest's own needs its worker around it. expect.test.ts holds this one to vitest's; a matcher that
 * is missing fails the claim that calls it.
 */

/** Claims about a value; each throws unless it holds. */
type Matchers = ReturnType<typeof matchersOf> & {
  readonly not: ReturnType<typeof matchersOf>;
  readonly rejects: Record<'toMatchObject' | 'toThrow', (expected: unknown) => Promise<void>>;
};

/** Says that a claim does not hold. */
export class ClaimError extends Error {}

/** The matchers of a value. */
export function expect(actual: unknown): Matchers {
  const rejected =
    (name: 'toMatchObject' | 'toThrow') =>
    async (expected: unknown): Promise<void> => {
      const outcome = await settled(actual);
      if (!('reason' in outcome)) throw new ClaimError('The promise resolved, and was to reject.');
      matchersOf(outcome.reason, false)[name](expected);
    };
  return {
    ...matchersOf(actual, false),
    not: matchersOf(actual, true),
    rejects: { toMatchObject: rejected('toMatchObject'), toThrow: rejected('toThrow') },
  };
}

async function settled(promise: unknown): Promise<{ readonly reason?: unknown }> {
  try {
    await promise;
    return {};
  } catch (reason) {
    return { reason };
  }
}

function matchersOf(actual: unknown, isNegated: boolean) {
  const claim = (holds: boolean, relation: string, expected: unknown): void => {
    if (holds !== isNegated) return;
    const not = isNegated ? 'not ' : '';
    throw new ClaimError(`expected ${shown(actual)} ${not}${relation} ${shown(expected)}`);
  };
  const compared = (holds: (a: number, b: number) => boolean, relation: string) => {
    return (expected: number) => claim(holds(Number(actual), expected), relation, expected);
  };
  return {
    toBe: (expected: unknown) => claim(Object.is(actual, expected), 'to be', expected),
    toEqual: (expected: unknown) => claim(equals(actual, expected), 'to equal', expected),
    toMatchObject: (expected: unknown) => claim(matches(actual, expected), 'to match', expected),
    toThrow: (expected: unknown) => claim(says(actual, expected), 'to be thrown as', expected),
    toHaveLength: (expected: number) =>
      claim(Object(actual).length === expected, 'to have length', expected),
    toBeLessThan: compared((a, b) => a < b, 'to be less than'),
    toBeLessThanOrEqual: compared((a, b) => a <= b, 'to be at most'),
    toBeGreaterThan: compared((a, b) => a > b, 'to be greater than'),
    toBeGreaterThanOrEqual: compared((a, b) => a >= b, 'to be at least'),
    toBeCloseTo: (expected: number, digits = 2) => {
      const isClose = Math.abs(Number(actual) - expected) < 10 ** -digits / 2;
      claim(isClose || actual === expected, 'to be close to', expected);
    },
  };
}

/** An error by a part of its message. */
function says(error: unknown, expected: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (expected instanceof RegExp) return expected.test(error.message);
  return typeof expected === 'string' && error.message.includes(expected);
}

/** Of the same kind with equal parts; a property that is undefined counts as absent. */
function equals(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (!isObject(a) || !isObject(b) || kindOf(a) !== kindOf(b)) return false;
  if (a instanceof Error && b instanceof Error) return a.message === b.message;
  const [aParts, bParts] = [partsOf(a), partsOf(b)];
  if (aParts.size !== bParts.size) return false;
  return [...bParts].every(([key, part]) => aParts.has(key) && equals(aParts.get(key), part));
}

/** Has at least the properties of `expected`, lists as a whole. */
function matches(actual: unknown, expected: unknown): boolean {
  if (!isObject(actual) || !isObject(expected) || kindOf(expected) !== kindOf({})) {
    return equals(actual, expected);
  }
  return Object.entries(expected).every(
    ([key, part]) => key in actual && matches(Reflect.get(actual, key), part),
  );
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const kindOf = (value: object): string => Object.prototype.toString.call(value);

function partsOf(value: object): ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return value;
  const parts = value instanceof Set ? [...value] : value;
  return new Map(Object.entries(parts).filter(([, part]) => part !== undefined));
}

/** A value in a message, cut where it gets long. */
function shown(value: unknown): string {
  if (value instanceof Error || value instanceof RegExp) return String(value);
  const text =
    JSON.stringify(value, (_, part) => (isObject(part) ? plain(part) : part)) ?? String(value);
  return text.length > 400 ? `${text.slice(0, 400)} …` : text;
}

const plain = (value: object): unknown =>
  value instanceof Map || ArrayBuffer.isView(value) ? [...partsOf(value)] : value;
