/**
 * Memories of surface codes, rotated and not. A check meets its data qubits in an order in which one error of its qubit
 * spreads across the logical operator that it could add to, and in which no two checks meet a qubit at once.
 */
import type { Qubit } from '../../circuit.ts';
import type { Check, MemoryExperiment } from './memory-experiment.ts';

type Place = readonly [x: number, y: number];

/** A surface code on a plane. */
interface SurfaceCode {
  readonly qubitAt: (place: Place) => Qubit;
  readonly data: readonly Place[];
  /** By kind, from left to right, in a column from y = 0 on. */
  readonly checks: Readonly<Record<'X' | 'Z', readonly Place[]>>;
  /** Steps from a check to its data qubits, by layer. */
  readonly steps: Readonly<Record<'X' | 'Z', readonly Place[]>>;
  /** Whether a data qubit belongs to the logical operator. */
  readonly isLogical: Readonly<Record<'X' | 'Z', (place: Place) => boolean>>;
}

/** Memory of the rotated code, of an X or a Z operator. */
export const rotatedMemory = (distance: number, basis: 'X' | 'Z'): MemoryExperiment =>
  memoryOf(rotatedCode(distance), basis);

/** Memory of the code that is not rotated. */
export const unrotatedMemory = (distance: number, basis: 'X' | 'Z'): MemoryExperiment =>
  memoryOf(unrotatedCode(distance), basis);

/** Data qubits at odd coordinates, checks at even ones. */
function rotatedCode(distance: number): SurfaceCode {
  const edge = 2 * distance;
  const all = placesIn(edge);
  const isEven = ([x, y]: Place) => x % 2 === 0 && y % 2 === 0;
  const isEdge = (at: number) => at === 0 || at === edge;
  const ofX = ([x, y]: Place) => (x + y) % 4 === 2;
  return {
    qubitAt: ([x, y]) => x + Math.floor(y / 2) * (edge + 1),
    data: all.filter(([x, y]) => x % 2 === 1 && y % 2 === 1),
    checks: {
      X: all.filter((place) => isEven(place) && ofX(place) && !isEdge(place[0])),
      Z: all.filter((place) => isEven(place) && !ofX(place) && !isEdge(place[1])),
    },
    steps: {
      X: [
        [1, 1],
        [-1, 1],
        [1, -1],
        [-1, -1],
      ],
      Z: [
        [1, 1],
        [1, -1],
        [-1, 1],
        [-1, -1],
      ],
    },
    isLogical: { X: ([x]) => x === 1, Z: ([, y]) => y === 1 },
  };
}

/** Data qubits where the sum of the coordinates is even. */
function unrotatedCode(distance: number): SurfaceCode {
  const edge = 2 * distance - 2;
  const all = placesIn(edge);
  const steps: readonly Place[] = [
    [1, 0],
    [0, 1],
    [0, -1],
    [-1, 0],
  ];
  return {
    qubitAt: ([x, y]) => x + y * (edge + 1),
    data: all.filter(([x, y]) => (x + y) % 2 === 0),
    checks: {
      X: all.filter(([x, y]) => x % 2 === 1 && y % 2 === 0),
      Z: all.filter(([x, y]) => x % 2 === 0 && y % 2 === 1),
    },
    steps: { X: steps, Z: steps },
    isLogical: { X: ([x]) => x === 0, Z: ([, y]) => y === 0 },
  };
}

/** Places from 0 to `edge`, column by column. */
function placesIn(edge: number): readonly Place[] {
  const along = Array.from({ length: edge + 1 }, (_, i) => i);
  return along.flatMap((x) => along.map((y): Place => [x, y]));
}

function memoryOf(code: SurfaceCode, basis: 'X' | 'Z'): MemoryExperiment {
  const { qubitAt } = code;
  const byPlace = new Map(code.data.map((place) => [place.join(), qubitAt(place)]));
  const dataAt = ([x, y]: Place, [dx, dy]: Place) => byPlace.get([x + dx, y + dy].join());
  const checksOf = (kind: 'X' | 'Z') =>
    code.checks[kind].map(
      (place): Check => ({
        qubit: qubitAt(place),
        place,
        data: code.steps[kind].flatMap((step) => dataAt(place, step) ?? []),
      }),
    );
  const checks = { X: checksOf('X'), Z: checksOf('Z') };
  const turn = {
    gate: 'H',
    arity: 1 as const,
    targets: checks.X.map(({ qubit }) => qubit).toSorted(ascending),
  };
  const meetings = [0, 1, 2, 3].map((layer) => ({
    gate: 'CX',
    arity: 2 as const,
    targets: (['X', 'Z'] as const).flatMap((kind) =>
      code.checks[kind].flatMap((place) => {
        const data = dataAt(place, code.steps[kind][layer]!);
        if (data === undefined) return [];
        return kind === 'X' ? [qubitAt(place), data] : [data, qubitAt(place)];
      }),
    ),
  }));
  const data = code.data.map(qubitAt).toSorted(ascending);
  const all = [...checks.X, ...checks.Z].toSorted((a, b) => a.qubit - b.qubit);
  const places = [...code.data, ...code.checks.X, ...code.checks.Z]
    .map((place) => [qubitAt(place), place] as const)
    .toSorted(([a], [b]) => a - b);
  return {
    places,
    data,
    checks: all,
    resets: [
      [basis, data],
      ['Z', all.map(({ qubit }) => qubit)],
    ],
    layers: [turn, ...meetings, turn],
    numFirstRounds: 1,
    first: { checks: checks[basis], rounds: [0] },
    comparedRounds: [0, 1],
    basis,
    last: { checks: checks[basis], rounds: [0] },
    logical: code.data.filter(code.isLogical[basis]).map(qubitAt),
  };
}

const ascending = (a: number, b: number) => a - b;
