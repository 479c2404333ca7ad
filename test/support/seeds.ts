/**
 * How many random cases a property is tried with. QCS_TEST_SEEDS multiplies the number: 1, the default,
 * suits the inner loop, and CI sets 4. Seeds are fixed, so that a run can be repeated.
 */
import { test } from 'vitest';

const FACTOR = factorOf(process.env.QCS_TEST_SEEDS ?? '1');

function factorOf(text: string): number {
  const factor = Number(text);
  if (Number.isInteger(factor) && factor > 0) return factor;
  throw new Error(`QCS_TEST_SEEDS is "${text}"; it must be a whole number, at least 1.`);
}

/** Number of cases to try: `count`, times QCS_TEST_SEEDS. */
export function numCases(count: number): number {
  return count * FACTOR;
}

/** Seeds to try: 0 to `numCases(count)` - 1. */
export function seeds(count: number): readonly number[] {
  return Array.from({ length: numCases(count) }, (_, seed) => seed);
}

/** Defines one test that tries a property with each seed; the message of a failure begins with its seed. */
export function testSeeds(
  name: string,
  tried: readonly number[],
  property: (seed: number) => void | Promise<void>,
): void {
  test(name, async () => {
    for (const seed of tried) {
      try {
        await property(seed);
      } catch (error) {
        if (error instanceof Error) error.message = `Seed ${seed}: ${error.message}`;
        throw error;
      }
    }
  });
}
