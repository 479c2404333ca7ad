/**
 * Cost model of kernels, which decides about fusion, and the cost of a circuit that is estimated with it, without
 * compiling it.
 */

import { allOperations, type DynamicCircuit, type SingleOperation } from '../circuit/circuit.ts';
import type { GateDefinition } from '../circuit/gate-definition.ts';
import { findGate } from '../circuit/gates.ts';
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

/**
 * Sums the costs of all gates by the cost model that chooses kernels. The compiled circuit costs less: gates
 * cancel, fuse and share sweeps. The body of a loop on measured bits counts once, because the number of
 * rounds is unknown.
 *
 * @returns Milliseconds for 2^26 amplitudes on the machine that the costs were measured on.
 */
export function circuitCost(circuit: DynamicCircuit, costs: KernelCosts = DEFAULT_COSTS): number {
  let sum = 0;
  for (const operation of allOperations(circuit.operations)) sum += operationCost(operation, costs);
  return sum;
}

function operationCost(operation: SingleOperation, costs: KernelCosts): number {
  switch (operation.kind) {
    case 'gate': {
      const { targets, controls } = operation;
      const whole = gateCost(findGate(operation.gate), targets.length, costs);
      return costs.kernel + whole / 2 ** controls.length;
    }
    case 'unitary':
      return (
        costs.kernel + denseCost(operation.targets.length, costs) / 2 ** operation.controls.length
      );
    case 'measure':
    case 'reset':
      return costs.kernel;
    case 'noise':
      return costs.kernel + denseCost(operation.qubits.length, costs);
    case 'initialize':
    case 'save':
    case 'barrier':
    case 'assign':
    case 'misread':
    case 'track':
      return 0;
  }
}

function gateCost(
  gate: GateDefinition | undefined,
  numTargets: number,
  costs: KernelCosts,
): number {
  if (gate?.traits.includes('diagonal')) return costs.diagonal;
  if (gate?.traits.includes('permutation')) return costs.permutation;
  return denseCost(numTargets, costs);
}
