/** Makes kernels of blocks. */
import type { Qubit } from '../circuit/circuit.ts';
import type { Block } from './block.ts';
import type { MatrixPool } from './matrix-pool.ts';
import type { Kernel, ProbeKernel } from './program.ts';

/**
 * Returns the kernel of a block.
 *
 * @param placeOf - Physical qubit of each wire.
 */
export function kernelOf(block: Block, placeOf: readonly Qubit[], pool: MatrixPool): Kernel {
  const { form } = block;
  const targets = block.targets.map((wire) => placeOf[wire]!);
  const controls = block.controls.map((wire) => placeOf[wire]!);
  if (form.kind === 'probe') return probeOf(block, placeOf);
  const offset = pool.addForm(form);
  switch (form.kind) {
    case 'dense':
    case 'diagonal':
      return { kind: form.kind, targets, controls, offset };
    case 'permutation':
      return { kind: form.kind, targets, controls, offset, rows: form.rows };
    case 'map':
      return { kind: form.kind, targets, controls, offset, rows: form.rows, rest: form.rest };
  }
}

/** Returns the kernel of a block that is a probe. */
export function probeOf(
  { form, targets, controls }: Block,
  placeOf: readonly Qubit[],
): ProbeKernel {
  if (form.kind !== 'probe') throw new Error('unreachable: a block that is no probe');
  const places = targets.map((wire) => placeOf[wire]!);
  const numTargets = form.actions.length;
  const [ancilla] = places.slice(numTargets);
  return {
    kind: 'probe',
    targets: places.slice(0, numTargets),
    controls: controls.map((wire) => placeOf[wire]!),
    ...(ancilla === undefined ? {} : { ancilla }),
    sums: form.sums,
  };
}
