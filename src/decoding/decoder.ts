/** Decoders: from the detection events of shots to the logical observables that errors flipped in them. */
import type { IndependentErrors } from '../compiler/clifford/symptoms.ts';

/** Errors that are possible, as a detector error model has them; an error may be split into parts. */
export type DecodingModel = IndependentErrors;

/** Decodes shots of one model. */
export interface Decoder {
  /**
   * Predicts the observables that were flipped.
   *
   * @param events - Of `numShots` shots: ⌈detectors/8⌉ bytes each; bit k of a shot is bit k mod 8 of byte ⌊k/8⌋, as in
   *   Stim's format b8.
   * @param predictions - Gets ⌈observables/8⌉ bytes a shot.
   * @throws {ImpossibleEventsError} if no errors of the model together have the events of a shot.
   */
  decode(events: Uint8Array, numShots: number, predictions: Uint8Array): void;
}

/** Why a model has no decoder of a kind: a part of a sentence. */
export interface NoDecoder {
  readonly reason: string;
}
