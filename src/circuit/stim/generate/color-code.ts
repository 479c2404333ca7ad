/**
 * Memory of a colour code of hexagons in a triangle. Before each round C_XYZ turns X into Y, Y into Z and Z into X on
 * all data qubits, so that three rounds measure the checks of all three kinds.
 */
import type { Qubit } from '../../circuit.ts';
import type { Check, MemoryExperiment } from './memory-experiment.ts';
import type { Basis } from './memory-text.ts';

type Place = readonly [x: number, y: number];

/** Steps from a check to its data qubits, by layer. */
const STEPS: readonly Place[] = [
  [1, 0],
  [0.5, 1],
  [0.5, -1],
  [-1, 0],
  [-0.5, 1],
  [-0.5, -1],
];

/** Basis in which |0…0⟩ is measured after rounds, and the last measurements of a check that agree with it. */
const ENDS: readonly { readonly basis: Basis; readonly rounds: readonly number[] }[] = [
  { basis: 'Z', rounds: [0] },
  { basis: 'X', rounds: [1] },
  { basis: 'Y', rounds: [0, 1] },
];

/**
 * The experiment.
 *
 * @param distance - Odd, at least 3.
 * @param rounds - At least 2; the basis of the last measurement depends on them.
 */
export function colorMemory(distance: number, rounds: number): MemoryExperiment {
  const width = distance + (distance - 1) / 2;
  const places: [Qubit, Place][] = [];
  for (let y = 0; y < width; y++) {
    for (let i = 0; i < width - y; i++) places.push([places.length, [y / 2 + i, y]]);
  }
  const isCheck = ([x, y]: Place) => (x - y / 2) % 3 === (y + 2) % 3;
  const data = places.flatMap(([qubit, place]) => (isCheck(place) ? [] : [qubit]));
  const byPlace = new Map(places.map(([qubit, place]) => [place.join(), qubit]));
  const dataAt = ([x, y]: Place, [dx, dy]: Place) => byPlace.get([x + dx, y + dy].join());
  const checks = places.flatMap(([qubit, place]): Check[] =>
    isCheck(place)
      ? [{ qubit, place, data: STEPS.flatMap((step) => dataAt(place, step) ?? []) }]
      : [],
  );
  const fromLeft = checks.toSorted(
    (a, b) => a.place[0]! - b.place[0]! || a.place[1]! - b.place[1]!,
  );
  const meetings = STEPS.map((step) => ({
    gate: 'CX',
    arity: 2 as const,
    targets: fromLeft.flatMap(({ qubit, place: [x, y] }) => {
      const other = dataAt([x!, y!], step);
      return other === undefined ? [] : [other, qubit];
    }),
  }));
  const { basis, rounds: ends } = ENDS[rounds % 3]!;
  return {
    places,
    data,
    checks,
    resets: [['Z', places.map(([qubit]) => qubit)]],
    layers: [{ gate: 'C_XYZ', arity: 1, targets: data }, ...meetings],
    numFirstRounds: 2,
    first: { checks, rounds: [0, 1] },
    comparedRounds: [0, 1, 2],
    basis,
    last: { checks, rounds: ends },
    logical: places.flatMap(([qubit, place]) => (place[1] === 0 && !isCheck(place) ? [qubit] : [])),
  };
}
