/**
 * Moves qubits to other places without applying anything to them: where the pieces of a circuit with
 * loops meet, and each has its own layout.
 */
import type { Qubit } from '../circuit/circuit.ts';
import { reachOf } from './exchange-plan.ts';
import type { MatrixPool } from './matrix-pool.ts';
import { localQubits, type PermutationKernel, type Step, type TargetProfile } from './program.ts';

/** Where wires lay before steps that left them in these places. */
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

/** Steps after which each qubit lies at `to[qubit]` that lay at `from[qubit]`. */
export function moveSteps(
  from: readonly Qubit[],
  to: readonly Qubit[],
  target: TargetProfile,
  pool: MatrixPool,
): readonly Step[] {
  const steps: Step[] = [];
  /** What is at a place has yet to go to this place. */
  const goesTo = Array.from(from, (_, place) => place);
  for (const [qubit, place] of from.entries()) goesTo[place] = to[qubit]!;
  const swap = (a: Qubit, b: Qubit) => {
    [goesTo[a], goesTo[b]] = [goesTo[b]!, goesTo[a]!];
  };
  const numQubits = from.length;
  const numNear = Math.min(reachOf(target), localQubits(target, numQubits), numQubits);
  // Far places first, each in an exchange with the near place that holds what belongs there.
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
  // Then as many near places in one sweep as a tile holds beside the lowest ones.
  const tileQubits = Math.min(target.tileQubits, numNear);
  const numLowest = Math.min(target.contiguousQubits, numNear);
  for (let first = goesTo.findIndex(isAway); first >= 0; first = goesTo.findIndex(isAway)) {
    const resident = residentFor(goesTo, numLowest, tileQubits);
    const moved = withinTile(goesTo, resident);
    // Swaps rather than a store: a tile that is the whole state is changed where it lies.
    steps.push({ kind: 'sweep', resident, kernels: swapsFor(moved, pool) });
    const before = goesTo.slice();
    for (const [place, next] of moved) goesTo[next] = before[place]!;
  }
  return steps;
}

const isAway = (next: Qubit, place: Qubit): boolean => next !== place;

/** A tile that holds places to move: cycles as far as it has room, ascending. */
function residentFor(
  goesTo: readonly Qubit[],
  numLowest: number,
  tileQubits: number,
): readonly Qubit[] {
  const resident = new Set(Array.from({ length: numLowest }, (_, place) => place));
  for (const [first, next] of goesTo.entries()) {
    if (next === first) continue;
    for (let place = first; ; place = goesTo[place]!) {
      if (resident.size === tileQubits && !resident.has(place)) break;
      resident.add(place);
      if (goesTo[place] === first) break;
    }
  }
  return [...resident].sort((a, b) => a - b);
}

/** Old place → new place inside a tile: each to where it belongs, or along its way as far as it goes. */
function withinTile(
  goesTo: readonly Qubit[],
  resident: readonly Qubit[],
): ReadonlyMap<Qubit, Qubit> {
  const inside = new Set(resident);
  const moved = new Map<Qubit, Qubit>();
  const taken = new Set<Qubit>();
  for (const place of resident) {
    const next = goesTo[place]!;
    if (!inside.has(next)) continue;
    moved.set(place, next);
    taken.add(next);
  }
  // What belongs outside takes the places that are left.
  const left = resident.filter((place) => !taken.has(place));
  for (const place of resident) {
    if (!moved.has(place)) moved.set(place, left.shift()!);
  }
  return moved;
}

/** The entries of a permutation without phases. */
const ONES = Float64Array.of(1, 0, 1, 0, 1, 0, 1, 0);

/** A permutation of places as swaps of two. */
function swapsFor(
  moved: ReadonlyMap<Qubit, Qubit>,
  pool: MatrixPool,
): readonly PermutationKernel[] {
  const goesTo = new Map(moved);
  const offset = pool.add(ONES);
  const swaps: PermutationKernel[] = [];
  for (const first of moved.keys()) {
    for (let place = goesTo.get(first)!; place !== first; ) {
      const targets = [first, place];
      swaps.push({ kind: 'permutation', targets, controls: [], offset, rows: [0, 2, 1, 3] });
      const next = goesTo.get(place)!;
      goesTo.set(place, place);
      place = next;
    }
    goesTo.set(first, first);
  }
  return swaps;
}
