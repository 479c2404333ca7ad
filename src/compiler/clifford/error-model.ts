/**
 * Detector error models of stabilizer programs: which errors are possible, how likely each is, and which detectors and
 * logical observables it flips. Decoders take them; `print-error-model.ts` writes them for others, such as PyMatching.
 *
 * A detector is a set of classical bits whose parity is the same in every run without errors; so is a logical
 * observable. Errors are those of the program's channels, as independent ones (`symptoms.ts`), split for matching
 * decoders (`split-errors.ts`).
 */

import type { StabilizerProgram } from '../program.ts';
import {
  ErrorWalk,
  type NoErrorModel,
  NoModel,
  type Parities,
  type WalkOptions,
} from './error-walk.ts';
import { symptomNames } from './print-error-model.ts';
import { splitByOthers } from './split-errors.ts';
import { compareSymptoms, type ErrorMechanism, type IndependentErrors } from './symptoms.ts';

/** Options of a model; names and meanings are those of Stim's `Circuit.detector_error_model`. */
export interface ErrorModelOptions extends WalkOptions {
  /** Whether errors that cannot be split are kept whole. */
  readonly ignoreDecompositionFailures: boolean;
  /** Whether errors are split only into errors that there are. */
  readonly blockDecompositionFromIntroducingRemnantEdges: boolean;
}

/** Error model of a program's parities. */
export interface ErrorModel extends IndependentErrors {
  /** Parities in runs without errors: of the detectors, then of the logical observables. */
  readonly expected: Uint8Array;
}

/** The error model of a program, or why it has none. Errors have Stim's order. */
export function detectorErrorModel(
  program: StabilizerProgram,
  parities: Parities,
  options: ErrorModelOptions,
): ErrorModel | NoErrorModel {
  return unlessNone(() => {
    const walk = new ErrorWalk(program, parities, options);
    const numDetectors = parities.detectors.length;
    const errors = splitErrors(inOrder(walk.errors()), numDetectors, options);
    const numObservables = parities.logicalObservables.length;
    const expected = walk.hasGauge ? valuesOf(program, parities, options) : walk.expected;
    return { numDetectors, numObservables, errors, expected };
  });
}

/** The parities in runs without errors: of the detectors, then of the logical observables. */
export function expectedParities(
  program: StabilizerProgram,
  parities: Parities,
): (Pick<ErrorModel, 'expected'> & { readonly errors?: undefined }) | NoErrorModel {
  return unlessNone(() => ({ expected: valuesOf(program, parities) }));
}

function valuesOf(
  program: StabilizerProgram,
  parities: Parities,
  { allowGaugeDetectors = false }: Partial<WalkOptions> = {},
): Uint8Array {
  const walk = new ErrorWalk(program, parities, undefined, allowGaugeDetectors);
  walk.errors();
  return walk.expected;
}

/** Result of `make`, or the reason that it throws. */
function unlessNone<T>(make: () => T): T | NoErrorModel {
  try {
    return make();
  } catch (error) {
    if (error instanceof NoModel) return error.reason;
    throw error;
  }
}

const inOrder = (errors: readonly ErrorMechanism[]) =>
  errors.toSorted((a, b) => compareSymptoms(a.symptoms, b.symptoms));

function splitErrors(
  errors: readonly ErrorMechanism[],
  numDetectors: number,
  options: ErrorModelOptions,
): readonly ErrorMechanism[] {
  if (!options.decomposeErrors) return errors;
  const onlyKnownParts = options.blockDecompositionFromIntroducingRemnantEdges;
  const split = splitByOthers(errors, numDetectors, { onlyKnownParts }, (part) => {
    if (options.ignoreDecompositionFailures) return;
    throw new NoModel({ kind: 'whole', flipped: symptomNames(part, numDetectors) });
  });
  return split === errors ? errors : inOrder(split);
}
