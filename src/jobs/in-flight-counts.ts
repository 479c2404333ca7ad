/** How many jobs of each key wait or run in this process, kept as they come and go. */
import type { Job, JobKind } from './job.ts';

/** Counts by kind and key; those of nothing take no memory. */
export class InFlightCounts {
  readonly #counts = new Map<string, number>();

  enter({ kind, keyId }: Pick<Job, 'kind' | 'keyId'>): void {
    const name = nameOf(kind, keyId);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  leave({ kind, keyId }: Pick<Job, 'kind' | 'keyId'>): void {
    const name = nameOf(kind, keyId);
    const left = (this.#counts.get(name) ?? 0) - 1;
    if (left > 0) this.#counts.set(name, left);
    else this.#counts.delete(name);
  }

  of(kind: JobKind, keyId: string): number {
    return this.#counts.get(nameOf(kind, keyId)) ?? 0;
  }
}

/** No kind has a space in it. */
function nameOf(kind: JobKind, keyId: string): string {
  return `${kind} ${keyId}`;
}
