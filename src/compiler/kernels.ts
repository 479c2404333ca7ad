/** Makes kernels of blocks. */
import type { Qubit } from '../circuit/circuit.ts';
import type { Block } from './block.ts';
import type { MatrixPool } from './matrix-pool.ts';
import type { Kernel } from './program.ts';

/**
 * Returns the kernel of a block.
 *
 * @param placeOf - Physical qubit of each wire.
 */
export function kernelOf(block: Block, placeOf: readonly Qubit[], pool: MatrixPool): Kernel {
  const { form } = block;
  const targets = block.targets.map((wire) => placeOf[wire]!);
  const controls = block.controls.map((wire) => placeOf[wire]!);
  if (form.kind === 'probe') {
    const ancilla = targets.pop();
    if (ancilla === undefined) throw new Error('unreachable: a probe without an ancilla');
    return { kind: 'probe', targets, controls, ancilla, sums: form.sums };
  }
  const offset = pool.addForm(form);
  switch (form.kind) {
    case 'dense':
    case 'diagonal':
      return { kind: form.kind, targets, controls, offset };
    case 'permutation':
      return { kind: form.kind, targets, controls, offset, rows: form.rows };
  }
}
