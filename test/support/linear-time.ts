/** Claims about how the time of a computation grows, whatever else the machine does. */
import { expect } from 'vitest';

/** Processor time of the whole process for a computation, in ms. */
function processorMs(compute: () => void): number {
  const before = process.cpuUsage();
  compute();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/**
 * Claims that a computation takes time that is linear in the size of its input: four times the size takes less than
 * eight times the processor time, where quadratic time would be sixteen times. One of three attempts has to show it: a
 * collection of garbage may fall into any of them.
 *
 * @param size - Such that what is quadratic outweighs what is not, at a quarter of it already.
 */
export function expectLinearTime(size: number, compute: (size: number) => void): void {
  compute(size / 4);
  const ratios: number[] = [];
  while (ratios.length < 3 && !ratios.some((ratio) => ratio < 8)) {
    const quarter = processorMs(() => compute(size / 4));
    ratios.push(processorMs(() => compute(size)) / quarter);
  }
  expect(Math.min(...ratios)).toBeLessThan(8);
}
