/**
 * Growth of a state under rotations without their cosines: the state must not overflow before their scales are
 * applied.
 */
import { type Formula, plainReal, type Real } from './complex.ts';
import type { GrowthSegment } from './matrix-pool.ts';
import type { MovingItem } from './work-items.ts';

/**
 * What a rotation by an unknown angle counts for. The mean of log2 |1/cos| over all angles is 1, and 1.6 of the
 * larger of two; a third more leaves few programs whose growth exceeds by far what was foretold. Rotations by one
 * angle are all large together.
 */
const EXPECTED = { rotation: 2 ** 1.3, pair: 2 ** 2, repeated: 2 ** 3 } as const;

/** Follows the growth while items are lowered. */
export class Growth {
  readonly #segments: GrowthSegment[] | undefined;
  #now = 1;
  #constant = 1;
  #tangents: [Formula, Formula][] = [];
  /** First entries of the segment's matrices. */
  readonly #entries = new Set<number>();

  /** @param segments - Where segments with tangents that depend on angles are kept. */
  constructor(segments?: GrowthSegment[]) {
    this.#segments = segments;
  }

  /** Largest growth that the items so far are expected to cause. */
  get now(): number {
    return this.#now;
  }

  add(item: MovingItem): void {
    if (item.kind === 'rotation') this.#add(item.t, item.t, EXPECTED.rotation);
    else if (item.kind === 'pair rotation') this.#add(item.even, item.odd, EXPECTED.pair);
  }

  /** Begins a new segment, after scales have been applied. */
  restart(): void {
    if (this.#tangents.length > 0) {
      this.#segments?.push({ constant: this.#constant, tangents: this.#tangents });
      this.#tangents = [];
      this.#entries.clear();
    }
    this.#now = 1;
    this.#constant = 1;
  }

  #add(one: Real, other: Real, expected: number): void {
    const traced = [one, other].flatMap((t) => (typeof t === 'number' ? [] : [t.formula]));
    const growth = Math.hypot(1, Math.max(Math.abs(plainReal(one)), Math.abs(plainReal(other))));
    if (traced.length === 0) {
      this.#now *= growth;
      this.#constant *= growth;
      return;
    }
    const [first, last] = [traced[0]!, traced.at(-1)!];
    const isRepeated = first.kind === 'rotation' && this.#entries.has(first.rotation.entries[0]);
    if (first.kind === 'rotation') this.#entries.add(first.rotation.entries[0]);
    this.#now *= isRepeated ? EXPECTED.repeated : expected;
    this.#tangents.push([first, last]);
  }
}
