/** The WebAssembly module of matrix product states, built from assembly/mps.ts. */

/**
 * Exports of the module. Matrices are row-major, complex numbers are two doubles; sizes and leading dimensions are in
 * complex numbers, the rest are addresses.
 */
export interface MpsKernels {
  /** C = A·B with m × k and k × n entries; 32·k bytes of scratch. */
  multiplyMatrices(
    a: number,
    lda: number,
    b: number,
    ldb: number,
    c: number,
    ldc: number,
    m: number,
    k: number,
    n: number,
    scratch: number,
  ): void;
  /** Writes the transpose, or the adjoint if `sign` is −1. */
  transpose(a: number, rows: number, columns: number, out: number, sign: 1 | -1): void;
  conjugate(at: number, count: number): void;
  /** Applies a 2×2 matrix to the middle index of a tensor left × 2 × right. */
  applyToSite(at: number, left: number, right: number, matrix: number): void;
  /** Applies a 4×4 matrix to the middle indices of a tensor left × 2 × 2 × right. */
  applyToPair(at: number, left: number, right: number, matrix: number): void;
  /** Squared norms of rows, one double each. */
  rowMasses(at: number, rows: number, columns: number, out: number): void;
  /** Copies rows by their numbers (32 bits each) times factors (a double each). */
  pickRows(
    from: number,
    columns: number,
    rows: number,
    factors: number,
    count: number,
    to: number,
  ): void;
  /**
   * Continues a Gram-Schmidt orthogonalisation of rows; assembly/mps-rows.ts says how.
   *
   * @returns Steps done; less than `to` at the end.
   */
  orthogonalizeRows(
    at: number,
    rows: number,
    columns: number,
    masses: number,
    factors: number,
    basis: number,
    from: number,
    to: number,
    rest: number,
  ): number;
  /**
   * Part of a sweep of one-sided Jacobi rotations.
   *
   * @returns Number of rotations.
   */
  rotateRows(
    at: number,
    rows: number,
    columns: number,
    masses: number,
    from: number,
    to: number,
    tolerance: number,
  ): number;
}

/** Instantiates the kernels over a memory. */
export function instantiateMpsKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): MpsKernels {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  // Checked: the module is built from assembly/mps.ts.
  return exports as unknown as MpsKernels;
}
