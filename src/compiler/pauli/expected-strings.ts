/**
 * Expected number of Pauli strings that an observable is taken back to, by random paths through the maps of a program.
 *
 * A path follows one string of each image, and has as weight the product of the numbers of strings that it chose among.
 * The mean weight is that of the tree of strings before equal ones are added up; there are never more of these than
 * strings on the qubits that paths have reached.
 *
 * @see Knuth, "Estimating the efficiency of backtrack programs", Mathematics of Computation 29, 1975.
 */
import type { PauliFactor, PauliSum } from '../../circuit/observable.ts';
import { uniformDraw } from '../../math/philox.ts';
import type { PauliProgram } from '../program.ts';

/** Paths of an observable: fewer through many maps, so that they take a few milliseconds. */
const MAX_PATHS = 64;
const MIN_PATHS = 8;
const MAX_STEPS = 2 ** 17;
const SEED = 1;

/** Bits of a letter: whether it has X, and Z. */
const BITS: Readonly<Record<PauliFactor['pauli'], number>> = { X: 1, Z: 2, Y: 3 };

/**
 * Strings of an observable, summed over the maps of a program: the work that the program takes for it.
 *
 * @returns At least the number of maps, and at most that times `maxTerms`.
 */
export function expectedStrings({ maps, maxTerms }: PauliProgram, observable: PauliSum): number {
  const paths = Math.min(MAX_PATHS, Math.max(MIN_PATHS, Math.floor(MAX_STEPS / maps.length)));
  const weights = new Float64Array(maps.length);
  const reached = new Float64Array(maps.length);
  for (let path = 0; path < paths && observable.length > 0; path++) {
    const { factors } = observable[path % observable.length]!;
    const letters = new Map(factors.map(({ qubit, pauli }) => [qubit, BITS[pauli]]));
    let weight = observable.length;
    for (const [m, { qubits, strings }] of maps.entries()) {
      const code = qubits.reduce(
        (sum, qubit, j) => sum | ((letters.get(qubit) ?? 0) << (2 * j)),
        0,
      );
      const [start, end] = [strings.starts[code]!, strings.starts[code + 1]!];
      weight *= end - start;
      if (weight === 0) break;
      const draw = uniformDraw(SEED, path, m, 0);
      const image = strings.images[start + Math.floor(draw * (end - start))]!;
      for (const [j, qubit] of qubits.entries()) {
        const letter = (image >>> (2 * j)) & 3;
        if (letter === 0) letters.delete(qubit);
        else letters.set(qubit, letter);
      }
      weights[m]! += weight / paths;
      reached[m] = Math.max(reached[m]!, letters.size);
    }
  }
  return weights.reduce(
    (sum, mean, m) => sum + Math.min(maxTerms, Math.max(1, Math.min(mean, 4 ** reached[m]!))),
    0,
  );
}
