/** Expectation values and gradients of many circuits of one shape. */
import type { Circuit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';

/**
 * Expectation values of many circuits of one shape, exact or estimated from shots.
 *
 * Angles are radians, circuit after circuit, `numAnglesOf(shape)` each. What comes back is circuit
 * after circuit, one value an observable: length numCircuits · observables.length.
 */
export type ExpectationBatch = (
  shape: Circuit,
  angles: Float64Array,
  numCircuits: number,
  observables: readonly PauliSum[],
) => Promise<Float64Array>;

/** Expectation values and their derivatives, row by row of the inputs. */
export interface ExpectationGradients {
  /** One an observable: length numRows · numObservables. */
  readonly values: Float64Array;
  /**
   * Derivatives by the parameters, for each row and in it for each observable: length
   * numRows · numObservables · numParameters.
   */
  readonly gradients: Float64Array;
}
