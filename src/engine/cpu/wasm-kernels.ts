/**
 * The WebAssembly modules that scripts/build-wasm.ts builds from assembly/: one for each precision, with fused
 * multiply-add if the machine has relaxed SIMD and without it otherwise, and one with 64-bit addresses.
 */

/**
 * Exports for matrix product states, in double precision whatever the module's is. Matrices are row-major, complex
 * numbers are two doubles; sizes and leading dimensions are in complex numbers, the rest are addresses.
 */
interface MpsKernels {
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
   * Gram-Schmidt orthogonalisation of rows; assembly/mps-rows.ts says how.
   *
   * @returns Steps done: the rank.
   */
  orthogonalizeRows(
    at: number,
    rows: number,
    columns: number,
    masses: number,
    factors: number,
    basis: number,
    most: number,
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
  /** Chooses the first row of an orthogonalisation command, which all threads then work on. */
  beginOrthogonalization(command: number): void;
}

/**
 * Exports of a module. Numbers are addresses, or sizes in bytes, unless said otherwise; addresses of states are in 32-bit
 * words.
 */
export interface KernelExports extends MpsKernels {
  /** Assigns this thread its scratch memory, `threadBytes` long. */
  setScratch(at: number): void;
  /**
   * Claims and does items of a command, in at most `maxClaims` claims.
   *
   * @returns 1 when no item is left.
   */
  work(command: number, maxClaims: number): number;
  fillOnes(table: number, bytes: number): void;
  multiplySubcube(first: number, free: number, at: number): void;
  /** The masses of a qubit of a small state, two doubles at `out`; 64 bytes of scratch. */
  stateMasses(
    state: number,
    bytes: number,
    distance: number,
    laneBit: number,
    scratch: number,
    out: number,
  ): void;
  collapseState(
    state: number,
    free: number,
    distance: number,
    outcome: 0 | 1,
    left: 0 | 1,
    scale: number,
  ): void;
  /** 32 bytes of scratch. */
  collapseStateLanes(
    state: number,
    bytes: number,
    laneBit: number,
    outcome: 0 | 1,
    left: 0 | 1,
    scale: number,
    scratch: number,
  ): void;
  /** Cumulative sums of a small state in logical order; gives the norm. */
  stateSums(
    state: number,
    numQubits: number,
    images: number,
    offsets: number,
    sums: number,
  ): number;
  /** Draws the shots `from` to `to` from cumulative sums; uses 32 bytes of scratch. */
  drawShots(
    sums: number,
    numQubits: number,
    norm: number,
    seedLow: number,
    seedHigh: number,
    event: number,
    from: number,
    to: number,
    numbers: number,
    histogram: number,
    scratch: number,
  ): void;
  /**
   * Lists the non-empty bins of a histogram.
   *
   * @returns Their number.
   */
  listHistogram(histogram: number, count: number, indices: number, occurrences: number): number;
  /** Replaces 32-bit counts by their exclusive prefix sums, followed by the total. */
  startsOfCounts(counts: number, numCounts: number): void;
  /**
   * Replaces doubles by their exclusive prefix sums, followed by the total.
   *
   * @returns The total.
   */
  startsOfMasses(masses: number, numMasses: number): number;
  /**
   * Moves samples that occur to the front.
   *
   * @returns Their number.
   */
  compactSamples(indices: number, occurrences: number, count: number): number;
}

/** Scratch for the tile program and the scales of tiles. */
const SCRATCH_BYTES = 16_384;
/** Lists of the products of a tile's halves: as many reals as half a tile has amplitudes, and again while they fold. */
const LISTS_BYTES = 128 * 1024;
/** Tiles that a thread gathers together, at most, and bytes of them. */
const TILES_TOGETHER = 4;
const BYTES_TOGETHER = 2 ** 19;
/** Scratch for reading a state: a tile of 128 KiB and lists, or a bundle of 12 qubits, 385 KiB. */
const READOUT_BYTES = 400 * 1024;

/** Bytes of a thread's scratch and tiles. */
export function threadBytes(tileBytes: number): number {
  const tiles = Math.min(TILES_TOGETHER * tileBytes, BYTES_TOGETHER);
  return SCRATCH_BYTES + LISTS_BYTES + Math.max(tiles, READOUT_BYTES);
}

/** Name of a module: of its file, without `.wasm`. */
export type KernelName =
  | 'f32'
  | 'f64'
  | 'f32-relaxed'
  | 'f64-relaxed'
  | 'f32-wide'
  | 'f64-wide'
  | 'stabilizer'
  | 'paulis';

/** A module whose only function multiplies and adds with relaxed SIMD. */
const RELAXED_PROBE = Uint8Array.of(
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
  // Type 0: three vectors to one.
  ...[0x01, 0x08, 0x01, 0x60, 0x03, 0x7b, 0x7b, 0x7b, 0x01, 0x7b],
  // Function 0 of type 0: local.get 0, 1 and 2, f32x4.relaxed_madd, end.
  ...[0x03, 0x02, 0x01, 0x00],
  ...[0x0a, 0x0d, 0x01, 0x0b, 0x00, 0x20, 0x00, 0x20, 0x01, 0x20, 0x02, 0xfd, 0x85, 0x02, 0x0b],
);

/**
 * The module of a precision for this machine.
 *
 * @param isReproducible - Whether it does without fused multiply-add on every machine.
 */
export function kernelName(precision: 'f32' | 'f64', isReproducible = false): KernelName {
  const isRelaxed = !isReproducible && WebAssembly.validate(RELAXED_PROBE);
  return isRelaxed ? `${precision}-relaxed` : precision;
}

/** Instantiates the kernels over the shared memory, for the calling thread. */
export function instantiateKernels(
  module: WebAssembly.Module,
  memory: WebAssembly.Memory,
): KernelExports {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return exports as unknown as KernelExports;
}
