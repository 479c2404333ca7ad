/** State of the core qubits of a near-Clifford program, and Pauli strings on it. */
import type { CoreString } from '../../compiler/program.ts';
import { hasOddParity, paritySign } from '../../math/basis-index.ts';
import type { TimeSlicer } from '../time-slicer.ts';

/** Bits of the core whose parity, XOR `isNegative`, is the outcome of a string. */
export interface ParityReading {
  readonly mask: number;
  readonly isNegative: boolean;
}

/** A state vector, interleaved re, im, of at most 30 qubits; it starts in |0…0⟩. */
export class CoreState {
  readonly amplitudes: Float64Array;

  constructor(numQubits: number) {
    this.amplitudes = new Float64Array(2 * 2 ** numQubits);
    this.amplitudes[0] = 1;
  }

  /** Applies exp(−i·angle/2·string). */
  async rotate(string: CoreString, angle: number, slicer: TimeSlicer) {
    const numStates = this.amplitudes.length / 2;
    const size = string.flips === 0 ? numStates : numStates / 2;
    const [cosine, sine] = [Math.cos(angle / 2), Math.sin(angle / 2)];
    await inSlices(size, slicer, (from, to) => {
      rotateRange(this.amplitudes, string, cosine, sine, from, to);
    });
  }

  /** Adds the state after a string, times a coefficient, to a vector of the same length. */
  async addTo(
    vector: Float64Array,
    { flips, signs, turns }: CoreString,
    coefficient: number,
    slicer: TimeSlicer,
  ): Promise<void> {
    const state = this.amplitudes;
    const [re, im] = quarterTurn(turns);
    await inSlices(state.length / 2, slicer, (from, to) => {
      for (let x = from; x < to; x++) {
        const aRe = state[2 * x]!;
        const aIm = state[2 * x + 1]!;
        const weight = paritySign(x & signs) * coefficient;
        const at = 2 * (x ^ flips);
        vector[at]! += weight * (re * aRe - im * aIm);
        vector[at + 1]! += weight * (re * aIm + im * aRe);
      }
    });
  }

  /** Rotates the state so that commuting strings become parities of bits, and returns these. */
  async diagonalize(
    strings: readonly CoreString[],
    slicer: TimeSlicer,
  ): Promise<readonly ParityReading[]> {
    let current = strings;
    for (let i = 0; i < current.length; i++) {
      const string = current[i]!;
      if (string.flips === 0) continue;
      const z = { flips: 0, signs: string.flips & -string.flips, turns: 0 };
      // A quarter turn about i·string·Z makes the string −Z. Others commute with the string; those that anticommute
      // with Z are multiplied by −string·Z.
      const stringTimesZ = product(string, z);
      const axis = { ...stringTimesZ, turns: stringTimesZ.turns + 1 };
      await this.rotate(axis, Math.PI / 2, slicer);
      current = current.map((other) => {
        if ((other.flips & z.signs) === 0) return other;
        const turned = product(other, stringTimesZ);
        return { ...turned, turns: turned.turns + 2 };
      });
    }
    return current.map(({ signs, turns }) => ({ mask: signs, isNegative: (turns & 3) === 2 }));
  }
}

/** Applies cosine − i·sine·string to the first `numStates` amplitudes. */
export function rotateStates(
  amplitudes: Float64Array,
  string: CoreString,
  cosine: number,
  sine: number,
  numStates: number,
): void {
  const size = string.flips === 0 ? numStates : numStates / 2;
  rotateRange(amplitudes, string, cosine, sine, 0, size);
}

/** A part of a rotation: of its amplitudes, or if the string has flips of its pairs of amplitudes. */
function rotateRange(
  amplitudes: Float64Array,
  { flips, signs, turns }: CoreString,
  cosine: number,
  sine: number,
  from: number,
  to: number,
): void {
  // −i·sine·i^turns: the string takes basis state x to this times (−1)^parity(x & signs), at x ^ flips.
  const [re, im] = quarterTurn(turns + 3);
  if (flips === 0) turn(amplitudes, signs, cosine, im * sine, from, to);
  else mix(amplitudes, flips, signs, cosine, re * sine, im * sine, from, to);
}

/** Multiplies amplitudes by cosine + i·sine, or its conjugate where the parity of the signs is odd. */
function turn(
  state: Float64Array,
  signs: number,
  cosine: number,
  sine: number,
  from: number,
  to: number,
): void {
  for (let x = from; x < to; x++) {
    const im = paritySign(x & signs) * sine;
    const aRe = state[2 * x]!;
    const aIm = state[2 * x + 1]!;
    state[2 * x] = cosine * aRe - im * aIm;
    state[2 * x + 1] = cosine * aIm + im * aRe;
  }
}

/** Adds to each amplitude of some pairs the other one times a factor; `from` and `to` number the pairs. */
function mix(
  state: Float64Array,
  flips: number,
  signs: number,
  cosine: number,
  re: number,
  im: number,
  from: number,
  to: number,
): void {
  // The first of a pair has a 0 at the highest bit of the flips.
  const below = 2 ** (31 - Math.clz32(flips)) - 1;
  const partnerSign = paritySign(flips & signs);
  for (let pair = from; pair < to; pair++) {
    const here = ((pair & ~below) << 1) | (pair & below);
    const a = 2 * here;
    const b = 2 * (here ^ flips);
    const aRe = state[a]!;
    const aIm = state[a + 1]!;
    const bRe = state[b]!;
    const bIm = state[b + 1]!;
    const fromA = paritySign(here & signs);
    const fromB = fromA * partnerSign;
    state[a] = cosine * aRe + fromB * (re * bRe - im * bIm);
    state[a + 1] = cosine * aIm + fromB * (re * bIm + im * bRe);
    state[b] = cosine * bRe + fromA * (re * aRe - im * aIm);
    state[b + 1] = cosine * bIm + fromA * (re * aIm + im * aRe);
  }
}

/** Indices that are worked on between two looks at the clock; some 2 ms. */
const SLICE = 2 ** 20;

/** Works on indices 0 to size − 1, some at a time. */
export async function inSlices(
  size: number,
  slicer: TimeSlicer,
  work: (from: number, to: number) => void,
): Promise<void> {
  for (let from = 0; from < size; from += SLICE) {
    const to = Math.min(size, from + SLICE);
    work(from, to);
    if (slicer.spend(to - from)) await slicer.pause();
  }
}

/** i^turns. */
export function quarterTurn(turns: number): readonly [re: number, im: number] {
  return (
    [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ] as const
  )[turns & 3]!;
}

const product = (left: CoreString, right: CoreString): CoreString => ({
  flips: left.flips ^ right.flips,
  signs: left.signs ^ right.signs,
  turns: left.turns + right.turns + (hasOddParity(left.signs & right.flips) ? 2 : 0),
});
