/** Quantum phase estimation: its textbook circuit, its exact distribution, and the eigenstates that it estimates. */

import type { Circuit, Operation } from '../../circuit/circuit.ts';
import { eigenvectorsOfUnitary } from '../../circuit/unitary-power.ts';
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  multiply,
  orthonormalizedRows,
} from '../../math/complex-matrix.ts';
import { gateOperation as gate } from './gate-operation.ts';
import { innerProduct } from './linear-algebra/vectors.ts';

/** An eigenvector and its phase. */
export interface Eigenstate {
  /** In turns, [0, 1): the eigenvalue is e^{2πi·phase}. */
  readonly phase: number;
  /** Interleaved re, im; of length 1. */
  readonly vector: Float64Array;
}

/**
 * Rotations of the whole unitary to try, radians: for one of them the projections of distinct eigenvalues
 * differ.
 */
const TURNS = [0, 0.61, 1.37, 2.11, 2.83];
/** A phase this close to a whole turn counts as 0. */
const ROUNDING = 1e-12;

/**
 * Computes the eigenstates, by ascending phase.
 *
 * @param unitary - At most 64 rows.
 */
export function eigenstates(unitary: ComplexMatrix): readonly Eigenstate[] {
  let best: { states: readonly Eigenstate[]; defect: number } | undefined;
  for (const turn of TURNS) {
    const found = diagonalised(unitary, eigenvectorsOfUnitary(turned(unitary, turn)));
    if (best === undefined || found.defect < best.defect) best = found;
  }
  if (best === undefined) throw new Error('unreachable: there are turns');
  return [...best.states].sort((a, b) => a.phase - b.phase);
}

function turned(matrix: ComplexMatrix, angle: number): ComplexMatrix {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  return matrix.map((part, i) =>
    i % 2 === 0 ? c * part - s * matrix[i + 1]! : c * part + s * matrix[i - 1]!,
  );
}

/** The columns with their phases and residuals. */
function diagonalised(unitary: ComplexMatrix, columns: ComplexMatrix) {
  const d = dimension(unitary);
  let defect = 0;
  const states = Array.from({ length: d }, (_, column) => {
    const vector = Float64Array.from({ length: 2 * d }, (_, i) => {
      return columns[2 * ((i >> 1) * d + column) + (i & 1)]!;
    });
    const image = times(unitary, vector);
    const [re, im] = innerProduct(vector, image);
    for (let i = 0; i < d; i++) {
      const [x, y] = [vector[2 * i]!, vector[2 * i + 1]!];
      const [u, v] = [re * x - im * y, re * y + im * x];
      defect = Math.max(defect, Math.hypot(image[2 * i]! - u, image[2 * i + 1]! - v));
    }
    return { phase: turnsOf(re, im), vector };
  });
  return { states, defect };
}

function turnsOf(re: number, im: number): number {
  const turns = Math.atan2(im, re) / (2 * Math.PI);
  const phase = turns < -ROUNDING ? turns + 1 : Math.max(0, turns);
  return phase >= 1 - ROUNDING ? 0 : phase;
}

/** Matrix times vector. */
export function times(matrix: ComplexMatrix, vector: Float64Array): Float64Array {
  const d = dimension(matrix);
  const out = new Float64Array(2 * d);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      const at = 2 * (row * d + column);
      const [re, im] = [vector[2 * column]!, vector[2 * column + 1]!];
      out[2 * row]! += matrix[at]! * re - matrix[at + 1]! * im;
      out[2 * row + 1]! += matrix[at]! * im + matrix[at + 1]! * re;
    }
  }
  return out;
}

/** Inputs of the circuit. */
export interface PhaseCircuitParts {
  readonly numCounting: number;
  /** The unitary; 2, 4 or 8 rows. */
  readonly unitary: ComplexMatrix;
  /** Unitary that prepares the state; as many rows. */
  readonly preparation: ComplexMatrix;
}

/**
 * Builds the circuit.
 *
 * Counting qubits come first, 0 … n − 1, then those of the unitary. Counting qubit k controls the
 * unitary's 2^k-th power; an inverse Fourier transform turns the phases into a number m, measured into
 * bits 0 … n − 1, and m/2^n estimates the phase.
 *
 * @see Nielsen & Chuang, "Quantum Computation and Quantum Information", section 5.2.
 */
export function phaseCircuit({ numCounting, unitary, preparation }: PhaseCircuitParts): Circuit {
  const numTargets = Math.round(Math.log2(dimension(unitary)));
  const counting = Array.from({ length: numCounting }, (_, k) => k);
  const targets = Array.from({ length: numTargets }, (_, i) => numCounting + i);
  const operations: Operation[] = [
    { kind: 'unitary', controls: [], targets, matrix: preparation },
    ...counting.map((k) => gate('H', [k])),
  ];
  let power = unitary;
  for (const k of counting) {
    operations.push({ kind: 'unitary', controls: [k], targets, matrix: power });
    // Squaring doubles the deviation from unitarity, which is corrected each time.
    power = orthonormalizedRows(multiply(power, power));
  }
  operations.push(...inverseFourier(numCounting), {
    kind: 'measure',
    qubits: counting,
    bits: counting,
  });
  return { numQubits: numCounting + numTargets, numBits: numCounting, operations };
}

/** Inverse Fourier transform: takes Σ_x e^{2πi·x·m/2^n}|x⟩/√2^n to |m⟩. */
function inverseFourier(n: number): readonly Operation[] {
  const operations: Operation[] = [];
  for (let k = 0; k < Math.floor(n / 2); k++) operations.push(gate('SWAP', [k, n - 1 - k]));
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < j; k++) operations.push(gate('CP', [j], [-Math.PI / 2 ** (j - k)], [k]));
    operations.push(gate('H', [j]));
  }
  return operations;
}

/** A unitary with the vector as first column; it prepares the vector from |0…0⟩. */
export function preparationOf(vector: Float64Array): ComplexMatrix {
  const d = vector.length / 2;
  const sizes = Array.from({ length: d }, (_, i) => Math.hypot(vector[2 * i]!, vector[2 * i + 1]!));
  const largest = sizes.indexOf(Math.max(...sizes));
  const rows = new Float64Array(2 * d * d);
  for (let i = 0; i < d; i++) {
    rows[2 * i] = vector[2 * i]!;
    rows[2 * i + 1] = -vector[2 * i + 1]!;
  }
  // The vector and the unit vectors, without the one closest to it, form a basis.
  const others = sizes.flatMap((_, i) => (i === largest ? [] : [i]));
  for (const [row, column] of others.entries()) rows[2 * ((row + 1) * d + column)] = 1;
  return adjoint(orthonormalizedRows(rows));
}

/**
 * Theoretical probability of each m, for a mixture of eigenstates with these weights.
 *
 * @returns Length 2^numCounting.
 */
export function phaseDistribution(
  numCounting: number,
  parts: readonly { readonly phase: number; readonly weight: number }[],
): Float64Array {
  const size = 2 ** numCounting;
  return Float64Array.from({ length: size }, (_, m) =>
    parts.reduce((sum, { phase, weight }) => {
      const off = phase - m / size;
      const sine = Math.sin(Math.PI * off);
      // At an exact phase, 0/0 stands for 1.
      const amplitude = Math.abs(sine) < 1e-15 ? 1 : Math.sin(Math.PI * size * off) / (size * sine);
      return sum + weight * amplitude ** 2;
    }, 0),
  );
}
