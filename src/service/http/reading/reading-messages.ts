/** Messages between the service and the processes that read bodies, as plain data. */
import type { Fault } from '../../../errors/coded-error.ts';

/** Body: the bytes received, or the parsed value. */
export type BodySource = { readonly bytes: Uint8Array } | { readonly value: unknown };

/** Input of a reading: a body or the text of a stored request, with the reading's context. */
export type ReadingInput = (BodySource | { readonly text: string }) & {
  readonly context: unknown;
  /** Path of the endpoint, if the body must be hashed. */
  readonly hashPath?: string;
};

/** The name of a reading and its input. It is answered before the next is sent. */
export interface ReadingTask {
  readonly name: string;
  readonly input: ReadingInput;
}

/** Message to a reader: a task, or the request for the next chunk of its output. */
export type ToReader = ReadingTask | { readonly wants: 'next chunk' };

/** Message from a reader. */
export type FromReader =
  | { readonly kind: 'ready' }
  /** The reader loads code for this and later bodies. Until it is done, no time is charged to this body. */
  | { readonly kind: 'preparing' }
  | { readonly kind: 'prepared' }
  /** A chunk of an output that is sent in several; `done` has the last one. */
  | { readonly kind: 'chunk'; readonly index: number; readonly chunk: unknown }
  | { readonly kind: 'done'; readonly output: unknown }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  | { readonly kind: 'broken'; readonly stack: string };
