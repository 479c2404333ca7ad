/**
 * Plans steps where a state is larger than what tiles reach: chunk qubits above those that a tile
 * may hold take part only after an exchange.
 *
 * It is the choice of sweeps one level up. The same search cuts the work into stages, each of which
 * needs no more wires than are within reach; between two stages an exchange brings the wires that
 * the next one needs, for those whose next need is furthest off (Belady's rule), and within a stage
 * sweeps are planned as ever. Sweeps are planned on slots: a slot is near or far for good, an
 * exchange changes which wire is in it.
 *
 * @see Belady, "A study of replacement algorithms for a virtual-storage computer", 1966.
 */
import type { Wire } from './block.ts';
import type { TargetProfile } from './program.ts';
import { effortFor, type PlannedStep, type PlannedSweep, SweepPlanner } from './sweep-plan.ts';
import type { WorkItem, WorkList } from './work-list.ts';

/** Steps on slots, and where wires are after them. */
export interface StepPlan {
  readonly steps: readonly PlannedStep[];
  readonly slotOf: readonly Wire[];
}

/** How many of the lowest places a tile may hold qubits of. */
export function reachOf({ chunkQubits, tileChunkQubits = 0 }: TargetProfile): number {
  return chunkQubits + tileChunkQubits;
}

/** The steps for the work, in order. */
export function planSteps(work: WorkList, target: TargetProfile): StepPlan {
  const { items, numResources } = work;
  const numWires = Math.min(work.numWires, reachOf(target));
  const tileWires = Math.min(target.tileQubits, reachOf(target));
  const lowestWires = Math.min(target.contiguousQubits, numWires);
  const effort = effortFor(work);
  const planner = new SweepPlanner({ tileWires, lowestWires, numWires, numResources }, effort);
  if (work.numWires === numWires) {
    planner.plan(items);
    return { steps: planner.steps, slotOf: Array.from({ length: numWires }, (_, wire) => wire) };
  }
  const all = { tileWires: numWires, lowestWires: 0, numWires: work.numWires, numResources };
  const stages = new SweepPlanner(all, effort);
  stages.plan(items);
  const slots = new Slots(stages.steps, work.numWires, numWires);
  for (const stage of stages.steps) {
    switch (stage.kind) {
      case 'sweep': {
        const pairs = slots.bringNear(stage);
        if (pairs.length > 0) planner.steps.push({ kind: 'exchange', pairs });
        planner.plan(stage.items.map((item) => slots.renamed(item)));
        break;
      }
      case 'collapse': {
        const qubits = stage.operation.qubits.map((wire) => slots.slotOf[wire]!);
        planner.steps.push({ kind: 'collapse', operation: { ...stage.operation, qubits } });
        break;
      }
      case 'exchange':
        throw new Error('unreachable: stages are planned without exchanges');
    }
  }
  return { steps: planner.steps, slotOf: slots.slotOf };
}

/** Which wire is in which slot, stage by stage. */
class Slots {
  readonly slotOf: Wire[];
  readonly #numNear: number;
  /** For each wire, the stages that need it, last first; those that are over are taken off. */
  readonly #needs: number[][];

  constructor(steps: readonly PlannedStep[], numWires: number, numNear: number) {
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
  }

  /** Brings what the next stage needs within reach; the slots that change wires. */
  bringNear(stage: PlannedSweep): readonly (readonly [far: Wire, near: Wire])[] {
    const needed = neededIn(stage);
    const coming = [...needed].filter((wire) => this.slotOf[wire]! >= this.#numNear);
    const idle = [...this.slotOf.keys()].filter(
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
