/** The noise of circuits: how likely it is that there was none, and circuits without it. */
import {
  allOperations,
  type DynamicCircuit,
  type DynamicOperation,
  isLoop,
  isNoisy,
} from '../circuit.ts';
import { type Channel, withIdentity } from './channel.ts';

/**
 * Probability that none of the channels of a circuit errs: the product of their entanglement fidelities. That of a
 * Pauli channel is the probability of no error. Misread bits are not counted.
 *
 * @see Schumacher, "Sending entanglement through noisy quantum channels" (1996).
 */
export function noErrorProbability(circuit: DynamicCircuit): number {
  const known = new Map<Channel, number>();
  let none = 1;
  for (const operation of allOperations(circuit.operations)) {
    if (operation.kind !== 'noise') continue;
    const { channel } = operation;
    const fidelity = known.get(channel) ?? entanglementFidelity(channel);
    known.set(channel, fidelity);
    none *= fidelity;
  }
  return none;
}

/** Σ |tr K|² / 4^k over the Kraus matrices on k qubits. */
function entanglementFidelity(channel: Channel): number {
  if (channel.kind === 'loss') return 1 - channel.probability;
  if (channel.kind === 'pauli') return withIdentity(channel)[0].probability;
  const size = 2 ** channel.numQubits;
  let squares = 0;
  for (const matrix of channel.matrices) {
    let [re, im] = [0, 0];
    for (let i = 0; i < size; i++) {
      re += matrix[2 * i * (size + 1)]!;
      im += matrix[2 * i * (size + 1) + 1]!;
    }
    squares += re * re + im * im;
  }
  return Math.min(1, squares / size ** 2);
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
    if (isLoop(operation)) {
      return [{ ...operation, body: withoutUnconditionalNoise(operation.body) }];
    }
    const isNoise = operation.kind === 'noise' || operation.kind === 'misread';
    return isNoise && operation.condition === undefined ? [] : [operation];
  });
}
