/** What a circuit's gates cost before any pass has seen them: what can be told without compiling. */
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
 * The cost of all gates one by one, by the cost model that chooses kernels. Compiled, a circuit costs
 * less: gates cancel, fuse and share trips. The body of a loop on measured bits counts once, for nobody
 * knows how often it runs.
 *
 * @returns Milliseconds for 2^26 amplitudes on the machine of the costs.
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
    case 'barrier':
    case 'assign':
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
