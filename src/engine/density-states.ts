/**
 * Density matrices as states of an engine: ρ of n qubits is a state of 2n qubits, whose amplitudes are its entries.
 *
 * All outputs come from lines ρ(x, x ^ flips) of 2^n entries each: the diagonal, and a line for each set of qubits that
 * a Pauli string flips. Lines are short beside the state, so they are read and summed up here, for all engines.
 */
import type { Qubit } from '../circuit/circuit.ts';
import { bitOf, type PauliSum } from '../circuit/observable.ts';
import type { ReadoutConfusion } from '../compiler/program.ts';
import { hasOddParity } from '../math/basis-index.ts';
import { BitImages } from '../math/bit-images.ts';
import { walshHadamard } from '../math/walsh-hadamard.ts';
import { confuse } from './final-misreads.ts';
import type { InitialEntries } from './initial-entries.ts';
import { groupPaulis, weightedSums } from './pauli-groups.ts';
import {
  type BasisSamples,
  type MaybePromise,
  type QubitMasses,
  type SampleRequest,
  type StateOperations,
  squaredNorm,
} from './state-operations.ts';
import { sortedTerminalDraws } from './terminal-measurement.ts';
import type { TimeSlicer } from './time-slicer.ts';

/** Operations of an engine that density matrices need beside those on states. */
export interface EntryAccess<S> {
  initialize(state: S, entries: InitialEntries): MaybePromise<void>;

  /**
   * Entries of a state; interleaved re, im, for all numbers that `indexOf` maps.
   *
   * @param indexOf - Number → logical basis index, but for the bits of `flips`, which are the other way round.
   */
  entries(state: S, indexOf: BitImages, flips: number): MaybePromise<Float64Array>;

  /** Makes a state (1 − share)·state + share·other. */
  mix(state: S, other: S, share: number): MaybePromise<void>;
}

/** Facts that all states of a run share. */
export interface DensityFacts {
  /** Qubits of the circuit. */
  readonly numQubits: number;
  /** Logical qubit of rows and columns → physical qubit. */
  readonly layout: readonly Qubit[];
  readonly readout: readonly ReadoutConfusion[];
}

/** The density matrices of one run. Physical qubits are those of the doubled program. */
export class DensityStates<S> implements StateOperations<S> {
  readonly #base: StateOperations<S> & EntryAccess<S>;
  readonly #facts: DensityFacts;
  readonly #slicer: TimeSlicer;
  /** Value of the qubits → logical index of the diagonal entry. */
  readonly #diagonalOf: BitImages;

  constructor(base: StateOperations<S> & EntryAccess<S>, facts: DensityFacts, slicer: TimeSlicer) {
    this.#base = base;
    this.#facts = facts;
    this.#slicer = slicer;
    const { numQubits } = facts;
    this.#diagonalOf = new BitImages(
      Array.from({ length: numQubits }, (_, q) => 2 ** q + 2 ** (numQubits + q)),
    );
  }

  create(): S {
    return this.#base.create();
  }

  initialize(state: S, entries: InitialEntries): MaybePromise<void> {
    return this.#base.initialize(state, entries);
  }

  copy(state: S): MaybePromise<S> {
    return this.#base.copy(state);
  }

  release(state: S): void {
    this.#base.release(state);
  }

  applySweep(
    state: S,
    stepIndex: number,
    onPasses: (passesDone: number) => void,
  ): MaybePromise<void> {
    return this.#base.applySweep(state, stepIndex, onPasses);
  }

  async qubitMasses(state: S, qubit: Qubit): Promise<QubitMasses> {
    const bit = 2 ** this.#qubitAt(qubit);
    const diagonal = await this.#diagonal(state);
    let [zero, one] = [0, 0];
    for (const [x, probability] of diagonal.entries()) {
      if ((x & bit) === 0) zero += probability;
      else one += probability;
    }
    // Rounding leaves negative probabilities in place of 0.
    return { zero: Math.max(0, zero), one: Math.max(0, one) };
  }

  /** Projects rows and columns. */
  async collapse(state: S, qubit: Qubit, outcome: 0 | 1, left: 0 | 1, mass: number): Promise<void> {
    const { layout, numQubits } = this.#facts;
    const q = this.#qubitAt(qubit);
    // Each of the two multiplies by 1/√mass.
    await this.#base.collapse(state, layout[q]!, outcome, left, mass);
    await this.#base.collapse(state, layout[numQubits + q]!, outcome, left, mass);
  }

  mix(state: S, other: S, share: number): MaybePromise<void> {
    return this.#base.mix(state, other, share);
  }

  async sample(state: S, request: SampleRequest): Promise<BasisSamples> {
    const probabilities = confused(await this.#diagonal(state), this.#facts.readout);
    const draws = await sortedTerminalDraws(request, this.#slicer);
    let total = 0;
    for (const probability of probabilities) total += probability;
    const basisIndices: number[] = [];
    const occurrences: number[] = [];
    let cumulative = probabilities[0]!;
    let [x, last] = [0, -1];
    for (const draw of draws) {
      while (cumulative <= draw * total && x < probabilities.length - 1) {
        cumulative += probabilities[++x]!;
      }
      if (x === last) occurrences[occurrences.length - 1]!++;
      else {
        basisIndices.push(this.#diagonalOf.at(x) >>> 0);
        occurrences.push(1);
        last = x;
      }
    }
    return {
      basisIndices: Uint32Array.from(basisIndices),
      occurrences: Uint32Array.from(occurrences),
    };
  }

  statevector(): never {
    throw new Error('unreachable: a density matrix has no state vector');
  }

  amplitudes(): never {
    throw new Error('unreachable: a density matrix has no amplitudes');
  }

  async probabilities(state: S, outcomeOf: BitImages, numBits: number): Promise<Float64Array> {
    const { layout, numQubits, readout } = this.#facts;
    const images = Array.from(
      { length: numQubits },
      (_, q) => outcomeOf.images[layout[q]!]! | outcomeOf.images[layout[numQubits + q]!]!,
    );
    const outcomes = new BitImages(images);
    const out = new Float64Array(2 ** numBits);
    for (const [x, probability] of confused(await this.#diagonal(state), readout).entries()) {
      out[outcomes.at(x) >>> 0]! += probability;
    }
    return out;
  }

  /** tr(Oρ) of each observable. */
  expectations(state: S, observables: readonly PauliSum[]): Promise<readonly number[]> {
    return this.#traces(state, observables, true);
  }

  /** Re tr(OM) of each observable, where M need not be Hermitian. */
  tracesOfImage(image: S, observables: readonly PauliSum[]): Promise<readonly number[]> {
    return this.#traces(image, observables, false);
  }

  /** @param isHermitian - Entries x and x ^ flips of a line are then conjugates, so half of them are enough. */
  async #traces(
    state: S,
    observables: readonly PauliSum[],
    isHermitian: boolean,
  ): Promise<readonly number[]> {
    const grouped = groupPaulis(observables, bitOf);
    const sums = new Float64Array(grouped.numStrings);
    let line: { readonly flips: number; readonly entries: Float64Array } | undefined;
    for (const { flips, isImaginary, signs, firstString } of grouped.groups) {
      const halved = isHermitian && flips !== 0 ? 31 - Math.clz32(flips) : undefined;
      if (line?.flips !== flips) line = { flips, entries: await this.#line(state, flips, halved) };
      const part = partOf(line.entries, isImaginary);
      const masks = halved === undefined ? signs : signs.map((mask) => without(mask, halved));
      const found = signedSums(part, masks);
      const factor = halved === undefined ? 1 : 2;
      for (let i = 0; i < found.length; i++) sums[firstString + i] = factor * found[i]!;
      if (this.#slicer.spend(signs.length * part.length)) await this.#slicer.pause();
    }
    return weightedSums(grouped, sums);
  }

  /** Writes O·ρ. */
  applyObservable(state: S, observable: PauliSum, image: S): MaybePromise<void> {
    return this.#base.applyObservable(state, observable, image);
  }

  /** tr ρ². */
  purity(state: S): Promise<number> {
    return squaredNorm(this.#base, state);
  }

  /** Row-major, interleaved re, im; length 2·4^numQubits. */
  matrix(state: S): MaybePromise<Float64Array> {
    const { numQubits } = this.#facts;
    const transposed = Array.from({ length: 2 * numQubits }, (_, i) =>
      i < numQubits ? 2 ** (numQubits + i) : 2 ** (i - numQubits),
    );
    return this.#base.entries(state, new BitImages(transposed), 0);
  }

  /**
   * ρ(x, x ^ flips) for all x; interleaved re, im.
   *
   * @param zeroQubit - If given, for all x in which this qubit is 0, numbered by the other qubits.
   */
  #line(state: S, flips: number, zeroQubit?: Qubit): MaybePromise<Float64Array> {
    const indexOf =
      zeroQubit === undefined
        ? this.#diagonalOf
        : new BitImages(this.#diagonalOf.images.filter((_, q) => q !== zeroQubit));
    return this.#base.entries(state, indexOf, flips * 2 ** this.#facts.numQubits);
  }

  async #diagonal(state: S): Promise<Float64Array> {
    const line = await this.#line(state, 0);
    return line.filter((_, i) => i % 2 === 0).map((probability) => Math.max(0, probability));
  }

  /** The circuit's qubit whose row or column is at a place. */
  #qubitAt(physical: Qubit): Qubit {
    return this.#facts.layout.indexOf(physical) % this.#facts.numQubits;
  }
}

/** Real or imaginary parts of entries. */
function partOf(entries: Float64Array, isImaginary: boolean): Float64Array {
  const part = new Float64Array(entries.length / 2);
  for (let x = 0, i = isImaginary ? 1 : 0; x < part.length; x++, i += 2) part[x] = entries[i]!;
  return part;
}

/** A mask without the place of a qubit. */
function without(mask: number, qubit: Qubit): number {
  const below = 2 ** qubit - 1;
  return (mask & below) | ((mask >>> 1) & ~below);
}

/** The distribution of the values that are read, from that of the qubits' values. */
function confused(probabilities: Float64Array, readout: readonly ReadoutConfusion[]): Float64Array {
  const out = probabilities.slice();
  for (const { qubit, p1Given0, p0Given1 } of readout) confuse(out, qubit, p1Given0, p0Given1);
  return out;
}

/** Values of a block share the sign of their high bits; signs of the low ones are written out once. */
const BLOCK_BITS = 6;

/**
 * Sums of a list of numbers with the signs that Pauli strings give them: Σ (−1)^|x & mask| · values[x] for each mask.
 *
 * A sum takes as many additions as there are values. The fast Walsh–Hadamard transform has the sums of all masks for as
 * many as log2(values) of them take, so it serves more masks than that.
 *
 * @param values - As many as a power of two; may be overwritten.
 * @returns A sum for each mask.
 */
export function signedSums(values: Float64Array, masks: readonly number[]): Float64Array {
  if (masks.length > Math.log2(values.length)) {
    walshHadamard(values);
    return Float64Array.from(masks, (mask) => values[mask]!);
  }
  const sums = new Float64Array(masks.length);
  const signs = new Float64Array(Math.min(values.length, 2 ** BLOCK_BITS));
  for (let i = 0; i < sums.length; i++) sums[i] = signedSum(values, masks[i]!, signs);
  return sums;
}

/** @param signs - Overwritten; its length is that of a block. */
function signedSum(values: Float64Array, mask: number, signs: Float64Array): number {
  for (let x = 0; x < signs.length; x++) signs[x] = hasOddParity(x & mask) ? -1 : 1;
  let sum = 0;
  for (let from = 0; from < values.length; from += signs.length) {
    let ofBlock = 0;
    for (let x = 0; x < signs.length; x++) ofBlock += signs[x]! * values[from + x]!;
    sum += hasOddParity(from & mask) ? -ofBlock : ofBlock;
  }
  return sum;
}
