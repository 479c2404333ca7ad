/** Estimated cost of a circuit's gates, without compiling it. */
import {
  allOperations,
  type DynamicCircuit,
  type DynamicOperation,
  type WhileOperation,
} from '../circuit/circuit.ts';
import type { GateDefinition } from '../circuit/gate-definition.ts';
import { findGate } from '../circuit/gates.ts';
import { DEFAULT_COSTS, denseCost } from './cost-model.ts';
import type { KernelCosts } from './program.ts';

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

type SingleOperation = Exclude<DynamicOperation, WhileOperation>;

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
    case 'barrier':
    case 'assign':
    case 'misread':
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
