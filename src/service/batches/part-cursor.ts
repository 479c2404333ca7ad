/** The parts of a job's result, read in the order of the store. */
import { JobDamagedError } from '../../jobs/errors.ts';
import type { JobPart, JobPartPlace } from '../../jobs/job.ts';

/** Reads the next page of a job's parts. */
export type ReadParts = (after: JobPartPlace | undefined) => Promise<readonly JobPart[]>;

/** Walks through the parts of a job in the order of the store. */
export class PartCursor {
  readonly #read: ReadParts;
  #page: readonly JobPart[] = [];
  #next = 0;
  #last: JobPartPlace | undefined;

  /** @param after - Where to begin; at the first part unless given. */
  constructor(read: ReadParts, after?: JobPartPlace) {
    this.#read = read;
    this.#last = after;
  }

  /** Remembers this place. The function that it returns goes back there. */
  bookmark(): () => void {
    const [page, next, last] = [this.#page, this.#next, this.#last];
    return () => {
      this.#page = page;
      this.#next = next;
      this.#last = last;
    };
  }

  /** The parts of the next series, from the first item to the last. */
  async *series(series: number, numItems: number): AsyncGenerator<JobPart, void, undefined> {
    for (let from = 0; from < numItems; ) {
      const part = await this.#take();
      if (part?.series !== series || part.from !== from) {
        throw new JobDamagedError('a part of its result is missing');
      }
      from = part.to;
      yield part;
    }
  }

  async #take(): Promise<JobPart | undefined> {
    if (this.#next === this.#page.length) {
      this.#page = await this.#read(this.#last);
      this.#next = 0;
    }
    const part = this.#page[this.#next++];
    this.#last = part;
    return part;
  }
}
