/** What kernels cost, and so what fusing them saves. */
import type { BlockForm } from './block.ts';
import type { KernelCosts } from './program.ts';

/**
 * Measured with WebAssembly kernels on tiles in cache: milliseconds for 2^26 amplitudes in single
 * precision on two threads. A dense block's arithmetic doubles with each target; from four targets
 * on its entries no longer fit in registers, so none are made.
 */
export const DEFAULT_COSTS: KernelCosts = {
  dense: [0, 8.6, 20, 50],
  diagonal: 7,
  permutation: 7,
  kernel: 0.5,
};

/** The cost of a form under controls. Half of the state is left alone for each control. */
export function costOf(form: BlockForm, numControls: number, costs: KernelCosts): number {
  return costs.kernel + costOfPart(form, costs) / 2 ** numControls;
}

/** The cost of a dense block without controls; beyond the list, twice as much for each target. */
export function denseCost(numTargets: number, { dense }: KernelCosts): number {
  const last = dense.length - 1;
  return dense[numTargets] ?? (dense[last] ?? 0) * 2 ** (numTargets - last);
}

function costOfPart(form: BlockForm, costs: KernelCosts): number {
  switch (form.kind) {
    case 'dense':
      return denseCost(form.actions.length, costs);
    case 'diagonal':
      return costs.diagonal * changedPart(form.entries, undefined);
    case 'permutation':
      return costs.permutation * changedPart(form.entries, form.rows);
  }
}

/** The part of the amplitudes that move or are multiplied by anything but 1. */
function changedPart(entries: Float64Array, rows: readonly number[] | undefined): number {
  const d = entries.length / 2;
  let changed = 0;
  for (let j = 0; j < d; j++) {
    const stays = rows === undefined || rows[j] === j;
    if (!stays || entries[2 * j] !== 1 || entries[2 * j + 1] !== 0) changed++;
  }
  return changed / d;
}
