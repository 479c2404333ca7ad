/** Compiles sweeps and exchanges into kernels over the whole state; this engine has no tiles. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { Exchange, PermutationKernel, Program, Sweep } from '../../compiler/program.ts';
import { type StateKernel, stateKernel } from './kernels.ts';
import { probeKernel } from './probe.ts';

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
