/**
 * A thread that writes large results as JSON text, which would hold the event loop.
 *
 * It is started when it is first needed, which on most nodes is never, and does not keep the process
 * alive while it has nothing to do. Nothing else runs in it: what callers send is read elsewhere, so
 * that no body can take a result down with it.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CircuitResult } from '../../fleet/processor.ts';
import { ResultThreadLostError } from '../errors.ts';
import type { ResultLayout } from './result-json.ts';

/** A result to write. */
export interface ToResultThread {
  readonly id: number;
  readonly layout: ResultLayout;
  readonly result: CircuitResult;
}

/** What became of it. */
export type FromResultThread =
  | { readonly id: number; readonly text: string }
  | { readonly id: number; readonly stack: string };

const ENTRY = new URL(`./result-thread-entry${extname(import.meta.url)}`, import.meta.url);

interface Pending {
  readonly resolve: (text: string) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread. */
export class ResultThread {
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
   * Writes a result; its large arrays are gone afterwards.
   *
   * @throws {ResultThreadLostError} if the thread ended under it.
   */
  write(layout: ResultLayout, result: CircuitResult): Promise<string> {
    if (this.#isClosed) return Promise.reject(new ResultThreadLostError('it was closed'));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const id = this.#numSent++;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#pending.set(id, { resolve, reject });
    const { numBits, measuredQubits, outputs, warnings } = layout;
    const needed = { numBits, measuredQubits, outputs, warnings };
    const message: ToResultThread = { id, layout: needed, result };
    this.#worker.postMessage(message, buffersOf(result));
    return promise;
  }

  /** Ends the thread; work under way is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(this.#entry);
    let fault: unknown;
    worker.on('message', (message: FromResultThread) => this.#onMessage(message));
    worker.on('error', (error) => {
      fault = error;
    });
    worker.on('exit', (exitCode) => {
      this.#worker = undefined;
      const how = fault instanceof Error ? fault.message : `exit code ${exitCode}`;
      for (const { reject } of this.#pending.values()) {
        reject(new ResultThreadLostError(how, { cause: fault }));
      }
      this.#pending.clear();
    });
    return worker;
  }

  #onMessage(message: FromResultThread): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if ('text' in message) {
      pending?.resolve(message.text);
      return;
    }
    const error = new Error('A result could not be written.');
    error.stack = message.stack;
    pending?.reject(error);
  }
}

/** The buffers of its arrays, which are moved instead of being copied. */
function buffersOf({ run }: CircuitResult): readonly ArrayBuffer[] {
  const { counts, statevector, probabilities } = run;
  const arrays = [counts.outcomes, counts.occurrences, statevector, probabilities];
  const buffers = new Set(arrays.map((array) => array?.buffer));
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer);
}
