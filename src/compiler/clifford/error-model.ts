/**
 * Detector error models of stabilizer programs: which errors are possible, how likely each is, and which detectors and
 * logical observables it flips. Decoders such as PyMatching read them.
 *
 * A detector is a set of classical bits whose parity is the same in every run without errors; so is a logical
 * observable. Errors are those of the program's channels (`error-walk.ts`), as independent ones (`channel-errors.ts`),
 * split for matching decoders (`split-errors.ts`).
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, for the format.
 */
import type { StabilizerProgram } from '../program.ts';
import {
  ErrorWalk,
  type NoErrorModel,
  NoModel,
  type Parities,
  type WalkOptions,
} from './error-walk.ts';
import { splitByOthers } from './split-errors.ts';
import { compareSymptoms, type ErrorMechanism, SEPARATOR, type Symptoms } from './symptoms.ts';

export type { NoErrorModel, Parities } from './error-walk.ts';

/** How a model is made; names and meanings are those of Stim's `Circuit.detector_error_model`. */
export interface ErrorModelOptions extends WalkOptions {
  /** Whether errors that cannot be split are kept whole. */
  readonly ignoreDecompositionFailures: boolean;
  /** Whether errors are split only into errors that there are. */
  readonly blockDecompositionFromIntroducingRemnantEdges: boolean;
}

/** What a program does to parities. */
export interface ErrorModel {
  /** The errors, in Stim's format. */
  readonly text: string;
  /** Parities in runs without errors: of the detectors, then of the logical observables. */
  readonly expected: Uint8Array;
}

/** Digits of a probability; rounding spoils the ones after them. */
const DIGITS = 15;

/** The error model of a program, or why it has none. Errors have Stim's order. */
export function detectorErrorModel(
  program: StabilizerProgram,
  parities: Parities,
  options: ErrorModelOptions,
): ErrorModel | NoErrorModel {
  return unlessNone(() => {
    const walk = new ErrorWalk(program, parities, options);
    const errors = splitErrors(inOrder(walk.errors()), parities.detectors.length, options);
    return { text: written(errors, parities), expected: walk.expected };
  });
}

/** The parities in runs without errors: of the detectors, then of the logical observables. */
export function expectedParities(
  program: StabilizerProgram,
  parities: Parities,
): (Pick<ErrorModel, 'expected'> & { readonly text?: undefined }) | NoErrorModel {
  return unlessNone(() => {
    const walk = new ErrorWalk(program, parities);
    walk.errors();
    return { expected: walk.expected };
  });
}

/** What `make` returns, or the reason that it throws. */
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
    throw new NoModel({ kind: 'whole', flipped: names(part, numDetectors) });
  });
  return split === errors ? errors : inOrder(split);
}

function written(errors: readonly ErrorMechanism[], parities: Parities): string {
  const numDetectors = parities.detectors.length;
  const numLogical = parities.logicalObservables.length;
  const seen = new Uint8Array(numDetectors + numLogical);
  const lines = errors.map(({ symptoms, probability }) => {
    for (const each of symptoms) if (each !== SEPARATOR) seen[each] = 1;
    return `error(${Number(probability.toPrecision(DIGITS))}) ${names(symptoms, numDetectors)}`;
  });
  // What no error flips is declared, so that the model has as many of each as the request.
  for (const [i, isSeen] of seen.entries()) {
    if (isSeen === 1) continue;
    lines.push(i < numDetectors ? `detector D${i}` : `logical_observable L${i - numDetectors}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** `D0 D3 L0`, or `D0 D3 ^ D5 L0` for an error of two parts. */
function names(symptoms: Symptoms, numDetectors: number): string {
  return symptoms
    .map((each) => {
      if (each === SEPARATOR) return '^';
      return each < numDetectors ? `D${each}` : `L${each - numDetectors}`;
    })
    .join(' ');
}
