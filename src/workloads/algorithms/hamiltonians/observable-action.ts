/** An observable applied to a state. */
import type { PauliSum } from '../../../circuit/observable.ts';

/** A term as what it does to basis state j: coefficient · i^numY · (−1)^|j & signMask| at j ^ flipMask. */
interface TermAction {
  readonly coefficient: number;
  readonly numY: number;
  readonly flipMask: number;
  readonly signMask: number;
}

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
  for (const term of actionsOf(observable)) addTerm(term, state, out);
  let value = 0;
  for (let i = 0; i < state.length; i++) value += state[i]! * out[i]!;
  return value;
}

function actionsOf(observable: PauliSum): readonly TermAction[] {
  return observable.map(({ coefficient, factors }) => {
    let [numY, flipMask, signMask] = [0, 0, 0];
    for (const { pauli, qubit } of factors) {
      if (pauli === 'Y') numY++;
      if (pauli !== 'Z') flipMask |= 1 << qubit;
      if (pauli !== 'X') signMask |= 1 << qubit;
    }
    return { coefficient, numY, flipMask, signMask };
  });
}

function addTerm(term: TermAction, state: Float64Array, out: Float64Array): void {
  const { coefficient, numY, flipMask, signMask } = term;
  const numAmplitudes = state.length / 2;
  // i^numY is real or imaginary.
  const real = [1, 0, -1, 0][numY % 4]! * coefficient;
  const imaginary = [0, 1, 0, -1][numY % 4]! * coefficient;
  for (let j = 0; j < numAmplitudes; j++) {
    const sign = isOdd(j & signMask) ? -1 : 1;
    const re = sign * state[2 * j]!;
    const im = sign * state[2 * j + 1]!;
    const to = 2 * (j ^ flipMask);
    out[to]! += real * re - imaginary * im;
    out[to + 1]! += real * im + imaginary * re;
  }
}

/** Whether an odd number of bits is set. */
function isOdd(bits: number): boolean {
  let folded = bits ^ (bits >>> 16);
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  folded ^= folded >>> 2;
  folded ^= folded >>> 1;
  return (folded & 1) === 1;
}
