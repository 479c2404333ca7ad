/**
 * Commands for the engine's threads, and the states that they read or collapse.
 *
 * A command is a parallel loop in shared memory: a header, then the fields of its kind. Threads
 * claim items of it until none is left. assembly/index.ts has the same words and kinds.
 */
import type { Qubit } from '../../circuit/circuit.ts';
import type { BasisSamples } from '../state-operations.ts';
import { GROUP_BYTES, GROUP_SHIFT, type Precision } from './precision.ts';

/** Positions of the header's 32-bit words. */
export const COMMAND_WORDS = {
  kind: 0,
  numItems: 1,
  nextItem: 2,
  isCancelled: 3,
  perClaim: 4,
} as const;

/** Length of the header in 32-bit words, some of them reserved. */
export const COMMAND_HEADER_WORDS = 8;

/** Values of a header's `kind`. */
export const COMMAND_KINDS = {
  sweep: 1,
  masses: 2,
  qubitMasses: 3,
  collapse: 4,
  drawShots: 5,
  draw: 6,
  sortDraws: 7,
  pick: 8,
  expectation: 9,
  observableImage: 10,
  clear: 32,
  copy: 33,
  clearUntouched: 34,
  batch: 48,
  multiply: 64,
  orthogonalize: 65,
} as const;

/** A state in shared memory. */
export interface StoredState {
  readonly at: number;
  /** Physical qubits; the lane qubits at least. Those that the program has not are |0⟩. */
  readonly numQubits: number;
  readonly precision: Precision;
}

/**
 * Checks a norm. Without the check, every draw from a state that has overflowed would give its
 * first basis state.
 *
 * @throws {Error} if the norm is not finite and positive.
 */
export function assertNorm(norm: number): void {
  if (norm > 0 && Number.isFinite(norm)) return;
  throw new Error(`unreachable: the state has a norm of ${norm}`);
}

/** Bytes of a state. */
export function stateBytes({ numQubits, precision }: StoredState): number {
  return GROUP_BYTES * 2 ** (numQubits - precision.laneQubits);
}

/** Bytes of the unit in which kernels are given places in a state: as bytes they may not fit into 32 bits. */
export const WORD_BYTES = 4;

/** Distance in 32-bit words between amplitudes that differ in a physical qubit. */
export function wordImage(qubit: Qubit, { laneQubits, realBytes }: Precision): number {
  if (qubit < laneQubits) return (realBytes / WORD_BYTES) * 2 ** qubit;
  return 2 ** (qubit - laneQubits + GROUP_SHIFT) / WORD_BYTES;
}

/** The sums of all subsets: entry i adds up those values whose bits are set in i. */
export function subsetSums(values: readonly number[]): readonly number[] {
  const sums = [0];
  for (const value of values) sums.push(...sums.map((sum) => sum + value));
  return sums;
}

/** Allocates offsets in a block of scratch memory before the block has an address. */
export class ScratchPlan {
  #bytes = 0;

  /** Bytes reserved so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves bytes.
   *
   * @returns Their offset from the block's address, a multiple of 16.
   */
  reserve(bytes: number): number {
    const offset = this.#bytes;
    this.#bytes += Math.ceil(bytes / 16) * 16;
    return offset;
  }
}

export function writeWords(memory: SharedArrayBuffer, at: number, values: ArrayLike<number>): void {
  new Uint32Array(memory, at, values.length).set(values);
}

/** The variable words of a command's header. */
export interface CommandHeader {
  readonly kind: number;
  readonly numItems: number;
  /** Items that a thread takes at a time. */
  readonly perClaim: number;
}

/** Writes a command: its header, then its fields. */
export function writeCommand(
  memory: SharedArrayBuffer,
  at: number,
  { kind, numItems, perClaim }: CommandHeader,
  fields: readonly number[],
): void {
  writeWords(memory, at, [kind, numItems, 0, 0, perClaim, 0, 0, 0, ...fields]);
}

/** Number of items that a thread claims at a time: at most `most`, fewer if there are few items. */
export function itemsPerClaim(numItems: number, most: number): number {
  return Math.max(1, Math.min(most, Math.floor(numItems / 64)));
}

/** A seed as two 32-bit words. */
export function seedWords(seed: number): readonly [low: number, high: number] {
  return [seed >>> 0, Math.floor(seed / 2 ** 32)];
}

/** Copies samples out of shared memory. */
export function samplesAt(
  memory: SharedArrayBuffer,
  indices: number,
  occurrences: number,
  count: number,
): BasisSamples {
  return {
    basisIndices: new Uint32Array(memory, indices, count).slice(),
    occurrences: new Uint32Array(memory, occurrences, count).slice(),
  };
}

/** A double as its two 32-bit words. */
export function doubleWords(value: number): readonly number[] {
  return [...new Uint32Array(Float64Array.of(value).buffer)];
}
