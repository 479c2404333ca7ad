/**
 * A thread that writes large results as JSON text, which would hold the event loop.
 *
 * It is started when it is first needed, which on most nodes is never, and does not keep the process
 * alive while it has nothing to do. Nothing else runs in it: what callers send is read elsewhere, so
 * that no body can take a result down with it.
 */
import { extname } from 'node:path';
import type { CircuitResult } from '../../fleet/processor.ts';
import { childThread } from '../../processes/child-thread.ts';
import { SupervisedChild } from '../../processes/supervised-child.ts';
import { ResultThreadLostError } from '../errors.ts';
import type { ResultLayout } from './result-json.ts';

/** A result to write. */
export interface ToResultThread {
  readonly id: number;
  readonly layout: ResultLayout;
  readonly result: CircuitResult;
}

/** The thread's messages. */
export type FromResultThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'written'; readonly id: number; readonly text: string }
  | { readonly kind: 'broken'; readonly id: number; readonly stack: string };

/** The machine may be busy. */
const START_LIMIT_MS = 60_000;
const ENTRY = new URL(`./result-thread-entry${extname(import.meta.url)}`, import.meta.url);

interface Pending {
  readonly resolve: (text: string) => void;
  readonly reject: (error: unknown) => void;
}

/** The thread. */
export class ResultThread {
  readonly #entry: URL;
  readonly #pending = new Map<number, Pending>();
  #thread: SupervisedChild<ToResultThread, FromResultThread> | undefined;
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
    this.#thread ??= this.#start();
    this.#thread.setHolding(true);
    this.#pending.set(id, { resolve, reject });
    const { numBits, measuredQubits, outputs, warnings } = layout;
    const needed = { numBits, measuredQubits, outputs, warnings };
    const message: ToResultThread = { id, layout: needed, result };
    this.#thread.post(message, buffersOf(result));
    return promise;
  }

  /** Ends the thread; work under way is rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#thread?.kill();
    await this.#thread?.ended;
  }

  #start(): SupervisedChild<ToResultThread, FromResultThread> {
    return new SupervisedChild(
      { start: childThread({ entry: this.#entry }), startLimitMs: START_LIMIT_MS },
      {
        // Results may be sent before: they wait in the thread's queue of messages.
        onReady: () => {},
        onMessage: (message) => this.#onMessage(message),
        onEnd: ({ how, cause }) => {
          this.#thread = undefined;
          for (const { reject } of this.#pending.values()) {
            reject(new ResultThreadLostError(how, { cause }));
          }
          this.#pending.clear();
        },
      },
    );
  }

  #onMessage(message: Exclude<FromResultThread, { kind: 'ready' }>): void {
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (this.#pending.size === 0) this.#thread?.setHolding(false);
    if (message.kind === 'written') {
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
