/** How a submitted task or self-test is followed until it is answered, once. */
import type { BackendAnswer, TaskFollowing } from './backend-task.ts';
import type { RunHooks } from './processor.ts';

/** @param onAbort - Called once when the signal aborts before the answer. */
export function follow(
  hooks: RunHooks,
  signal: AbortSignal,
  onAbort: () => void,
): { readonly following: TaskFollowing; readonly promise: Promise<BackendAnswer> } {
  const { promise, resolve, reject } = Promise.withResolvers<BackendAnswer>();
  signal.addEventListener('abort', onAbort, { once: true });
  const submittedAt = performance.now();
  return {
    following: {
      hooks,
      signal,
      submittedAt,
      resolve,
      reject,
      onAbort,
      attempts: 0,
      lossesAlone: 0,
      hasBegun: false,
    },
    promise,
  };
}

/** Answers; the signal is not listened to any more. */
export function settle(task: TaskFollowing, answer: () => void): void {
  task.signal.removeEventListener('abort', task.onAbort);
  answer();
}
