/**
 * Chooses a connected part of a device for a small circuit: the qubits and couplers with the smallest reported errors.
 *
 * From each qubit a part is grown by the neighbour that costs least, and the cheapest part wins. A part is denser than
 * a line of the same length, which leaves the router more ways.
 */
import type { CouplingMap } from '../routing/coupling-map.ts';
import type { Device } from './device.ts';

/** Cost in place of an error of a coupler that a part could have and has not, so that dense parts win without errors. */
const DENSITY = 1e-4;

/**
 * Returns the qubits of the part, ascending.
 *
 * @param map - The couplers of the device.
 * @param size - At most the size of the map's largest part.
 */
export function goodPart(
  map: CouplingMap,
  { couplers, errors }: Pick<Device, 'couplers' | 'errors'>,
  size: number,
): readonly number[] {
  const ofCoupler = new Map<string, number>();
  for (const [i, [a, b]] of couplers.entries()) {
    const error = errors?.couplers[i] ?? 0;
    const name = nameOf(a, b);
    ofCoupler.set(name, Math.min(error, ofCoupler.get(name) ?? 1));
  }
  let best: { readonly part: readonly number[]; readonly cost: number } | undefined;
  for (const start of map.largestPart()) {
    const part = new Set([start]);
    let cost = errors?.qubits[start] ?? 0;
    while (part.size < size) {
      const next = cheapestNeighbour(map, part, ofCoupler, errors?.qubits);
      part.add(next.qubit);
      cost += next.cost;
    }
    if (best === undefined || cost < best.cost) best = { part: [...part], cost };
  }
  return [...(best?.part ?? [])].sort((a, b) => a - b);
}

function cheapestNeighbour(
  map: CouplingMap,
  part: ReadonlySet<number>,
  ofCoupler: ReadonlyMap<string, number>,
  ofQubit: readonly number[] | undefined,
): { readonly qubit: number; readonly cost: number } {
  let best: { readonly qubit: number; readonly cost: number } | undefined;
  for (const inside of part) {
    for (const qubit of map.neighbours[inside]!) {
      if (part.has(qubit)) continue;
      const links = map.neighbours[qubit]!.filter((other) => part.has(other));
      const error = Math.min(...links.map((other) => ofCoupler.get(nameOf(qubit, other)) ?? 0));
      const cost = error + (ofQubit?.[qubit] ?? 0) - DENSITY * links.length;
      if (best === undefined || cost < best.cost) best = { qubit, cost };
    }
  }
  if (best === undefined) throw new Error('unreachable: a part as large as the connected qubits');
  return best;
}

function nameOf(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
