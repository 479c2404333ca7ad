/** The unitary of a small circuit of gates, column by column, straight from the gate table. */
import type { Circuit } from '../../src/circuit/circuit.ts';
import { gateNamed } from '../../src/circuit/gates.ts';
import type { ComplexMatrix } from '../../src/math/complex-matrix.ts';

/** Row-major, interleaved; only gates and unitaries, no conditions. */
export function unitaryOf(circuit: Circuit): ComplexMatrix {
  const d = 2 ** circuit.numQubits;
  let columns = Array.from({ length: d }, (_, j) => {
    const column = new Float64Array(2 * d);
    column[2 * j] = 1;
    return column;
  });
  for (const operation of circuit.operations) {
    if (operation.kind === 'barrier') continue;
    if (operation.kind !== 'gate' && operation.kind !== 'unitary') throw new Error(operation.kind);
    const { controls, targets } = operation;
    const matrix =
      operation.kind === 'unitary'
        ? operation.matrix
        : gateNamed(operation.gate).matrix(operation.angles);
    columns = columns.map((column) => apply(matrix, controls, targets, column));
  }
  const out = new Float64Array(2 * d * d);
  for (const [j, column] of columns.entries()) {
    for (let i = 0; i < d; i++) out.set(column.subarray(2 * i, 2 * i + 2), 2 * (i * d + j));
  }
  return out;
}

function apply(
  matrix: ComplexMatrix,
  controls: readonly number[],
  targets: readonly number[],
  input: Float64Array,
): Float64Array<ArrayBuffer> {
  const rows = 2 ** targets.length;
  const output = new Float64Array(input.length);
  for (let from = 0; from < input.length / 2; from++) {
    const active = controls.every((control) => (from >> control) & 1);
    const column = targets.reduce((index, target, i) => index | (((from >> target) & 1) << i), 0);
    for (let row = 0; row < rows; row++) {
      const to = targets.reduce((k, t, i) => (k & ~(1 << t)) | (((row >> i) & 1) << t), from);
      const entry = 2 * (row * rows + column);
      const re = active ? matrix[entry]! : row === column ? 1 : 0;
      const im = active ? matrix[entry + 1]! : 0;
      output[2 * to]! += re * input[2 * from]! - im * input[2 * from + 1]!;
      output[2 * to + 1]! += re * input[2 * from + 1]! + im * input[2 * from]!;
    }
  }
  return output;
}

/** The largest difference of two unitaries when one is turned by the best global phase. */
export function differenceUpToPhase(a: ComplexMatrix, b: ComplexMatrix): number {
  let [re, im] = [0, 0];
  for (let i = 0; i < a.length; i += 2) {
    re += a[i]! * b[i]! + a[i + 1]! * b[i + 1]!;
    im += a[i]! * b[i + 1]! - a[i + 1]! * b[i]!;
  }
  const norm = Math.hypot(re, im);
  let worst = 0;
  for (let i = 0; i < a.length; i += 2) {
    const turnedRe = (a[i]! * re - a[i + 1]! * im) / norm;
    const turnedIm = (a[i]! * im + a[i + 1]! * re) / norm;
    worst = Math.max(worst, Math.hypot(turnedRe - b[i]!, turnedIm - b[i + 1]!));
  }
  return worst;
}
