/**
 * ⟨ψ|O|ψ⟩ on a GPU, without a copy of the state.
 *
 * Pauli strings that flip the same qubits read the same pairs of amplitudes, so that up to four of
 * them share one trip through memory: all those of Z alone, for example.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum, PauliTerm } from '../../../circuit/observable.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, readMapped, ScratchBuffers } from './dispatch.ts';

const WORKGROUP_SIZE = 256;
/** Strings of a batch. */
const LANES = 4;
/** Of a batch for the kernel, padding included. */
const BATCH_WORDS = 12;
/** Sums of one submit, one for each lane: 1 MiB. */
const MAX_SLOTS = 2 ** 16;
/** Amplitudes that one submit visits, unless one string needs more: it stays short. */
const MAX_VISITED = 2 ** 30;
/** Workgroups that keep any device busy. */
const BUSY_GROUPS = 4096;
/** Of an invocation, to make it worth its start. */
const MIN_TERMS = 128;
/** Layers of a dispatch. */
const MAX_BATCHES = 1024;

/** A Pauli string as the kernel reads it. */
interface PlacedString {
  readonly flips: number;
  readonly signs: number;
  readonly isImaginary: boolean;
  /** What the kernel's sum is to be multiplied by. */
  readonly factor: number;
}

/** Strings with the same flips. */
type Batch = readonly PlacedString[];

/**
 * The expectation value of an observable.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param maxGroups - Workgroups of one trip; each has a sum of its own.
 */
export async function expectation(
  context: GpuContext,
  state: GpuState,
  observable: PauliSum,
  layout: readonly Qubit[],
  maxGroups = BUSY_GROUPS,
): Promise<number> {
  const byFlips = new Map<number, PlacedString[]>();
  for (const term of observable) {
    const placed = placeTerm(term, layout);
    const others = byFlips.get(placed.flips);
    if (others === undefined) byFlips.set(placed.flips, [placed]);
    else others.push(placed);
  }
  const batches: Batch[] = [];
  for (const strings of byFlips.values()) {
    for (let from = 0; from < strings.length; from += LANES) {
      batches.push(strings.slice(from, from + LANES));
    }
  }
  return await sumOfBatches(context, state, batches, maxGroups);
}

/**
 * A Pauli string sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩, where `flips` holds its X
 * and Y, `signs` its Y and Z.
 */
function placeTerm({ coefficient, factors }: PauliTerm, layout: readonly Qubit[]): PlacedString {
  let flips = 0;
  let signs = 0;
  let numY = 0;
  for (const { pauli, qubit } of factors) {
    const mask = 2 ** layout[qubit]!;
    if (pauli !== 'Z') flips += mask;
    if (pauli !== 'X') signs += mask;
    if (pauli === 'Y') numY++;
  }
  // i^numY · (re + i·im) has the real part re, −im, −re, im for numY = 0, 1, 2, 3.
  const sign = numY % 4 === 1 || numY % 4 === 2 ? -1 : 1;
  // The kernel visits one amplitude of each pair.
  const factor = coefficient * sign * (flips === 0 ? 1 : 2);
  return { flips, signs, isImaginary: numY % 2 === 1, factor };
}

async function sumOfBatches(
  context: GpuContext,
  state: GpuState,
  batches: readonly Batch[],
  maxGroups: number,
): Promise<number> {
  const pipeline = await context.pipeline('pauli_sums', { WORKGROUP_SIZE });
  const numAmplitudes = 2 ** state.numQubits;
  const numTerms = Math.max(MIN_TERMS, numAmplitudes / WORKGROUP_SIZE / maxGroups);
  const numGroups = Math.ceil(numAmplitudes / WORKGROUP_SIZE / numTerms);
  const perSubmit = Math.min(
    Math.max(1, Math.floor(MAX_SLOTS / numGroups)),
    Math.max(1, Math.floor(MAX_VISITED / numAmplitudes)),
    MAX_BATCHES,
  );
  const grid = gridOf(numGroups);
  // Keep the field order of `Params` in pauli_sums.wgsl.
  const paramWords = Uint32Array.of(numGroups, numTerms, grid.rowLength, 0);
  let sum = 0;
  for (let from = 0; from < batches.length; from += perSubmit) {
    const some = batches.slice(from, from + perSubmit);
    const bytes = 4 * LANES * numGroups * some.length;
    using scratch = new ScratchBuffers(context);
    const slots = await scratch.room('slots', bytes);
    const staging = await scratch.staging(bytes);
    const list = scratch.words('batches', wordsOf(some, numAmplitudes));
    const buffers = [state.chunks[0]!, list, scratch.params('params', paramWords), slots];
    const encode = (encoder: GPUCommandEncoder) => {
      encodeKernel(context, encoder, pipeline, buffers, grid, some.length);
      encoder.copyBufferToBuffer(slots, 0, staging, 0, bytes);
    };
    await readMapped(context, staging, bytes, encode, (mapped) => {
      sum += weightedSum(new Float32Array(mapped), some, numGroups);
    });
  }
  return sum;
}

/** Keep the field order of `Batch` in pauli_sums.wgsl. */
function wordsOf(batches: readonly Batch[], numAmplitudes: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(BATCH_WORDS * batches.length);
  for (const [b, batch] of batches.entries()) {
    const flips = batch[0]?.flips ?? 0;
    for (const [lane, { signs, isImaginary }] of batch.entries()) {
      words[BATCH_WORDS * b + lane] = signs;
      words[BATCH_WORDS * b + LANES + lane] = isImaginary ? 1 : 0;
    }
    const pairBit = flips === 0 ? 0 : 2 ** (31 - Math.clz32(flips));
    const numPairs = flips === 0 ? numAmplitudes : numAmplitudes / 2;
    words.set([flips, pairBit, numPairs], BATCH_WORDS * b + 2 * LANES);
  }
  return words;
}

/** @param slots - By batch, workgroup and lane. */
function weightedSum(slots: Float32Array, batches: readonly Batch[], numGroups: number): number {
  let sum = 0;
  for (const [b, batch] of batches.entries()) {
    for (const [lane, { factor }] of batch.entries()) {
      let value = 0;
      for (let group = 0; group < numGroups; group++) {
        value += slots[(b * numGroups + group) * LANES + lane]!;
      }
      sum += factor * value;
    }
  }
  return sum;
}
