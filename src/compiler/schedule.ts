/**
 * Circuit → steps: work items in an order that needs few trips of the state through memory.
 *
 * Each stage has its file: `work-list.ts` (what there is to do and what commutes), `sweep-plan.ts`
 * and `sweep-search.ts` (which qubits are resident in which sweep), `exchange-plan.ts` (which are
 * within a tile's reach), `sweep-layout.ts` (where they
 * lie), `fuse-blocks.ts` and `kernels.ts` (what is done to them). Here they meet.
 */
import type { Circuit, MeasureOperation, Qubit, ResetOperation } from '../circuit/circuit.ts';
import type { Wire } from './block.ts';
import { DEFAULT_COSTS } from './cost-model.ts';
import { planSteps, reachOf } from './exchange-plan.ts';
import { fuseBlocks } from './fuse-blocks.ts';
import { kernelOf } from './kernels.ts';
import { MatrixPool } from './matrix-pool.ts';
import type { Program, Step, TargetProfile } from './program.ts';
import { SweepLayout } from './sweep-layout.ts';
import { type PlannedStep, type PlannedSweep, runsOf } from './sweep-plan.ts';
import { workOf } from './work-list.ts';

/** A program but for its hash. */
export type UnhashedProgram = Omit<Program, 'hash'>;

/** A program, and how it came about. */
export interface Scheduled {
  readonly program: UnhashedProgram;
  /** Kernels that hold more than one operation of the circuit. */
  readonly fusedBlocks: number;
}

/**
 * The steps of a circuit, with their matrices and layout.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function schedule(circuit: Circuit, target: TargetProfile): UnhashedProgram {
  return scheduleAndCount(circuit, target).program;
}

/** The same, with what a report says of it. */
export function scheduleAndCount(circuit: Circuit, target: TargetProfile): Scheduled {
  const widest = Math.min(target.tileQubits, reachOf(target));
  if (widest < target.contiguousQubits + target.maxDenseQubits) {
    throw new Error('unreachable: the target profile has a tile too small for its widest kernel');
  }
  const { numQubits, numBits } = circuit;
  const work = workOf(circuit, target.maxDenseQubits);
  const { steps: plan, slotOf } = planSteps(work, target);
  const emitter = new Emitter(plan, numQubits, target);
  const steps = [...emitter.steps];
  const finalLayout = work.wireOf.map((wire) => emitter.placeOf[slotOf[wire]!]!);
  if (work.lastMeasurement !== undefined) steps.push(placed(work.lastMeasurement, finalLayout));
  const matrices = emitter.matrices();
  const program = { numQubits, numBits, steps, matrices, finalLayout };
  return { program, fusedBlocks: emitter.fusedBlocks };
}

/** Gives planned steps their places, and their blocks the form of kernels. */
class Emitter {
  readonly steps: Step[] = [];
  readonly #target: TargetProfile;
  readonly #layout: SweepLayout;
  readonly #pool = new MatrixPool();
  #fusedBlocks = 0;

  constructor(plan: readonly PlannedStep[], numWires: number, target: TargetProfile) {
    this.#target = target;
    this.#layout = new SweepLayout(plan, numWires, target.contiguousQubits);
    for (const step of plan) {
      this.#emit(step);
    }
  }

  /** Wire → place, after the last step. */
  get placeOf(): readonly Qubit[] {
    return this.#layout.placeOf;
  }

  get fusedBlocks(): number {
    return this.#fusedBlocks;
  }

  matrices(): Float64Array {
    return this.#pool.entries();
  }

  #emit(step: PlannedStep): void {
    switch (step.kind) {
      case 'sweep':
        this.#emitSweep(step);
        return;
      case 'collapse':
        this.steps.push(placed(step.operation, this.placeOf));
        return;
      case 'exchange': {
        const pairs = step.pairs.map(
          ([far, near]) => [this.placeOf[far]!, this.placeOf[near]!] as const,
        );
        this.steps.push({ kind: 'exchange', pairs });
        return;
      }
    }
  }

  #emitSweep(planned: PlannedSweep): void {
    const { wires, condition } = planned;
    const { maxDenseQubits, costs = DEFAULT_COSTS } = this.#target;
    const fused = runsOf(planned).flatMap((run) =>
      fuseBlocks(run, { resident: wires, maxDenseQubits, costs }),
    );
    this.#fusedBlocks += fused.filter(({ numFactors }) => numFactors > 1).length;
    const sweep = this.#layout.enter();
    const kernels = fused.map(({ block }) => kernelOf(block, this.placeOf, this.#pool));
    const { resident, store } = sweep;
    // What fused to nothing may still be needed for its store.
    if (kernels.length > 0 || store !== undefined) {
      this.steps.push({
        kind: 'sweep',
        resident,
        kernels,
        ...(store === undefined ? {} : { store }),
        ...(condition === undefined ? {} : { condition }),
      });
    }
    this.#layout.leave(sweep);
  }
}

/** The operation on the places of its wires or qubits. */
function placed(
  operation: MeasureOperation | ResetOperation,
  placeOf: readonly Wire[],
): MeasureOperation | ResetOperation {
  return { ...operation, qubits: operation.qubits.map((wire) => placeOf[wire]!) };
}
