/** Reads a final state without drawing: amplitudes, probabilities, expectation values. */
import type { Qubit } from '../../circuit/circuit.ts';
import type { PauliFactor, PauliSum, PauliTerm } from '../../circuit/observable.ts';
import type { BitImages } from '../../math/bit-images.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../time-slicer.ts';

/**
 * The amplitudes in logical order.
 *
 * @param physicalOf - Logical basis index → physical basis index.
 * @returns Interleaved re, im; as long as the state.
 */
export async function logicalAmplitudes(
  state: Float64Array,
  physicalOf: BitImages,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const out = new Float64Array(state.length);
  const numAmplitudes = state.length / 2;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const physical = physicalOf.at(i);
      out[2 * i] = state[2 * physical]!;
      out[2 * i + 1] = state[2 * physical + 1]!;
    }
    if (slicer.spend(to - from)) await slicer.pause();
  }
  return out;
}

/**
 * The distribution of the classical register.
 *
 * @param outcomeOf - Physical basis index → value of the register.
 * @returns Length 2^numBits.
 */
export async function outcomeProbabilities(
  state: Float64Array,
  outcomeOf: BitImages,
  numBits: number,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const out = new Float64Array(2 ** numBits);
  const numAmplitudes = state.length / 2;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      out[outcomeOf.at(i)]! += state[2 * i]! ** 2 + state[2 * i + 1]! ** 2;
    }
    if (slicer.spend(to - from)) await slicer.pause();
  }
  return out;
}

/**
 * ⟨ψ|O|ψ⟩, one Pauli string at a time, without a copy of the state.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export async function expectation(
  state: Float64Array,
  observable: PauliSum,
  layout: readonly Qubit[],
  slicer: TimeSlicer,
): Promise<number> {
  let sum = 0;
  for (const term of observable) {
    sum += term.coefficient * (await pauliExpectation(state, term, layout, slicer));
  }
  return sum;
}

/**
 * Writes O·ψ, one Pauli string at a time.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param image - Overwritten; as long as the state.
 */
export async function applyObservable(
  state: Float64Array,
  observable: PauliSum,
  layout: readonly Qubit[],
  image: Float64Array,
  slicer: TimeSlicer,
): Promise<void> {
  image.fill(0);
  const numAmplitudes = state.length / 2;
  for (const { coefficient, factors } of observable) {
    const { flips, signs, numY } = masksOf(factors, layout);
    // i^numY.
    const re = [1, 0, -1, 0][numY % 4]! * coefficient;
    const im = [0, 1, 0, -1][numY % 4]! * coefficient;
    for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
      const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
      for (let i = from; i < to; i++) {
        const sign = 1 - 2 * parity(i & signs);
        const at = i ^ flips;
        image[2 * at]! += sign * (re * state[2 * i]! - im * state[2 * i + 1]!);
        image[2 * at + 1]! += sign * (re * state[2 * i + 1]! + im * state[2 * i]!);
      }
      if (slicer.spend(2 * (to - from))) await slicer.pause();
    }
  }
}

/**
 * A string on physical qubits: it maps |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩, where `flips`
 * holds its X and Y, `signs` its Y and Z.
 */
function masksOf(factors: readonly PauliFactor[], layout: readonly Qubit[]) {
  let flips = 0;
  let signs = 0;
  let numY = 0;
  for (const { pauli, qubit } of factors) {
    const mask = 2 ** layout[qubit]!;
    if (pauli !== 'Z') flips |= mask;
    if (pauli !== 'X') signs |= mask;
    if (pauli === 'Y') numY++;
  }
  return { flips, signs, numY };
}

/** Expectation value of one Pauli string. */
async function pauliExpectation(
  state: Float64Array,
  { factors }: PauliTerm,
  layout: readonly Qubit[],
  slicer: TimeSlicer,
): Promise<number> {
  const { flips, signs, numY } = masksOf(factors, layout);
  // The sum over i of conj(ψ[i ^ flips]) · (−1)^… · ψ[i]; i^numY picks its real or imaginary part.
  let re = 0;
  let im = 0;
  const numAmplitudes = state.length / 2;
  for (let from = 0; from < numAmplitudes; from += UNITS_PER_CHUNK) {
    const to = Math.min(from + UNITS_PER_CHUNK, numAmplitudes);
    for (let i = from; i < to; i++) {
      const image = i ^ flips;
      const sign = 1 - 2 * parity(i & signs);
      const aRe = state[2 * image]!;
      const aIm = state[2 * image + 1]!;
      re += sign * (aRe * state[2 * i]! + aIm * state[2 * i + 1]!);
      im += sign * (aRe * state[2 * i + 1]! - aIm * state[2 * i]!);
    }
    if (slicer.spend(2 * (to - from))) await slicer.pause();
  }
  const part = numY % 2 === 0 ? re : im;
  // i^numY · (re + i·im) has the real part re, −im, −re, im for numY = 0, 1, 2, 3.
  return numY % 4 === 1 || numY % 4 === 2 ? -part : part;
}

/** Parity of a word: 1 if an odd number of its bits is set. */
function parity(word: number): 0 | 1 {
  let folded = word ^ (word >>> 16);
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  return (0x6996 >>> (folded & 15)) & 1 ? 1 : 0;
}
