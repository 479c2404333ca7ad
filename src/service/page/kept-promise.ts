/**
 * Caches the result of an asynchronous load; after a failure the next call loads again.
 *
 * @returns A function that loads on its first call and after each failure. Concurrent calls share one load.
 */
export function keptPromise<T>(load: () => Promise<T>): () => Promise<T> {
  let kept: Promise<T> | undefined;
  return () => {
    if (kept !== undefined) return kept;
    const loading = load();
    kept = loading;
    loading.catch(() => {
      kept = undefined;
    });
    return loading;
  };
}
