/** An observable as an operator: its action on a state, and its exponential e^{−iHt} as a matrix. */
import { type PauliSum, type PauliTerm, pauliMasks } from '../../../circuit/observable.ts';
import { hasOddParity } from '../../../math/basis-index.ts';
import {
  type ComplexMatrix,
  identity,
  multiply,
  orthonormalizedRows,
} from '../../../math/complex-matrix.ts';

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

/** The exponent is halved until its norm is below this. */
const SMALL = 0.25;
/** 0.25^20/20! is far below rounding. */
const NUM_TERMS = 20;

/**
 * Computes the exponential by its Taylor series after repeated halving, then squares as often.
 *
 * @returns 2^numQubits rows.
 */
export function exponential(observable: PauliSum, numQubits: number, time: number): ComplexMatrix {
  const d = 2 ** numQubits;
  const generator = generatorMatrix(observable, d, time);
  const size =
    Math.abs(time) * observable.reduce((sum, term) => sum + Math.abs(term.coefficient), 0);
  const numHalvings = Math.max(0, Math.ceil(Math.log2(size / SMALL)));
  const small = generator.map((part) => part / 2 ** numHalvings);
  let term = identity(d);
  let result = identity(d);
  for (let k = 1; k <= NUM_TERMS; k++) {
    term = multiply(term, small).map((part) => part / k);
    result = result.map((part, i) => part + term[i]!);
  }
  for (let i = 0; i < numHalvings; i++) result = multiply(result, result);
  return orthonormalizedRows(result);
}

/** The matrix −iHt. */
function generatorMatrix(observable: PauliSum, d: number, time: number): ComplexMatrix {
  const out = new Float64Array(2 * d * d);
  const image = new Float64Array(2 * d);
  for (let column = 0; column < d; column++) {
    const unit = new Float64Array(2 * d);
    unit[2 * column] = 1;
    applyObservable(observable, unit, image);
    for (let row = 0; row < d; row++) {
      const at = 2 * (row * d + column);
      // −i·(a + bi) = b − ai.
      out[at] = time * image[2 * row + 1]!;
      out[at + 1] = -time * image[2 * row]!;
    }
  }
  return out;
}
