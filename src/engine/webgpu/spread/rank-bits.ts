/**
 * Maps logical qubits to devices: qubits that tell devices apart are bits of a device's rank, and
 * on a device the others keep their order.
 */
import type { Qubit } from '../../../circuit/circuit.ts';

/** A logical qubit that is a bit of the rank. */
export interface RankBit {
  /** The logical qubit. */
  readonly qubit: number;
  /** Value of its bit of the rank. */
  readonly bit: number;
}

/** The logical qubits, split by where they are. */
export interface SpreadLayout {
  /** Ascending by qubit. Rank bits without a qubit are 0 in all non-zero amplitudes. */
  readonly ranks: readonly RankBit[];
  /** Other qubits, ascending; the i-th is logical qubit i of a device's share. */
  readonly inside: readonly number[];
  /** Physical qubit of each qubit of `inside`. */
  readonly localLayout: readonly Qubit[];
}

/**
 * Splits a layout.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param numLocal - Number of physical qubits of a device.
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

/** Rank of the device that holds a number below 2^31, whose bit i is logical qubit `lowest` + i. */
export function rankOf(number: number, ranks: readonly RankBit[], lowest: number): number {
  let rank = 0;
  for (const { qubit, bit } of ranks) {
    if (((number >> (qubit - lowest)) & 1) === 1) rank += bit;
  }
  return rank;
}

/** Removes the rank bits from a number below 2^31. */
export function withoutRankBits(number: number, ranks: readonly RankBit[], lowest: number): number {
  let left = number;
  for (let i = ranks.length - 1; i >= 0; i--) {
    const place = ranks[i]!.qubit - lowest;
    left = ((left >> (place + 1)) << place) | (left & ((1 << place) - 1));
  }
  return left;
}
