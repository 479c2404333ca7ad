/** What waits or runs in this process, kept as jobs come and go: how many of each key, how much text. */
import type { Job, JobKind } from './job.ts';

type CountedJob = Pick<Job, 'kind' | 'keyId' | 'request' | 'suspicion'>;

/** Counts by kind and key; those of nothing take no memory. */
export class InFlightCounts {
  readonly #counts = new Map<string, number>();
  readonly #characters = new Map<JobKind, number>();
  #numSuspects = 0;

  /** Jobs that are suspected of having brought a process down. */
  get numSuspects(): number {
    return this.#numSuspects;
  }

  enter({ kind, keyId, request, suspicion }: CountedJob): void {
    if (suspicion !== undefined) this.#numSuspects += 1;
    const name = nameOf(kind, keyId);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    this.#characters.set(kind, this.charactersOf(kind) + request.length);
  }

  leave({ kind, keyId, request, suspicion }: CountedJob): void {
    if (suspicion !== undefined) this.#numSuspects -= 1;
    const name = nameOf(kind, keyId);
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
    this.#characters.set(kind, this.charactersOf(kind) - request.length);
  }

  of(kind: JobKind, keyId: string): number {
    return this.#counts.get(nameOf(kind, keyId)) ?? 0;
  }

  /** Of the requests of that kind, over all keys. */
  charactersOf(kind: JobKind): number {
    return this.#characters.get(kind) ?? 0;
  }
}

/** No kind has a space in it. */
function nameOf(kind: JobKind, keyId: string): string {
  return `${kind} ${keyId}`;
}
