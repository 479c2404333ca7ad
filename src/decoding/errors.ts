/** Expected failures of decoders. */
import { coded } from '../errors/coded-error.ts';

/** A shot has detection events that no errors of the model have together. */
export class ImpossibleEventsError extends coded(
  'DECODING_IMPOSSIBLE_EVENTS',
  (shot: number) =>
    `No errors of the error model together flip the detectors of shot ${shot}; the detection events are of another circuit, or of errors that the model does not have.`,
) {}

/** A sentence that says why a task has no decoder of a name. */
export const notDecodable = (name: string, reason: string): string =>
  `${name} cannot decode this task: ${reason}. "none" counts flips of observables without decoding.`;

/** The decoder of a task has no use for its error model. */
export class NotDecodableError extends coded('DECODING_NOT_DECODABLE', notDecodable) {}
