/** The child's side of a supervised child: its messages to the process that started it, and back. */
import { parentPort } from 'node:worker_threads';

/** Connection to the parent. A child posts `{ kind: 'ready' }` first. */
export interface ParentPort<To, From> {
  /** @param transfer - Buffers that the parent takes over from a thread instead of a copy. */
  post(message: From, transfer?: readonly ArrayBuffer[]): void;
  onMessage(listener: (message: To) => void): void;
}

/**
 * Connection of a child process to its parent. The process ends with its parent, and leaves signals of
 * the terminal, which reach every process of its group, to the parent.
 */
export function parentOfProcess<To, From>(): ParentPort<To, From> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  process.on('disconnect', () => process.exit(0));
  // Taken now: a process that is locked down later has no `process.send` any more.
  const send = process.send?.bind(process);
  return {
    // A parent that has gone is noticed by the disconnection.
    post: (message) => void send?.(message, undefined, undefined, () => {}),
    onMessage: (listener) => void process.on('message', listener),
  };
}

/** Connection of a thread to the process that started it. */
export function parentOfThread<To, From>(): ParentPort<To, From> {
  if (parentPort === null) throw new Error('unreachable: this module is the entry of a thread');
  const port = parentPort;
  return {
    post: (message, transfer) => port.postMessage(message, transfer),
    onMessage: (listener) => void port.on('message', listener),
  };
}
