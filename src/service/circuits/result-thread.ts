/**
 * Thread that writes large results as JSON text, which would block the event loop.
 *
 * It starts when first needed and does not keep an idle process alive. Callers' bodies are read in other
 * processes, so no body can end a result with its thread.
 */
import { extname } from 'node:path';
import type { CircuitResult } from '../../fleet/processor.ts';
import { arraysOf } from '../../fleet/run-outputs.ts';
import { childThread, SupervisedChild } from '../../processes/supervised-child.ts';
import { ResultThreadLostError } from '../http/errors.ts';
import type { FurtherNumbers } from './further-runs.ts';
import type { ResultLayout } from './result-json.ts';

/** Result to write. */
export interface ToResultThread {
  readonly id: number;
  readonly layout: ResultLayout;
  readonly result: CircuitResult;
  readonly further: FurtherNumbers;
}

/** Messages from the thread. */
export type FromResultThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'written'; readonly id: number; readonly text: string }
  | { readonly kind: 'broken'; readonly id: number; readonly stack: string };

/** Time limit for the thread to start; the machine may be busy. */
const START_LIMIT_MS = 60_000;
/** The largest that was found, 2^28 bits of outcomes as counts and shot by shot, takes 280 MiB with its text. */
const HEAP_LIMIT_MB = 2048;
const ENTRY = new URL(`./result-thread-entry${extname(import.meta.url)}`, import.meta.url);

interface Pending {
  readonly resolve: (text: string) => void;
  readonly reject: (error: unknown) => void;
}

export class ResultThread {
  readonly #entry: URL;
  readonly #pending = new Map<number, Pending>();
  #thread: SupervisedChild<ToResultThread, FromResultThread> | undefined;
  #numSent = 0;
  #isClosed = false;

  /** @param entry - Module of the thread; only tests pass one. */
  constructor(entry: URL = ENTRY) {
    this.#entry = entry;
  }

  /**
   * Writes a result as JSON text. Its large arrays are unusable afterwards.
   *
   * @throws {ResultThreadLostError} if the thread ends before it has answered.
   */
  write(layout: ResultLayout, result: CircuitResult, further: FurtherNumbers): Promise<string> {
    if (this.#isClosed) return Promise.reject(new ResultThreadLostError('it was closed'));
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const id = this.#numSent++;
    this.#thread ??= this.#start();
    this.#thread.setHolding(true);
    this.#pending.set(id, { resolve, reject });
    const message: ToResultThread = { id, layout: layoutAlone(layout), result, further };
    this.#thread.post(message, buffersOf(result));
    return promise;
  }

  /** Stops the thread; results in progress are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#thread?.kill();
    await this.#thread?.ended;
  }

  #start(): SupervisedChild<ToResultThread, FromResultThread> {
    return new SupervisedChild(
      {
        start: childThread({ entry: this.#entry, heapLimitMb: HEAP_LIMIT_MB }),
        startLimitMs: START_LIMIT_MS,
      },
      {
        // Results may be sent earlier: they wait in the thread's message queue.
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

/** All fields of a layout. */
const LAYOUT: { readonly [K in keyof Required<ResultLayout>]: true } = {
  numBits: true,
  lossMarks: true,
  measuredQubits: true,
  outputs: true,
  labelFormat: true,
  shotFormat: true,
  numRequested: true,
  results: true,
  warnings: true,
  basisStates: true,
  keepsState: true,
  saves: true,
  method: true,
  methodReason: true,
  seed: true,
  fitting: true,
  detection: true,
  errorBound: true,
  recorded: true,
};

/** A layout without the other fields of its object, such as a circuit. */
function layoutAlone(layout: ResultLayout): ResultLayout {
  const fields = Object.entries(layout).filter(([name]) => name in LAYOUT);
  // The cast is safe: these are all fields of a layout.
  return Object.fromEntries(fields) as unknown as ResultLayout;
}

/** Array buffers of a result, which are transferred instead of copied. */
function buffersOf({ outputs }: CircuitResult): readonly ArrayBuffer[] {
  const buffers = new Set(arraysOf(outputs).map(({ buffer }) => buffer));
  return [...buffers].filter((buffer) => buffer instanceof ArrayBuffer);
}
