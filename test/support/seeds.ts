/**
 * How many random cases a property is tried with. QCS_TEST_SEEDS multiplies the number: 0.4, the default, suits the inner
 * loop, and CI sets 1. Seeds are fixed, so that a run can be repeated.
 */
import { test } from 'vitest';

const FACTOR = factorOf(process.env.QCS_TEST_SEEDS || '0.4');

/** Whether tests that have a long form run in it: `npm run test:long`. */
export const IS_LONG = process.env.QCS_TEST_LONG === '1';

function factorOf(text: string): number {
  const factor = Number(text);
  if (factor > 0 && Number.isFinite(factor)) return factor;
  throw new Error(`QCS_TEST_SEEDS is "${text}"; it must be a number above 0.`);
}

/** Number of cases to try: `count`, times QCS_TEST_SEEDS, at least one. */
export function numCases(count: number): number {
  return Math.ceil(count * FACTOR);
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
