/** Facts about the noise of a circuit that methods are chosen and run times are estimated by. */
import { allOperations, type DynamicCircuit, type DynamicOperation, isNoisy } from '../circuit.ts';
import type { Channel } from './channel.ts';

/**
 * Probability that a shot draws an error in at least one channel, as if the channels were independent. The likeliest
 * Kraus matrix of a channel counts as no error, by its probability in the mixture of all states.
 */
export function errorProbability(circuit: DynamicCircuit): number {
  let none = 1;
  for (const operation of allOperations(circuit.operations)) {
    if (operation.kind === 'noise') none *= 1 - errorProbabilityOf(operation.channel);
  }
  return 1 - none;
}

function errorProbabilityOf(channel: Channel): number {
  if (channel.kind === 'pauli') {
    return Math.min(
      1,
      channel.errors.reduce((sum, { probability }) => sum + probability, 0),
    );
  }
  const size = 2 ** channel.numQubits;
  let likeliest = 0;
  for (const matrix of channel.matrices) {
    let squares = 0;
    for (let i = 0; i < matrix.length; i++) squares += matrix[i]! ** 2;
    likeliest = Math.max(likeliest, squares / size);
  }
  return Math.max(0, 1 - likeliest);
}

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
