/** Circuits with snapshots at random places, and the state that each of them is of. */
import type {
  DynamicCircuit,
  DynamicOperation,
  SavedOutput,
  SaveOperation,
} from '../../src/circuit/circuit.ts';
import { savesOf } from '../../src/circuit/circuit.ts';
import type { SavedOutputs } from '../../src/engine/engine.ts';
import { type DensityMatrix, densityExpectation } from './density-matrix.ts';
import { worstAmplitude } from './engine-runs.ts';
import { randomSum } from './random-observables.ts';
import type { RandomStream } from './random-stream.ts';

type Kind = SavedOutput['what'];

function randomOutput(stream: RandomStream, numQubits: number, what: Kind): SavedOutput {
  const qubits = [...Array(numQubits).keys()];
  const some = stream.shuffled(qubits).slice(0, 1 + stream.below(numQubits));
  switch (what) {
    case 'expectation':
      return {
        what,
        observables: [randomSum(stream, numQubits, 3), randomSum(stream, numQubits, 1)],
      };
    case 'probabilities':
    case 'density_matrix':
      return { what, of: some };
    case 'statevector':
      return { what };
    case 'amplitudes':
      return {
        what,
        basisStates: [0, 1, 2].map(() => ({
          label: '',
          index: BigInt(stream.below(2 ** numQubits)),
        })),
      };
  }
}

/** The operations with snapshots among them, one of each kind and at either end. */
export function withSaves(
  operations: readonly DynamicOperation[],
  stream: RandomStream,
  numQubits: number,
  kinds: readonly Kind[],
): readonly DynamicOperation[] {
  const out = [...operations];
  const first = operations[0]?.kind === 'initialize' ? 1 : 0;
  for (const [i, what] of [...kinds, ...kinds].entries()) {
    const at =
      i === 0 ? first : i === 1 ? out.length : first + stream.below(out.length + 1 - first);
    out.splice(at, 0, {
      kind: 'save',
      qubits: [...Array(numQubits).keys()],
      label: what,
      index: 0,
      output: randomOutput(stream, numQubits, what),
    });
  }
  return out;
}

/** For each snapshot, the circuit before it without snapshots. */
export function prefixesOf(circuit: DynamicCircuit): readonly DynamicCircuit[] {
  return savesOf(circuit).map((save) => ({
    ...circuit,
    operations: circuit.operations
      .slice(0, circuit.operations.indexOf(save))
      .filter(({ kind }) => kind !== 'save'),
  }));
}

/** ρ of a state vector. */
export function densityOfPure(amplitudes: Float64Array): DensityMatrix {
  const d = amplitudes.length / 2;
  const rho = new Float64Array(2 * d * d);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      const [a, b] = [amplitudes[2 * row]!, amplitudes[2 * row + 1]!];
      const [c, e] = [amplitudes[2 * column]!, amplitudes[2 * column + 1]!];
      rho[2 * (row * d + column)] = a * c + b * e;
      rho[2 * (row * d + column) + 1] = b * c - a * e;
    }
  }
  return rho;
}

/** The distribution of the values of some qubits. */
function marginalOf(diagonal: readonly number[], of: readonly number[]): Float64Array {
  const out = new Float64Array(2 ** of.length);
  for (const [x, probability] of diagonal.entries()) {
    out[of.reduce((value, qubit, i) => value + (((x >> qubit) & 1) << i), 0)]! += probability;
  }
  return out;
}

const diagonalOf = (rho: DensityMatrix): readonly number[] => {
  const d = Math.sqrt(rho.length / 2);
  return Array.from({ length: d }, (_, x) => rho[2 * x * (d + 1)]!);
};

/** Largest difference of a snapshot from what it is of the state. */
export function worstOfSave(
  { output }: SaveOperation,
  saved: SavedOutputs,
  rho: DensityMatrix,
  amplitudes?: Float64Array,
): number {
  switch (output.what) {
    case 'expectation': {
      const exact = output.observables.map((sum) => densityExpectation(rho, sum));
      return Math.max(...exact.map((value, i) => Math.abs(value - saved.expectations![i]!)));
    }
    case 'probabilities': {
      const exact = marginalOf(diagonalOf(rho), output.of);
      return Math.max(...exact.map((value, i) => Math.abs(value - saved.probabilities![i]!)));
    }
    case 'density_matrix':
      return worstAmplitude(saved.densityMatrix!, rho);
    case 'statevector':
      return worstAmplitude(saved.statevector!, amplitudes!);
    case 'amplitudes': {
      const exact = output.basisStates.flatMap(({ index: state }) => [
        ...amplitudes!.subarray(2 * Number(state), 2 * Number(state) + 2),
      ]);
      return worstAmplitude(saved.amplitudes!, Float64Array.from(exact));
    }
  }
}
