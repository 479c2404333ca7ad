import type { Worker } from 'node:worker_threads';

/**
 * The one message of a thread.
 *
 * @throws {Error} what the thread threw, or that it ended without a message.
 */
export function workerAnswer(worker: Worker): Promise<unknown> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('messageerror', reject);
    worker.once('error', reject);
    // After a message it changes nothing.
    worker.once('exit', (code) => reject(new Error(`The thread ended with ${code}, unanswered.`)));
  });
}
