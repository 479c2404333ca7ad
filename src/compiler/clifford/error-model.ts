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
  sizesOf,
  type WalkOptions,
} from './error-walk.ts';
import { symptomNames } from './print-error-model.ts';
import { splitByOthers } from './split-errors.ts';
import {
  compareSymptoms,
  type ErrorMechanism,
  type ErrorPart,
  ErrorTable,
  type IndependentErrors,
  type PartedErrors,
} from './symptoms.ts';

/** Options of a model; names and meanings are those of Stim's `Circuit.detector_error_model`. */
export interface ErrorModelOptions extends WalkOptions {
  /** Whether errors that cannot be split are kept whole. */
  readonly ignoreDecompositionFailures: boolean;
  /** Whether errors are split only into errors that there are. */
  readonly blockDecompositionFromIntroducingRemnantEdges: boolean;
}

/** Error model of a program's parities. */
export interface ErrorModel extends PartedErrors {
  /** Parities in runs without errors: of the detectors, then of the logical observables. */
  readonly expected: Uint8Array;
}

/**
 * The error model of a program, or why it has none. Errors have Stim's order.
 *
 * @param mostWork - As of `ErrorWalk`, which throws StepsSpentError.
 */
export function detectorErrorModel(
  program: StabilizerProgram,
  parities: Parities,
  options: ErrorModelOptions,
  mostWork?: number,
): ErrorModel | NoErrorModel {
  return unlessNone(() => {
    const { allowGaugeDetectors } = options;
    const walk = new ErrorWalk(program, parities, options, allowGaugeDetectors, mostWork);
    const sizes = sizesOf(parities);
    const split = (part: ErrorPart): ErrorPart =>
      'times' in part
        ? { ...part, parts: part.parts.map(split) }
        : { ...part, errors: splitErrors(inOrder(part.errors), sizes.numDetectors, options) };
    const parts = walk.errors().map(split);
    const expected = walk.hasGauge
      ? valuesOf(program, parities, allowGaugeDetectors, mostWork)
      : walk.expected;
    return { ...sizes, parts, expected };
  });
}

/** Errors of a model beyond which it is not written out one by one. */
const MAX_FLAT_ERRORS = 4_000_000;

/** All errors of a model; undefined if they are too many. Those of different parts that flip the same are one. */
export function flatErrors({ parts, ...sizes }: PartedErrors): IndependentErrors | undefined {
  const [first] = parts;
  if (first !== undefined && parts.length === 1 && !('times' in first)) {
    return { ...sizes, errors: first.errors };
  }
  const table = new ErrorTable();
  const addAll = (some: readonly ErrorPart[], lower: number): boolean =>
    some.every((part) => {
      if (!('times' in part)) {
        for (const { symptoms, probability, terms } of part.errors) {
          const moved = symptoms.map((each) => (each < sizes.numDetectors ? each - lower : each));
          table.add(moved, probability, terms);
        }
        return table.errors.length <= MAX_FLAT_ERRORS;
      }
      for (let back = part.times - 1; back >= 0; back--) {
        if (!addAll(part.parts, lower + back * part.numDetectors)) return false;
      }
      return true;
    });
  return addAll(parts, 0) ? { ...sizes, errors: inOrder(table.errors) } : undefined;
}

/** The parities in runs without errors: of the detectors, then of the logical observables. */
export function expectedParities(
  program: StabilizerProgram,
  parities: Parities,
  mostWork?: number,
): (Pick<ErrorModel, 'expected'> & { readonly parts?: undefined }) | NoErrorModel {
  return unlessNone(() => ({ expected: valuesOf(program, parities, false, mostWork) }));
}

function valuesOf(
  program: StabilizerProgram,
  parities: Parities,
  allowGaugeDetectors: boolean,
  mostWork: number | undefined,
): Uint8Array {
  const walk = new ErrorWalk(program, parities, undefined, allowGaugeDetectors, mostWork);
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
