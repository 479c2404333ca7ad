/** Tables that all circuits of a batch share when their states are read. */
import { bitOf, type PauliSum } from '../../../circuit/observable.ts';
import { groupPaulis } from '../../pauli-groups.ts';

/** The measured qubits, and the register's value for each pattern of them. */
export interface MeasuredPatterns {
  /** Mask of measured qubits. */
  readonly measured: number;
  readonly numMeasured: number;
  /** Value of the register by pattern; bit i of a pattern is the i-th lowest measured qubit. */
  readonly outcomes: Uint32Array;
  /** Whether every pattern equals its value, and there are no other values. */
  readonly areAllValues: boolean;
}

/**
 * Tabulates the register's values.
 *
 * @param outcomeBits - For each qubit, the mask of classical bits that read it.
 */
export function measuredPatterns(
  outcomeBits: readonly number[],
  numBits: number,
): MeasuredPatterns {
  const images = outcomeBits.filter((bits) => bits !== 0);
  const measured = outcomeBits.reduce((mask, bits, q) => mask | (bits === 0 ? 0 : 1 << q), 0);
  const outcomes = new Uint32Array(2 ** images.length);
  for (const [i, image] of images.entries()) {
    for (let rest = 0; rest < 2 ** i; rest++) outcomes[2 ** i + rest] = outcomes[rest]! | image;
  }
  return {
    measured,
    numMeasured: images.length,
    outcomes,
    areAllValues: images.length === numBits && outcomes.every((value, i) => value === i),
  };
}

/** Encodes observables for shaders/lib/batch_observables.wgsl. */
export function observableWords(observables: readonly PauliSum[]): Uint32Array<ArrayBuffer> {
  const words: number[] = [];
  for (const observable of observables) {
    const grouped = groupPaulis([observable], bitOf);
    const { strings, weights } = grouped.observables[0]!;
    const weightOf = new Float32Array(grouped.numStrings);
    for (const [i, string] of strings.entries()) weightOf[string] = weights[i]!;
    words.push(grouped.groups.length);
    for (const { flips, isImaginary, signs, firstString } of grouped.groups) {
      words.push(flips, isImaginary ? 1 : 0, signs.length);
      // The kernel visits one of each pair of basis states that a string exchanges.
      const visits = flips === 0 ? 1 : 2;
      for (const [i, mask] of signs.entries()) {
        const factor = visits * weightOf[firstString + i]!;
        words.push(mask, new Uint32Array(Float32Array.of(factor).buffer)[0]!);
      }
    }
  }
  return Uint32Array.from(words);
}

/** Copies results by pattern to the values of each circuit. */
export function scatterPatterns(
  { outcomes, areAllValues }: MeasuredPatterns,
  from: Float32Array | Uint32Array,
  to: Float64Array | Uint32Array,
  firstCircuit: number,
  numValues: number,
): void {
  if (areAllValues) {
    to.set(from, firstCircuit * numValues);
    return;
  }
  const numPatterns = outcomes.length;
  let base = firstCircuit * numValues;
  for (let i = 0; i < from.length; i += numPatterns) {
    for (let pattern = 0; pattern < numPatterns; pattern++) {
      to[base + outcomes[pattern]!] = from[i + pattern]!;
    }
    base += numValues;
  }
}
