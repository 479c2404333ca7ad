/** Starts a supervised child as a thread of this process. */
import { Worker } from 'node:worker_threads';
import type { StartChild } from './supervised-child.ts';

/** How a thread is started. */
export interface ChildThreadOptions {
  /** The thread's module. */
  readonly entry: URL;
  /** The thread's `workerData`: plain data. */
  readonly setup?: unknown;
  /** Limit of the thread's JavaScript heap, MB; typed arrays and WebAssembly memory lie outside it. */
  readonly heapLimitMb?: number;
}

/** A function that starts a thread. */
export function childThread<To, From>({
  entry,
  setup,
  heapLimitMb,
}: ChildThreadOptions): StartChild<To, From> {
  return ({ onMessage, onExit }) => {
    const worker = new Worker(entry, {
      workerData: setup,
      ...(heapLimitMb !== undefined && {
        resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
      }),
    });
    worker.unref();
    let fault: { readonly how: string; readonly cause: unknown } | undefined;
    worker.on('message', onMessage);
    worker.on('messageerror', (cause) => {
      fault ??= { how: 'its answer could not be read', cause };
      void worker.terminate();
    });
    worker.on('error', (cause) => {
      fault ??= { how: cause instanceof Error ? cause.message : String(cause), cause };
    });
    worker.on('exit', (exitCode) => onExit(fault ?? { how: `exit code ${exitCode}` }));
    return {
      post: (message, transfer) => worker.postMessage(message, transfer),
      setHolding: (isHolding) => (isHolding ? worker.ref() : worker.unref()),
      kill: () => void worker.terminate(),
    };
  };
}
