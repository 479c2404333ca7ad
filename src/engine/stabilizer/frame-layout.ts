/**
 * Pauli frames of a block of shots in the kernels' memory. A frame is the Pauli string by which a shot differs from the
 * reference sample; a row holds one bit of it for all shots of the block, 32 shots a word.
 *
 * The kernels read a header of 16 words; keep the order of its fields. The code is that of the program with these
 * differences: a measurement has its outcome in the reference sample as `c`; a misreading names in `a` the channel of
 * zeros that read as ones, which the channel of ones that read as zeros follows.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, section 3.
 */
import type { PauliError } from '../../circuit/noise/channel.ts';
import type { StabilizerProgram } from '../../compiler/program.ts';

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
  /** A row for what is kept meanwhile. */
  scratch: 7,
  /** Row of the shots in which a condition holds; 0 outside of conditions. */
  mask: 8,
  /** −1 if the condition holds in the reference sample, else 0. */
  held: 9,
} as const;

/** Words of the header. */
export const HEADER_WORDS = 16;

/**
 * Doubles of a channel: trials until its next error, ln(1 − p) for the probability p of an error, the number of its
 * errors, the address of the first error in doubles, and 1 if all errors are alike.
 */
export const CHANNEL_DOUBLES = 6;
/** Doubles of an error: the probability of it and all before, given an error; flips and signs in one double, as words. */
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
