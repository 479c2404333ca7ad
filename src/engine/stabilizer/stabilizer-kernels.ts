/**
 * The hot part of stabilizer runs, behind one interface: in WebAssembly, and in plain TypeScript, which gives the same
 * bits. All addresses are indices of 32-bit words in the kernels' memory.
 */

/** Kernels over a memory of their own, for one run at a time. */
export interface StabilizerKernels {
  /** The memory. A view is of no use after `reserve`. */
  readonly words: Int32Array;
  /** The memory as doubles, by half the address. */
  readonly doubles: Float64Array;
  /**
   * Makes room for so many words; the memory then holds zeros.
   *
   * @throws {StateMemoryError} if there is no such room.
   */
  reserve(numWords: number): void;
  /** Sets the tableau that the next functions work on to that of |0…0⟩, where the memory holds zeros. */
  openTableau(at: number, numQubits: number): void;
  /** Applies the gates among the instructions `from` up to `to`; the tableau must not be transposed. */
  gates(code: number, from: number, to: number): void;
  /**
   * Number of the first instruction from `from` up to `to` that measures or resets a qubit whose value is random; `to` if
   * there is none. The tableau must not be transposed.
   */
  firstRandom(code: number, from: number, to: number): number;
  /**
   * Runs the measurements and resets among instructions, none of which may be random. The value of a measurement becomes
   * its `c`. The tableau must not be transposed.
   */
  readings(code: number, from: number, to: number): void;
  /** Whether measuring a qubit gives either value; the tableau must not be transposed. */
  isRandom(qubit: number): number;
  /** The value that measuring a qubit gives, if it is not random; the tableau must not be transposed. */
  valueOf(qubit: number): number;
  /** Applies X (1), Z (2) or Y (3) to a qubit, or nothing (0); the tableau must not be transposed. */
  pauli(qubit: number, letter: number): void;
  /**
   * Exchanges rows and columns of the tableau: the blocks of 32 × 32 bits that have their row in a range of blocks, and
   * their column before it. All ranges together transpose the tableau.
   */
  transpose(fromBlock: number, toBlock: number): void;
  /**
   * Measures a qubit with that outcome, if it is random; the tableau must be transposed.
   *
   * @returns Whether it was random.
   */
  collapse(qubit: number, outcome: number): number;
  /** Runs instructions on the frames of a block of shots; see `frame-layout.ts`. */
  frames(header: number, from: number, to: number): void;
  /**
   * Turns rows of bits, one a classical bit, into outcomes, one a shot.
   *
   * @param rowWords - Words of a row; 32 shots each.
   * @param stride - Words of an outcome.
   * @param blocks - Room for 128 words.
   */
  outcomes(
    rows: number,
    numRows: number,
    rowWords: number,
    to: number,
    stride: number,
    blocks: number,
  ): void;
  /** Frees a memory that is large. */
  release(): void;
}

/** Words of a row of a tableau: a multiple of four, so that a row is whole vectors. */
export const tableauRowWords = (numQubits: number): number => 4 * Math.ceil(numQubits / 128);

/**
 * Words of a tableau: four square matrices of bits, and two rows of signs.
 *
 * With U for the circuit so far, row q of the first two matrices is the Pauli string U†·X_q·U, as its X and Z bits; that of
 * the others is U†·Z_q·U.
 */
export function tableauWords(numQubits: number): number {
  const rowWords = tableauRowWords(numQubits);
  return 4 * 32 * rowWords * rowWords + 2 * rowWords;
}
