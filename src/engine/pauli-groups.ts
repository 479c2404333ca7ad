/**
 * The Pauli strings of a request's observables, each once, grouped by the qubits that they flip.
 *
 * A string P sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩. Strings with the same flips read
 * the same products conj(ψ[i ^ flips])·ψ[i] and differ in signs alone, so a group of them costs
 * little more than one string. Strings with an odd number of Y take the imaginary parts of the
 * products, the others the real parts: they are separate groups.
 */
import type { Qubit } from '../circuit/circuit.ts';
import {
  type PauliFactor,
  type PauliSum,
  type PauliTerm,
  pauliMasks,
} from '../circuit/observable.ts';

/** Strings that flip the same qubits and take the same part of the products. */
export interface PauliGroup {
  /** Bit mask. */
  readonly flips: number;
  readonly isImaginary: boolean;
  /** A bit mask for each string; distinct. */
  readonly signs: readonly number[];
  /** Number of the first string; the others follow. */
  readonly firstString: number;
}

/** An observable as a weighted sum of strings. */
interface WeightedStrings {
  /** Numbers of distinct strings. */
  readonly strings: readonly number[];
  /** Factors of the strings' sums of products, parallel to `strings`. */
  readonly weights: readonly number[];
}

/** The distinct strings of some observables. */
export interface PauliGroups {
  /** Ascending by flips. */
  readonly groups: readonly PauliGroup[];
  readonly numStrings: number;
  readonly observables: readonly WeightedStrings[];
}

interface OpenGroup {
  readonly flips: number;
  readonly isImaginary: boolean;
  /** By signs, in the order of their positions in the group. */
  readonly strings: Map<number, FoundString>;
  firstString: number;
}

/** A string, and the observable that had it last. */
interface FoundString {
  readonly group: OpenGroup;
  readonly position: number;
  observable: number;
  /** Its place in the lists of that observable. */
  place: number;
}

/**
 * Groups the strings of observables.
 *
 * @param imageOf - A qubit's bit in the masks: a power of two below 2^53, or 0 to leave it out.
 */
export function groupPaulis(
  observables: readonly PauliSum[],
  imageOf: (qubit: Qubit) => number,
): PauliGroups {
  const open = [new Map<number, OpenGroup>(), new Map<number, OpenGroup>()] as const;
  const found = observables.map((observable, number) => {
    const strings: FoundString[] = [];
    const weights: number[] = [];
    for (const { coefficient, factors } of observable) {
      const { flips, signs, numY } = pauliMasks(factors, imageOf);
      const { isImaginary, sign } = pauliPhase(numY);
      const string = stringOf(open[isImaginary ? 1 : 0], flips, isImaginary, signs);
      if (string.observable !== number) {
        string.observable = number;
        string.place = strings.length;
        strings.push(string);
        weights.push(0);
      }
      weights[string.place]! += sign * coefficient;
    }
    return { strings, weights };
  });
  const groups = open.flatMap((byFlips) => [...byFlips.values()]).sort((a, b) => a.flips - b.flips);
  let numStrings = 0;
  for (const group of groups) {
    group.firstString = numStrings;
    numStrings += group.strings.size;
  }
  return {
    groups: groups.map(({ flips, isImaginary, strings, firstString }) => {
      return { flips, isImaginary, signs: [...strings.keys()], firstString };
    }),
    numStrings,
    observables: found.map(({ strings, weights }) => ({
      strings: strings.map(({ group, position }) => group.firstString + position),
      weights,
    })),
  };
}

function stringOf(
  byFlips: Map<number, OpenGroup>,
  flips: number,
  isImaginary: boolean,
  signs: number,
): FoundString {
  let group = byFlips.get(flips);
  if (group === undefined) {
    group = { flips, isImaginary, strings: new Map(), firstString: 0 };
    byFlips.set(flips, group);
  }
  let string = group.strings.get(signs);
  if (string === undefined) {
    string = { group, position: group.strings.size, observable: -1, place: 0 };
    group.strings.set(signs, string);
  }
  return string;
}

/**
 * The expectation value of each observable.
 *
 * @param sums - For each string, Σ (−1)^|i & signs| · conj(ψ[i ^ flips])·ψ[i] over all i: the real or
 *   the imaginary part.
 */
export function weightedSums(
  { observables }: PauliGroups,
  sums: ArrayLike<number>,
): readonly number[] {
  return observables.map(({ strings, weights }) =>
    weights.reduce((sum, weight, i) => sum + weight * sums[strings[i]!]!, 0),
  );
}

/**
 * For each string, the factor c·i^numY that the first observable gives it: the real part, or the
 * imaginary part if the string's group is imaginary.
 */
export function operatorFactors({ groups, numStrings, observables }: PauliGroups): Float64Array {
  const factors = new Float64Array(numStrings);
  const { strings, weights } = observables[0]!;
  for (const [i, string] of strings.entries()) factors[string] = weights[i]!;
  // A value takes −im of a product where the operator has +i, and the other way round.
  for (const { isImaginary, firstString, signs } of groups) {
    if (!isImaginary) continue;
    for (let i = firstString; i < firstString + signs.length; i++) factors[i] = -factors[i]!;
  }
  return factors;
}

/** The part of ⟨ψ|P|ψ⟩ that a string P takes from the sum of conj(ψ[i ^ flips]) · (±ψ[i]). */
interface PauliPhase {
  /** Whether it takes the imaginary part. */
  readonly isImaginary: boolean;
  /** Factor of that part. */
  readonly sign: 1 | -1;
}

/** i^numY · (re + i·im) has the real part re, −im, −re, im for numY = 0, 1, 2, 3. */
export function pauliPhase(numY: number): PauliPhase {
  return { isImaginary: numY % 2 === 1, sign: numY % 4 === 1 || numY % 4 === 2 ? -1 : 1 };
}

/** Highest bit of a mask below 2^32; 0 for 0. */
export function highestBit(mask: number): number {
  return mask === 0 ? 0 : 2 ** (31 - Math.clz32(mask));
}

const LETTERS = ['X', 'Y', 'Z'] as const;

/** The product of two strings that commute, which is real; undefined if they do not. */
export function commutingProduct(
  first: readonly PauliFactor[],
  second: readonly PauliFactor[],
): { readonly sign: 1 | -1; readonly factors: readonly PauliFactor[] } | undefined {
  const letters = new Map(first.map(({ qubit, pauli }) => [qubit, pauli]));
  /** The product so far is i to this number. */
  let turns = 0;
  for (const { qubit, pauli } of second) {
    const other = letters.get(qubit);
    if (other === undefined) letters.set(qubit, pauli);
    else if (other === pauli) letters.delete(qubit);
    else {
      const [from, to] = [LETTERS.indexOf(other), LETTERS.indexOf(pauli)];
      // X·Y = i·Z and so on in turn; the other way around, −i.
      turns += (to - from + 3) % 3 === 1 ? 1 : 3;
      letters.set(qubit, LETTERS[3 - from - to]!);
    }
  }
  if (turns % 2 === 1) return undefined;
  const factors = [...letters].map(([qubit, pauli]) => ({ qubit, pauli }));
  return { sign: turns % 4 === 0 ? 1 : -1, factors };
}

/** O², in which products of strings that anticommute have cancelled. */
export function observableSquare(observable: PauliSum): PauliSum {
  const terms = new Map<string, PauliTerm>();
  const add = (coefficient: number, factors: readonly PauliFactor[]) => {
    const key = factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ');
    terms.set(key, { coefficient: coefficient + (terms.get(key)?.coefficient ?? 0), factors });
  };
  for (const [i, a] of observable.entries()) {
    add(a.coefficient ** 2, []);
    for (const b of observable.slice(0, i)) {
      const product = commutingProduct(a.factors, b.factors);
      if (product === undefined) continue;
      const factors = product.factors.toSorted((x, y) => x.qubit - y.qubit);
      add(2 * product.sign * a.coefficient * b.coefficient, factors);
    }
  }
  return [...terms.values()];
}
