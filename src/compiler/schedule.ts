/**
 * Circuit → steps: work items in an order that needs few trips of the state through memory.
 *
 * Each stage has its file: `work-list.ts` (what there is to do and what commutes), `sweep-plan.ts`
 * and `sweep-search.ts` (which qubits are resident in which sweep), `sweep-layout.ts` (where they
 * lie), `kernels.ts` (what is done to them). Here they meet.
 */
import type { Circuit, MeasureOperation, ResetOperation } from '../circuit/circuit.ts';
import type { Wire } from './block.ts';
import { kernelOf } from './kernels.ts';
import { MatrixPool } from './matrix-pool.ts';
import type { Program, Step, TargetProfile } from './program.ts';
import { SweepLayout } from './sweep-layout.ts';
import { planSweeps } from './sweep-plan.ts';
import { workOf } from './work-list.ts';

/** A program but for its hash. */
export type UnhashedProgram = Omit<Program, 'hash'>;

/**
 * The steps of a circuit, with their matrices and layout.
 *
 * @throws {KernelTooWideError} if a matrix that is not diagonal spans more targets than
 *   `target.maxDenseQubits`.
 */
export function schedule(circuit: Circuit, target: TargetProfile): UnhashedProgram {
  if (target.tileQubits < target.contiguousQubits + target.maxDenseQubits) {
    throw new Error('unreachable: the target profile has a tile too small for its widest kernel');
  }
  const { numQubits, numBits } = circuit;
  const work = workOf(circuit, target.maxDenseQubits);
  const plan = planSweeps(work, target);
  const layout = new SweepLayout(plan, numQubits, target.contiguousQubits);
  const pool = new MatrixPool();
  const steps: Step[] = [];
  for (const planned of plan) {
    if (planned.kind === 'collapse') {
      steps.push(placed(planned.operation, layout.placeOf));
      continue;
    }
    const { blocks, condition } = planned;
    const sweep = layout.enter();
    const kernels = blocks.map((block) => kernelOf(block, layout.placeOf, pool));
    const { resident, store } = sweep;
    steps.push({
      kind: 'sweep',
      resident,
      kernels,
      ...(store === undefined ? {} : { store }),
      ...(condition === undefined ? {} : { condition }),
    });
    layout.leave(sweep);
  }
  const finalLayout = work.wireOf.map((wire) => layout.placeOf[wire]!);
  if (work.lastMeasurement !== undefined) steps.push(placed(work.lastMeasurement, finalLayout));
  return { numQubits, numBits, steps, matrices: pool.entries(), finalLayout };
}

/** The operation on the places of its wires or qubits. */
function placed(
  operation: MeasureOperation | ResetOperation,
  placeOf: readonly Wire[],
): MeasureOperation | ResetOperation {
  return { ...operation, qubits: operation.qubits.map((wire) => placeOf[wire]!) };
}
