/** Leaves the noise of circuits out. */
import { type DynamicCircuit, type DynamicOperation, isNoisy } from '../circuit.ts';

/** The circuit without its noise. Noise under a condition stays, because it depends on earlier measurements. */
export function withoutNoise(circuit: DynamicCircuit): DynamicCircuit {
  if (!isNoisy(circuit)) return circuit;
  return { ...circuit, operations: withoutUnconditionalNoise(circuit.operations) };
}

function withoutUnconditionalNoise(
  operations: readonly DynamicOperation[],
): readonly DynamicOperation[] {
  return operations.flatMap((operation): readonly DynamicOperation[] => {
    if (operation.kind === 'while') {
      return [{ ...operation, body: withoutUnconditionalNoise(operation.body) }];
    }
    const isNoise = operation.kind === 'noise' || operation.kind === 'misread';
    return isNoise && operation.condition === undefined ? [] : [operation];
  });
}
