/**
 * The trailing measurements: the bits they write, the outcomes of the basis states drawn, and the draws, one a shot, of
 * engines that draw in JavaScript.
 */
import type { AssignOperation, Qubit } from '../circuit/circuit.ts';
import type { Bit } from '../circuit/classical-expression.ts';
import type { Program } from '../compiler/program.ts';
import { BitImages } from '../math/bit-images.ts';
import { uniformDraw } from '../math/philox.ts';
import { assign, outcomeOf } from './classical-bits.ts';
import type { CountsBuilder } from './counts-builder.ts';
import type { BasisSamples, SampleRequest } from './state-operations.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from './time-slicer.ts';

/** The bits of one word of the outcome that the trailing measurements write. */
export interface MeasuredWord {
  readonly word: number;
  /** Mask of the bits written. */
  readonly mask: number;
  /** Logical basis index → the bits written. */
  readonly bitsOf: BitImages;
  /** Whether the bits written equal the basis index. */
  readonly isBasisIndex: boolean;
}

/**
 * The bits that the trailing measurements write, by word. If two write one bit, the last wins.
 *
 * @param terminal - Index of the first trailing measurement among the steps.
 */
export function measuredWords(
  program: Pick<Program, 'numQubits' | 'steps' | 'finalLayout'>,
  terminal: number,
): readonly MeasuredWord[] {
  const sources = new Map<Bit, Qubit>();
  for (const step of program.steps.slice(terminal)) {
    if (step.kind === 'assign') continue;
    if (step.kind !== 'measure') throw new Error('unreachable: only measurements trail');
    for (const [i, bit] of step.bits.entries()) sources.set(bit, step.qubits[i]!);
  }
  // No qubit moves after these measurements begin, so the final layout applies.
  const logicalOf = new Map(program.finalLayout.map((physical, q) => [physical, q]));
  const words = new Set([...sources.keys()].map((bit) => bit >>> 5));
  return [...words].map((word) => {
    const images = new Array<number>(program.numQubits).fill(0);
    for (const [bit, physical] of sources) {
      if (bit >>> 5 === word) images[logicalOf.get(physical)!]! |= 1 << (bit & 31);
    }
    return {
      word,
      mask: images.reduce((all, image) => all | image, 0),
      bitsOf: new BitImages(images),
      // Unsigned: the image of bit 31 is negative as a signed word.
      isBasisIndex: images.every((image, q) => image >>> 0 === 2 ** q),
    };
  });
}

/**
 * Maps a physical basis index to the bits that a measured word reads; to 0 if there is no such
 * word.
 */
export function physicalBitsOf(
  measured: MeasuredWord | undefined,
  layout: readonly Qubit[],
): BitImages {
  const images = new Array<number>(layout.length).fill(0);
  for (const [q, physical] of layout.entries()) images[physical] = measured?.bitsOf.images[q] ?? 0;
  return new BitImages(images);
}

/** The part of a plan that turns a register into an outcome. */
export interface Finish {
  readonly numBits: number;
  readonly numRegisterBits: number;
  readonly finalAssignments: readonly AssignOperation[];
}

/** A finish that does not change the register. */
export function registerOf({ numRegisterBits }: Finish): Finish {
  return { numBits: numRegisterBits, numRegisterBits, finalAssignments: [] };
}

/**
 * Computes the outcome from a register after all measurements.
 *
 * @param register - Overwritten by the final assignments.
 */
export function finishedOutcome(
  { numBits, numRegisterBits, finalAssignments }: Finish,
  register: Uint32Array,
): Uint32Array {
  for (const assignment of finalAssignments) assign(assignment, register);
  return numRegisterBits === numBits ? register : outcomeOf(register, numBits);
}

/**
 * Counts the outcomes of samples.
 *
 * @param samples - Ownership passes: may be overwritten by outcomes.
 * @param bits - The register before the trailing measurements; overwritten.
 */
export function recordSamples(
  counts: CountsBuilder,
  { basisIndices, occurrences }: BasisSamples,
  finish: Finish & { readonly measuredWords: readonly MeasuredWord[] },
  bits: Uint32Array,
): void {
  const measured = finish.measuredWords;
  const first = measured[0];
  const isNarrow = basisIndices instanceof Uint32Array;
  const isDone = finish.finalAssignments.length === 0 && finish.numRegisterBits === finish.numBits;
  if (isDone && bits.length === 1 && first !== undefined && isNarrow) {
    // One word: outcomes overwrite the basis indices, or equal them if all qubits are measured in
    // order.
    const kept = bits[0]! & ~first.mask;
    if (kept !== 0 || !first.isBasisIndex) {
      for (let i = 0; i < basisIndices.length; i++) {
        basisIndices[i] = kept | first.bitsOf.at(basisIndices[i]!);
      }
    }
    counts.addWords(basisIndices, occurrences);
    return;
  }
  counts.reserve(occurrences.length);
  for (let i = 0; i < occurrences.length; i++) {
    const index = basisIndices[i]!;
    const register = isDone ? bits : bits.slice();
    for (const { word, mask, bitsOf } of measured) {
      const image = isNarrow ? bitsOf.at(index) : bitsOf.atWide(index);
      register[word] = (register[word]! & ~mask) | image;
    }
    counts.add(finishedOutcome(finish, register), occurrences[i]!);
  }
}

/** Merges two sample lists of the same state. */
export function mergedSamples(a: BasisSamples, b: BasisSamples): BasisSamples {
  const room = a.basisIndices.length + b.basisIndices.length;
  const isWide = a.basisIndices instanceof Float64Array;
  const basisIndices = isWide ? new Float64Array(room) : new Uint32Array(room);
  const occurrences = new Uint32Array(room);
  let length = 0;
  let i = 0;
  let j = 0;
  while (i < a.basisIndices.length || j < b.basisIndices.length) {
    const ofA = a.basisIndices[i] ?? Number.POSITIVE_INFINITY;
    const ofB = b.basisIndices[j] ?? Number.POSITIVE_INFINITY;
    basisIndices[length] = Math.min(ofA, ofB);
    if (ofA <= ofB) occurrences[length]! += a.occurrences[i++]!;
    if (ofB <= ofA) occurrences[length]! += b.occurrences[j++]!;
    length++;
  }
  return {
    basisIndices: basisIndices.slice(0, length),
    occurrences: occurrences.slice(0, length),
  };
}

/** Work units of one draw, relative to the update of one amplitude. */
export const UNITS_PER_DRAW = 32;

/**
 * The draws of a request's shots, ascending, so that one walk over a state finds all basis states.
 */
export async function sortedTerminalDraws(
  { shots, seed, event }: SampleRequest,
  slicer: TimeSlicer,
): Promise<Float64Array> {
  const { count, numbers } = shots;
  const draws = new Float64Array(count);
  const shotsPerChunk = UNITS_PER_CHUNK / UNITS_PER_DRAW;
  for (let from = 0; from < count; from += shotsPerChunk) {
    const to = Math.min(from + shotsPerChunk, count);
    for (let i = from; i < to; i++) {
      draws[i] = uniformDraw(seed, numbers === undefined ? i : numbers[i]!, event, 0);
    }
    if (slicer.spend(UNITS_PER_DRAW * (to - from))) await slicer.pause();
  }
  return sortUniformDraws(draws);
}

const DRAWS_PER_RANGE = 8;

/**
 * Returns numbers drawn uniformly from [0, 1) in ascending order, in linear time; the input is not changed.
 *
 * It scatters them into equal ranges of about eight, after which an insertion sort moves each number past its
 * few neighbours only. That takes a tenth of the time of the general sort, for a thousand draws and for a
 * million. Other inputs are sorted too, but may take quadratic time.
 */
export function sortUniformDraws(draws: Float64Array): Float64Array {
  const numRanges = Math.max(1, Math.floor(draws.length / DRAWS_PER_RANGE));
  const starts = new Uint32Array(numRanges + 1);
  for (let i = 0; i < draws.length; i++) starts[Math.floor(draws[i]! * numRanges) + 1]!++;
  for (let range = 1; range < numRanges; range++) starts[range]! += starts[range - 1]!;
  const sorted = new Float64Array(draws.length);
  for (let i = 0; i < draws.length; i++) {
    const draw = draws[i]!;
    sorted[starts[Math.floor(draw * numRanges)]!++] = draw;
  }
  for (let i = 1; i < sorted.length; i++) {
    const draw = sorted[i]!;
    let hole = i;
    for (; hole > 0 && sorted[hole - 1]! > draw; hole--) sorted[hole] = sorted[hole - 1]!;
    sorted[hole] = draw;
  }
  return sorted;
}
