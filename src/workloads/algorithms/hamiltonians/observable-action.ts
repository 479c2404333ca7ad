/** An observable applied to a state. */
import { type PauliSum, type PauliTerm, pauliMasks } from '../../../circuit/observable.ts';
import { hasOddParity } from '../../../math/basis-index.ts';

/**
 * out ← O·state.
 *
 * @param state - Interleaved re, im; at most 2^29 amplitudes.
 * @param out - Overwritten; as long as the state, and not the state.
 * @returns ⟨state|O|state⟩.
 */
export function applyObservable(
  observable: PauliSum,
  state: Float64Array,
  out: Float64Array,
): number {
  out.fill(0);
  for (const term of observable) addTerm(term, state, out);
  let value = 0;
  for (let i = 0; i < state.length; i++) value += state[i]! * out[i]!;
  return value;
}

function addTerm(
  { coefficient, factors }: PauliTerm,
  state: Float64Array,
  out: Float64Array,
): void {
  const { flips, signs, numY } = pauliMasks(factors);
  const numAmplitudes = state.length / 2;
  // i^numY is real or imaginary.
  const real = [1, 0, -1, 0][numY % 4]! * coefficient;
  const imaginary = [0, 1, 0, -1][numY % 4]! * coefficient;
  for (let j = 0; j < numAmplitudes; j++) {
    const sign = hasOddParity(j & signs) ? -1 : 1;
    const re = sign * state[2 * j]!;
    const im = sign * state[2 * j + 1]!;
    const to = 2 * (j ^ flips);
    out[to]! += real * re - imaginary * im;
    out[to + 1]! += real * im + imaginary * re;
  }
}
