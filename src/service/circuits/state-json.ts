/** Outputs of states as JSON text. */
import { basisLabel } from '../../math/basis-index.ts';

/**
 * Writes expectation values and their sum.
 *
 * @param errors - Standard errors of the values, where these are means.
 */
export function expectationJson(
  values: readonly number[],
  errors: readonly number[] | undefined,
): string {
  const sum = values.reduce((total, value) => total + value, 0);
  return JSON.stringify({ values, sum, ...(errors && { standard_error: errors }) });
}

/** Writes a distribution by label; probabilities of zero are left out. */
export function probabilitiesJson(probabilities: Float64Array, numBits: number): string {
  const entries: string[] = [];
  for (const [outcome, probability] of probabilities.entries()) {
    if (probability > 0) entries.push(`"${basisLabel(outcome, numBits)}":${probability}`);
  }
  return `{${entries.join(',')}}`;
}

/** Writes amplitudes as pairs [re, im]. */
export function amplitudesJson(amplitudes: Float64Array): string {
  const entries: string[] = [];
  for (let i = 0; i < amplitudes.length; i += 2) {
    // Adding 0 turns −0 into 0, as JSON would.
    entries.push(`[${amplitudes[i]! + 0},${amplitudes[i + 1]! + 0}]`);
  }
  return `[${entries.join(',')}]`;
}

/** Writes a square matrix as rows. */
export function matrixJson(matrix: Float64Array): string {
  const rowLength = 2 * Math.sqrt(matrix.length / 2);
  const rows: string[] = [];
  for (let at = 0; at < matrix.length; at += rowLength) {
    rows.push(amplitudesJson(matrix.subarray(at, at + rowLength)));
  }
  return `[${rows.join(',')}]`;
}

/** Density matrix of some qubits, `qubits[0]` least significant: the trace over the others. */
export function reducedDensity(
  density: Float64Array,
  qubits: readonly number[] | undefined,
): Float64Array {
  const d = Math.sqrt(density.length / 2);
  const numQubits = Math.log2(d);
  const kept = qubits ?? Array.from({ length: numQubits }, (_, qubit) => qubit);
  const traced = (2 ** numQubits - 1) & ~kept.reduce((mask, qubit) => mask | (1 << qubit), 0);
  const placed = (index: number) =>
    kept.reduce((sum, qubit, bit) => sum | (((index >> qubit) & 1) << bit), 0);
  const size = 2 ** kept.length;
  const reduced = new Float64Array(2 * size * size);
  for (let row = 0; row < d; row++) {
    for (let column = 0; column < d; column++) {
      if ((row & traced) !== (column & traced)) continue;
      const from = 2 * (row * d + column);
      const to = 2 * (placed(row) * size + placed(column));
      reduced[to]! += density[from]!;
      reduced[to + 1]! += density[from + 1]!;
    }
  }
  return reduced;
}
