/**
 * Derivatives of expectation values from expectation values at shifted angles.
 *
 * Each angle is shifted by itself, which is what makes the rule exact where gates share a parameter: the chain rule does
 * the rest. All shifts of a circuit are circuits of its shape.
 *
 * @see shift-rule.ts for the rules and their sources.
 */
import { sumOfAngles } from '../../math/angles.ts';
import type { AngleShift } from './shift-rule.ts';

/**
 * Angles of the shifted circuits of some circuits: those of one circuit after the other, in the order of the shifts.
 *
 * @param angles - Radians, circuit after circuit, `numAngles` each.
 * @param from - The first of the circuits, of `count`.
 */
export function shiftedAngles(
  angles: Float64Array,
  numAngles: number,
  from: number,
  count: number,
  shifts: readonly AngleShift[],
): Float64Array {
  const shifted = new Float64Array(count * shifts.length * numAngles);
  for (let k = 0, at = 0; k < count; k++) {
    const own = angles.subarray((from + k) * numAngles, (from + k + 1) * numAngles);
    for (const { angle, shift } of shifts) {
      shifted.set(own, at);
      shifted[at + angle] = sumOfAngles(own[angle]!, shift);
      at += numAngles;
    }
  }
  return shifted;
}

/**
 * Derivatives by the angles of circuit k of those circuits.
 *
 * @param values - Expectation values of the shifted circuits, `numObservables` each.
 * @param observable - Number of the observable.
 * @param out - Overwritten, one number for each angle.
 * @returns `out`.
 */
export function shiftedGradient(
  values: Float64Array,
  k: number,
  observable: number,
  numObservables: number,
  shifts: readonly AngleShift[],
  out: Float64Array,
): Float64Array {
  out.fill(0);
  for (const [s, { angle, weight }] of shifts.entries()) {
    out[angle]! += weight * values[(k * shifts.length + s) * numObservables + observable]!;
  }
  return out;
}
