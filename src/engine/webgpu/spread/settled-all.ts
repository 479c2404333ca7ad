/** Waits for work on several devices. */

/**
 * The results, once all work has ended, however: what fails on one device leaves nothing under way on
 * another.
 *
 * @throws what failed first in order, if anything did.
 */
export async function settledAll<T>(work: readonly (T | Promise<T>)[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
