/** Amplitudes of the states that `prepare_state` takes by name. */
import { numOnes } from '../../../math/basis-index.ts';

/** Names of the families of states. */
export const STATE_FAMILIES = ['ghz', 'w', 'dicke', 'uniform'] as const;
/** Name of a family of states. */
export type StateFamily = (typeof STATE_FAMILIES)[number];

/** Number of ones in each basis state of a Dicke state; 1 for W. */
export function onesOf(family: StateFamily, excitations: number | undefined): number {
  return family === 'w' ? 1 : (excitations ?? 1);
}

/** Amplitudes of a named state, interleaved re, im; length 2·2^numQubits. */
export function familyAmplitudes(
  family: StateFamily,
  numQubits: number,
  excitations: number | undefined,
): Float64Array {
  const size = 2 ** numQubits;
  const ones = onesOf(family, excitations);
  const isIn = (index: number): boolean => {
    if (family === 'uniform') return true;
    if (family === 'ghz') return index === 0 || index === size - 1;
    return numOnes(index) === ones;
  };
  const out = new Float64Array(2 * size);
  let count = 0;
  for (let i = 0; i < size; i++) if (isIn(i)) count++;
  for (let i = 0; i < size; i++) if (isIn(i)) out[2 * i] = 1 / Math.sqrt(count);
  return out;
}
