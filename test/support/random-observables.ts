/** Random sums of Pauli strings. */
import type { PauliFactor, PauliSum } from '../../src/circuit/observable.ts';
import type { RandomStream } from './random-stream.ts';

const PAULIS = ['X', 'Y', 'Z'] as const;

function randomString(random: RandomStream, numQubits: number): readonly PauliFactor[] {
  return [...Array(numQubits).keys()]
    .filter(() => random.uniform() < 0.5)
    .map((qubit) => ({ pauli: random.pick(PAULIS), qubit }));
}

/** Independent strings. */
export function randomSum(random: RandomStream, numQubits: number, numTerms: number): PauliSum {
  return Array.from({ length: numTerms }, () => ({
    coefficient: random.normal(),
    factors: randomString(random, numQubits),
  }));
}

/** Strings with a few patterns of flips; a string may come more than once. */
export function sharedFlips(random: RandomStream, numQubits: number, numTerms: number): PauliSum {
  const patterns = [0, 1, 2].map((i) => {
    return [...Array(numQubits).keys()].filter(() => i > 0 && random.uniform() < 0.5);
  });
  return Array.from({ length: numTerms }, () => {
    const flipped = random.pick(patterns);
    return {
      coefficient: random.normal(),
      factors: [...Array(numQubits).keys()].flatMap((qubit): readonly PauliFactor[] => {
        const isSigned = random.uniform() < 0.4;
        if (flipped.includes(qubit)) return [{ pauli: isSigned ? 'Y' : 'X', qubit }];
        return isSigned ? [{ pauli: 'Z', qubit }] : [];
      }),
    };
  });
}
