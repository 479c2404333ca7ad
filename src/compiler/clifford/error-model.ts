/**
 * Detector error models of stabilizer programs: which errors are possible, how likely each is, and which detectors and
 * logical observables it flips. Decoders take them; `print-error-model.ts` writes them for others, such as PyMatching.
 *
 * A detector is a set of classical bits whose parity is the same in every run without errors; so is a logical
 * observable. Errors are those of the program's channels, as independent ones (`symptoms.ts`), split for matching
 * decoders (`split-errors.ts`).
 */

import type { Bit } from '../../circuit/classical-expression.ts';
import type { PauliChannel, PauliError } from '../../circuit/noise/channel.ts';
import { STABILIZER_OPS as OPS, STABILIZER_WORDS, type StabilizerProgram } from '../program.ts';
import { symptomNames } from './print-error-model.ts';
import { splitByChannel, splitByOthers } from './split-errors.ts';
import {
  type ChannelErrors,
  channelErrors,
  common,
  compareSymptoms,
  type ErrorMechanism,
  ErrorTable,
  type IndependentErrors,
  independentBySymptoms,
  NONE,
  type Symptoms,
  sum,
  symptomsOfStrings,
} from './symptoms.ts';

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
    return { numDetectors, numObservables, errors, expected: walk.expected };
  });
}

/** The parities in runs without errors: of the detectors, then of the logical observables. */
export function expectedParities(
  program: StabilizerProgram,
  parities: Parities,
): (Pick<ErrorModel, 'expected'> & { readonly errors?: undefined }) | NoErrorModel {
  return unlessNone(() => {
    const walk = new ErrorWalk(program, parities);
    walk.errors();
    return { expected: walk.expected };
  });
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

/** Parities of classical bits that errors flip. Each is a list of bits. */
export interface Parities {
  readonly detectors: readonly (readonly Bit[])[];
  readonly logicalObservables: readonly (readonly Bit[])[];
  /** Coordinates of each detector, which the model states; a list may be empty. */
  readonly coordinates?: readonly (readonly number[])[];
}

/** Options of a walk that collects errors. */
export interface WalkOptions {
  /** Whether errors that flip several detectors are split into others of their channel. */
  readonly decomposeErrors: boolean;
  /** Whether errors that exclude each other, or depend on a value, are taken as independent where they are not. */
  readonly approximateDisjointErrors: boolean;
}

/** Why a program has no error model. */
export type NoErrorModel =
  /** Runs without errors give different values of this parity. */
  | {
      readonly kind: 'random';
      readonly list: 'detectors' | 'logicalObservables';
      readonly index: number;
    }
  /** The program has an operation whose errors are no independent flips. */
  | { readonly kind: 'operation'; readonly what: string }
  /** No independent errors have the probabilities of this, and an approximation was not asked for. */
  | { readonly kind: 'disjoint'; readonly what: string }
  /** An error flips these detectors and observables, and is no combination of errors that flip one or two. */
  | { readonly kind: 'whole'; readonly flipped: string };

/** Thrown where there is no model. */
export class NoModel extends Error {
  readonly reason: NoErrorModel;
  constructor(reason: NoErrorModel) {
    super(reason.kind);
    this.reason = reason;
  }
}

/**
 * One walk from the end of a program to its beginning with the detectors that an X or a Z error on each qubit would
 * flip at that point. Each detector is then a Pauli string at every point: it has a Z where an X error flips it, and an
 * X where a Z error does.
 */
export class ErrorWalk {
  readonly #program: StabilizerProgram;
  readonly #numDetectors: number;
  /** Symptoms of an X error and of a Z error at the present point, by qubit. */
  readonly #ofX: Symptoms[];
  readonly #ofZ: Symptoms[];
  /** Symptoms of an error of a bit's value, by bit. */
  readonly #ofBit = new Map<Bit, Symptoms>();
  readonly #errors = new ErrorTable();
  readonly #options: WalkOptions | undefined;
  /** Parities without errors. */
  readonly expected: Uint8Array;
  readonly #channels = new Map<PauliChannel, ChannelErrors>();

  /** @param options - Absent if errors are not collected. */
  constructor(
    program: StabilizerProgram,
    { detectors, logicalObservables }: Parities,
    options?: WalkOptions,
  ) {
    this.#program = program;
    this.#options = options;
    this.#numDetectors = detectors.length;
    this.#ofX = Array<Symptoms>(program.numQubits).fill(NONE);
    this.#ofZ = Array<Symptoms>(program.numQubits).fill(NONE);
    this.expected = new Uint8Array(detectors.length + logicalObservables.length);
    for (const [index, bits] of [...detectors, ...logicalObservables].entries()) {
      for (const bit of bits) this.#flipBit(bit, [index]);
    }
  }

  /**
   * The independent errors of the program.
   *
   * @throws {NoModel}
   */
  errors(): readonly ErrorMechanism[] {
    const { code, numQubits } = this.#program;
    const heads = this.#headsOfConditions();
    for (let at = code.length - STABILIZER_WORDS; at >= 0; at -= STABILIZER_WORDS) {
      const head = heads.get(at / STABILIZER_WORDS);
      if (head === undefined) this.#undo(at);
      else this.#undoConditional(at, head);
    }
    for (let qubit = 0; qubit < numQubits; qubit++) this.#certain(this.#ofZ[qubit]!);
    return this.#errors.errors;
  }

  /** For each instruction under a condition, the number of its condition. */
  #headsOfConditions(): ReadonlyMap<number, number> {
    const { code } = this.#program;
    const heads = new Map<number, number>();
    for (let at = 0; at < code.length; at += STABILIZER_WORDS) {
      if (code[at] !== OPS.unless) continue;
      const [condition, end] = [code[at + 1]!, code[at + 2]!];
      for (let i = at / STABILIZER_WORDS + 1; i < end; i++) heads.set(i, condition);
    }
    return heads;
  }

  #undo(at: number): void {
    const { code, operands, channels, misreads } = this.#program;
    const [op, a, b, c] = [code[at]!, code[at + 1]!, code[at + 2]!, code[at + 3]!];
    const [ofX, ofZ] = [this.#ofX, this.#ofZ];
    switch (op) {
      case OPS.x:
      case OPS.y:
      case OPS.z:
        this.#turn(flippedBy(op, ofX[a]!, ofZ[a]!));
        return;
      case OPS.unless:
        return;
      case OPS.h:
        // Y becomes −Y.
        this.#turn(common(ofX[a]!, ofZ[a]!));
        [ofX[a], ofZ[a]] = [ofZ[a]!, ofX[a]!];
        return;
      case OPS.s:
      case OPS.sdg: {
        // S†XS = −Y and SYS† = −X.
        const ofY = common(ofX[a]!, ofZ[a]!);
        this.#turn(op === OPS.s ? sum(ofZ[a]!, ofY) : ofY);
        ofX[a] = sum(ofX[a]!, ofZ[a]!);
        return;
      }
      case OPS.cx: {
        // The sign changes where X on the control meets Z on the target, and both qubits have a Y, or neither.
        const both = common(ofZ[a]!, ofX[b]!);
        this.#turn(sum(both, sum(common(both, ofZ[b]!), common(both, ofX[a]!))));
        ofX[a] = sum(ofX[a]!, ofX[b]!);
        ofZ[b] = sum(ofZ[b]!, ofZ[a]!);
        return;
      }
      case OPS.cz: {
        const both = common(ofZ[a]!, ofZ[b]!);
        this.#turn(sum(common(both, ofX[a]!), common(both, ofX[b]!)));
        ofX[a] = sum(ofX[a]!, ofZ[b]!);
        ofX[b] = sum(ofX[b]!, ofZ[a]!);
        return;
      }
      case OPS.swap:
        [ofX[a], ofX[b]] = [ofX[b]!, ofX[a]!];
        [ofZ[a], ofZ[b]] = [ofZ[b]!, ofZ[a]!];
        return;
      case OPS.measure:
        this.#certain(ofZ[a]!);
        ofX[a] = sum(ofX[a]!, this.#ofBit.get(b) ?? NONE);
        this.#ofBit.delete(b);
        return;
      case OPS.reset:
        this.#certain(ofZ[a]!);
        ofX[a] = NONE;
        ofZ[a] = NONE;
        return;
      case OPS.noise1:
        this.#addChannel(channels[a]!, [b]);
        return;
      case OPS.noise2:
        this.#addChannel(channels[a]!, [b, c]);
        return;
      case OPS.noise:
        this.#addChannel(channels[a]!, operands.subarray(b, b + c));
        return;
      case OPS.misread: {
        const { p1Given0, p0Given1 } = misreads[a]!;
        this.#addMisreading(b, p1Given0, p0Given1);
        return;
      }
      case OPS.assign:
        throw unsuitable('bits that are computed from bits');
      case OPS.again:
        throw unsuitable('a loop');
      case OPS.maybeReset:
        throw unsuitable('a reset with a probability');
      default:
        throw new Error(`unreachable: an instruction ${op}`);
    }
  }

  /** A Pauli gate under a condition is flipped by an error of the bit that the condition reads. */
  #undoConditional(at: number, condition: number): void {
    const { code, conditions } = this.#program;
    const [op, qubit] = [code[at]!, code[at + 1]!];
    const { bits, value } = conditions[condition]!;
    if (op === OPS.again) throw unsuitable('a loop');
    const isPauli = op === OPS.x || op === OPS.y || op === OPS.z;
    if (!isPauli) throw unsuitable('an operation other than a Pauli gate under a condition');
    if (bits.length !== 1) throw unsuitable('a condition on several bits');
    const flipped = flippedBy(op, this.#ofX[qubit]!, this.#ofZ[qubit]!);
    this.#flipBit(bits[0]!, flipped);
    if (value === 0) this.#turn(flipped);
  }

  /** Takes note that Pauli strings change their sign, and so parities their value. */
  #turn(symptoms: Symptoms): void {
    for (const index of symptoms) this.expected[index]! ^= 1;
  }

  #flipBit(bit: Bit, symptoms: Symptoms): void {
    this.#ofBit.set(bit, sum(this.#ofBit.get(bit) ?? NONE, symptoms));
  }

  /** Refuses parities that the random phase of a qubit that was just measured or prepared would change. */
  #certain([first]: Symptoms): void {
    if (first === undefined) return;
    const isDetector = first < this.#numDetectors;
    throw new NoModel({
      kind: 'random',
      list: isDetector ? 'detectors' : 'logicalObservables',
      index: isDetector ? first : first - this.#numDetectors,
    });
  }

  #addChannel(channel: PauliChannel, qubits: ArrayLike<number>): void {
    if (this.#options === undefined) return;
    const { decomposeErrors, approximateDisjointErrors } = this.#options;
    // An error without others is one error, as X_ERROR, Y_ERROR and E are in Stim.
    if (
      channel.errors.length === 1 ||
      (channel.approximation === 'each' && approximateDisjointErrors)
    ) {
      for (const error of channel.errors) this.#addError(error, qubits);
      return;
    }
    let known = this.#channels.get(channel);
    if (known === undefined) {
      known = channelErrors(channel);
      this.#channels.set(channel, known);
    }
    const { basis, disjoint } = known;
    const flipped = basis.map(({ place, isX }) => (isX ? this.#ofX : this.#ofZ)[qubits[place]!]!);
    const cases = symptomsOfStrings(flipped);
    const isAdded = channel.approximation === 'added' && approximateDisjointErrors;
    const probabilities =
      (isAdded ? undefined : known.independent) ??
      independentBySymptoms(
        disjoint,
        cases,
        isAdded ? 'added' : approximateDisjointErrors ? 'if need be' : 'never',
      );
    if (probabilities === undefined) {
      const which = qubits.length === 1 ? 'qubit' : 'qubits';
      const what = `the channel on ${which} ${Array.from(qubits).join(', ')}, whose errors exclude each other`;
      throw new NoModel({ kind: 'disjoint', what });
    }
    const errors = decomposeErrors ? splitByChannel(cases, this.#numDetectors) : cases;
    for (const [i, symptoms] of errors.entries()) this.#errors.add(symptoms, probabilities[i]!);
  }

  #addError({ flips, signs, probability }: PauliError, qubits: ArrayLike<number>): void {
    let symptoms = NONE;
    for (let i = 0; i < qubits.length; i++) {
      if ((flips >> i) & 1) symptoms = sum(symptoms, this.#ofX[qubits[i]!]!);
      if ((signs >> i) & 1) symptoms = sum(symptoms, this.#ofZ[qubits[i]!]!);
    }
    this.#errors.add(symptoms, probability);
  }

  #addMisreading(bit: Bit, p1Given0: number, p0Given1: number): void {
    if (this.#options === undefined) return;
    const symptoms = this.#ofBit.get(bit) ?? NONE;
    const isSymmetric = p1Given0 === p0Given1 || symptoms.length === 0;
    if (!isSymmetric && !this.#options.approximateDisjointErrors) {
      const what = `the readout of bit ${bit}, whose p1_given_0 of ${p1Given0} is not its p0_given_1 of ${p0Given1}`;
      throw new NoModel({ kind: 'disjoint', what });
    }
    this.#errors.add(symptoms, (p1Given0 + p0Given1) / 2);
  }
}

function unsuitable(what: string): NoModel {
  return new NoModel({ kind: 'operation', what });
}

/** Parities that a Pauli gate flips. */
function flippedBy(op: number, ofX: Symptoms, ofZ: Symptoms): Symptoms {
  if (op === OPS.x) return ofX;
  return op === OPS.z ? ofZ : sum(ofX, ofZ);
}
