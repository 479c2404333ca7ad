/** Names of simulation methods. They stand alone, so that a command line that lists them loads nothing else. */

/** Names of methods that a caller may ask for. */
export const METHODS = [
  'automatic',
  'statevector',
  'density_matrix',
  'stabilizer',
  'matrix_product_state',
  'sparse',
  'pauli_propagation',
] as const;
export type MethodName = (typeof METHODS)[number];

/** Names of methods that circuits run by. */
export const RUN_METHODS = [
  'statevector',
  'density_matrix',
  'stabilizer',
  'matrix_product_state',
  'sparse',
  'pauli_propagation',
] as const;
export type RunMethodName = (typeof RUN_METHODS)[number];
