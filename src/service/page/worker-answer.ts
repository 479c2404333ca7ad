import type { Worker } from 'node:worker_threads';

/**
 * Waits for the single message of a thread.
 *
 * @throws {Error} the error of the thread, or one that it ended without a message.
 */
export function workerAnswer(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('messageerror', reject);
    worker.once('error', reject);
    // After a message this has no effect.
    worker.once('exit', (code) => reject(new Error(`The thread ended with ${code}, unanswered.`)));
  });
}
