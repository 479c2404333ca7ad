/**
 * Logistic loss of a classifier that separates two classes by the sign of an expectation value E: mean of
 * ln(1 + e^{−y·slope·E}), y = ±1.
 *
 * The slope is fixed: |E| ≤ 1 bounds the margin, and a slope that grows with training would let a circuit
 * of many layers fit its training rows ever more closely.
 */

/** Value and derivative. */
export interface LossGradient {
  readonly loss: number;
  /** Length numParameters. */
  readonly gradient: Float64Array;
}

/**
 * The loss over all rows and its derivatives by the parameters.
 *
 * @param values - E of each row.
 * @param gradients - dE/dθ, row after row; length numRows · numParameters.
 * @param labels - 0 (y = −1) or 1 (y = +1), one a row.
 */
export function logisticLoss(
  values: Float64Array,
  gradients: Float64Array,
  labels: ArrayLike<number>,
  slope: number,
): LossGradient {
  const numRows = values.length;
  const numParameters = gradients.length / numRows;
  const gradient = new Float64Array(numParameters);
  let loss = 0;
  for (let row = 0; row < numRows; row++) {
    const sign = labels[row] === 1 ? 1 : -1;
    const cost = Math.exp(-sign * slope * values[row]!);
    loss += Math.log1p(cost) / numRows;
    const byValue = (-sign * slope * cost) / (1 + cost) / numRows;
    for (let j = 0; j < numParameters; j++) {
      gradient[j]! += byValue * gradients[row * numParameters + j]!;
    }
  }
  return { loss, gradient };
}
