/** Maps physical qubits to their places in a tile. */

import { maskOf } from '../work-items.ts';
import { GROUP_SHIFT, type Precision } from './precision.ts';
import { EVERY_TILE, type TileCondition } from './tile-code.ts';

/** A mask of qubits, split by where they are. */
export interface Placed {
  /** Qubits outside the tile. */
  readonly outer: number;
  /** Bits of a group's byte offset in the tile. */
  readonly bytes: number;
  /** Bits of the lane number. */
  readonly lanes: number;
}

/** A tile of `resident` qubits; tile bit i is physical qubit resident[i]. */
export class TileLayout {
  readonly precision: Precision;
  /** Ascending; begins with all lane qubits. */
  readonly resident: readonly number[];
  readonly residentMask: number;
  readonly bytes: number;
  readonly #tileBitOf = new Map<number, number>();

  constructor(resident: readonly number[], precision: Precision) {
    this.precision = precision;
    this.resident = resident;
    this.residentMask = maskOf(resident);
    this.bytes = 2 ** (resident.length - precision.laneQubits + GROUP_SHIFT);
    for (const [i, qubit] of resident.entries()) this.#tileBitOf.set(qubit, i);
  }

  get numQubits(): number {
    return this.resident.length;
  }

  /** Mask of the byte offsets of all groups. */
  get allBytes(): number {
    return this.bytes - 2 ** GROUP_SHIFT;
  }

  /** The tile bit of a resident qubit. */
  tileBit(qubit: number): number {
    const bit = this.#tileBitOf.get(qubit);
    if (bit === undefined) throw new Error(`unreachable: qubit ${qubit} is not in the tile`);
    return bit;
  }

  /** The distance in bytes between groups that differ in a tile bit above the lanes. */
  stride(tileBit: number): number {
    return 1 << (tileBit - this.precision.laneQubits + GROUP_SHIFT);
  }

  /** Splits a mask of physical qubits by where they are. */
  place(mask: number): Placed {
    let bytes = 0;
    let lanes = 0;
    const { laneQubits } = this.precision;
    for (let rest = mask & this.residentMask; rest !== 0; rest &= rest - 1) {
      const bit = this.tileBit(31 - Math.clz32(rest & -rest));
      if (bit < laneQubits) lanes |= 1 << bit;
      else bytes |= this.stride(bit);
    }
    return { outer: mask & ~this.residentMask, bytes, lanes };
  }
}

/** The tiles in which all of these qubits are 1. */
export function whereOnes(outer: number): TileCondition {
  return outer === 0 ? EVERY_TILE : { mask: outer, value: outer };
}
