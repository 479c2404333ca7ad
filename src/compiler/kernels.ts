/** Where circuits become matrices, and blocks become kernels. */
import type { GateOperation, Qubit, UnitaryOperation } from '../circuit/circuit.ts';
import { gateNamed } from '../circuit/gates.ts';
import type { ComplexMatrix } from '../math/complex-matrix.ts';
import type { Block } from './block.ts';
import type { MatrixPool } from './matrix-pool.ts';
import type { Kernel } from './program.ts';

/** What acts on the targets where the controls are |1⟩. */
export function targetMatrix(operation: GateOperation | UnitaryOperation): ComplexMatrix {
  return operation.kind === 'unitary'
    ? operation.matrix
    : gateNamed(operation.gate).matrix(operation.angles);
}

/**
 * The kernel of a block.
 *
 * @param placeOf - Wire → physical qubit.
 */
export function kernelOf(block: Block, placeOf: readonly Qubit[], pool: MatrixPool): Kernel {
  const { form } = block;
  const targets = block.targets.map((wire) => placeOf[wire]!);
  const controls = block.controls.map((wire) => placeOf[wire]!);
  const offset = pool.add(form.entries);
  switch (form.kind) {
    case 'dense':
    case 'diagonal':
      return { kind: form.kind, targets, controls, offset };
    case 'permutation':
      return { kind: form.kind, targets, controls, offset, rows: form.rows };
  }
}
