/**
 * Exact outputs of a stabilizer program, without drawing shots, noise included: the distribution of few classical bits,
 * and expectation values and variances of observables.
 *
 * Each random event flips a set of bits, independent of the others, so the distribution is a convolution; its
 * Walsh–Hadamard transform is a product.
 */

import type { PauliFactor, PauliSum, PauliTerm } from '../../circuit/observable.ts';
import { STABILIZER_OPS, type StabilizerProgram } from '../../compiler/program.ts';
import { walshHadamardPasses } from '../../math/walsh-hadamard.ts';
import { assign, outcomeOf } from '../classical-bits.ts';
import { TooManyOutcomesError } from '../errors.ts';
import { confuse } from '../final-misreads.ts';
import { commutingProduct } from '../pauli-groups.ts';
import type { TimeSlicer } from '../time-slicer.ts';
import { BackwardWalk, LANES } from './backward-walk.ts';

/** Most classical bits of an exact distribution. */
export const MAX_STABILIZER_PROBABILITY_BITS = 20;

const ops = STABILIZER_OPS;

/** Work of assignments to the bits of one value. */
const ASSIGNED_UNITS = 32;

/** Random flips of the bits of the register. */
interface Flips {
  /** Sets of bits that are flipped, or not, with equal probability. */
  readonly even: Set<number>;
  /** Errors by their sets of bits, and how often they occur. */
  readonly noise: Map<
    string,
    { readonly channel: number; readonly masks: readonly number[]; times: number }
  >;
}

/**
 * Distribution over the bits of the outcome; length 2^numBits.
 *
 * @param register - Bits in the reference sample, before assignments of the end.
 * @throws {TooManyOutcomesError} if the program has more bits, scratch bits included, than are computed.
 */
export async function distributionOf(
  program: StabilizerProgram,
  register: Uint32Array,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const numBits = program.numBits + (program.control?.numScratchBits ?? 0);
  if (numBits > MAX_STABILIZER_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(numBits, MAX_STABILIZER_PROBABILITY_BITS);
  }
  const flips = await flipsOf(program, slicer);
  const size = 2 ** numBits;
  const spectrum = new Float64Array(size).fill(1);
  for (const mask of flips.even) {
    for (let i = 0; i < size; i++) if (isOdd(i & mask)) spectrum[i] = 0;
    if (slicer.spend(size)) await slicer.pause();
  }
  for (const { channel, masks, times } of flips.noise.values()) {
    const { errors } = program.channels[channel]!;
    for (let i = 0; i < size; i++) {
      if (spectrum[i] === 0) continue;
      let lost = 0;
      for (let j = 0; j < masks.length; j++) {
        if (isOdd(i & masks[j]!)) lost += 2 * errors[j]!.probability;
      }
      spectrum[i]! *= (1 - lost) ** times;
      if (slicer.spend(masks.length)) await slicer.pause();
    }
    // Values whose part of the spectrum is 0 take time, too.
    if (slicer.spend(size)) await slicer.pause();
  }
  const distribution = new Float64Array(size);
  for (const _ of walshHadamardPasses(spectrum)) {
    if (slicer.spend(size)) await slicer.pause();
  }
  for (let i = 0; i < size; i++) {
    distribution[i ^ register[0]!] = Math.max(0, spectrum[i]! / size);
  }
  if (slicer.spend(size)) await slicer.pause();
  return finished(program, distribution, slicer);
}

async function flipsOf(program: StabilizerProgram, slicer: TimeSlicer): Promise<Flips> {
  const { code, channels } = program;
  const flips: Flips = { even: new Set(), noise: new Map() };
  const walk = new BackwardWalk(program);
  /** Bits that were written by a later measurement. */
  let written = 0;
  const end = code.length / 4;
  const even = (mask: number) => {
    if (mask !== 0) flips.even.add(mask);
  };
  await walk.run(
    end,
    {
      measured: (anticommuting, place) => {
        even(anticommuting);
        const [qubit, bit] = [code[4 * place + 1]!, code[4 * place + 2]!];
        if (((written >> bit) & 1) === 1) return;
        written |= 1 << bit;
        walk.signs[qubit]! ^= 1 << bit;
      },
      reset: even,
      noise: (channel, anticommutingWith) => {
        const masks = channels[channel]!.errors.map((error) =>
          anticommutingWith(error.flips, error.signs),
        );
        if (masks.every((mask) => mask === 0)) return;
        const key = `${channel} ${masks}`;
        const known = flips.noise.get(key);
        if (known === undefined) flips.noise.set(key, { channel, masks, times: 1 });
        else known.times++;
      },
    },
    slicer,
  );
  for (const mask of walk.flips) even(mask);
  return flips;
}

function isOdd(bits: number): boolean {
  let folded = bits ^ (bits >>> 16);
  folded ^= folded >>> 8;
  folded ^= folded >>> 4;
  return ((0x6996 >>> (folded & 15)) & 1) === 1;
}

/** The distribution after the misreadings and assignments of the end. */
async function finished(
  program: StabilizerProgram,
  distribution: Float64Array,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const { code, numBodyInstructions, misreads, assignments, numBits } = program;
  const last: number[] = [];
  for (let i = numBodyInstructions; i < code.length / 4; i++) {
    const [op, a, bit] = [code[4 * i], code[4 * i + 1]!, code[4 * i + 2]!];
    if (op === ops.misread) {
      confuse(distribution, bit, misreads[a]!.p1Given0, misreads[a]!.p0Given1);
      if (slicer.spend(distribution.length)) await slicer.pause();
    }
    if (op === ops.assign) last.push(a);
  }
  if (last.length === 0 && distribution.length === 2 ** numBits) return distribution;
  const out = new Float64Array(2 ** numBits);
  for (const [value, probability] of distribution.entries()) {
    if (probability === 0) continue;
    const register = Uint32Array.of(value);
    for (const a of last) assign(assignments[a]!, register);
    out[outcomeOf(register, numBits)[0]!]! += probability;
    if (slicer.spend(ASSIGNED_UNITS)) await slicer.pause();
  }
  return out;
}

/** Expectation values of observables before the measurements of the end. */
export async function expectationsOf(
  program: StabilizerProgram,
  observables: readonly PauliSum[],
  slicer: TimeSlicer,
): Promise<number[]> {
  const strings = observables.flatMap((sum) => sum.map(({ factors }) => factors));
  const values = await meansOf(program, strings, slicer);
  let next = 0;
  return observables.map((sum) =>
    sum.reduce((total, { coefficient }) => total + coefficient * values[next++]!, 0),
  );
}

/** ⟨O²⟩ − ⟨O⟩² of each observable. */
export async function variancesOf(
  program: StabilizerProgram,
  observables: readonly PauliSum[],
  expectations: readonly number[],
  slicer: TimeSlicer,
): Promise<number[]> {
  const sums: PauliSum[] = [];
  for (const observable of observables) sums.push(await squareOf(observable, slicer));
  const squares = await expectationsOf(program, sums, slicer);
  return squares.map((square, i) => Math.max(0, square - expectations[i]! ** 2));
}

/** Work of a factor of a product. */
const FACTOR_UNITS = 16;

/** O², whose products of strings that anticommute cancel. */
async function squareOf(observable: PauliSum, slicer: TimeSlicer): Promise<PauliSum> {
  const terms: PauliTerm[] = [];
  let identity = 0;
  for (const [i, first] of observable.entries()) {
    identity += first.coefficient ** 2;
    for (const second of observable.slice(i + 1)) {
      const product = commutingProduct(first.factors, second.factors);
      const units = FACTOR_UNITS * (first.factors.length + second.factors.length);
      if (slicer.spend(units)) await slicer.pause();
      if (product === undefined) continue;
      const coefficient = 2 * first.coefficient * second.coefficient * product.sign;
      terms.push({ coefficient, factors: product.factors });
    }
  }
  return [{ coefficient: identity, factors: [] }, ...terms];
}

/** Expectation values of Pauli strings. */
async function meansOf(
  program: StabilizerProgram,
  strings: readonly (readonly PauliFactor[])[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const values = new Float64Array(strings.length);
  for (let first = 0; first < strings.length; first += LANES) {
    const some = strings.slice(first, first + LANES);
    values.set(await meansOfSome(program, some, slicer), first);
  }
  return values;
}

async function meansOfSome(
  program: StabilizerProgram,
  strings: readonly (readonly PauliFactor[])[],
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const walk = new BackwardWalk(program);
  for (const [lane, factors] of strings.entries()) {
    for (const { pauli, qubit } of factors) {
      if (pauli !== 'Z') walk.flips[qubit]! |= 1 << lane;
      if (pauli !== 'X') walk.signs[qubit]! |= 1 << lane;
    }
  }
  const values = new Float64Array(strings.length).fill(1);
  const { channels } = program;
  /** Strings whose mean is 0. */
  let vanishing = 0;
  await walk.run(
    program.numBodyInstructions,
    {
      measured: (anticommuting) => {
        vanishing |= anticommuting;
      },
      reset: (anticommuting) => {
        vanishing |= anticommuting;
      },
      noise: (channel, anticommutingWith) => {
        const lost = new Float64Array(strings.length);
        for (const { flips, signs, probability } of channels[channel]!.errors) {
          const anticommuting = anticommutingWith(flips, signs);
          if (anticommuting === 0) continue;
          for (let lane = 0; lane < lost.length; lane++) {
            if (((anticommuting >>> lane) & 1) === 1) lost[lane]! += 2 * probability;
          }
        }
        for (let lane = 0; lane < lost.length; lane++) values[lane]! *= 1 - lost[lane]!;
      },
    },
    slicer,
  );
  for (const flips of walk.flips) vanishing |= flips;
  for (let lane = 0; lane < values.length; lane++) {
    if (((vanishing >>> lane) & 1) === 1) values[lane] = 0;
    else if (((walk.negative >>> lane) & 1) === 1) values[lane]! *= -1;
  }
  return values;
}
