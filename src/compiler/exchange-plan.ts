/**
 * Plans exchanges for states that are larger than the reach of tiles. Chunk qubits above those that a tile
 * may hold, and qubits that tell devices apart, take part only after an exchange.
 *
 * The method is that of choosing sweeps, one level up. The same search divides the work into stages, each of
 * which needs no more wires than are within reach. Between two stages an exchange brings in the wires that
 * the next one needs, in place of those needed furthest in the future (Belady's rule). Within a stage, sweeps
 * are planned as usual. Sweeps are planned on slots: a slot is near or far for good, and an exchange changes
 * the wires in it.
 *
 * A state on several devices has two such levels. The outer one is planned first, so that as little as
 * possible moves between devices, whatever that costs inside them.
 *
 * @see Belady, "A study of replacement algorithms for a virtual-storage computer", 1966.
 */
import type { Wire } from './block.ts';
import { localQubits, type TargetProfile } from './program.ts';
import {
  effortFor,
  type PlannedCollapse,
  type PlannedExchange,
  type PlannedProbing,
  type PlannedStep,
  type PlannedSweep,
  type StartLayout,
  SweepPlanner,
} from './sweep-plan.ts';
import { onWires, type WorkItem, type WorkList } from './work-list.ts';

/** Steps on slots, and the slot of each wire after them. */
export interface StepPlan {
  readonly steps: readonly PlannedStep[];
  readonly slotOf: readonly Wire[];
}

/** Consecutive work that needs no exchange, or a step between two of these. */
type PlanPart =
  | { readonly kind: 'work'; readonly items: readonly WorkItem[] }
  | PlannedCollapse
  | PlannedExchange
  | PlannedProbing;

/** Number of lowest places that a tile may hold qubits of, where one device holds them all. */
export function reachOf({ chunkQubits, tileChunkQubits = 0 }: TargetProfile): number {
  return chunkQubits + tileChunkQubits;
}

/** Whether tiles reach all of a state. */
export function isWithinReach(target: TargetProfile, numQubits: number): boolean {
  return Math.min(localQubits(target, numQubits), reachOf(target)) >= numQubits;
}

/**
 * Plans the steps of the work, in order.
 *
 * @param start - For a state within the reach of tiles.
 */
export function planSteps(work: WorkList, target: TargetProfile, start?: StartLayout): StepPlan {
  const { numResources } = work;
  const effort = effortFor(work);
  let parts: readonly PlanPart[] = [{ kind: 'work', items: work.items }];
  let slotOf: readonly Wire[] = Array.from({ length: work.numWires }, (_, wire) => wire);
  let numWires = work.numWires;
  for (const numNear of [localQubits(target, numWires), reachOf(target)]) {
    if (numNear >= numWires) continue;
    if (start !== undefined)
      throw new Error('unreachable: a given layout beyond the reach of tiles');
    const limits = { tileWires: numNear, lowestWires: 0, numWires, numResources };
    const inner = withExchanges(parts, new SweepPlanner(limits, effort), slotOf.length, limits);
    parts = inner.parts;
    slotOf = slotOf.map((slot) => inner.slotOf[slot]!);
    numWires = numNear;
  }
  const tileWires = Math.min(target.tileQubits, reachOf(target));
  const numLowest = Math.min(target.contiguousQubits, numWires);
  // A pinned wire that two sweeps share takes none of the lowest places.
  const lowestWires = start?.pinned === undefined ? numLowest : numLowest + 1;
  const planner = new SweepPlanner({ tileWires, lowestWires, numWires, numResources }, effort);
  if (start !== undefined) planner.startFrom(start, numLowest);
  for (const part of parts) {
    if (part.kind === 'work') planner.plan(part.items);
    else planner.steps.push(part);
  }
  return { steps: planner.steps, slotOf };
}

/**
 * Divides work into parts that need only near wires, with exchanges between them.
 *
 * @param stages - Plans stages of at most `tileWires` wires.
 * @param numSlots - Number of all slots; those from `numWires` on keep their wires.
 */
function withExchanges(
  parts: readonly PlanPart[],
  stages: SweepPlanner,
  numSlots: number,
  { tileWires, numWires }: { readonly tileWires: number; readonly numWires: number },
): { readonly parts: readonly PlanPart[]; readonly slotOf: readonly Wire[] } {
  for (const part of parts) {
    if (part.kind === 'work') stages.plan(part.items);
    else stages.steps.push(part);
  }
  const slots = new Slots(stages.steps, numSlots, numWires, tileWires);
  const cut: PlanPart[] = [];
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
      case 'probing': {
        const toSlots = (wires: readonly Wire[]) => wires.map((wire) => slots.slotOf[wire]!);
        const blocks = step.blocks.map((block) => {
          return { ...block, targets: toSlots(block.targets), controls: toSlots(block.controls) };
        });
        cut.push({ kind: 'probing', blocks });
        break;
      }
      case 'exchange': {
        // An exchange of the outer level: its far slots do not belong to this level.
        const pairs = step.pairs.map(([far, near]) => [far, slots.slotOf[near]!] as const);
        cut.push({ kind: 'exchange', pairs });
        break;
      }
    }
  }
  return { parts: cut, slotOf: slots.slotOf };
}

/** Assignment of wires to slots, stage by stage. */
class Slots {
  readonly slotOf: Wire[];
  readonly #numNear: number;
  /** For each wire, the stages that need it, last first; finished stages are removed. */
  readonly #needs: number[][];

  constructor(steps: readonly PlannedStep[], numSlots: number, numWires: number, numNear: number) {
    this.#numNear = numNear;
    this.#needs = Array.from({ length: numWires }, () => []);
    const stages = steps.filter((step) => step.kind === 'sweep');
    for (const [number, stage] of [...stages.entries()].reverse()) {
      for (const wire of neededIn(stage)) this.#needs[wire]!.push(number);
    }
    // The first assignment is free: the wires needed last are far.
    const wires = Array.from({ length: numWires }, (_, wire) => wire);
    const far = new Set(this.#furthestFirst(wires).slice(0, numWires - numNear));
    let near = 0;
    let next = numNear;
    this.slotOf = wires.map((wire) => (far.has(wire) ? next++ : near++));
    while (this.slotOf.length < numSlots) this.slotOf.push(this.slotOf.length);
  }

  /** Brings the wires of the next stage within reach; returns the pairs of slots that exchange wires. */
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

  /** Rewrites an item to slots. Its resources keep their names, which order items within a stage. */
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
