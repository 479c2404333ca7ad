/** Waits until running work has ended. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Resolves when no work is left, or after `graceMs`.
 *
 * @param numLeft - Number of runs that have not ended.
 */
export async function drained(numLeft: () => number, graceMs: number): Promise<void> {
  const endsAt = performance.now() + graceMs;
  while (numLeft() > 0 && performance.now() < endsAt) {
    await delay(Math.min(LOOK_EVERY_MS, endsAt - performance.now()));
  }
}
