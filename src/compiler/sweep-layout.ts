/**
 * Places of wires: the initial layout, which is free because |0…0⟩ is the same in all layouts, and the store
 * of each sweep, which moves wires of the next sweep to the lowest places.
 */
import type { Qubit } from '../circuit/circuit.ts';
import type { Wire } from './block.ts';
import type { PlannedStep, PlannedSweep, StartLayout } from './sweep-plan.ts';

/** Number of sweeps to look ahead for how long a wire stays resident. */
const HORIZON_SWEEPS = 16;

/** A sweep with the places of its wires, and the move at its end. */
export interface PlacedSweep {
  readonly sweep: PlannedSweep;
  /** Ascending. */
  readonly resident: readonly Qubit[];
  readonly store?: readonly Qubit[];
}

/** Tracks the places of wires, step by step. */
export class SweepLayout {
  /** Current place of each wire. */
  readonly placeOf: Qubit[];
  readonly #sweeps: readonly PlannedSweep[];
  readonly #numLowest: number;
  readonly #pinned: Wire | undefined;
  #next = 0;

  /** @param start - Where it is absent, this chooses the first layout. */
  constructor(
    steps: readonly PlannedStep[],
    numWires: number,
    contiguousQubits: number,
    start?: StartLayout,
  ) {
    this.#sweeps = steps.filter((step) => step.kind === 'sweep');
    this.#numLowest = Math.min(contiguousQubits, numWires);
    this.#pinned = start?.pinned;
    this.placeOf = start?.placeOf.slice() ?? Array.from({ length: numWires }, (_, wire) => wire);
    if (start !== undefined) return;
    const [first] = this.#sweeps;
    // A tile that holds all wires, or has no required lowest places, needs no order.
    if (first === undefined || first.wires.size === numWires || this.#numLowest === 0) return;
    const lowest = first.lowest ?? this.#mostLasting(first.wires, 0, this.#numLowest);
    const order = new Set(lowest);
    for (const { wires } of this.#sweeps) for (const wire of wires) order.add(wire);
    for (let wire = 0; wire < numWires; wire++) order.add(wire);
    for (const [place, wire] of [...order].entries()) this.placeOf[wire] = place;
  }

  /** Returns the places of the next sweep's tile. Call `leave` with it once its kernels have their places. */
  enter(): PlacedSweep {
    const sweep = this.#sweeps[this.#next]!;
    const resident = [...sweep.wires].map((wire) => this.placeOf[wire]!).sort((a, b) => a - b);
    const moves = this.#movesAfter(this.#next);
    if (moves.size === 0) return { sweep, resident };
    return { sweep, resident, store: resident.map((place) => moves.get(place) ?? place) };
  }

  /** Moves wires as the sweep's store does, and goes on to the next sweep. */
  leave({ resident, store }: PlacedSweep): void {
    this.#next++;
    if (store === undefined) return;
    const moves = new Map(resident.map((place, i) => [place, store[i]!]));
    for (const [wire, place] of this.placeOf.entries()) {
      this.placeOf[wire] = moves.get(place) ?? place;
    }
  }

  /** Moves that the sweep after number `index` needs, from old to new place. */
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

  /** The `count` wires that stay resident longest from sweep number `index` on. */
  #mostLasting(wires: ReadonlySet<Wire>, index: number, count: number): readonly Wire[] {
    const lasting = (wire: Wire) => {
      let end = index;
      const horizon = Math.min(this.#sweeps.length, index + HORIZON_SWEEPS);
      while (end < horizon && this.#sweeps[end]!.wires.has(wire)) end++;
      return end;
    };
    return [...wires]
      .filter((wire) => wire !== this.#pinned)
      .map((wire) => ({ wire, end: lasting(wire) }))
      .sort((a, b) => b.end - a.end)
      .slice(0, count)
      .map(({ wire }) => wire);
  }
}
