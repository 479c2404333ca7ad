/** Decoders as tasks name them, and the decoder of a program's detection events. */
import {
  detectorErrorModel,
  type ErrorModelOptions,
  flatErrors,
} from '../compiler/clifford/error-model.ts';
import type { NoErrorModel, Parities } from '../compiler/clifford/error-walk.ts';
import type { StabilizerProgram } from '../compiler/program.ts';
import type { Decoder, NoDecoder } from './decoder.ts';
import { DECODER_NAMES, type DecoderName, openDecoder } from './open-decoder.ts';

/** A decoder, or `none`, which predicts no flips. */
export type DecoderChoice = DecoderName | 'none';

/** All choices. */
export const DECODERS: readonly DecoderChoice[] = [...DECODER_NAMES, 'none'];

/** Errors that exclude each other are taken as independent, as Sinter takes them. */
const SPLIT: ErrorModelOptions = {
  decomposeErrors: true,
  approximateDisjointErrors: true,
  ignoreDecompositionFailures: false,
  blockDecompositionFromIntroducingRemnantEdges: false,
  allowGaugeDetectors: false,
};
const WHOLE: ErrorModelOptions = { ...SPLIT, decomposeErrors: false };

/** Opens the decoder of a program's parities, or says why there is none. */
export function decoderOfProgram(
  name: DecoderName,
  program: StabilizerProgram,
  parities: Parities,
): Decoder | NoDecoder {
  // A table needs no errors that flip few detectors.
  const model = detectorErrorModel(program, parities, name === 'lookup' ? WHOLE : SPLIT);
  if ('kind' in model) return { reason: reasonOf(model) };
  const errors = flatErrors(model);
  if (errors === undefined) {
    return { reason: 'with all rounds of its REPEAT blocks it has more than 4,000,000 errors' };
  }
  return openDecoder(name, errors);
}

function reasonOf(reason: NoErrorModel): string {
  switch (reason.kind) {
    case 'random':
      return 'a parity depends on a random outcome of a measurement';
    case 'operation':
      return `whether errors of ${reason.what} flip a detector depends on the run`;
    case 'long':
      return 'the rounds of its REPEAT blocks are not alike, and too many to be unrolled';
    case 'disjoint':
      return `no independent errors have the probabilities of ${reason.what}`;
    case 'whole':
      return `the error that flips ${reason.flipped} is no combination of errors that flip one or two detectors`;
  }
}
