/** A worker as a thread of this process. */
import { type MessagePort, Worker } from 'node:worker_threads';
import type { WorkerPort } from './serve-engine.ts';
import type { StartWorker } from './worker-host.ts';
import type { WorkerSetup } from './worker-messages.ts';

/** How a thread is started. */
export interface ThreadOptions {
  /** The thread's module. */
  readonly entry: URL;
  readonly setup: WorkerSetup;
  /** JavaScript heap of the thread; state vectors live outside it. */
  readonly heapLimitMb: number;
}

/** Starts threads of that kind. */
export function threadStarter({ entry, setup, heapLimitMb }: ThreadOptions): StartWorker {
  return ({ onMessage, onFault, onExit }) => {
    const worker = new Worker(entry, {
      workerData: setup,
      resourceLimits: { maxOldGenerationSizeMb: heapLimitMb },
    });
    worker.unref();
    worker.on('message', onMessage);
    worker.on('messageerror', (cause) => {
      onFault('its answer could not be read', cause);
      void worker.terminate();
    });
    worker.on('error', (cause) => {
      onFault(cause instanceof Error ? cause.message : String(cause), cause);
    });
    worker.on('exit', (exitCode) => onExit(`exit code ${exitCode}`));
    return {
      post: (message) => worker.postMessage(message),
      setHolding: (isHolding) => (isHolding ? worker.ref() : worker.unref()),
      end: async () => {
        await worker.terminate();
      },
    };
  };
}

/** The thread's end of what `threadStarter` starts. */
export function threadPort(port: MessagePort): WorkerPort {
  return {
    post: (message, transfer) => port.postMessage(message, transfer),
    onMessage: (listener) => void port.on('message', listener),
  };
}
