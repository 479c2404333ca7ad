/**
 * Rotations of a group on a state of active qubits. All are diagonal in one basis, so that a state is multiplied by lists
 * of phases, each of which stands for some rotations and their signs.
 */
import { type ActiveRotation, bitsOfRotation, type RotationGroup } from '../../compiler/program.ts';
import type { StabilizerKernels } from './stabilizer-kernels.ts';

/** Bits of a key that choose one list of phases, at most. */
export const MAX_PHASE_BITS = 8;

/** A state before or after the rotations of a group. */
interface RotatedState {
  /** Address of its amplitudes. */
  readonly at: number;
  readonly width: number;
  /** Square of its norm. */
  readonly weight: number;
}

/** Rotations whose bits of a key follow each other. */
interface PhasePart {
  readonly rotations: readonly ActiveRotation[];
  readonly firstBit: number;
  readonly numBits: number;
  /** By these bits: address of a phase for each amplitude. */
  readonly known: Map<number, number>;
}

/** The rotations of a group. */
export class GroupPhases {
  readonly #kernels: StabilizerKernels;
  readonly #group: RotationGroup;
  readonly #rotations: readonly ActiveRotation[];
  readonly #bytes: number;
  /** Address of the next phases. */
  #next: number;
  #parts: readonly PhasePart[] | undefined;

  /** @param bytes - Of the phases that are kept, from the address on. */
  constructor(
    kernels: StabilizerKernels,
    group: RotationGroup,
    rotations: readonly ActiveRotation[],
    at: number,
    bytes: number,
  ) {
    this.#kernels = kernels;
    this.#group = group;
    this.#rotations = rotations.slice(group.first, group.first + group.numRotations);
    this.#next = at;
    this.#bytes = bytes;
  }

  /** Writes a state, normalized, after the rotations with signs by a key. */
  rotate(before: RotatedState, after: RotatedState, key: number): void {
    const kernels = this.#kernels;
    const { basis, numNew } = this.#group;
    const { at } = after;
    const [numSmall, numStates] = [2 ** before.width, 2 ** after.width];
    const factor = 1 / Math.sqrt(before.weight * 2 ** numNew);
    kernels.copyScaled(at, before.at, numSmall, factor);
    for (const { string, angle } of basis) {
      const { flips, signs, turns } = string;
      const [cosine, sine] = [Math.cos(angle / 2), Math.sin(angle / 2)];
      kernels.rotate(at, numSmall, flips, signs, turns, cosine, sine);
    }
    this.#parts ??= this.#divided(numStates);
    let numRepeated = numSmall;
    for (const part of this.#parts) {
      const bits = (key >>> part.firstBit) & (2 ** part.numBits - 1);
      kernels.multiplyRepeated(at, numRepeated, this.#phasesOf(part, bits, numStates), numStates);
      numRepeated = numStates;
    }
    if (this.#parts.length === 0) {
      for (let copy = numSmall; copy < numStates; copy += numSmall) {
        kernels.copyScaled(at + 2 * copy, at, numSmall, 1);
      }
      this.#rotateDiagonally(at, numStates, this.#rotations, key);
    }
  }

  #phasesOf({ known, rotations }: PhasePart, bits: number, numStates: number): number {
    const before = known.get(bits);
    if (before !== undefined) return before;
    const at = this.#next;
    const { doubles } = this.#kernels;
    for (let i = 0; i < 2 * numStates; i++) doubles[at + i] = 1 - (i & 1);
    this.#rotateDiagonally(at, numStates, rotations, bits);
    known.set(bits, at);
    this.#next += 2 * numStates;
    return at;
  }

  #rotateDiagonally(
    at: number,
    numStates: number,
    rotations: readonly ActiveRotation[],
    bits: number,
  ): void {
    let rest = bits;
    const takeBit = () => {
      const bit = rest & 1;
      rest >>>= 1;
      return bit;
    };
    for (const { signs, angle, stabilizer, condition } of rotations) {
      const isMinus = stabilizer === undefined && takeBit() === 1;
      const isHeld = condition === undefined || takeBit() === 1;
      if (!isHeld) continue;
      const sine = Math.sin(angle / 2);
      this.#kernels.rotate(at, numStates, 0, signs, 0, Math.cos(angle / 2), isMinus ? -sine : sine);
    }
  }

  /** Parts with as many bits as there is room for their phases; none if there is room for no part. */
  #divided(numStates: number): readonly PhasePart[] {
    const numBits = this.#rotations.reduce((sum, rotation) => sum + bitsOfRotation(rotation), 0);
    // A rotation has up to two bits, so that a part may leave one free.
    const bytesFor = (bits: number) =>
      Math.ceil((numBits + 1) / (bits - 1)) * 2 ** bits * 16 * numStates;
    let most = MAX_PHASE_BITS;
    while (most >= 2 && bytesFor(most) > this.#bytes) most--;
    if (most < 2) return [];
    const parts: (PhasePart & { rotations: ActiveRotation[]; numBits: number })[] = [];
    let firstBit = 0;
    for (const rotation of this.#rotations) {
      const bits = bitsOfRotation(rotation);
      let last = parts.at(-1);
      if (last === undefined || last.numBits + bits > most) {
        last = { rotations: [], firstBit, numBits: 0, known: new Map() };
        parts.push(last);
      }
      last.rotations.push(rotation);
      last.numBits += bits;
      firstBit += bits;
    }
    return parts;
  }
}
