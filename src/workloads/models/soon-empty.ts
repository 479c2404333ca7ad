/** Waiting for the end of what is under way. */
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;

/**
 * Resolves when nothing is left, or the time is up.
 *
 * @param numLeft - How many there are now.
 */
export async function soonEmpty(numLeft: () => number, graceMs: number): Promise<void> {
  const endsAt = performance.now() + graceMs;
  while (numLeft() > 0 && performance.now() < endsAt) {
    await delay(Math.min(LOOK_EVERY_MS, endsAt - performance.now()));
  }
}
