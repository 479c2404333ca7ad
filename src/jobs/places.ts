/**
 * Places in flight: how many jobs of a kind and key may wait or run at once.
 *
 * A submission reserves places before its job is created, and returns them once the job is counted. So no other job
 * comes between the check and the creation, even where the check waits for a database.
 */
import type { JobKind } from './job.ts';

/** Places of one process, or of all that share a database. */
export interface Places {
  /**
   * Reserves places for jobs that are about to be created.
   *
   * @param limit - Number of places of the key, for each kind.
   * @returns Reservation; dispose of it once the jobs are counted, or if they are not created. Undefined if the key
   *   has too few places left. A promise only if the answer depends on a database.
   * @throws {StorageUnwritableError} if the database is needed and cannot be written now.
   */
  reserve(
    kind: JobKind,
    keyId: string,
    numJobs: number,
    limit: number,
  ): Disposable | undefined | Promise<Disposable | undefined>;
  /**
   * Number of places of a kind and key that are taken.
   *
   * @throws {StorageUnwritableError} if the database is needed and cannot be read now.
   */
  inFlight(kind: JobKind, keyId: string): number | Promise<number>;
}

/** Places of a process that has its limits to itself. */
export class LocalPlaces implements Places {
  readonly #inFlight: (kind: JobKind, keyId: string) => number;
  /** Reserved places by kind and key; zeros take no memory. */
  readonly #reserved = new Map<string, number>();

  /** @param inFlight - Number of jobs of a kind and key that wait or run. */
  constructor(inFlight: (kind: JobKind, keyId: string) => number) {
    this.#inFlight = inFlight;
  }

  reserve(kind: JobKind, keyId: string, numJobs: number, limit: number): Disposable | undefined {
    const name = `${kind} ${keyId}`;
    const reserved = this.#reserved.get(name) ?? 0;
    if (this.#inFlight(kind, keyId) + reserved + numJobs > limit) return undefined;
    this.#reserved.set(name, reserved + numJobs);
    return { [Symbol.dispose]: () => this.#release(name, numJobs) };
  }

  inFlight(kind: JobKind, keyId: string): number {
    return this.#inFlight(kind, keyId);
  }

  #release(name: string, numJobs: number): void {
    const left = (this.#reserved.get(name) ?? 0) - numJobs;
    if (left > 0) this.#reserved.set(name, left);
    else this.#reserved.delete(name);
  }
}
