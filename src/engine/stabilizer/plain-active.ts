/** Kernels on states of active qubits, in plain TypeScript. Addresses are indices of doubles. */
import type { CoreString } from '../../compiler/program.ts';
import { paritySign } from '../../math/basis-index.ts';
import { quarterTurn } from './core-state.ts';

/** @see StabilizerKernels */
export function copyScaled(
  doubles: Float64Array,
  to: number,
  from: number,
  numStates: number,
  factor: number,
): void {
  for (let i = 0; i < 2 * numStates; i++) doubles[to + i] = factor * doubles[from + i]!;
}

/** @see StabilizerKernels */
export function multiplyRepeated(
  doubles: Float64Array,
  at: number,
  numSmall: number,
  phases: number,
  numStates: number,
): void {
  // The highest copy comes first: the amplitudes are read from where the lowest is written.
  for (let copy = 2 * (numStates - numSmall); copy >= 0; copy -= 2 * numSmall) {
    for (let i = 0; i < 2 * numSmall; i += 2) {
      const re = doubles[at + i]!;
      const im = doubles[at + i + 1]!;
      const phaseRe = doubles[phases + copy + i]!;
      const phaseIm = doubles[phases + copy + i + 1]!;
      doubles[at + copy + i] = re * phaseRe - im * phaseIm;
      doubles[at + copy + i + 1] = im * phaseRe + re * phaseIm;
    }
  }
}

/** @see StabilizerKernels */
export function collapseState(
  doubles: Float64Array,
  to: number,
  from: number,
  numStates: number,
  { flips, signs, turns }: CoreString,
  pivot: number,
): number {
  const below = 2 ** pivot - 1;
  // The squares of both parts are summed apart, as vectors sum them.
  let [ofRe, ofIm] = [0, 0];
  const write = (y: number, re: number, im: number) => {
    doubles[to + 2 * y] = re;
    doubles[to + 2 * y + 1] = im;
    ofRe += re * re;
    ofIm += im * im;
  };
  if (flips === 0) {
    // The string is ±1 on each basis state; one of each pair has the outcome.
    const sign = turns === 2 ? -1 : 1;
    for (let y = 0; y < numStates; y++) {
      const first = ((y & ~below) << 1) | (y & below);
      const x = paritySign(first & signs) === sign ? first : first | (below + 1);
      write(y, doubles[from + 2 * x]!, doubles[from + 2 * x + 1]!);
    }
    return ofRe + ofIm;
  }
  const [re, im] = quarterTurn(turns);
  for (let y = 0; y < numStates; y++) {
    const x = ((y & ~below) << 1) | (y & below);
    const other = x ^ flips;
    const sign = paritySign(other & signs) * Math.SQRT1_2;
    const bRe = sign * doubles[from + 2 * other]!;
    const bIm = sign * doubles[from + 2 * other + 1]!;
    write(
      y,
      Math.SQRT1_2 * doubles[from + 2 * x]! + re * bRe - im * bIm,
      Math.SQRT1_2 * doubles[from + 2 * x + 1]! + re * bIm + im * bRe,
    );
  }
  return ofRe + ofIm;
}
