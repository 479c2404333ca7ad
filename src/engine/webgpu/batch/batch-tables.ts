/** What all circuits of a batch have in common when their states are read. */
import type { PauliSum, PauliTerm } from '../../../circuit/observable.ts';

/** The qubits that are measured, and what the register reads. */
export interface MeasuredPatterns {
  /** Mask of qubits. */
  readonly measured: number;
  readonly numMeasured: number;
  /** By pattern, whose bit i is the i-th lowest measured qubit, the value of the register. */
  readonly outcomes: Uint32Array;
  /** Whether pattern and value are the same throughout, and there are no other values. */
  readonly areAllValues: boolean;
}

/** @param outcomeBits - Of each qubit the classical bits that read it, as a mask. */
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

/** Observables as shaders/batch_expectations.wgsl reads them. */
export function observableWords(observables: readonly PauliSum[]): Uint32Array<ArrayBuffer> {
  const words: number[] = [];
  for (const terms of observables) words.push(terms.length, ...terms.flatMap(termWords));
  return Uint32Array.from(words);
}

/** A string sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩. */
function termWords({ coefficient, factors }: PauliTerm): readonly number[] {
  let flips = 0;
  let signs = 0;
  let numY = 0;
  for (const { pauli, qubit } of factors) {
    if (pauli !== 'Z') flips |= 1 << qubit;
    if (pauli !== 'X') signs |= 1 << qubit;
    if (pauli === 'Y') numY++;
  }
  // i^numY · (re + i·im) has the real part re, −im, −re, im for numY = 0, 1, 2, 3.
  const sign = numY % 4 === 1 || numY % 4 === 2 ? -1 : 1;
  // Of each pair of basis states that the string exchanges the kernel visits one.
  const factor = coefficient * sign * (flips === 0 ? 1 : 2);
  return [flips, signs, numY % 2, new Uint32Array(Float32Array.of(factor).buffer)[0]!];
}

/** Copies results by pattern to where each circuit's values stand. */
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
