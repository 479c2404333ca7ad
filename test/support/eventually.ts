/** Waits for what other threads, processes and servers do. */
import { setTimeout } from 'node:timers/promises';

/** Benchmarks wait, too, also in a bundle without Vitest. */
const vitest = await import('vitest').catch(() => undefined);

const MAX_PAUSE_MS = 25;
/** After a claim that takes long to try. */
const MAX_LONG_PAUSE_MS = 250;

/** Aborted by the limit of the test that runs; undefined outside a test. */
function limitOfTest(): AbortSignal | undefined {
  return vitest?.TestRunner.getCurrentTest()?.context.signal;
}

/**
 * Resolves once the claim holds: it neither throws nor gives false.
 *
 * It has no limit of its own, which would depend on how busy the machine is: the test's limit ends it.
 * The error of that limit then has what the claim last threw as its cause. The claim is tried again
 * after a tenth of the time that was waited, and after three times as long as it took to try, so that asking does not take
 * the cores from what is waited for.
 *
 * @param claim - A condition, or a function with `expect` in it; either may be asynchronous.
 */
export async function eventually(claim: () => unknown): Promise<void> {
  const limit = limitOfTest();
  let failure: unknown = new Error(`It never came to this: ${claim}`);
  const isHeld = async () => {
    const begin = performance.now();
    for (;;) {
      const tried = performance.now();
      try {
        if ((await claim()) !== false) return;
      } catch (error) {
        failure = error;
      }
      limit?.throwIfAborted();
      const now = performance.now();
      const pauseMs = Math.min(MAX_PAUSE_MS, Math.max(1, (now - begin) / 10));
      await setTimeout(Math.max(pauseMs, Math.min(MAX_LONG_PAUSE_MS, 3 * (now - tried))));
    }
  };
  await awaited(isHeld(), () => failure);
}

/**
 * Ends as the promise does. Where the test's limit comes first, its error has as its cause what is known of the wait.
 *
 * @param tell - What was waited for, and how far it had come.
 */
export async function awaited<T>(promise: Promise<T>, tell: () => unknown): Promise<T> {
  const limit = limitOfTest();
  const onLimit = () => Object.assign(limit?.reason, { cause: tell() });
  limit?.addEventListener('abort', onLimit);
  try {
    return await promise;
  } finally {
    limit?.removeEventListener('abort', onLimit);
  }
}
