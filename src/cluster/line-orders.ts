/** Places of jobs in the lines of a cluster, for queue positions and expected starts. Read while they are requested. */
import type { JobId } from '../jobs/job.ts';
import type { JobLines, WaitingJobs, WidthRange } from './job-lines.ts';

/** Lines are not read again for this many times the duration of the last reading: long lines take long. */
const REST = 50;
/** Time between two requests for a reading, about, milliseconds; the rest ends so much earlier, not to miss one. */
const LOOK_MS = 1000;
/** Milliseconds for which lines are read after a request for places. */
const ASKED_FOR_MS = 2000;
/** Jobs of each key and level whose places are exact. */
const MAX_OF_KEY = 200;

/** Place of a job in its line. */
interface LinePlace {
  /** Jobs before it. */
  readonly position: number;
  /** Expected time of these together, milliseconds. */
  readonly costMs: number;
}

/** The order in which nodes would claim the jobs that wait. */
export class LineOrders {
  readonly #lines: Pick<JobLines, 'waiting' | 'order'>;
  readonly #widthsOf: (line: string) => readonly WidthRange[] | undefined;
  #waiting: readonly WaitingJobs[] = [];
  #places: ReadonlyMap<JobId, LinePlace> = new Map();
  #askedAt = Number.NEGATIVE_INFINITY;
  #nextAt = Number.NEGATIVE_INFINITY;

  /** @param widthsOf - Jobs of a line that some node takes that is up; the others are passed over. */
  constructor(
    lines: Pick<JobLines, 'waiting' | 'order'>,
    widthsOf: (line: string) => readonly WidthRange[] | undefined,
  ) {
    this.#lines = lines;
    this.#widthsOf = widthsOf;
  }

  /** Jobs that waited when last read. */
  get waiting(): readonly WaitingJobs[] {
    return this.#waiting;
  }

  /**
   * Counts the jobs that wait and, while somebody asks for places, reads their order.
   *
   * @returns False if nothing was read, because the last reading took long.
   */
  async read(): Promise<boolean> {
    const startedAt = performance.now();
    if (startedAt < this.#nextAt) return false;
    this.#waiting = await this.#lines.waiting();
    if (startedAt - this.#askedAt < ASKED_FOR_MS) await this.#readPlaces();
    const endedAt = performance.now();
    this.#nextAt = endedAt + REST * (endedAt - startedAt) - LOOK_MS;
    return true;
  }

  async #readPlaces(): Promise<void> {
    const places = new Map<JobId, LinePlace>();
    for (const line of new Set(this.#waiting.map((each) => each.line))) {
      let before = 0;
      for (const [position, { id, costMs }] of (
        await this.#lines.order(line, MAX_OF_KEY, this.#widthsOf(line))
      ).entries()) {
        places.set(id, { position, costMs: before });
        before += costMs;
      }
    }
    this.#places = places;
  }

  /** Place of a job, as of the last reading. */
  placeOf(id: JobId): LinePlace | undefined {
    this.#askedAt = performance.now();
    return this.#places.get(id);
  }

  /** Number of jobs that waited in a line. */
  lengthOf(line: string): number {
    const inLine = this.#waiting.filter((each) => each.line === line);
    return inLine.reduce((sum, { count }) => sum + count, 0);
  }
}
