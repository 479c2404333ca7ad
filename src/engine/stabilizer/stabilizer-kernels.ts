/**
 * The hot part of stabilizer runs, behind one interface: in WebAssembly, and in plain TypeScript, which gives the same
 * bits. All addresses are indices of 32-bit words in the kernels' memory.
 */
import type { PauliError } from '../../circuit/noise/channel.ts';
import type { StabilizerProgram } from '../../compiler/program.ts';

/** Kernels over a memory of their own, for one run at a time. */
export interface StabilizerKernels {
  /** The memory. A view is of no use after `reserve`. */
  readonly words: Int32Array;
  /** The memory as doubles, by half the address. */
  readonly doubles: Float64Array;
  /**
   * Makes room for `numWords`; the memory then holds zeros.
   *
   * @throws {StateMemoryError} if there is no such room.
   */
  reserve(numWords: number): void;
  /** Sets the tableau that the next functions work on to that of |0…0⟩, where the memory holds zeros. */
  openTableau(at: number, numQubits: number): void;
  /** Applies the gates among the instructions `from` up to `to`; the tableau must not be transposed. */
  gates(code: number, from: number, to: number): void;
  /**
   * Number of the first instruction from `from` up to `to` that measures or resets a qubit whose value is random; `to`
   * if there is none. The tableau must not be transposed.
   */
  firstRandom(code: number, from: number, to: number): number;
  /**
   * Runs the measurements and resets among instructions, none of which may be random. The value of a measurement
   * becomes its `c`. The tableau must not be transposed.
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
  /**
   * Runs gates, measurements and resets with random outcomes 0, and of the instructions of an `unless` those for whose
   * number `a` a pattern has the bit 1. The outcome of a measurement is added to bit `b` of `outcomes`. The tableau
   * must not be transposed.
   *
   * @param numBlocks - Blocks of 32 rows that hold qubits.
   * @returns The next instruction, which is `to` or one that a branch ends at.
   */
  walkPattern(
    code: number,
    from: number,
    to: number,
    pattern: number,
    outcomes: number,
    numBlocks: number,
  ): number;
  /** Runs instructions on the frames of a block of shots; see `HEADER`. */
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
  /** Copies amplitudes, times a factor. These and the next addresses are indices of doubles. */
  copyScaled(to: number, from: number, numStates: number, factor: number): void;
  /** Applies cosine − i·sine·P to a state, where P is i^turns·X^flips·Z^signs. */
  rotate(
    at: number,
    numStates: number,
    flips: number,
    signs: number,
    turns: number,
    cosine: number,
    sine: number,
  ): void;
  /** Repeats the first `numSmall` amplitudes up to `numStates`, and multiplies all of them by phases. */
  multiplyRepeated(at: number, numSmall: number, phases: number, numStates: number): void;
  /**
   * Writes the `numStates` amplitudes after a measurement, which has one qubit less; see `Collapse`.
   *
   * @param turns - Of the string, plus 2 for outcome 1, modulo 4.
   * @returns The square of the norm.
   */
  collapseState(
    to: number,
    from: number,
    numStates: number,
    flips: number,
    signs: number,
    turns: number,
    pivot: number,
  ): number;
  /** Kernels with another memory. */
  another(): StabilizerKernels;
  /** Frees a memory that is large. */
  release(): void;
}

/** Words of a row of a tableau: a multiple of four, so that a row is whole vectors. */
export const tableauRowWords = (numQubits: number): number => 4 * Math.ceil(numQubits / 128);

/**
 * Words of a tableau: four square matrices of bits, and two rows of signs.
 *
 * With U for the circuit so far, row q of the first two matrices is the Pauli string U†·X_q·U, as its X and Z bits;
 * that of the others is U†·Z_q·U.
 */
export function tableauWords(numQubits: number): number {
  const rowWords = tableauRowWords(numQubits);
  return 4 * 32 * rowWords * rowWords + 2 * rowWords;
}

// The layout of Pauli frames of a block of shots in the kernels' memory. A frame is the Pauli string by which a shot
// differs from the reference sample; a row holds one bit of it for all shots of the block, 32 shots a word.
//
// The kernels read a header of 16 words; keep the order of its fields. The code is that of the program with these
// differences: a measurement has its outcome in the reference sample as `c`, or the number of its row in `references`, if
// there are any; gates, measurements and resets under a condition act in the shots in which it holds; a misreading names in `a` the channel of
// zeros that read as ones, which the channel of ones that read as zeros follows.
//
// @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, section 3.

/** Fields of the header, by their places. */
export const HEADER = {
  /** First instruction. */
  code: 0,
  /** X row of qubit 0; its Z row follows, then the rows of qubit 1. */
  frames: 1,
  /** Row of bit 0: the values that the shots have for it, not differences. */
  bits: 2,
  channels: 3,
  /** Four generators xoshiro128++ side by side: word j of generator i is at 4·j + i. */
  generators: 4,
  rowWords: 5,
  operands: 6,
  /** A row for temporary values. */
  scratch: 7,
  /** Row of the shots in which a condition holds; 0 outside of conditions. */
  mask: 8,
  /** −1 if the condition holds in the reference sample, else 0. */
  held: 9,
  /** 1 if frames have all Pauli gates, and the reference sample has none. */
  paulis: 10,
  /** Rows of the outcomes of measurements in the reference samples of the shots; 0 where all shots have one. */
  references: 11,
} as const;

/** Words of the header. */
export const HEADER_WORDS = 16;

/**
 * Doubles of a channel: trials until its next error, ln(1 − p) for the probability p of an error, the number of its
 * errors, the address of the first error in doubles, and 1 if all errors are alike.
 */
export const CHANNEL_DOUBLES = 6;
/** Doubles of an error: cumulative probability, given an error; flips and signs in one double, as words. */
export const ERROR_DOUBLES = 2;

/** A channel as the frames have it. */
export interface FrameChannel {
  /** Probability of an error. */
  readonly probability: number;
  readonly errors: readonly PauliError[];
}

/** Channels of a program: of its noise, then two for each of its misreadings. */
export function frameChannels({ channels, misreads }: StabilizerProgram): readonly FrameChannel[] {
  return [
    ...channels.map(({ errors }) => ({
      probability: Math.min(
        1,
        errors.reduce((sum, { probability }) => sum + probability, 0),
      ),
      errors,
    })),
    ...misreads.flatMap(({ p1Given0, p0Given1 }) =>
      [p1Given0, p0Given1].map((probability) => ({ probability, errors: [] })),
    ),
  ];
}

/** Doubles that channels take. */
export const channelDoubles = (channels: readonly FrameChannel[]): number =>
  channels.reduce((sum, { errors }) => sum + CHANNEL_DOUBLES + ERROR_DOUBLES * errors.length, 0);

/**
 * Writes channels.
 *
 * @param at - Address of the first channel, in doubles.
 */
export function writeChannels(
  channels: readonly FrameChannel[],
  words: Int32Array,
  doubles: Float64Array,
  at: number,
): void {
  let errorsAt = at + CHANNEL_DOUBLES * channels.length;
  for (const [i, { probability, errors }] of channels.entries()) {
    const record = at + CHANNEL_DOUBLES * i;
    const isUniform = errors.every((error) => error.probability === errors[0]!.probability);
    doubles.set([0, Math.log1p(-probability), errors.length, errorsAt, Number(isUniform)], record);
    let sum = 0;
    for (const { flips, signs, probability: part } of errors) {
      sum += part / probability;
      doubles[errorsAt] = sum;
      words[2 * errorsAt + 2] = flips;
      words[2 * errorsAt + 3] = signs;
      errorsAt += ERROR_DOUBLES;
    }
  }
}
