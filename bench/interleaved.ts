/**
 * Times several variants interleaved, A B A B, so that other load on the machine affects all alike.
 */
import { type Measurement, median } from './harness.ts';

/** One of the variants. */
export interface Variant {
  readonly name: string;
  /** Runs in one round, so that short variants are timed as long as long ones. */
  readonly perRound: number;
  readonly run: () => unknown;
}

/**
 * Median microseconds of one run of each variant, in their order.
 *
 * One round is run before and not counted.
 */
export async function interleaved(
  variants: readonly Variant[],
  numRounds: number,
): Promise<readonly Measurement[]> {
  const times = variants.map((): number[] => []);
  for (let round = -1; round < numRounds; round++) {
    for (const [i, { perRound, run }] of variants.entries()) {
      const start = performance.now();
      for (let repeat = 0; repeat < perRound; repeat++) await run();
      const us = (1000 * (performance.now() - start)) / perRound;
      if (round >= 0) times[i]?.push(us);
    }
  }
  return variants.map(({ name }, i) => {
    const values = times[i] ?? [];
    const spread = [Math.min(...values), Math.max(...values)] as const;
    return { name, value: median(values), unit: 'µs', spread };
  });
}

/** Rate per second of something of which `count` take this long. */
export function perSecond(
  name: string,
  { value, spread }: Measurement,
  count: number,
): Measurement {
  const rate = (us: number) => (1e6 * count) / us;
  return {
    name,
    value: rate(value),
    unit: 'per second',
    ...(spread && { spread: [rate(spread[1]), rate(spread[0])] as const }),
  };
}
