/**
 * Plans steps where a state is larger than what tiles reach: chunk qubits above those that a tile
 * may hold take part only after an exchange, and so do the qubits that tell devices apart.
 *
 * It is the choice of sweeps one level up. The same search cuts the work into stages, each of which
 * needs no more wires than are within reach; between two stages an exchange brings the wires that
 * the next one needs, for those whose next need is furthest off (Belady's rule), and within a stage
 * sweeps are planned as ever. Sweeps are planned on slots: a slot is near or far for good, an
 * exchange changes which wire is in it.
 *
 * Where a state lies on several devices there are two such levels, the outer one planned first: what
 * it brings onto devices is as little as can be, whatever that costs inside them.
 *
 * @see Belady, "A study of replacement algorithms for a virtual-storage computer", 1966.
 */
import type { Wire } from './block.ts';
import { localQubits, type TargetProfile } from './program.ts';
import {
  effortFor,
  type PlannedCollapse,
  type PlannedExchange,
  type PlannedStep,
  type PlannedSweep,
  SweepPlanner,
} from './sweep-plan.ts';
import { onWires, type WorkItem, type WorkList } from './work-list.ts';

/** Steps on slots, and where wires are after them. */
export interface StepPlan {
  readonly steps: readonly PlannedStep[];
  readonly slotOf: readonly Wire[];
}

/** Work that needs no exchange, and what is done between such. */
type Stretch =
  | { readonly kind: 'work'; readonly items: readonly WorkItem[] }
  | PlannedCollapse
  | PlannedExchange;

/** How many of the lowest places a tile may hold qubits of, where one device holds them all. */
export function reachOf({ chunkQubits, tileChunkQubits = 0 }: TargetProfile): number {
  return chunkQubits + tileChunkQubits;
}

/** The steps for the work, in order. */
export function planSteps(work: WorkList, target: TargetProfile): StepPlan {
  const { numResources } = work;
  const effort = effortFor(work);
  let stretches: readonly Stretch[] = [{ kind: 'work', items: work.items }];
  let slotOf: readonly Wire[] = Array.from({ length: work.numWires }, (_, wire) => wire);
  let numWires = work.numWires;
  for (const numNear of [localQubits(target, numWires), reachOf(target)]) {
    if (numNear >= numWires) continue;
    const limits = { tileWires: numNear, lowestWires: 0, numWires, numResources };
    const inner = withExchanges(stretches, new SweepPlanner(limits, effort), slotOf.length, limits);
    stretches = inner.stretches;
    slotOf = slotOf.map((slot) => inner.slotOf[slot]!);
    numWires = numNear;
  }
  const tileWires = Math.min(target.tileQubits, reachOf(target));
  const lowestWires = Math.min(target.contiguousQubits, numWires);
  const planner = new SweepPlanner({ tileWires, lowestWires, numWires, numResources }, effort);
  for (const stretch of stretches) {
    if (stretch.kind === 'work') planner.plan(stretch.items);
    else planner.steps.push(stretch);
  }
  return { steps: planner.steps, slotOf };
}

/**
 * Cuts stretches of work into such as need no more than the near wires, with exchanges between.
 *
 * @param stages - Plans stages of so many wires.
 * @param numSlots - Of all; those from `numWires` on stay what they are.
 */
function withExchanges(
  stretches: readonly Stretch[],
  stages: SweepPlanner,
  numSlots: number,
  { tileWires, numWires }: { readonly tileWires: number; readonly numWires: number },
): { readonly stretches: readonly Stretch[]; readonly slotOf: readonly Wire[] } {
  for (const stretch of stretches) {
    if (stretch.kind === 'work') stages.plan(stretch.items);
    else stages.steps.push(stretch);
  }
  const slots = new Slots(stages.steps, numSlots, numWires, tileWires);
  const cut: Stretch[] = [];
  for (const step of stages.steps) {
    switch (step.kind) {
      case 'sweep': {
        const pairs = slots.bringNear(step);
        if (pairs.length > 0) cut.push({ kind: 'exchange', pairs });
        cut.push({ kind: 'work', items: step.items.map((item) => slots.renamed(item)) });
        break;
      }
      case 'collapse': {
        const operation = onWires(step.operation, (wire) => slots.slotOf[wire]!);
        cut.push({ kind: 'collapse', operation });
        break;
      }
      case 'exchange': {
        // Of an outer level, whose far slots are none of this one's.
        const pairs = step.pairs.map(([far, near]) => [far, slots.slotOf[near]!] as const);
        cut.push({ kind: 'exchange', pairs });
        break;
      }
    }
  }
  return { stretches: cut, slotOf: slots.slotOf };
}

/** Which wire is in which slot, stage by stage. */
class Slots {
  readonly slotOf: Wire[];
  readonly #numNear: number;
  /** For each wire, the stages that need it, last first; those that are over are taken off. */
  readonly #needs: number[][];

  constructor(steps: readonly PlannedStep[], numSlots: number, numWires: number, numNear: number) {
    this.#numNear = numNear;
    this.#needs = Array.from({ length: numWires }, () => []);
    const stages = steps.filter((step) => step.kind === 'sweep');
    for (const [number, stage] of [...stages.entries()].reverse()) {
      for (const wire of neededIn(stage)) this.#needs[wire]!.push(number);
    }
    // The start is free: far are the wires needed last.
    const wires = Array.from({ length: numWires }, (_, wire) => wire);
    const far = new Set(this.#furthestFirst(wires).slice(0, numWires - numNear));
    let near = 0;
    let next = numNear;
    this.slotOf = wires.map((wire) => (far.has(wire) ? next++ : near++));
    while (this.slotOf.length < numSlots) this.slotOf.push(this.slotOf.length);
  }

  /** Brings what the next stage needs within reach; the slots that change wires. */
  bringNear(stage: PlannedSweep): readonly (readonly [far: Wire, near: Wire])[] {
    const needed = neededIn(stage);
    const coming = [...needed].filter((wire) => this.slotOf[wire]! >= this.#numNear);
    const idle = [...this.#needs.keys()].filter(
      (wire) => this.slotOf[wire]! < this.#numNear && !needed.has(wire),
    );
    const leaving = this.#furthestFirst(idle);
    const pairs = coming.map((wire, i) => {
      const other = leaving[i];
      if (other === undefined) throw new Error('unreachable: a stage needs more than is in reach');
      const far = this.slotOf[wire]!;
      const near = this.slotOf[other]!;
      this.slotOf[wire] = near;
      this.slotOf[other] = far;
      return [far, near] as const;
    });
    for (const wire of needed) this.#needs[wire]!.pop();
    return pairs;
  }

  /** The item on slots; its resources keep their names, which order items within one stage. */
  renamed(item: WorkItem): WorkItem {
    const { work, needs } = item;
    const slots = (wires: readonly Wire[]) => wires.map((wire) => this.slotOf[wire]!);
    const renamed = { ...item, needs: slots(needs) };
    if (work.kind !== 'block') return renamed;
    const { targets, controls } = work.block;
    const block = { ...work.block, targets: slots(targets), controls: slots(controls) };
    return { ...renamed, work: { ...work, block } };
  }

  #furthestFirst(wires: readonly Wire[]): readonly Wire[] {
    const nextNeed = (wire: Wire) => this.#needs[wire]!.at(-1) ?? Number.POSITIVE_INFINITY;
    return [...wires].sort((a, b) =>
      nextNeed(a) === nextNeed(b) ? b - a : nextNeed(b) - nextNeed(a),
    );
  }
}

const neededIn = ({ items }: PlannedSweep): ReadonlySet<Wire> =>
  new Set(items.flatMap(({ needs }) => needs));
