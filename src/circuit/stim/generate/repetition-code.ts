/** Memory of a repetition code: a line of data qubits, with a check of Z between each two neighbours. */
import type { Check, MemoryExperiment } from './memory-experiment.ts';

/** Data qubits are the even ones, and checks the odd ones. */
export function repetitionMemory(distance: number): MemoryExperiment {
  const all = Array.from({ length: 2 * distance - 1 }, (_, qubit) => qubit);
  const data = all.filter((qubit) => qubit % 2 === 0);
  const checks = all
    .filter((qubit) => qubit % 2 === 1)
    .map((qubit): Check => ({ qubit, place: [qubit], data: [qubit - 1, qubit + 1] }));
  const layers = [-1, 1].map((side) => ({
    gate: 'CX',
    arity: 2 as const,
    targets: checks.flatMap(({ qubit }) => [qubit + side, qubit]),
  }));
  return {
    places: [],
    data,
    checks,
    resets: [['Z', all]],
    layers,
    numFirstRounds: 1,
    first: { checks, rounds: [0] },
    comparedRounds: [0, 1],
    basis: 'Z',
    last: { checks, rounds: [0] },
    logical: data.slice(-1),
  };
}
