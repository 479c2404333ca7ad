/**
 * Encodes Pauli strings on a state in chunks for the kernel.
 *
 * Masks (`PauliMasks`) of qubits inside a chunk and of chunk qubits are separate: no mask has
 * more bits than an index inside a chunk.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { type PauliSum, type PauliTerm, pauliMasks } from '../../../circuit/observable.ts';
import { highestBit, pauliPhase } from '../../pauli-groups.ts';

/** Most strings of a batch. */
export const LANES = 4;
/** Words of an encoded batch, padding included. */
const BATCH_WORDS = 12;

/** A Pauli string with its coefficient. */
export interface PlacedString {
  readonly signs: number;
  readonly chunkSigns: number;
  readonly isImaginary: boolean;
  /** Factor of the kernel's sum. */
  readonly factor: number;
}

/** Up to four strings that flip the same qubits, and so read the same pairs of amplitudes. */
export interface Batch {
  readonly flips: number;
  readonly chunkFlips: number;
  readonly strings: readonly PlacedString[];
}

/**
 * Groups the strings of an observable into batches.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export function batchesOf(
  observable: PauliSum,
  layout: readonly Qubit[],
  chunkQubits: number,
): readonly Batch[] {
  return inFullBatches(
    observable.map((term) => {
      const { flips, chunkFlips, ...string } = placeTerm(term, layout, chunkQubits);
      return { flips, chunkFlips, strings: [string] };
    }),
  );
}

/** The same strings in as few batches as possible. */
export function inFullBatches(batches: readonly Batch[]): readonly Batch[] {
  const byFlips = new Map<string, { flips: number; chunkFlips: number; strings: PlacedString[] }>();
  for (const { flips, chunkFlips, strings } of batches) {
    const key = `${flips} ${chunkFlips}`;
    const others = byFlips.get(key);
    if (others === undefined) byFlips.set(key, { flips, chunkFlips, strings: [...strings] });
    else others.strings.push(...strings);
  }
  return [...byFlips.values()].flatMap(({ flips, chunkFlips, strings }) =>
    Array.from({ length: Math.ceil(strings.length / LANES) }, (_, i): Batch => {
      return { flips, chunkFlips, strings: strings.slice(LANES * i, LANES * (i + 1)) };
    }),
  );
}

function placeTerm(
  { coefficient, factors }: PauliTerm,
  layout: readonly Qubit[],
  chunkQubits: number,
): PlacedString & { readonly flips: number; readonly chunkFlips: number } {
  const inside = pauliMasks(factors, (qubit) => {
    const physical = layout[qubit]!;
    return physical < chunkQubits ? 2 ** physical : 0;
  });
  const ofChunks = pauliMasks(factors, (qubit) => {
    const physical = layout[qubit]!;
    return physical < chunkQubits ? 0 : 2 ** (physical - chunkQubits);
  });
  const { isImaginary, sign } = pauliPhase(inside.numY);
  // The kernel visits one amplitude of each pair.
  const isDiagonal = inside.flips === 0 && ofChunks.flips === 0;
  const factor = coefficient * sign * (isDiagonal ? 1 : 2);
  return {
    flips: inside.flips,
    chunkFlips: ofChunks.flips,
    signs: inside.signs,
    chunkSigns: ofChunks.signs,
    isImaginary,
    factor,
  };
}

/** Numbers of the chunks in which one amplitude of each pair is visited. */
export function visitedChunks(chunkFlips: number, numChunks: number): readonly number[] {
  const numbers = Array.from({ length: numChunks }, (_, number) => number);
  const top = highestBit(chunkFlips);
  return numbers.filter((number) => (number & top) === 0);
}

/** Encodes batches; keep the field order of `Batch` in pauli_sums.wgsl. */
export function wordsOf(batches: readonly Batch[], chunkQubits: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(BATCH_WORDS * batches.length);
  for (const [b, { flips, chunkFlips, strings }] of batches.entries()) {
    for (const [lane, { signs, isImaginary }] of strings.entries()) {
      words[BATCH_WORDS * b + lane] = signs;
      words[BATCH_WORDS * b + LANES + lane] = isImaginary ? 1 : 0;
    }
    const pairBit = chunkFlips === 0 ? highestBit(flips) : 0;
    const numPairs = 2 ** (pairBit === 0 ? chunkQubits : chunkQubits - 1);
    words.set([flips, pairBit, numPairs], BATCH_WORDS * b + 2 * LANES);
  }
  return words;
}

/** Sign, 1 or −1, that a chunk's number gives a string. */
export function signOfChunk({ chunkSigns }: PlacedString, chunk: number): number {
  let sign = 1;
  for (let both = chunkSigns & chunk; both !== 0; both &= both - 1) sign = -sign;
  return sign;
}
