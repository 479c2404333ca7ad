/** Order of shots, whose counts alone are known. */
import { uniformDraw } from '../../math/philox.ts';

/** Event of the random draws that no measurement of a circuit has. */
const ORDER_EVENT = 2 ** 32 - 1;

/**
 * Index of the outcome of each shot. The order is drawn with the seed: shots do not depend on each other, so any order
 * is as likely as that in which they were drawn, which is not kept.
 *
 * @param occurrences - Shots of each outcome.
 */
export function drawnShotOrder(occurrences: ArrayLike<number>, seed: number): Uint32Array {
  let shots = 0;
  for (let i = 0; i < occurrences.length; i++) shots += occurrences[i]!;
  const order = new Uint32Array(shots);
  for (let i = 0, at = 0; i < occurrences.length; i++) {
    order.fill(i, at, at + occurrences[i]!);
    at += occurrences[i]!;
  }
  for (let i = shots - 1; i > 0; i--) {
    const other = Math.floor(uniformDraw(seed, i, ORDER_EVENT, 0) * (i + 1));
    [order[i], order[other]] = [order[other]!, order[i]!];
  }
  return order;
}
