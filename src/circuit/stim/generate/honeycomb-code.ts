/**
 * Memory of the honeycomb code on a torus. Qubits are the corners of hexagons in three colours, such that neighbours
 * differ. An edge has the colour of the two hexagons that it connects, and the Pauli of its colour: X, Y or Z. A round
 * measures all edges of one colour, as products of two Paulis. The edges around a hexagon, which two rounds after each
 * other measure, tell the product of its own Pauli over its six corners, a check of the code.
 *
 * The logical operator lies along a closed path of edges and changes with each round: it is multiplied by the edges of
 * the path that were measured. After an odd number of rounds it is a product of one kind of Pauli.
 *
 * @see Hastings & Haah, "Dynamically generated logical qubits", 2021; Gidney, Newman, Fowler & Broughton, "A
 *   fault-tolerant honeycomb memory", 2021, for edges whose Pauli is that of their colour.
 */
import type { Qubit } from '../../circuit.ts';
import { type GeneratedNoise, MemoryText } from './memory-text.ts';

/** Paulis by colour. */
const PAULIS = ['X', 'Y', 'Z'] as const;
/** Colour of the first round: Z of |0…0⟩ agrees with it. */
const FIRST = 2;
/** Rounds before each detector compares a hexagon with its value three rounds before. */
const NUM_FIRST_ROUNDS = 4;

/** An edge, with its number among those of its colour. */
interface Edge {
  readonly ends: readonly [Qubit, Qubit];
  readonly color: number;
  readonly number: number;
}

interface Hexagon {
  readonly place: readonly [number, number];
  readonly corners: readonly Qubit[];
  readonly color: number;
  /** Those of its border. */
  readonly edges: readonly Edge[];
}

/**
 * Writes the experiment.
 *
 * @param distance - Even. The torus has 3/2 as many hexagons in either direction, which is the least for this many
 *   errors of a logical error, if errors of a pair's measurement count as one.
 * @param rounds - Odd, at least 3. A round measures the edges of one colour.
 */
export function honeycombText(distance: number, rounds: number, noise: GeneratedNoise): string {
  const torus = new Torus((3 * distance) / 2);
  const { data } = torus;
  const text = new MemoryText(noise);
  for (const [qubit, place] of torus.places) text.place(qubit, place);
  text.reset('Z', data);
  for (let round = 0; round < Math.min(rounds, NUM_FIRST_ROUNDS); round++) {
    writeRound(torus, round, text);
  }
  const numFurther = Math.max(0, rounds - NUM_FIRST_ROUNDS);
  text.repeat(Math.floor(numFurther / 3), (body) => {
    for (let i = 0; i < 3; i++) writeRound(torus, NUM_FIRST_ROUNDS + i, body);
  });
  for (let i = 0; i < numFurther % 3; i++) writeRound(torus, NUM_FIRST_ROUNDS + i, text);
  writeEnd(torus, colorOf(rounds - 1), text);
  return text.text;
}

const colorOf = (round: number): number => (round + FIRST) % 3;

/** Measures the edges of a round's colour. Rounds from the fourth on differ by their colour alone. */
function writeRound(torus: Torus, round: number, text: MemoryText): void {
  const color = colorOf(round);
  const { numEdges } = torus;
  if (round > 0) text.shiftTime(2);
  text.beginRound(torus.data);
  text.measurePairs(
    PAULIS[color]!,
    torus.edgesOf(color).flatMap(({ ends }) => ends),
  );
  const backOf = (edge: Edge) => numEdges - edge.number;
  text.observable(torus.pathOf(color).map(backOf));
  if (round === 0) {
    for (const edge of torus.edgesOf(color)) {
      text.detector([...torus.placeOf(edge), 0], [backOf(edge)]);
    }
    return;
  }
  const known = (color + 1) % 3;
  const hasBefore = round >= NUM_FIRST_ROUNDS;
  // X and Y of the first round after |0…0⟩ tell Z of hexagons, and are no surprise.
  if (!hasBefore && known !== FIRST) return;
  for (const { place, edges } of torus.hexagonsOf(known)) {
    const now = edges.map((edge) => (edge.color === color ? 0 : numEdges) + backOf(edge));
    const before = hasBefore ? now.map((back) => back + 3 * numEdges) : [];
    text.detector([...place, 0], [...now, ...before]);
  }
}

/** Measures all qubits in the basis of the last colour. */
function writeEnd(torus: Torus, color: number, text: MemoryText): void {
  const { data, numEdges } = torus;
  text.measure(PAULIS[color]!, data);
  const backOf = (qubit: Qubit) => data.length - qubit;
  const backOfEdge = ({ number }: Edge, round: number) =>
    data.length + (round + 1) * numEdges - number;
  for (const edge of torus.edgesOf(color)) {
    const place = [...torus.placeOf(edge), 1];
    text.detector(place, [...edge.ends.map(backOf), backOfEdge(edge, 0)]);
  }
  for (const { place, corners, edges } of torus.hexagonsOf(color)) {
    const before = edges.map((edge) => backOfEdge(edge, (color - edge.color + 3) % 3));
    text.detector([...place, 1], [...corners.map(backOf), ...before]);
  }
  text.observable(torus.pathOf((color + 1) % 3).flatMap(({ ends }) => ends.map(backOf)));
}

/**
 * Hexagons (a, b) with 0 ≤ a, b < size, and neighbours (a ± 1, b), (a, b ± 1), (a + 1, b − 1) and (a − 1, b + 1). A
 * corner belongs to three of them: (a, b), (a + 1, b) and (a, b + 1), or (a + 1, b + 1) and the last two.
 */
class Torus {
  readonly #size: number;
  readonly #edges: readonly (readonly Edge[])[];
  readonly #hexagons: readonly Hexagon[];
  readonly data: readonly Qubit[];
  /** Coordinates of the qubits; hexagons are three apart. */
  readonly places: readonly (readonly [Qubit, readonly [number, number]])[];
  readonly #path: ReadonlySet<Edge>;
  /** Edges by their first end. */
  readonly #edgesAt = new Map<Qubit, readonly Edge[]>();

  /** @param size - A multiple of 3. */
  constructor(size: number) {
    this.#size = size;
    const along = Array.from({ length: size }, (_, i) => i);
    const all = along.flatMap((b) => along.map((a) => [a, b] as const));
    this.data = Array.from({ length: 2 * all.length }, (_, qubit) => qubit);
    this.places = all.flatMap(([a, b]) => [
      [this.#low(a, b), [3 * a + 1, 3 * b + 1]] as const,
      [this.#high(a, b), [3 * a + 2, 3 * b + 2]] as const,
    ]);
    const edges: Edge[][] = [[], [], []];
    const path = new Set<Edge>();
    for (const [a, b] of all) {
      const low = this.#low(a, b);
      for (const [step, high] of [
        [0, this.#high(a, b)],
        [1, this.#high(a - 1, b)],
        [2, this.#high(a, b - 1)],
      ] as const) {
        const color = (hexagonColor(a, b) + step) % 3;
        const edge: Edge = { ends: [low, high], color, number: edges[color]!.length };
        edges[color]!.push(edge);
        this.#edgesAt.set(low, [...(this.#edgesAt.get(low) ?? []), edge]);
        if (b === 0 && step < 2) path.add(edge);
      }
    }
    this.#edges = edges;
    this.#path = path;
    this.#hexagons = all.map(([a, b]) => this.#hexagon(a, b));
  }

  /** Edges of one colour. */
  get numEdges(): number {
    return this.data.length / 2;
  }

  edgesOf(color: number): readonly Edge[] {
    return this.#edges[color]!;
  }

  hexagonsOf(color: number): readonly Hexagon[] {
    return this.#hexagons.filter((hexagon) => hexagon.color === color);
  }

  /** Edges of the logical operator's path. */
  pathOf(color: number): readonly Edge[] {
    return this.edgesOf(color).filter((edge) => this.#path.has(edge));
  }

  /** The place of the first end, of which no other edge of the colour is. */
  placeOf({ ends: [low] }: Edge): readonly [number, number] {
    return this.places[low]![1];
  }

  #number(a: number, b: number): number {
    const within = (at: number) => (at + this.#size) % this.#size;
    return within(b) * this.#size + within(a);
  }

  #low(a: number, b: number): Qubit {
    return 2 * this.#number(a, b);
  }

  #high(a: number, b: number): Qubit {
    return 2 * this.#number(a, b) + 1;
  }

  #hexagon(a: number, b: number): Hexagon {
    const corners = [
      this.#low(a, b),
      this.#low(a - 1, b),
      this.#low(a, b - 1),
      this.#high(a - 1, b - 1),
      this.#high(a - 1, b),
      this.#high(a, b - 1),
    ];
    const edges = corners
      .flatMap((corner) => this.#edgesAt.get(corner) ?? [])
      .filter(({ ends: [, high] }) => corners.includes(high));
    return { place: [3 * a, 3 * b], corners, color: hexagonColor(a, b), edges };
  }
}

const hexagonColor = (a: number, b: number): number => (a + 2 * b) % 3;
