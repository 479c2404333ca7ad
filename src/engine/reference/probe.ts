/** The sums of a probe over the whole state, as `ProbeKernel` defines them. */
import type { ProbeKernel } from '../../compiler/program.ts';
import { insertZeroBits } from '../../math/basis-index.ts';
import { UNITS_PER_CHUNK } from '../time-slicer.ts';
import type { StateKernel } from './kernels.ts';

/**
 * A kernel that changes nothing.
 *
 * @param sums - Those of the program, which it adds to.
 */
export function probeKernel(
  { targets, controls, ancilla, sums: { first, flips, signs } }: ProbeKernel,
  numQubits: number,
  sums: Float64Array,
): StateKernel {
  if (ancilla === undefined) throw new Error('unreachable: a probe without an ancilla');
  const costate = 1 << ancilla;
  const controlMask = maskOf(controls);
  const fixedMask = maskOf(targets) | costate | controlMask;
  const fixedQubits = [...targets, ancilla, ...controls].sort((a, b) => a - b);
  const offsetOf = (value: number) => maskOf(targets.filter((_, i) => (value >> i) & 1));
  const pairs = flips.map(({ row, column }) => [offsetOf(row), offsetOf(column)] as const);
  const offsets = Array.from({ length: 2 ** targets.length }, (_, value) => offsetOf(value));
  const unitsPerGroup = 2 * (pairs.length + signs.length * offsets.length);
  return {
    numGroups: 2 ** (numQubits - fixedQubits.length),
    groupsPerChunk: Math.max(1, Math.floor(UNITS_PER_CHUNK / unitsPerGroup)),
    unitsPerGroup,
    apply(state, from, to) {
      let base = insertZeroBits(from, fixedQubits);
      for (let group = from; group < to; group++) {
        const psi = base | controlMask;
        let at = first;
        for (const [row, column] of pairs) {
          const [re, im] = product(state, psi | costate | row, psi | column);
          const [otherRe, otherIm] = product(state, psi | costate | column, psi | row);
          // The second is conjugated.
          sums[at++]! += re - otherRe;
          sums[at++]! += im + otherIm;
        }
        for (const set of signs) {
          for (const [value, offset] of offsets.entries()) {
            const [, im] = product(state, psi | costate | offset, psi | offset);
            sums[at]! += isOdd(value & set) ? -im : im;
          }
          at++;
        }
        base = ((base | fixedMask) + 1) & ~fixedMask;
      }
    },
  };
}

/** conj(a)·b of two amplitudes. */
function product(state: Float64Array, a: number, b: number): readonly [re: number, im: number] {
  const [aRe, aIm, bRe, bIm] = [state[2 * a]!, state[2 * a + 1]!, state[2 * b]!, state[2 * b + 1]!];
  return [aRe * bRe + aIm * bIm, aRe * bIm - aIm * bRe];
}

function maskOf(qubits: readonly number[]): number {
  return qubits.reduce((mask, qubit) => mask | (1 << qubit), 0);
}

function isOdd(bits: number): boolean {
  let odd = false;
  for (let rest = bits; rest !== 0; rest &= rest - 1) odd = !odd;
  return odd;
}
