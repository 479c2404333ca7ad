/**
 * Detector error models of stabilizer programs: which errors are possible, how likely each is, and which detectors and
 * logical observables it flips. Decoders such as PyMatching read them.
 *
 * A detector is a set of classical bits whose parity is the same in every run without errors; so is a logical
 * observable. The program is walked from its end to its beginning with the detectors that an X or a Z error on each
 * qubit would flip at that point. Each detector is then a Pauli string at every point: it has a Z where an X error flips
 * it, and an X where a Z error does.
 *
 * @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, for the format.
 */
import type { Bit } from '../../circuit/classical-expression.ts';
import type { PauliChannel } from '../../circuit/noise/channel.ts';
import { walshHadamard } from '../../math/walsh-hadamard.ts';
import { hashOfWords } from '../../math/word-hash.ts';
import { STABILIZER_OPS as OPS, STABILIZER_WORDS, type StabilizerProgram } from '../program.ts';

/** Parities of classical bits that errors flip. Each is a list of bits. */
export interface Parities {
  readonly detectors: readonly (readonly Bit[])[];
  readonly logicalObservables: readonly (readonly Bit[])[];
}

/** What a program does to parities. */
export interface ErrorModel {
  /** The errors, in Stim's format. */
  readonly text: string;
  /** Parities in runs without errors: of the detectors, then of the logical observables. */
  readonly expected: Uint8Array;
}

/** Why a program has no error model. */
export type NoErrorModel =
  /** Runs without errors give different values of this parity. */
  | { readonly kind: 'random'; readonly list: keyof Parities; readonly index: number }
  /** The program has an operation whose errors are no independent flips. */
  | { readonly kind: 'operation'; readonly what: string };

/** Parities that an error flips, ascending: detectors first, then logical observables from the number of detectors on. */
type Symptoms = readonly number[];

const NONE: Symptoms = [];
/** An error that flips more detectors than this is written whole, not as a combination of others. */
const MAX_DECOMPOSED = 12;
/** Digits of a probability; rounding spoils the ones after them. */
const DIGITS = 12;
/** Channels whose errors are independent only up to this are taken as they are. */
const LEAST_PROBABILITY = -1e-12;

/**
 * The error model of a program. An error that flips more than two detectors is written as a combination of
 * errors that flip one or two, where there are such.
 *
 * A channel is written as independent errors. That is exact for depolarizing and all others that are compositions of
 * independent Pauli errors. Of the rest, such as X or Z but never both, the probabilities are taken as they are, which is
 * right to first order. Misreadings have one probability, the mean of theirs for 0 and for 1.
 */
export function detectorErrorModel(
  program: StabilizerProgram,
  parities: Parities,
): ErrorModel | NoErrorModel {
  const { detectors, logicalObservables } = parities;
  return unlessNone(() => {
    const walk = new Walk(program, parities, true);
    const errors = [...walk.errors()].sort((a, b) => compare(a.symptoms, b.symptoms));
    const edges = edgesOf(errors, detectors.length);
    const seen = new Uint8Array(detectors.length + logicalObservables.length);
    for (const { symptoms } of errors) for (const i of symptoms) seen[i] = 1;
    const lines = errors.map(
      ({ symptoms, probability }) =>
        `error(${Number(probability.toPrecision(DIGITS))}) ${written(symptoms, detectors.length, edges)}`,
    );
    // What no error flips is declared, so that the model has as many of each as the request.
    detectors.forEach((_, i) => {
      if (seen[i] === 0) lines.push(`detector D${i}`);
    });
    logicalObservables.forEach((_, i) => {
      if (seen[detectors.length + i] === 0) lines.push(`logical_observable L${i}`);
    });
    return { text: lines.map((line) => `${line}\n`).join(''), expected: walk.expected };
  });
}

/** The parities in runs without errors: of the detectors, then of the logical observables. */
export function expectedParities(
  program: StabilizerProgram,
  parities: Parities,
): (Pick<ErrorModel, 'expected'> & { readonly text?: undefined }) | NoErrorModel {
  return unlessNone(() => {
    const walk = new Walk(program, parities, false);
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

class NoModel extends Error {
  readonly reason: NoErrorModel;
  constructor(reason: NoErrorModel) {
    super(reason.kind);
    this.reason = reason;
  }
}

interface ErrorMechanism {
  readonly symptoms: Symptoms;
  probability: number;
}

/** Errors by what they flip: a hash table, because text of a million lists of numbers takes longer than the walk. */
class ErrorTable {
  readonly errors: ErrorMechanism[] = [];
  /** By hash: one more than the index of an error; 0 for none. As long as a power of two. */
  #slots = new Uint32Array(1024);

  /** The error that flips these; of probability 0 if it is new. */
  at(symptoms: Symptoms): ErrorMechanism {
    if (2 * this.errors.length >= this.#slots.length) this.#grow();
    const slot = this.#slotOf(symptoms);
    const known = this.errors[this.#slots[slot]! - 1];
    if (known !== undefined) return known;
    const added = { symptoms, probability: 0 };
    this.#slots[slot] = this.errors.push(added);
    return added;
  }

  /** The place of an error that flips these, or of one that may. */
  #slotOf(symptoms: Symptoms): number {
    const last = this.#slots.length - 1;
    for (let slot = hashOfWords(symptoms, 0, symptoms.length) & last; ; slot = (slot + 1) & last) {
      const number = this.#slots[slot]!;
      if (number === 0 || areSame(this.errors[number - 1]!.symptoms, symptoms)) return slot;
    }
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    for (const [i, { symptoms }] of this.errors.entries()) {
      this.#slots[this.#slotOf(symptoms)] = i + 1;
    }
  }
}

function areSame(a: Symptoms, b: Symptoms): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** One walk from the end of a program to its beginning. */
class Walk {
  readonly #program: StabilizerProgram;
  readonly #numDetectors: number;
  /** By qubit: what an X error and a Z error flip at the present point. */
  readonly #ofX: Symptoms[];
  readonly #ofZ: Symptoms[];
  /** By bit: what an error of its value flips. */
  readonly #ofBit = new Map<Bit, Symptoms>();
  readonly #errors = new ErrorTable();
  readonly #hasErrors: boolean;
  /** Parities without errors. */
  readonly expected: Uint8Array;
  readonly #independent = new Map<PauliChannel, readonly number[]>();

  /** @param hasErrors - Whether errors are collected. */
  constructor(
    program: StabilizerProgram,
    { detectors, logicalObservables }: Parities,
    hasErrors: boolean,
  ) {
    this.#program = program;
    this.#hasErrors = hasErrors;
    this.#numDetectors = detectors.length;
    this.#ofX = Array<Symptoms>(program.numQubits).fill(NONE);
    this.#ofZ = Array<Symptoms>(program.numQubits).fill(NONE);
    this.expected = new Uint8Array(detectors.length + logicalObservables.length);
    for (const [index, bits] of [...detectors, ...logicalObservables].entries()) {
      for (const bit of bits) this.#flipBit(bit, [index]);
    }
  }

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
        this.#add(this.#ofBit.get(b) ?? NONE, (p1Given0 + p0Given1) / 2);
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
    if (!this.#hasErrors) return;
    let probabilities = this.#independent.get(channel);
    if (probabilities === undefined) {
      probabilities = independentProbabilities(channel);
      this.#independent.set(channel, probabilities);
    }
    const { numQubits } = channel;
    const ofError: Symptoms[] = [NONE];
    for (let error = 1; error < probabilities.length; error++) {
      // A string is one that came before, times X or Z on one qubit.
      const bit = 31 - Math.clz32(error);
      const one = bit < numQubits ? this.#ofX[qubits[bit]!]! : this.#ofZ[qubits[bit - numQubits]!]!;
      const symptoms = sum(ofError[error ^ (1 << bit)]!, one);
      ofError.push(symptoms);
      this.#add(symptoms, probabilities[error]!);
    }
  }

  /** Adds an error; two that flip the same are one that happens if either does, but not both. */
  #add(symptoms: Symptoms, probability: number): void {
    if (symptoms.length === 0 || probability === 0) return;
    const error = this.#errors.at(symptoms);
    const before = error.probability;
    error.probability = before * (1 - probability) + probability * (1 - before);
  }
}

function unsuitable(what: string): NoModel {
  return new NoModel({ kind: 'operation', what });
}

/** Number of detectors that are flipped. */
function numBelow(symptoms: Symptoms, numDetectors: number): number {
  let count = symptoms.length;
  while (count > 0 && symptoms[count - 1]! >= numDetectors) count--;
  return count;
}

/** What a Pauli gate flips. */
function flippedBy(op: number, ofX: Symptoms, ofZ: Symptoms): Symptoms {
  if (op === OPS.x) return ofX;
  return op === OPS.z ? ofZ : sum(ofX, ofZ);
}

/** What both errors flip. */
function common(a: Symptoms, b: Symptoms): Symptoms {
  if (a.length === 0 || b.length === 0) return NONE;
  return a.filter((each) => b.includes(each));
}

/** What two errors together flip. */
function sum(a: Symptoms, b: Symptoms): Symptoms {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const all: number[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i]! < b[j]!) all.push(a[i++]!);
    else if (a[i]! > b[j]!) all.push(b[j++]!);
    else {
      i++;
      j++;
    }
  }
  while (i < a.length) all.push(a[i++]!);
  while (j < b.length) all.push(b[j++]!);
  return all;
}

/**
 * Probabilities of independent Pauli errors that together are the channel, by flips + 2^numQubits · signs.
 *
 * Each eigenvalue of a Pauli channel, ±1 weighted by the probabilities, is the product of 1 − 2q over the errors that
 * anticommute with its Pauli string. A Walsh–Hadamard transform of the logarithms gives the q.
 */
function independentProbabilities({ numQubits, errors }: PauliChannel): readonly number[] {
  const size = 4 ** numQubits;
  const half = 2 ** numQubits;
  const given = new Float64Array(size);
  for (const { flips, signs, probability } of errors) given[flips + half * signs] = probability;
  given[0] = 1 - errors.reduce((all, { probability }) => all + probability, 0);
  // Two Pauli strings anticommute where the flips of one and the signs of the other have an odd number of ones in common.
  // The list is in the other order after one transform, and in its own after two.
  const logarithms = given.slice();
  walshHadamard(logarithms);
  for (const [i, eigenvalue] of logarithms.entries()) logarithms[i] = Math.log(eigenvalue);
  walshHadamard(logarithms);
  const found = Array.from(logarithms, (total) => (1 - Math.exp((-2 * total) / size)) / 2);
  const isExact = found.every((q, i) => i === 0 || q >= LEAST_PROBABILITY);
  return isExact ? found.map((q) => Math.max(0, q)) : [...given];
}

/** Errors that flip one or two detectors: by `edgeKey` of the detectors, what else each of them flips. */
type Edges = ReadonlyMap<number, readonly Symptoms[]>;

/** Number of one detector, or of a pair; there are at most 2^26 detectors. */
const edgeKey = (first: number, second = -1): number => first * 2 ** 26 + second + 1;

function edgesOf(errors: readonly ErrorMechanism[], numDetectors: number): Edges {
  const edges = new Map<number, Symptoms[]>();
  for (const { symptoms } of errors) {
    const numFlipped = numBelow(symptoms, numDetectors);
    if (numFlipped === 0 || numFlipped > 2) continue;
    const key = numFlipped === 1 ? edgeKey(symptoms[0]!) : edgeKey(symptoms[0]!, symptoms[1]);
    const others = symptoms.slice(numFlipped);
    const known = edges.get(key);
    if (known === undefined) edges.set(key, [others]);
    else known.push(others);
  }
  return edges;
}

/** `D0 D3 L0`, or `D0 D3 ^ D5 L0` for an error that is a combination of others. */
function written(symptoms: Symptoms, numDetectors: number, edges: Edges): string {
  const numFlipped = numBelow(symptoms, numDetectors);
  const mayDecompose = numFlipped > 2 && numFlipped <= MAX_DECOMPOSED;
  const parts = (mayDecompose &&
    decomposed(symptoms.slice(0, numFlipped), symptoms.slice(numFlipped), edges)) || [symptoms];
  const nameOf = (i: number) => (i < numDetectors ? `D${i}` : `L${i - numDetectors}`);
  return parts.map((part) => part.map(nameOf).join(' ')).join(' ^ ');
}

/** Parts that flip one or two detectors each and together what is given; undefined if there are none. */
function decomposed(
  flipped: Symptoms,
  others: Symptoms,
  edges: Edges,
): readonly Symptoms[] | undefined {
  const [first, ...rest] = flipped;
  if (first === undefined) return others.length === 0 ? [] : undefined;
  // Pairs before single detectors, which are errors at the boundary.
  for (const partner of [...rest, undefined]) {
    const known = edges.get(edgeKey(first, partner));
    if (known === undefined) continue;
    const pair = partner === undefined ? [first] : [first, partner];
    for (const also of known) {
      const left = rest.filter((i) => i !== partner);
      const parts = decomposed(left, sum(others, also), edges);
      if (parts !== undefined) return [[...pair, ...also], ...parts];
    }
  }
  return undefined;
}

/** Fewest first, then by number. */
function compare(a: Symptoms, b: Symptoms): number {
  if (a.length !== b.length) return a.length - b.length;
  const i = a.findIndex((each, at) => each !== b[at]);
  return i < 0 ? 0 : a[i]! - b[i]!;
}
