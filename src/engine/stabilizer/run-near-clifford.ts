/**
 * Runs near-Clifford programs: a state vector of the core qubits, and fair coins. Results are exact, and the time of a
 * run grows with 2^core qubits instead of 2^qubits.
 */
import type { PauliSum } from '../../circuit/observable.ts';
import {
  beforeCircuit,
  hasBit,
  identityRows,
  masksOf,
  multiplyRow,
  type PauliRows,
  stringOn,
} from '../../circuit/pauli-rows.ts';
import type { CoreString, NearCliffordProgram } from '../../compiler/program.ts';
import { uniformDraw } from '../../math/philox.ts';
import { flipBit, wordsFor } from '../classical-bits.ts';
import { CountsBuilder, countingBytes } from '../counts-builder.ts';
import type { Counts, RunRequest, RunResult } from '../engine.ts';
import { OutputNeedsAmplitudesError, TooManyOutcomesError } from '../errors.ts';
import { TimeSlicer } from '../time-slicer.ts';
import { CoreState, inSlices } from './core-state.ts';
import { MAX_STABILIZER_PROBABILITY_BITS } from './exact-outputs.ts';

/** Core qubits of the widest program that callers should run: a rotation takes some 30 ms, its state 256 MiB. */
export const MAX_CORE_QUBITS = 24;
/** Qubits of the widest program that callers should run: its tableau takes 2 MB. */
export const MAX_NEAR_CLIFFORD_QUBITS = 2000;
/** Bytes for each basis state of the core: its amplitude, another one for observables, and a sum of probabilities. */
export const CORE_BYTES = 40;

/**
 * Bytes that a run takes: the core, the tableau, a row and a coin for each bit, the distribution, and the outcomes of
 * the shots, which are drawn, sorted and merged.
 */
export function nearCliffordBytes(
  { coreQubits, numBits, tableau, measured }: NearCliffordProgram,
  { shots, probabilities }: Pick<RunRequest, 'shots' | 'probabilities'>,
): number {
  const words = wordsFor(numBits);
  const rows = tableau.words.byteLength + measured.length * (8 * tableau.numWords + 4 * words);
  const distribution = probabilities === true ? 8 * 2 ** numBits : 0;
  return CORE_BYTES * 2 ** coreQubits.length + rows + distribution + countingBytes(numBits, shots);
}

/**
 * Runs a program; the same seed gives the same counts. Shot s picks the core's basis state by draw (s, 0, 0), and 32
 * coins at a time by draws (s, 0, 1) and following.
 *
 * @throws {OutputNeedsAmplitudesError} if a state vector, a density matrix or the purity is requested.
 * @throws {TooManyOutcomesError} if the exact distribution of more than 20 bits is requested.
 * @throws the signal's reason, if it has aborted.
 */
export async function runNearClifford(
  program: NearCliffordProgram,
  request: RunRequest,
  signal: AbortSignal,
): Promise<RunResult> {
  signal.throwIfAborted();
  checkOutputs(program, request);
  const started = performance.now();
  const { coreQubits, rotations } = program;
  const { shots, shotRange: { from, to } = { from: 0, to: shots }, observables } = request;
  let fraction = 0;
  const slicer = new TimeSlicer(signal, () => request.onProgress?.(fraction));
  const state = new CoreState(coreQubits.length);
  for (const [i, { string, angle }] of rotations.entries()) {
    await state.rotate(string, angle, slicer);
    fraction = (i + 1) / rotations.length / 2;
  }
  const outputs: { -readonly [K in keyof RunResult]?: RunResult[K] } = {};
  if (observables !== undefined) {
    const moments = await momentsOf(
      program,
      state,
      observables,
      request.variances === true,
      slicer,
    );
    outputs.expectations = moments.map(({ mean }) => mean);
    if (request.variances === true) {
      outputs.variances = moments.map(({ mean, square }) => Math.max(0, square - mean ** 2));
    }
  }
  const isRead = to > from || request.probabilities === true;
  const reading = isRead ? await readingOf(program, state, slicer) : undefined;
  if (request.probabilities === true) {
    outputs.probabilities = await distribution(program, reading!, slicer);
  }
  const evolutionMs = performance.now() - started;
  const counts = await drawnCounts(
    program,
    reading,
    { from, to, seed: request.seed },
    slicer,
    (done) => {
      fraction = (1 + done) / 2;
    },
  );
  const samplingMs = performance.now() - started - evolutionMs;
  return { ...outputs, counts, statePasses: rotations.length, timing: { evolutionMs, samplingMs } };
}

function checkOutputs({ numBits }: NearCliffordProgram, request: RunRequest): void {
  if (request.statevector === true) throw new OutputNeedsAmplitudesError('a state vector');
  if (request.densityMatrix === true) throw new OutputNeedsAmplitudesError('a density matrix');
  if (request.purity === true) throw new OutputNeedsAmplitudesError('the purity');
  if (request.probabilities === true && numBits > MAX_STABILIZER_PROBABILITY_BITS) {
    throw new TooManyOutcomesError(numBits, MAX_STABILIZER_PROBABILITY_BITS);
  }
}

/** ⟨O⟩, and ⟨O²⟩ where it is wanted. */
interface Moments {
  readonly mean: number;
  readonly square: number;
}

async function momentsOf(
  program: NearCliffordProgram,
  state: CoreState,
  observables: readonly PauliSum[],
  wantsSquares: boolean,
  slicer: TimeSlicer,
): Promise<readonly Moments[]> {
  const { coreQubits, tableau } = program;
  const { amplitudes } = state;
  const isCore = coreOf(program);
  const vector = new Float64Array(amplitudes.length);
  const moments: Moments[] = [];
  for (const observable of observables) {
    // Strings that flip the same qubits beside the core lead to states that are orthogonal to those of others.
    const groups = new Map<string, { string: CoreString; coefficient: number }[]>([['', []]]);
    for (const { coefficient, factors } of observable) {
      const rows = beforeCircuit(tableau, factors);
      const outside = outsideOf(rows, 0, isCore);
      const key = outside.every((word) => word === 0) ? '' : outside.join();
      const term = { string: stringOn(coreQubits, rows, 0), coefficient };
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [term]);
      else group.push(term);
      if (slicer.spend(8 * rows.words.length * factors.length)) await slicer.pause();
    }
    let [mean, square] = [0, 0];
    for (const [key, terms] of groups) {
      if (key !== '' && !wantsSquares) continue;
      await inSlices(vector.length, slicer, (from, to) => vector.fill(0, from, to));
      for (const { string, coefficient } of terms) {
        await state.addTo(vector, string, coefficient, slicer);
      }
      await inSlices(vector.length, slicer, (from, to) => {
        for (let i = from; i < to; i++) {
          if (key === '') mean += vector[i]! * amplitudes[i]!;
          square += vector[i]! ** 2;
        }
      });
    }
    moments.push({ mean, square });
  }
  return moments;
}

function addFlips(words: Uint32Array, flips: Uint32Array): void {
  for (let i = 0; i < words.length; i++) words[i]! ^= flips[i]!;
}

async function distribution(
  { numBits }: NearCliffordProgram,
  { weights, base, coreFlips, coinFlips }: Reading,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const out = new Float64Array(2 ** numBits);
  let outcome = base[0]!;
  await inSlices(weights.length, slicer, (from, to) => {
    for (let step = from; step < to; step++) {
      // Gray code: the state of a step differs from that of the step before in the lowest bit of the step.
      if (step > 0) outcome ^= coreFlips[31 - Math.clz32(step & -step)]![0]!;
      out[outcome]! += weights[step ^ (step >> 1)]!;
    }
  });
  for (const flips of coinFlips) {
    const flip = flips[0]!;
    for (let one = 0; one < out.length; one++) {
      const other = one ^ flip;
      if (other < one) continue;
      const mean = (out[one]! + out[other]!) / 2;
      out[one] = mean;
      out[other] = mean;
    }
    if (slicer.spend(out.length)) await slicer.pause();
  }
  return out;
}

async function drawnCounts(
  { numBits }: NearCliffordProgram,
  reading: Reading | undefined,
  { from, to, seed }: { readonly from: number; readonly to: number; readonly seed: number },
  slicer: TimeSlicer,
  onDone: (fraction: number) => void,
): Promise<Counts> {
  const counts = new CountsBuilder(numBits);
  if (reading === undefined || to === from) return await counts.finish(slicer);
  const { weights: sums, base, coreFlips, coinFlips } = reading;
  let total = 0;
  await inSlices(sums.length, slicer, (first, end) => {
    for (let i = first; i < end; i++) {
      total += sums[i]!;
      sums[i] = total;
    }
  });
  counts.reserve(to - from);
  const words = base.slice();
  const numDraws = Math.ceil(coinFlips.length / 32);
  const units = 64 * (1 + numDraws) + 2 * (coreFlips.length + coinFlips.length) * words.length;
  for (let shot = from; shot < to; shot++) {
    words.set(base);
    let rest = firstAbove(sums, uniformDraw(seed, shot, 0, 0) * total);
    for (let place = 0; rest !== 0; place++, rest >>= 1) {
      if ((rest & 1) === 1) addFlips(words, coreFlips[place]!);
    }
    let values = 0;
    for (let coin = 0; coin < coinFlips.length; coin++) {
      if (coin % 32 === 0) values = uniformDraw(seed, shot, 0, 1 + coin / 32) * 2 ** 32;
      if (((values >>> (coin & 31)) & 1) === 1) addFlips(words, coinFlips[coin]!);
    }
    counts.add(words, 1);
    onDone((shot + 1 - from) / (to - from));
    if (slicer.spend(units)) await slicer.pause();
  }
  return await counts.finish(slicer);
}

/** Index of the first ascending sum that is above a value below the last sum. */
function firstAbove(sums: Float64Array, value: number): number {
  let [from, to] = [0, sums.length - 1];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sums[middle]! > value) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Source of outcomes: each bit of the core and each coin flips some bits of the outcome, or none. */
interface Reading {
  /** Probability of each basis state of the rotated core. */
  readonly weights: Float64Array;
  /** The outcome if all bits of the core and all coins are 0. */
  readonly base: Uint32Array;
  /** Flips by each bit of the core. */
  readonly coreFlips: readonly Uint32Array[];
  /** Flips by each coin. */
  readonly coinFlips: readonly Uint32Array[];
}

/** Rotates the state so that all measured bits can be read off its basis states and coins. */
async function readingOf(
  program: NearCliffordProgram,
  state: CoreState,
  slicer: TimeSlicer,
): Promise<Reading> {
  const { coreQubits, tableau, measured, numBits, numQubits } = program;
  const isCore = coreOf(program);
  const rows = identityRows(measured.length, numQubits);
  const noFlips = () => new Uint32Array(wordsFor(numBits));
  const coins: { readonly row: number; readonly pivot: number; readonly flips: Uint32Array }[] = [];
  const strings: { readonly bit: number; readonly string: CoreString }[] = [];
  for (const [row, { bit, qubit }] of measured.entries()) {
    multiplyRow(rows, row, tableau, 2 * qubit + 1);
    const { flips } = masksOf(rows, row);
    for (const coin of coins) {
      if (!hasBit(flips, coin.pivot)) continue;
      multiplyRow(rows, row, rows, coin.row);
      flipBit(coin.flips, bit);
    }
    const outside = outsideOf(rows, row, isCore);
    const word = outside.findIndex((bits) => bits !== 0);
    if (word < 0) {
      strings.push({ bit, string: stringOn(coreQubits, rows, row) });
    } else {
      // A string that flips other qubits, times any product of the strings before, is a fair coin of its own.
      const pivot = 32 * word + 31 - Math.clz32(outside[word]! & -outside[word]!);
      coins.push({ row, pivot, flips: noFlips() });
      flipBit(coins.at(-1)!.flips, bit);
    }
    if (slicer.spend(coins.length * flips.length)) await slicer.pause();
  }
  const parities = await state.diagonalize(
    strings.map(({ string }) => string),
    slicer,
  );
  const base = noFlips();
  const coreFlips = coreQubits.map(noFlips);
  for (const [i, { bit }] of strings.entries()) {
    const { mask, isNegative } = parities[i]!;
    if (isNegative) flipBit(base, bit);
    for (const [place, flips] of coreFlips.entries()) {
      if (((mask >> place) & 1) === 1) flipBit(flips, bit);
    }
  }
  const { amplitudes } = state;
  const weights = new Float64Array(amplitudes.length / 2);
  await inSlices(weights.length, slicer, (from, to) => {
    for (let i = from; i < to; i++) {
      weights[i] = amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
    }
  });
  return { weights, base, coreFlips, coinFlips: coins.map(({ flips }) => flips) };
}

/** The mask of the core qubits. */
function coreOf({ coreQubits, tableau }: NearCliffordProgram): Int32Array {
  const mask = new Int32Array(tableau.numWords);
  for (const qubit of coreQubits) mask[qubit >>> 5]! |= 1 << (qubit & 31);
  return mask;
}

/** Flips of a row on other qubits than those of the core. */
const outsideOf = (rows: PauliRows, row: number, isCore: Int32Array): Int32Array =>
  masksOf(rows, row).flips.map((word, i) => word & ~isCore[i]!);
