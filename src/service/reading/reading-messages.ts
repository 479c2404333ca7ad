/** Messages between the service and the processes that read bodies: plain data. */
import type { Fault } from '../../errors/coded-error.ts';

/** A body: as it came over the wire, or parsed. */
export type BodySource = { readonly bytes: Uint8Array } | { readonly value: unknown };

/** Input of a reading: a body, or the text of a stored request, and the reading's own context. */
export type ReadingInput = (BodySource | { readonly text: string }) & {
  readonly context: unknown;
  /** Path of the endpoint where the body is to be hashed. */
  readonly hashPath?: string;
};

/** To a reader: the name of a reading and its input. It is answered before the next is sent. */
export interface ToReader {
  readonly name: string;
  readonly input: ReadingInput;
}

/** From a reader. */
export type FromReader =
  | { readonly kind: 'ready' }
  /** It loads code for this body and those after it; until it has, no time is this body's. */
  | { readonly kind: 'preparing' }
  | { readonly kind: 'prepared' }
  | { readonly kind: 'done'; readonly output: unknown }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly message: string;
      readonly faults: readonly Fault[];
    }
  | { readonly kind: 'broken'; readonly stack: string };
