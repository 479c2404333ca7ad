/**
 * Moves qubits to other places without applying gates, where pieces of a circuit with loops meet and each
 * piece has its own layout.
 */
import type { Qubit } from '../circuit/circuit.ts';
import { reachOf } from './exchange-plan.ts';
import type { MatrixPool } from './matrix-pool.ts';
import { localQubits, type PermutationKernel, type Step, type TargetProfile } from './program.ts';

/** Entries of a permutation of two qubits without phases. */
const ONES = Float64Array.of(1, 0, 1, 0, 1, 0, 1, 0);

/** Places of wires before steps that left them in the places `after`. */
export function placesBefore(steps: readonly Step[], after: readonly Qubit[]): readonly Qubit[] {
  let places = after;
  for (const step of steps.toReversed()) {
    const cameFrom = new Map<Qubit, Qubit>();
    if (step.kind === 'exchange') {
      for (const [far, near] of step.pairs) cameFrom.set(far, near).set(near, far);
    } else if (step.kind === 'sweep' && step.store !== undefined) {
      for (const [i, place] of step.resident.entries()) cameFrom.set(step.store[i]!, place);
    }
    if (cameFrom.size > 0) places = places.map((place) => cameFrom.get(place) ?? place);
  }
  return places;
}

/** Returns steps that move each qubit from place `from[qubit]` to place `to[qubit]`. */
export function moveSteps(
  from: readonly Qubit[],
  to: readonly Qubit[],
  target: TargetProfile,
  pool: MatrixPool,
): readonly Step[] {
  const steps: Step[] = [];
  /** Destination of the qubit at each place. */
  const goesTo = Array.from(from, (_, place) => place);
  for (const [qubit, place] of from.entries()) goesTo[place] = to[qubit]!;
  const swap = (a: Qubit, b: Qubit) => {
    [goesTo[a], goesTo[b]] = [goesTo[b]!, goesTo[a]!];
  };
  const numQubits = from.length;
  const numNear = Math.min(reachOf(target), localQubits(target, numQubits), numQubits);
  // Far places first: each is exchanged with the near place that holds its qubit.
  for (let far = numNear; far < numQubits; far++) {
    if (goesTo[far] === far) continue;
    const source = goesTo.indexOf(far);
    if (source >= numNear) {
      steps.push({ kind: 'exchange', pairs: [[source, 0]] });
      swap(source, 0);
    }
    const near = source >= numNear ? 0 : source;
    steps.push({ kind: 'exchange', pairs: [[far, near]] });
    swap(far, near);
  }
  // Then swaps of near places, as many in a sweep as its tile can hold. A store cannot do it: a tile that is
  // the whole state is changed in place.
  const tileQubits = Math.min(target.tileQubits, numNear);
  const lowest = Array.from({ length: Math.min(target.contiguousQubits, numNear) }, (_, i) => i);
  const offset = pool.add(ONES);
  let resident = new Set<Qubit>(lowest);
  let kernels: PermutationKernel[] = [];
  const finishSweep = () => {
    if (kernels.length === 0) return;
    steps.push({ kind: 'sweep', resident: [...resident].sort((a, b) => a - b), kernels });
    resident = new Set(lowest);
    kernels = [];
  };
  for (const first of goesTo.keys()) {
    while (goesTo[first] !== first) {
      const targets = [first, goesTo[first]!] as const;
      if (resident.union(new Set(targets)).size > tileQubits) finishSweep();
      for (const place of targets) resident.add(place);
      kernels.push({ kind: 'permutation', targets, controls: [], offset, rows: [0, 2, 1, 3] });
      swap(...targets);
    }
  }
  finishSweep();
  return steps;
}
