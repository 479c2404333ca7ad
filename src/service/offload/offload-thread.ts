/**
 * A thread for what would hold the event loop: reading large bodies, writing large results.
 *
 * It is started when it is first needed, which on most nodes is never, and again after it ended; it
 * does not keep the process alive while it has nothing to do. Work waits its turn there, so that a
 * body of the largest size delays other large bodies and nothing else.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { OffloadedError, OffloadLostError } from '../errors.ts';
import type { FromOffload, OffloadedWork, OffloadKind } from './offload-messages.ts';

const ENTRY = new URL(`./offload-worker${extname(import.meta.url)}`, import.meta.url);
/** JavaScript heap of the thread: a circuit of the largest size takes a few hundred MiB. */
const HEAP_LIMIT_MB = 2048;

interface Pending {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread. */
export class OffloadThread {
  readonly #entry: URL;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | undefined;
  #numSent = 0;
  #isClosed = false;

  /** @param entry - The thread's module; the product's own unless a test brings another. */
  constructor(entry: URL = ENTRY) {
    this.#entry = entry;
  }

  /**
   * Does a piece of work in the thread.
   *
   * @param transfer - Buffers of the input that are moved, not copied.
   * @throws {OffloadedError} with the code of the CodedError that the work ended with.
   * @throws {OffloadLostError} if the thread ended under it.
   */
  run<K extends OffloadKind>(
    kind: K,
    input: OffloadedWork[K]['input'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<OffloadedWork[K]['output']> {
    if (this.#isClosed) return Promise.reject(new OffloadLostError('it was closed'));
    const { promise, resolve, reject } = Promise.withResolvers<OffloadedWork[K]['output']>();
    const id = this.#numSent++;
    this.#worker ??= this.#start();
    this.#worker.ref();
    // Checked by the thread's exhaustive switch: the output is that of the kind.
    this.#pending.set(id, { resolve: resolve as (output: unknown) => void, reject });
    this.#worker.postMessage({ id, kind, input }, transfer);
    return promise;
  }

  /** Ends the thread; work under way is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    });
    let fault: unknown;
    worker.on('message', (message: FromOffload) => this.#onMessage(message));
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('exit', (exitCode) => {
      this.#worker = undefined;
      const how = fault instanceof Error ? fault.message : `exit code ${exitCode}`;
      for (const { reject } of this.#pending.values()) {
        reject(new OffloadLostError(how, { cause: fault }));
      }
      this.#pending.clear();
    });
    return worker;
  }

  #onMessage(message: FromOffload): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    switch (message.kind) {
      case 'done':
        pending?.resolve(message.output);
        return;
      case 'refused':
        pending?.reject(new OffloadedError(message.code, message.message, message.faults));
        return;
      case 'broken': {
        const error = new Error('The work in the offload thread failed.');
        error.stack = message.stack;
        pending?.reject(error);
        return;
      }
    }
  }
}
