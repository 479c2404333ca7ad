/** Open event streams of all kinds of jobs: counts them by key and ends them. */
import type { Writable } from 'node:stream';
import { TooManyStreamsError } from '../errors.ts';
import type { Scope } from '../keys/api-key.ts';
import type { JobEventStream } from './job-event-stream.ts';

/** Greatest number of open streams of one key. */
export const MAX_STREAMS_OF_KEY = 50;

/** Time for the last bytes of a stopped stream to reach its reader, who may not be reading. */
const FAREWELL_MS = 1000;

/** Authorization of an open stream. */
interface StreamPermit {
  readonly keyId: string;
  readonly keyText: string;
  readonly scope: Scope;
}

/** Counts streams and ends them. */
export class OpenStreams {
  readonly #numOfKey = new Map<string, number>();
  readonly #open = new Map<
    JobEventStream,
    { readonly permit: StreamPermit; readonly response: Writable }
  >();
  #isClosing = false;

  /** Distinct keys of the open streams. */
  keyTexts(): ReadonlySet<string> {
    return new Set([...this.#open.values()].map(({ permit }) => permit.keyText));
  }

  /**
   * Checks that the key may open another stream.
   *
   * @throws {TooManyStreamsError} if it has too many.
   */
  admit(keyId: string): void {
    if ((this.#numOfKey.get(keyId) ?? 0) >= MAX_STREAMS_OF_KEY) {
      throw new TooManyStreamsError(MAX_STREAMS_OF_KEY);
    }
  }

  /** Counts the stream until its response is closed. */
  add(permit: StreamPermit, stream: JobEventStream, response: Writable): void {
    const { keyId } = permit;
    this.#numOfKey.set(keyId, (this.#numOfKey.get(keyId) ?? 0) + 1);
    this.#open.set(stream, { permit, response });
    stream.once('close', () => {
      this.#open.delete(stream);
      const left = (this.#numOfKey.get(keyId) ?? 0) - 1;
      if (left > 0) this.#numOfKey.set(keyId, left);
      else this.#numOfKey.delete(keyId);
    });
    if (this.#isClosing) end(stream, response);
  }

  /** Ends all streams, and later ones at once; readers reconnect to the next process. */
  close(): void {
    this.#isClosing = true;
    for (const [stream, { response }] of this.#open) end(stream, response);
  }

  /** Ends the streams whose permit is now refused. */
  endRefused(isRefused: (permit: StreamPermit) => boolean): void {
    for (const [stream, { permit, response }] of this.#open) {
      if (isRefused(permit)) end(stream, response);
    }
  }
}

function end(stream: JobEventStream, response: Writable): void {
  stream.stop();
  const timer = setTimeout(() => response.destroy(), FAREWELL_MS).unref();
  response.once('close', () => clearTimeout(timer));
}
