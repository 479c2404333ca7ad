/**
 * Gain of a state under rotations without their cosines: the factor by which its amplitudes may become larger. Neither
 * the state nor a product of some of the scales that are still to be applied may leave the range of the precision.
 *
 * The scales of a rotation by t are 1/hypot(1, t). Those of a pair of rotations are a diagonal on two qubits, which is
 * applied as monomials: with h and g the two hypotenuses, the factors 1/h, h/g, h/g and (g/h)². Amplitudes that have
 * some of these factors and lack others are off by up to max(h, g)·max(h/g, g/h)², the range of the pair.
 */
import { plainReal, type Real } from './complex.ts';
import type { RotationSegment } from './matrix-pool.ts';
import type { MovingItem } from './work-items.ts';

/**
 * Gain assumed for a rotation by an unknown angle. Over all angles the mean of log2 |1/cos| is 1, and that of the
 * range of a pair 4.1; slightly larger values leave few programs whose range far exceeds the estimate.
 * Rotations by one angle are all large together.
 */
const EXPECTED = { rotation: 2 ** 1.3, pair: 2 ** 4.2, repeated: 2 ** 1.7 } as const;

/**
 * The range of a rotation or a pair of rotations.
 *
 * @param one - hypot(1, t) of the rotations.
 */
export function rangeOf(one: number, other: number): number {
  const [low, high] = one < other ? [one, other] : [other, one];
  return high * (high / low) ** 2;
}

/** Keeps track of the gain while items are lowered. */
export class Gain {
  readonly #segments: RotationSegment[] | undefined;
  #now = 1;
  #constant = 1;
  #tangents: [Real, Real][] = [];
  /** First entries of the segment's matrices. */
  readonly #entries = new Set<number>();

  /** @param segments - Receives the segments with tangents that depend on angles. */
  constructor(segments?: RotationSegment[]) {
    this.#segments = segments;
  }

  /** Largest gain expected of the items so far. */
  get now(): number {
    return this.#now;
  }

  add(item: MovingItem): void {
    if (item.kind === 'rotation') this.#add(item.t, item.t, EXPECTED.rotation);
    else if (item.kind === 'map') this.#now *= item.gain;
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
    const [first] = traced;
    if (first === undefined) {
      const hypotenuses = [one, other].map((t) => Math.hypot(1, plainReal(t)));
      this.#now *= Math.max(...hypotenuses);
      this.#constant *= rangeOf(hypotenuses[0]!, hypotenuses[1]!);
      return;
    }
    const isRepeated = first.kind === 'rotation' && this.#entries.has(first.rotation.entries[0]);
    if (first.kind === 'rotation') this.#entries.add(first.rotation.entries[0]);
    this.#now *= isRepeated ? expected * EXPECTED.repeated : expected;
    this.#tangents.push([one, other]);
  }
}
