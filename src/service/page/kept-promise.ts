/**
 * What is loaded once and then kept; a failure is not, so that the next caller loads anew.
 *
 * @returns What loads on its first call and after each failure; calls meanwhile share one load.
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
