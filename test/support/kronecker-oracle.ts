/**
 * The oracle's oracle: the unitary of a circuit as a product of full 2^n × 2^n matrices, each a sum
 * of Kronecker products. It shares no code with compiler or engines, and none of their ideas.
 */
import type { Circuit, GateOperation, UnitaryOperation } from '../../src/circuit/circuit.ts';
import { gateNamed } from '../../src/circuit/gates.ts';

/** One entry of a matrix. */
export type Complex = readonly [re: number, im: number];
/** Rows of entries. */
export type Matrix = readonly (readonly Complex[])[];
/** The nonzero entries of a matrix, each once. */
export type Entries = readonly (readonly [row: number, column: number, re: number, im: number])[];
/** A matrix of zeros and ones, as the list of its ones. */
type Ones = readonly (readonly [row: number, col: number])[];

const IDENTITY: Ones = [
  [0, 0],
  [1, 1],
];
const ON: Ones = [[1, 1]];

/** The Kronecker product of one 2×2 factor a qubit, qubit 0 rightmost. */
function kron(factors: readonly Ones[]): Ones {
  let product: Ones = [[0, 0]];
  for (const [q, factor] of factors.entries()) {
    const wider: [number, number][] = [];
    for (const [i, j] of factor) {
      for (const [k, l] of product) wider.push([i * 2 ** q + k, j * 2 ** q + l]);
    }
    product = wider;
  }
  return product;
}

/**
 * The nonzero entries of the full unitary of one operation: 1 − Π + Σ M[i][j] · ⊗ |i_q⟩⟨j_q| ⊗ Π, Π projecting the
 * controls.
 */
export function operationEntries(op: GateOperation | UnitaryOperation, numQubits: number): Entries {
  const flat = op.kind === 'unitary' ? op.matrix : gateNamed(op.gate).matrix(op.angles);
  const d = 2 ** op.targets.length;
  const entries = new Map<number, [row: number, column: number, re: number, im: number]>();
  const addScaled = (ones: Ones, re: number, im: number) => {
    for (const [row, column] of ones) {
      const at = row * 2 ** numQubits + column;
      const entry = entries.get(at);
      if (entry === undefined) entries.set(at, [row, column, re, im]);
      else {
        entry[2] += re;
        entry[3] += im;
      }
    }
  };
  const qubits = Array.from({ length: numQubits }, (_, q) => q);
  const onControls = qubits.map((q) => (op.controls.includes(q) ? ON : IDENTITY));
  if (op.controls.length > 0) {
    addScaled(kron(qubits.map(() => IDENTITY)), 1, 0);
    addScaled(kron(onControls), -1, 0);
  }
  for (let i = 0; i < d; i++) {
    for (let j = 0; j < d; j++) {
      const [re, im] = [flat[2 * (i * d + j)]!, flat[2 * (i * d + j) + 1]!];
      if (re === 0 && im === 0) continue;
      const factors = onControls.map((factor, q): Ones => {
        const t = op.targets.indexOf(q);
        return t < 0 ? factor : [[(i >> t) & 1, (j >> t) & 1]];
      });
      addScaled(kron(factors), re, im);
    }
  }
  return [...entries.values()].filter(([, , re, im]) => re !== 0 || im !== 0);
}

/** The full unitary of one operation. */
export function operationUnitary(op: GateOperation | UnitaryOperation, numQubits: number): Matrix {
  const out: [number, number][][] = Array.from({ length: 2 ** numQubits }, () =>
    Array.from({ length: 2 ** numQubits }, () => [0, 0]),
  );
  for (const [row, column, re, im] of operationEntries(op, numQubits)) {
    out[row]![column] = [re, im];
  }
  return out;
}

/** The matrix product a·b; skips zeros of a, which is mostly zeros here. */
export function matrixProduct(a: Matrix, b: Matrix): Matrix {
  return a.map((row) => {
    const out = row.map((): [number, number] => [0, 0]);
    for (const [k, [re, im]] of row.entries()) {
      if (re === 0 && im === 0) continue;
      for (const [col, [x, y]] of b[k]!.entries()) {
        out[col]![0] += re * x - im * y;
        out[col]![1] += re * y + im * x;
      }
    }
    return out;
  });
}

/** The unitary of a circuit's gates; measurements and barriers are passed over. */
export function circuitUnitary({ numQubits, operations }: Circuit): Matrix {
  const steps = operations.flatMap((op) =>
    op.kind === 'gate' || op.kind === 'unitary' ? [operationUnitary(op, numQubits)] : [],
  );
  const phase: GateOperation = {
    kind: 'gate',
    gate: 'GPHASE',
    controls: [],
    targets: [],
    angles: [0],
  };
  return steps.reduce(
    (done, next) => matrixProduct(next, done),
    operationUnitary(phase, numQubits),
  );
}

/** The final amplitudes from |0…0⟩; interleaved re, im. */
export function circuitAmplitudes(circuit: Circuit): Float64Array {
  return Float64Array.from(circuitUnitary(circuit).flatMap((row) => row[0]!));
}
