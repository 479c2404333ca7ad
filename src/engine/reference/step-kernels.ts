/** Compiles sweeps and exchanges into kernels over the whole state; this engine has no tiles. */
import type { Qubit } from '../../circuit/circuit.ts';
import type {
  Exchange,
  PermutationKernel,
  ProbeKernel,
  Program,
  Sweep,
} from '../../compiler/program.ts';
import { insertZeroBits } from '../../math/basis-index.ts';
import { UNITS_PER_CHUNK } from '../time-slicer.ts';
import { type StateKernel, stateKernel } from './kernels.ts';

/** Entries of a permutation of four rows without phases. */
const ONES = Float64Array.of(1, 0, 1, 0, 1, 0, 1, 0);

/**
 * Kernels of each step of a program; empty if the step is neither a sweep nor an exchange.
 *
 * @param sums - What probes add to, if there are any.
 */
export function stepKernels(
  program: Program,
  sums?: Float64Array,
): readonly (readonly StateKernel[])[] {
  const { matrices, numQubits } = program;
  return program.steps.map((step) => {
    if (step.kind !== 'sweep' && step.kind !== 'exchange') return [];
    const kernels = step.kind === 'sweep' ? step.kernels : [];
    return [
      ...kernels.map((kernel) => {
        if (kernel.kind !== 'probe') return stateKernel(kernel, matrices, numQubits);
        if (sums === undefined) throw new Error('unreachable: a probe outside a gradient');
        return probeKernel(kernel, numQubits, sums);
      }),
      ...swapsOf(step).map((swap) => stateKernel(swap, ONES, numQubits)),
    ];
  });
}

/** Number of kernels that `stepKernels` makes of a step. */
export function numKernelsOf(step: Sweep | Exchange): number {
  return (step.kind === 'sweep' ? step.kernels.length : 0) + swapsOf(step).length;
}

/** The moves of a step, as swaps of two qubits. */
function swapsOf(step: Sweep | Exchange): readonly PermutationKernel[] {
  return step.kind === 'sweep' ? movesOf(step) : step.pairs.map(([far, near]) => swapOf(far, near));
}

/** A swap of two qubits; its entries are `ONES`. */
function swapOf(a: Qubit, b: Qubit): PermutationKernel {
  return { kind: 'permutation', targets: [a, b], controls: [], offset: 0, rows: [0, 2, 1, 3] };
}

/** The cycles of a sweep's store, as swaps with the first qubit of each. */
function movesOf({ resident, store = resident }: Sweep): readonly PermutationKernel[] {
  const goesTo = new Map(resident.map((place, i) => [place, store[i]!]));
  const swaps: PermutationKernel[] = [];
  for (const first of resident) {
    for (let place = goesTo.get(first)!; place !== first; ) {
      swaps.push(swapOf(first, place));
      const next = goesTo.get(place)!;
      goesTo.set(place, place);
      place = next;
    }
    goesTo.set(first, first);
  }
  return swaps;
}

/**
 * A kernel that changes nothing: the sums of a probe over the whole state, as `ProbeKernel` defines them.
 *
 * @param sums - Those of the program, which it adds to.
 */
function probeKernel(
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
