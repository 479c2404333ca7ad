/** Decoders as tasks name them, and the decoder of a program's detection events. */
import { createHash } from 'node:crypto';
import {
  detectorErrorModel,
  type ErrorModelOptions,
  flatErrors,
} from '../compiler/clifford/error-model.ts';
import { ErrorStrengths } from '../compiler/clifford/error-strengths.ts';
import type { NoErrorModel, Parities } from '../compiler/clifford/error-walk.ts';
import { either, type IndependentErrors } from '../compiler/clifford/symptoms.ts';
import type { StabilizerProgram } from '../compiler/program.ts';
import type { Decoder, NoDecoder } from './decoder.ts';
import { DECODER_NAMES, type DecoderName, errorsTakenBy, openDecoder } from './open-decoder.ts';

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

/** Models that are kept. Tasks that differ in the strengths of their noise follow each other, a code at a time. */
const MAX_KEPT = 4;

/** Errors of the programs of one structure, with the numbers of their strengths. */
type StructuredErrors = IndependentErrors | NoDecoder;

/** Opens decoders. The errors of programs that differ in the strengths of their noise alone are found once. */
export class Decoders {
  /** By structure, the last one last. */
  readonly #known = new Map<string, StructuredErrors>();

  /** Opens the decoder of a program's parities, or says why there is none. */
  open(name: DecoderName, program: StabilizerProgram, parities: Parities): Decoder | NoDecoder {
    const errors = this.errorsOf(program, parities, errorsTakenBy(name));
    return 'reason' in errors ? errors : openDecoder(name, errors);
  }

  /**
   * The independent errors of a program: split into such as flip one or two detectors, or whole. They are exact where
   * errors that exclude each other are not taken as independent.
   */
  errorsOf(
    program: StabilizerProgram,
    parities: Parities,
    form: 'split' | 'whole' | 'exact',
  ): IndependentErrors | NoDecoder {
    const options = {
      ...SPLIT,
      decomposeErrors: form === 'split',
      approximateDisjointErrors: form !== 'exact',
    };
    const strengths = new ErrorStrengths(program, options);
    if (!strengths.areKnown) return errorsOfProgram(program, parities, options);
    const structure = `${form} ${strengths.form} ${structureOf(program, parities)}`;
    const known = this.#known.get(structure) ?? errorsOfProgram(program, parities, options);
    this.#known.delete(structure);
    this.#known.set(structure, known);
    if (this.#known.size > MAX_KEPT) this.#known.delete(this.#known.keys().next().value!);
    return 'reason' in known ? known : withStrengths(known, strengths.probabilities);
  }
}

/**
 * The errors with the probabilities that follow from strengths: also those of the program that they were found for, so
 * that the last digits do not depend on what came before.
 */
function withStrengths(
  { errors, ...sizes }: IndependentErrors,
  strengths: readonly number[],
): IndependentErrors {
  const probabilityOf = (terms: readonly number[]) =>
    terms.reduce((sum, term) => either(sum, strengths[term]!), 0);
  return {
    ...sizes,
    errors: errors.map(({ symptoms, terms }) => ({ symptoms, probability: probabilityOf(terms!) })),
  };
}

function errorsOfProgram(
  program: StabilizerProgram,
  parities: Parities,
  options: ErrorModelOptions,
): StructuredErrors {
  const model = detectorErrorModel(program, parities, options);
  if ('kind' in model) return { reason: reasonOf(model) };
  const errors = flatErrors(model);
  if (errors !== undefined) return errors;
  return { reason: 'with all rounds of its REPEAT blocks it has more than 4,000,000 errors' };
}

/** Fields with strengths of noise: of the size of these, only whether they are 0 decides which errors there are. */
const STRENGTHS: ReadonlySet<string> = new Set(['probability', 'p1Given0', 'p0Given1']);

/** Digest of a program but for the strengths of its noise, and of its parities. */
export function structureOf(
  { code, operands, ...program }: StabilizerProgram,
  { detectors, logicalObservables, repeated }: Parities,
): string {
  const { form } = new ErrorStrengths({ code, operands, ...program }, SPLIT);
  const rest = JSON.stringify(
    { form, program, detectors, logicalObservables, repeated },
    (field, value) => (STRENGTHS.has(field) ? value > 0 : value),
  );
  return createHash('sha256').update(code).update(operands).update(rest).digest('base64');
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
