/**
 * The Pauli strings of a request's observables, each once, grouped by the qubits that they flip.
 *
 * A string P sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩. Strings with the same flips read
 * the same products conj(ψ[i ^ flips])·ψ[i] and differ in signs alone, so a group of them costs
 * little more than one string. Strings with an odd number of Y take the imaginary parts of the
 * products, the others the real parts: they are separate groups.
 */
import type { Qubit } from '../circuit/circuit.ts';
import { type PauliSum, pauliMasks } from '../circuit/observable.ts';
import { pauliPhase } from './pauli-phase.ts';

/** Strings that flip the same qubits and take the same part of the products. */
export interface PauliGroup {
  /** Bit mask, below 2^32. */
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
  /** Signs → position in the group. */
  readonly positions: Map<number, number>;
  firstString: number;
}

/** A string of an observable, before the groups are in order. */
interface FoundString {
  readonly group: OpenGroup;
  readonly position: number;
  weight: number;
}

/**
 * Groups the strings of observables.
 *
 * @param imageOf - A qubit's bit in the masks: a power of two below 2^32, or 0 to leave it out.
 */
export function groupPaulis(
  observables: readonly PauliSum[],
  imageOf: (qubit: Qubit) => number,
): PauliGroups {
  const open = [new Map<number, OpenGroup>(), new Map<number, OpenGroup>()] as const;
  const found = observables.map((observable) => {
    const own = new Map<OpenGroup, Map<number, FoundString>>();
    const strings: FoundString[] = [];
    for (const { coefficient, factors } of observable) {
      const { flips, signs, numY } = pauliMasks(factors, imageOf);
      const { isImaginary, sign } = pauliPhase(numY);
      const group = groupOf(open[isImaginary ? 1 : 0], flips, isImaginary);
      const inGroup = getOrAdd(own, group, () => new Map<number, FoundString>());
      const string = getOrAdd(inGroup, signs, () => {
        const position = getOrAdd(group.positions, signs, () => group.positions.size);
        const added = { group, position, weight: 0 };
        strings.push(added);
        return added;
      });
      string.weight += sign * coefficient;
    }
    return strings;
  });
  const groups = open.flatMap((byFlips) => [...byFlips.values()]).sort((a, b) => a.flips - b.flips);
  let numStrings = 0;
  for (const group of groups) {
    group.firstString = numStrings;
    numStrings += group.positions.size;
  }
  return {
    groups: groups.map(({ positions, ...group }) => ({ ...group, signs: [...positions.keys()] })),
    numStrings,
    observables: found.map((strings) => ({
      strings: strings.map(({ group, position }) => group.firstString + position),
      weights: strings.map(({ weight }) => weight),
    })),
  };
}

function groupOf(byFlips: Map<number, OpenGroup>, flips: number, isImaginary: boolean): OpenGroup {
  return getOrAdd(byFlips, flips, () => {
    return { flips, isImaginary, positions: new Map<number, number>(), firstString: 0 };
  });
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
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
