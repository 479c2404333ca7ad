/**
 * Where wires lie: the layout at the start, which is free because |0…0⟩ looks alike in all of them,
 * and the store of each sweep, which gives the lowest places to wires that the next sweep holds.
 */
import type { Qubit } from '../circuit/circuit.ts';
import type { Wire } from './block.ts';
import type { PlannedStep, PlannedSweep } from './sweep-plan.ts';

/** How far ahead it is worth knowing how long a wire stays resident. */
const HORIZON_SWEEPS = 16;

/** The layout during one sweep, and the move at its end. */
export interface PlacedSweep {
  readonly sweep: PlannedSweep;
  /** Ascending. */
  readonly resident: readonly Qubit[];
  readonly store?: readonly Qubit[];
}

/** Wires on their places, step by step. */
export class SweepLayout {
  /** Wire → place, as it stands. */
  readonly placeOf: Qubit[];
  readonly #sweeps: readonly PlannedSweep[];
  readonly #numLowest: number;
  #next = 0;

  constructor(steps: readonly PlannedStep[], numWires: number, contiguousQubits: number) {
    this.#sweeps = steps.filter((step) => step.kind === 'sweep');
    this.#numLowest = Math.min(contiguousQubits, numWires);
    this.placeOf = Array.from({ length: numWires }, (_, wire) => wire);
    const [first] = this.#sweeps;
    // A tile that holds everything, or may hold anything, asks for no order.
    if (first === undefined || first.wires.size === numWires || this.#numLowest === 0) return;
    const lowest = first.lowest ?? this.#mostLasting(first.wires, 0, this.#numLowest);
    const order = new Set(lowest);
    for (const { wires } of this.#sweeps) for (const wire of wires) order.add(wire);
    for (let wire = 0; wire < numWires; wire++) order.add(wire);
    for (const [place, wire] of [...order].entries()) this.placeOf[wire] = place;
  }

  /** Places the next sweep's tile; call `leave` with it when its kernels have their places. */
  enter(): PlacedSweep {
    const sweep = this.#sweeps[this.#next]!;
    const resident = [...sweep.wires].map((wire) => this.placeOf[wire]!).sort((a, b) => a - b);
    const moves = this.#movesAfter(this.#next);
    if (moves.size === 0) return { sweep, resident };
    return { sweep, resident, store: resident.map((place) => moves.get(place) ?? place) };
  }

  /** Goes on to the next sweep. */
  leave({ resident, store }: PlacedSweep): void {
    this.#next++;
    if (store === undefined) return;
    const moves = new Map(resident.map((place, i) => [place, store[i]!]));
    for (const [wire, place] of this.placeOf.entries()) {
      this.placeOf[wire] = moves.get(place) ?? place;
    }
  }

  /** Old place → new place of what must move for the sweep after number `index`. */
  #movesAfter(index: number): ReadonlyMap<Qubit, Qubit> {
    const moves = new Map<Qubit, Qubit>();
    const next = this.#sweeps[index + 1];
    if (next === undefined) return moves;
    const isLow = (wire: Wire) => this.placeOf[wire]! < this.#numLowest;
    const shared = this.#sweeps[index]!.wires.intersection(next.wires);
    const staying = new Set([...(next.lowest ?? shared)].filter(isLow));
    const missing = this.#numLowest - staying.size;
    const others = new Set(next.lowest ?? shared).difference(staying);
    const coming = this.#mostLasting(others, index + 1, missing).map((wire) => this.placeOf[wire]!);
    const kept = new Set([...staying].map((wire) => this.placeOf[wire]!));
    for (let place = 0; place < this.#numLowest; place++) {
      if (kept.has(place)) continue;
      const from = coming.pop();
      if (from === undefined) {
        throw new Error('unreachable: neighbouring sweeps share too few wires');
      }
      moves.set(from, place);
      moves.set(place, from);
    }
    return moves;
  }

  /** The wires that the most sweeps from number `index` on hold without a break. */
  #mostLasting(wires: ReadonlySet<Wire>, index: number, count: number): readonly Wire[] {
    const lasting = (wire: Wire) => {
      let end = index;
      const horizon = Math.min(this.#sweeps.length, index + HORIZON_SWEEPS);
      while (end < horizon && this.#sweeps[end]!.wires.has(wire)) end++;
      return end;
    };
    return [...wires]
      .map((wire) => ({ wire, end: lasting(wire) }))
      .sort((a, b) => b.end - a.end)
      .slice(0, count)
      .map(({ wire }) => wire);
  }
}
