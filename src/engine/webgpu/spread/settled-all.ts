/** Waits for work on several devices. */

/**
 * Waits until all work has ended, whether it failed or not, so that a failure on one device leaves
 * no work in progress on another.
 *
 * @throws the error of the first rejected promise in the list.
 */
export async function settledAll<T>(work: readonly (T | Promise<T>)[]): Promise<readonly T[]> {
  const outcomes = await Promise.allSettled(work);
  return outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
}
