/**
 * Strengths of the noise of a program: the probabilities of the independent errors of its channels and misreadings, by
 * number. Which detectors an error flips does not depend on them, so that models of programs that differ in nothing else
 * are one list of errors with the numbers of their strengths.
 */
import type { PauliChannel } from '../../circuit/noise/channel.ts';
import type { StabilizerProgram } from '../program.ts';
import { type ChannelErrors, channelErrors } from './symptoms.ts';

/** A probability with its number, as the terms of an error have it. */
export interface Strength {
  readonly probability: number;
  readonly term: readonly number[];
}

/** A channel of a program. */
interface ChannelStrengths {
  readonly channel: PauliChannel;
  /** Its strings in Stim's order; undefined if each of its errors is taken as it is. */
  readonly errors: ChannelErrors | undefined;
  /** By string or by error; undefined if they depend on what the strings flip. */
  readonly independent: readonly Strength[] | undefined;
}

/** The strengths of a program. */
export class ErrorStrengths {
  /** By number, the last of them 1/2, of random detectors. */
  readonly probabilities: readonly number[];
  /** As those of the program. */
  readonly channels: readonly ChannelStrengths[];
  readonly misreads: readonly Strength[];
  readonly half: readonly number[];
  /** Whether errors have strengths of their own, whatever they flip. */
  readonly areKnown: boolean;
  readonly #symmetric: readonly number[];

  constructor(
    { channels, misreads }: StabilizerProgram,
    { approximateDisjointErrors }: { readonly approximateDisjointErrors: boolean },
  ) {
    const probabilities: number[] = [];
    const strength = (probability: number) => ({
      probability,
      term: [probabilities.push(probability) - 1],
    });
    this.channels = channels.map((channel) => {
      const { errors, approximation } = channel;
      // An error without others is one error, as X_ERROR, Y_ERROR and E are in Stim.
      if (errors.length === 1 || (approximation === 'each' && approximateDisjointErrors)) {
        const independent = errors.map(({ probability }) => strength(probability));
        return { channel, errors: undefined, independent };
      }
      const known = channelErrors(channel);
      const isAdded = approximation === 'added' && approximateDisjointErrors;
      const independent = isAdded ? undefined : known.independent;
      return {
        channel,
        errors: known,
        independent: independent && Array.from(independent, strength),
      };
    });
    this.misreads = misreads.map(({ p1Given0, p0Given1 }) => strength((p1Given0 + p0Given1) / 2));
    this.#symmetric = misreads.map(({ p1Given0, p0Given1 }) => (p1Given0 === p0Given1 ? 1 : 0));
    this.half = strength(1 / 2).term;
    this.probabilities = probabilities;
    this.areKnown = this.channels.every(({ independent }) => independent !== undefined);
  }

  /**
   * A text that is equal for two sets of strengths if a model has the same errors with both. It says which strengths
   * are 0, which strings come first, and which misreadings are symmetric: others are refused where errors must be
   * exact.
   */
  get form(): string {
    const bases = this.channels.map(({ errors }) => (errors?.basis[0]?.isX === true ? 1 : 0));
    const isPositive = this.probabilities.map((each) => (each > 0 ? 1 : 0));
    return [bases, isPositive, this.#symmetric].map((each) => each.join('')).join(' ');
  }
}
