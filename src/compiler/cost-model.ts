/** Cost model of kernels, which decides what is fused. */
import { keepsParity } from '../math/complex-matrix.ts';
import type { BlockForm } from './block.ts';
import type { KernelCosts } from './program.ts';

/**
 * Milliseconds for 2^26 amplitudes in single precision on two threads, measured with WebAssembly kernels on
 * tiles in cache. The arithmetic of a dense block doubles with each target. From four targets on its entries
 * no longer fit in registers, so none are made.
 */
export const DEFAULT_COSTS: KernelCosts = {
  dense: [0, 8.6, 20, 50],
  diagonal: 7,
  permutation: 7,
  kernel: 0.5,
};

/** Cost of a form with controls, each of which leaves half of the state alone. */
export function costOf(form: BlockForm, numControls: number, costs: KernelCosts): number {
  return costs.kernel + costOfPart(form, costs) / 2 ** numControls;
}

/** Cost of a dense block without controls; beyond the list it doubles with each target. */
export function denseCost(numTargets: number, { dense }: KernelCosts): number {
  const last = dense.length - 1;
  return dense[numTargets] ?? (dense[last] ?? 0) * 2 ** (numTargets - last);
}

function costOfPart(form: BlockForm, costs: KernelCosts): number {
  switch (form.kind) {
    case 'dense': {
      const isPair = form.actions.length === 2 && costs.pair !== undefined;
      if (isPair && keepsParity(form.entries)) return costs.pair;
      return denseCost(form.actions.length, costs);
    }
    case 'diagonal':
      return costs.diagonal * changedPart(form.entries, undefined);
    case 'permutation':
      return costs.permutation * changedPart(form.entries, form.rows);
    case 'map':
    case 'probe':
      // Never part of a product.
      return 0;
  }
}

/** Fraction of the amplitudes that move or are multiplied by anything but 1. */
function changedPart(entries: Float64Array, rows: readonly number[] | undefined): number {
  const d = entries.length / 2;
  let changed = 0;
  for (let j = 0; j < d; j++) {
    const stays = rows === undefined || rows[j] === j;
    if (!stays || entries[2 * j] !== 1 || entries[2 * j + 1] !== 0) changed++;
  }
  return changed / d;
}
