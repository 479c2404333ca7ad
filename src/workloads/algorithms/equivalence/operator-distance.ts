/** Operator-norm distance of two unitaries: the largest over all states. */
import { adjoint, type ComplexMatrix, dimension, multiply } from '../../../math/complex-matrix.ts';

/** Number of squarings of a Hermitian matrix after which only its largest eigenvalue is left. */
const SQUARINGS = 12;

/** Operator norm of a − b. */
export function operatorDistance(a: ComplexMatrix, b: ComplexMatrix): number {
  const difference = a.map((part, i) => part - b[i]!);
  let power = multiply(adjoint(difference), difference);
  // The trace of A^(2^k), of which the 2^k-th root tends to the largest eigenvalue of A.
  let logarithm = 0;
  for (let k = 0; k < SQUARINGS; k++) {
    const trace = traceOf(power);
    if (trace === 0) return 0;
    logarithm += Math.log(trace) / 2 ** k;
    const scaled = power.map((part) => part / trace);
    power = multiply(scaled, scaled);
  }
  return Math.sqrt(Math.exp(logarithm + Math.log(traceOf(power)) / 2 ** SQUARINGS));
}

/** Trace of a Hermitian matrix. */
function traceOf(matrix: ComplexMatrix): number {
  const d = dimension(matrix);
  let trace = 0;
  for (let i = 0; i < d; i++) trace += matrix[2 * (i * d + i)]!;
  return trace;
}
