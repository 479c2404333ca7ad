/** Observables: sums of Pauli terms, parsed from strings such as `"Z0 Z1"`. */
import type { Fault } from '../errors/coded-error.ts';
import { counted, FaultList, InvalidCircuitError } from './errors.ts';
import type { Qubit } from './qubit.ts';

/** One Pauli on one qubit. */
export interface PauliFactor {
  readonly pauli: 'X' | 'Y' | 'Z';
  readonly qubit: Qubit;
}

/** A real coefficient times a product of Paulis on distinct qubits; no factors is the identity. */
export interface PauliTerm {
  readonly coefficient: number;
  readonly factors: readonly PauliFactor[];
}

/** A Hermitian observable: the sum of its terms. */
export type PauliSum = readonly PauliTerm[];

/** A Pauli string as bit masks: it sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩. */
interface PauliMasks {
  /** Qubits with X or Y. */
  readonly flips: number;
  /** Qubits with Y or Z. */
  readonly signs: number;
  readonly numY: number;
}

/**
 * The masks of a Pauli string.
 *
 * @param imageOf - A qubit's bit in the masks, as a number with that bit alone, or 0 to leave the
 *   qubit out; `1 << qubit` by default, for qubits 0 to 31.
 */
export function pauliMasks(
  factors: readonly PauliFactor[],
  imageOf: (qubit: Qubit) => number = (qubit) => 1 << qubit,
): PauliMasks {
  let [flips, signs, numY] = [0, 0, 0];
  for (const { pauli, qubit } of factors) {
    if (pauli !== 'Z') flips += imageOf(qubit);
    if (pauli !== 'X') signs += imageOf(qubit);
    if (pauli === 'Y') numY++;
  }
  return { flips, signs, numY };
}

/** A qubit's bit as a number; powers are slow where shifts do. */
export function bitOf(qubit: Qubit): number {
  return qubit < 31 ? 1 << qubit : 2 ** qubit;
}

/**
 * Number of sets of qubits that the strings of observables flip. An engine reads a state about once
 * for each, whatever the number of strings.
 */
export function numFlipPatterns(observables: readonly PauliSum[]): number {
  let count = flipPatterns.get(observables);
  if (count === undefined) {
    count = countFlipPatterns(observables);
    flipPatterns.set(observables, count);
  }
  return count;
}

/** Numbers that were counted: many runs have the same observables. */
const flipPatterns = new WeakMap<readonly PauliSum[], number>();

function countFlipPatterns(observables: readonly PauliSum[]): number {
  const patterns = new Set<number>();
  for (const observable of observables) {
    for (const { factors } of observable) {
      patterns.add(pauliMasks(factors, bitOf).flips);
    }
  }
  return patterns.size;
}

const PAULIS = ['X', 'Y', 'Z'] as const;

/** Factors by their codes: there are few, and observables have many of them. */
const factors: PauliFactor[] = [];

/** Number of a factor: 4 · qubit, plus the place of the Pauli in X, Y, Z. */
export function codeOfFactor({ pauli, qubit }: PauliFactor): number {
  return 4 * qubit + (pauli === 'X' ? 0 : pauli === 'Y' ? 1 : 2);
}

/** The factor of that number; one object for all of its uses. */
export function factorOfCode(code: number): PauliFactor {
  factors[code] ??= { pauli: PAULIS[code % 4]!, qubit: code >>> 2 };
  return factors[code];
}

const SPACE = 0x20;
const ZERO = 0x30;
const LETTER_I = 0x49;
const LETTER_X = 0x58;
const LETTER_Z = 0x5a;

/**
 * Parses a well-formed Pauli string, about ten times as fast as `parsePauliString`: a Hamiltonian has thousands.
 *
 * @returns Undefined for a string that is not written as usual, which may be well-formed, too.
 */
function parsePlainPauliString(
  text: string,
  numQubits: number,
): readonly PauliFactor[] | undefined {
  const found: PauliFactor[] = [];
  let [lastQubit, at] = [-1, 0];
  if (text === 'I') return found;
  while (at < text.length) {
    const letter = text.charCodeAt(at++);
    const isPauli = letter >= LETTER_X && letter <= LETTER_Z;
    if (!isPauli && letter !== LETTER_I) return undefined;
    const firstDigit = at;
    let qubit = 0;
    for (; at < text.length && at < firstDigit + 3; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      qubit = 10 * qubit + digit;
    }
    // If qubits ascend, none is named twice.
    if (at === firstDigit || qubit >= numQubits || qubit <= lastQubit) return undefined;
    lastQubit = qubit;
    if (isPauli) found.push(factorOfCode(4 * qubit + letter - LETTER_X));
    if (at < text.length && text.charCodeAt(at++) !== SPACE) return undefined;
  }
  return found;
}

const FACTOR = /^([IXYZ])(\d{1,3})$/i;

/**
 * Parses a Pauli string such as `"X0 Y3 Z4"`; `"I"` and `""` are the identity.
 *
 * @returns The factors, or the fault found.
 */
function parsePauliString(
  text: string,
  numQubits: number,
  path: string,
): readonly PauliFactor[] | Fault {
  const factors: PauliFactor[] = [];
  const seen = new Set<Qubit>();
  for (const word of text.trim().split(/\s+/)) {
    if (word === '' || word.toUpperCase() === 'I') continue;
    const match = FACTOR.exec(word);
    if (match === null) {
      const shown = word.length > 20 ? `${word.slice(0, 20)}…` : word;
      return { path, message: `"${shown}" is not a Pauli factor; write for example "Z0 X3".` };
    }
    const qubit = Number(match[2]);
    if (qubit >= numQubits) {
      return {
        path,
        message: `"${word}" names qubit ${qubit}, but the circuit has ${counted(numQubits, 'qubit')}.`,
      };
    }
    if (seen.has(qubit)) return { path, message: `Qubit ${qubit} is named twice in one term.` };
    seen.add(qubit);
    const pauli = match[1]!.toUpperCase();
    if (pauli === 'X' || pauli === 'Y' || pauli === 'Z') factors.push({ pauli, qubit });
  }
  return factors;
}

/** One term of an observable in JSON. */
export type PauliTermObject = {
  /** Pauli string, for example `"Z0 Z1"`. */
  readonly pauli: string;
  /** 1 by default. */
  readonly coefficient?: number | undefined;
};

/** An observable in JSON: one term, or the terms of a sum. */
export type ObservableObject = PauliTermObject | readonly PauliTermObject[];

/**
 * Parses the observables of a request, in order.
 *
 * @param path - Path of the list in messages, for example `observables`.
 * @throws {InvalidCircuitError} listing every fault (the first 20) with paths such as
 *   `observables[1][0].pauli`.
 */
export function parseObservables(
  observables: readonly ObservableObject[],
  numQubits: number,
  path: string,
): readonly PauliSum[] {
  const faults = new FaultList();
  const sums = observables.map((observable, i) => {
    const place = `${path}[${i}]`;
    if (!isSum(observable)) return [parseTerm(observable, numQubits, place, faults)];
    if (observable.length === 0) faults.add(place, 'A Pauli sum has at least one term.');
    return observable.map((term, j) => parseTerm(term, numQubits, `${place}[${j}]`, faults));
  });
  if (faults.count > 0) throw new InvalidCircuitError(faults.kept, faults.count);
  return sums;
}

/** Type guard: Array.isArray does not narrow readonly arrays. */
function isSum(observable: ObservableObject): observable is readonly PauliTermObject[] {
  return Array.isArray(observable);
}

function parseTerm(
  { pauli, coefficient = 1 }: PauliTermObject,
  numQubits: number,
  path: string,
  faults: FaultList,
): PauliTerm {
  if (!Number.isFinite(coefficient)) {
    faults.add(`${path}.coefficient`, `${coefficient} is not a finite number.`);
  }
  return { coefficient, factors: pauliFactors(pauli, numQubits, `${path}.pauli`, faults) ?? [] };
}

/** Parses a Pauli string such as `"Z0 Z1"`; undefined after adding its fault. */
export function pauliFactors(
  text: string,
  numQubits: number,
  path: string,
  faults: FaultList,
): readonly PauliFactor[] | undefined {
  const factors = parsePlainPauliString(text, numQubits) ?? parsePauliString(text, numQubits, path);
  if (!('message' in factors)) return factors;
  faults.add(factors.path, factors.message);
  return undefined;
}
