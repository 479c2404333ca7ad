/** What every way of differentiating expectation values gives back. */

/** Expectation values and their derivatives, row of inputs after row of inputs. */
export interface ExpectationGradients {
  /** One an observable: length numRows · numObservables. */
  readonly values: Float64Array;
  /**
   * Derivatives by the parameters, for each row and in it for each observable: length
   * numRows · numObservables · numParameters.
   */
  readonly gradients: Float64Array;
}
