/**
 * An exact simulation of small noisy circuits: the density matrix, channels as sums over Paulis. It
 * shares the gate table with the engines and nothing else.
 */
import type { Circuit, GateOperation, UnitaryOperation } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { circuitUnitary, type Matrix, operationUnitary } from './kronecker-oracle.ts';

/** Probabilities of errors. */
export interface OracleNoise {
  readonly oneQubitError: number;
  readonly twoQubitError: number;
}

type Entry = readonly [re: number, im: number];

/** The density matrix after the circuit's gates, an error channel after each. */
export function noisyDensityMatrix(circuit: Circuit, noise: OracleNoise): Matrix {
  const d = 2 ** circuit.numQubits;
  let rho: Matrix = Array.from({ length: d }, (_, i) =>
    Array.from({ length: d }, (_, j): Entry => [i === 0 && j === 0 ? 1 : 0, 0]),
  );
  for (const operation of circuit.operations) {
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') continue;
    rho = conjugated(operationUnitary(operation, circuit.numQubits), rho);
    const qubits = [...operation.controls, ...operation.targets];
    const rate = qubits.length === 1 ? noise.oneQubitError : noise.twoQubitError;
    rho = depolarised(rho, qubits, rate, circuit.numQubits);
  }
  return rho;
}

/** tr(ρ·O). */
export function densityExpectation(rho: Matrix, observable: PauliSum): number {
  const numQubits = Math.log2(rho.length);
  return observable.reduce((sum, { coefficient, factors }) => {
    const paulis = factors.map(({ pauli, qubit }) => gateOn(pauli, qubit));
    const matrix = circuitUnitary({ numQubits, numBits: 0, operations: paulis });
    return sum + coefficient * trace(product(rho, matrix));
  }, 0);
}

function depolarised(
  rho: Matrix,
  qubits: readonly number[],
  rate: number,
  numQubits: number,
): Matrix {
  const names = ['ID', 'X', 'Y', 'Z'];
  const numErrors = 4 ** qubits.length - 1;
  let out = scaled(rho, 1 - rate);
  for (let error = 1; error <= numErrors; error++) {
    const operations = qubits.map((qubit, i) => gateOn(names[(error >> (2 * i)) & 3]!, qubit));
    const pauli = circuitUnitary({ numQubits, numBits: 0, operations });
    out = sum(out, scaled(conjugated(pauli, rho), rate / numErrors));
  }
  return out;
}

function gateOn(gate: string, qubit: number): GateOperation | UnitaryOperation {
  return { kind: 'gate', gate, controls: [], targets: [qubit], angles: [] };
}

/** U·ρ·U†. */
function conjugated(unitary: Matrix, rho: Matrix): Matrix {
  const dagger = unitary.map((_, i) => unitary.map((row): Entry => [row[i]![0], -row[i]![1]]));
  return product(product(unitary, rho), dagger);
}

function product(a: Matrix, b: Matrix): Matrix {
  return a.map((row) =>
    b.map((_, j): Entry => {
      let [re, im] = [0, 0];
      for (const [k, [x, y]] of row.entries()) {
        const [u, v] = b[k]![j]!;
        re += x * u - y * v;
        im += x * v + y * u;
      }
      return [re, im];
    }),
  );
}

function scaled(a: Matrix, factor: number): Matrix {
  return a.map((row) => row.map(([re, im]): Entry => [factor * re, factor * im]));
}

function sum(a: Matrix, b: Matrix): Matrix {
  return a.map((row, i) => row.map(([re, im], j): Entry => [re + b[i]![j]![0], im + b[i]![j]![1]]));
}

function trace(a: Matrix): number {
  return a.reduce((total, row, i) => total + row[i]![0], 0);
}
