/**
 * Which device holds what of a state: the qubits that tell devices apart are bits of a device's rank,
 * and on the device the others keep their order.
 */
import type { Qubit } from '../../../circuit/circuit.ts';

/** A logical qubit that is a bit of ranks. */
export interface RankBit {
  /** Logical. */
  readonly qubit: number;
  /** Its bit of the rank. */
  readonly bit: number;
}

/** The logical qubits by where they lie. */
export interface SpreadLayout {
  /** Ascending by qubit. Bits of ranks that stand for no qubit are 0 wherever there is anything. */
  readonly ranks: readonly RankBit[];
  /** The others, ascending: the i-th is the i-th logical qubit of a device's part. */
  readonly inside: readonly number[];
  /** Physical qubit for each of these. */
  readonly localLayout: readonly Qubit[];
}

/**
 * Parts a layout.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param numLocal - Physical qubits of a device.
 */
export function spreadLayout(layout: readonly Qubit[], numLocal: number): SpreadLayout {
  const inside = [...layout.keys()].filter((q) => layout[q]! < numLocal);
  return {
    ranks: layout.flatMap((physical, qubit) =>
      physical < numLocal ? [] : [{ qubit, bit: 2 ** (physical - numLocal) }],
    ),
    inside,
    localLayout: inside.map((q) => layout[q]!),
  };
}

/** The rank of the device that has a number below 2^31, whose bit i is logical qubit `lowest` + i. */
export function rankOf(number: number, ranks: readonly RankBit[], lowest: number): number {
  let rank = 0;
  for (const { qubit, bit } of ranks) {
    if (((number >> (qubit - lowest)) & 1) === 1) rank += bit;
  }
  return rank;
}

/** A number below 2^31 without the bits of ranks. */
export function withoutRankBits(number: number, ranks: readonly RankBit[], lowest: number): number {
  let left = number;
  for (let i = ranks.length - 1; i >= 0; i--) {
    const place = ranks[i]!.qubit - lowest;
    left = ((left >> (place + 1)) << place) | (left & ((1 << place) - 1));
  }
  return left;
}
