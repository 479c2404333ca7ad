/**
 * The textbook circuit of quantum phase estimation.
 *
 * Counting qubits come first, 0 … n − 1, then those of the unitary. Counting qubit k controls the
 * unitary's 2^k-th power; an inverse Fourier transform turns the phases into a number m, measured into
 * bits 0 … n − 1, and m/2^n estimates the phase.
 *
 * @see Nielsen & Chuang, "Quantum Computation and Quantum Information", section 5.2.
 */
import type { Circuit, Operation } from '../../../circuit/circuit.ts';
import {
  adjoint,
  type ComplexMatrix,
  dimension,
  multiply,
  orthonormalizedRows,
} from '../../../math/complex-matrix.ts';
import { gateOperation as gate } from '../gate-operation.ts';

/** Inputs of the circuit. */
export interface PhaseCircuitParts {
  readonly numCounting: number;
  /** The unitary; 2, 4 or 8 rows. */
  readonly unitary: ComplexMatrix;
  /** Unitary that prepares the state; as many rows. */
  readonly preparation: ComplexMatrix;
}

/** Builds the circuit. */
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
