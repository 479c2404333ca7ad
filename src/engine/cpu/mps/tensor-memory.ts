/**
 * The memory of matrix product states: tensors, and scratch that one operation after the other uses. Long operations are
 * cut into calls of a millisecond or less, between which a run may pause.
 */

import { StateMemoryError } from '../../errors.ts';
import type { MaybePromise } from '../../state-operations.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../../time-slicer.ts';
import { Arena } from '../arena.ts';
import { instantiateMpsKernels, type MpsKernels } from './mps-kernels.ts';

/** Bytes of a complex number. */
export const ENTRY_BYTES = 16;

/** Memory for the module's static data. */
const RESERVED_BYTES = 65_536;

/** Multiplications of complex numbers in one call of a kernel, at most, where that leaves at least one row. */
const PRODUCTS_PER_CALL = 4 * UNITS_PER_CHUNK;

/** Scratch blocks, each of which grows to the largest size asked for. */
export type ScratchName =
  | 'pair'
  | 'work'
  | 'factors'
  | 'second'
  | 'chosen'
  | 'rows'
  | 'masses'
  | 'choice'
  | 'packed'
  | 'prefixes'
  | 'extended'
  | 'matrix';

/** A matrix in memory; `stride` is the distance of its rows in complex numbers. */
export interface Operand {
  readonly at: number;
  readonly stride: number;
}

interface Scratch {
  readonly at: number;
  readonly bytes: number;
}

/** A memory with the kernels over it. */
export class TensorMemory {
  readonly kernels: MpsKernels;
  readonly #arena: Arena;
  readonly #maxBytes: number;
  readonly #scratch = new Map<ScratchName, Scratch>();
  #takenBytes = 0;
  readonly #sizes = new Map<number, number>();
  /** Further owners of blocks that have several. */
  readonly #sharers = new Map<number, number>();
  #doubles: Float64Array = new Float64Array(0);

  /**
   * @param maxBytes - Most bytes of tensors and scratch together.
   * @param memoryBytes - Most that the memory may grow to; a multiple of 64 KiB.
   */
  constructor(module: WebAssembly.Module, maxBytes: number, memoryBytes: number) {
    this.#arena = new Arena(RESERVED_BYTES, memoryBytes);
    this.#maxBytes = maxBytes;
    this.kernels = instantiateMpsKernels(module, this.#arena.memory);
  }

  /** Bytes of the whole memory, which never shrinks. */
  get byteLength(): number {
    return this.#arena.byteLength;
  }

  /** The memory as doubles; not to be kept over an allocation. */
  get doubles(): Float64Array {
    const { buffer } = this.#arena;
    if (this.#doubles.buffer !== buffer) this.#doubles = new Float64Array(buffer);
    return this.#doubles;
  }

  /**
   * Allocates a block with unspecified contents.
   *
   * @throws {StateMemoryError} if the limit does not allow it, or the system.
   */
  allocate(bytes: number): number {
    if (this.#takenBytes + bytes > this.#maxBytes) throw new StateMemoryError(bytes);
    const at = this.#arena.allocate(bytes);
    this.#takenBytes += bytes;
    this.#sizes.set(at, bytes);
    return at;
  }

  /** Releases a block, or one owner's share of it. */
  release(at: number): void {
    const sharers = this.#sharers.get(at) ?? 0;
    if (sharers > 0) {
      this.#sharers.set(at, sharers - 1);
      return;
    }
    this.#sharers.delete(at);
    this.#arena.release(at);
    this.#takenBytes -= this.#sizes.get(at) ?? 0;
    this.#sizes.delete(at);
  }

  /** Gives a block one more owner. Owners of shared blocks do not write to them. */
  share(at: number): void {
    this.#sharers.set(at, (this.#sharers.get(at) ?? 0) + 1);
  }

  isShared(at: number): boolean {
    return (this.#sharers.get(at) ?? 0) > 0;
  }

  /** A scratch block of at least so many bytes. What was in it is lost if it has to grow. */
  scratch(name: ScratchName, bytes: number): number {
    const known = this.#scratch.get(name);
    if (known !== undefined && known.bytes >= bytes) return known.at;
    this.#scratch.delete(name);
    if (known !== undefined) this.release(known.at);
    // Bonds grow step by step; doubling keeps blocks from being allocated for each step.
    const room = Math.max(bytes, Math.min(2 * bytes, 2 ** 16));
    const at = this.allocate(room);
    this.#scratch.set(name, { at, bytes: room });
    return at;
  }

  /** Releases all scratch. */
  releaseScratch(): void {
    for (const { at } of this.#scratch.values()) this.release(at);
    this.#scratch.clear();
  }

  /** Copies bytes. */
  copy(from: number, bytes: number, to: number): void {
    this.doubles.copyWithin(to / 8, from / 8, (from + bytes) / 8);
  }

  /** C = A·B with m × k and k × n entries. */
  multiply(
    a: Operand,
    b: Operand,
    c: Operand,
    [m, k, n]: readonly [number, number, number],
    slicer: TimeSlicer,
  ): MaybePromise<void> {
    const scratch = this.scratch('packed', 2 * ENTRY_BYTES * k);
    if (m * k * n <= PRODUCTS_PER_CALL) {
      this.kernels.multiplyMatrices(
        a.at,
        a.stride,
        b.at,
        b.stride,
        c.at,
        c.stride,
        m,
        k,
        n,
        scratch,
      );
      return slicer.spend(m * k * n) ? slicer.pause() : undefined;
    }
    return this.#multiplyInParts(a, b, c, [m, k, n], scratch, slicer);
  }

  async #multiplyInParts(
    a: Operand,
    b: Operand,
    c: Operand,
    [m, k, n]: readonly [number, number, number],
    scratch: number,
    slicer: TimeSlicer,
  ): Promise<void> {
    // All rows of some columns at a time, because columns are what the kernel packs.
    const columns = Math.max(2, 2 * Math.floor(PRODUCTS_PER_CALL / (2 * m * k)));
    for (let from = 0; from < n; from += columns) {
      const count = Math.min(columns, n - from);
      this.kernels.multiplyMatrices(
        a.at,
        a.stride,
        b.at + ENTRY_BYTES * from,
        b.stride,
        c.at + ENTRY_BYTES * from,
        c.stride,
        m,
        k,
        count,
        scratch,
      );
      if (slicer.spend(m * k * count)) await slicer.pause();
    }
  }

  /**
   * Orthogonalises rows, largest first: B = Lᵀ·Q.
   *
   * @param at - B, overwritten.
   * @param factors - Where L goes: one row of `rows` entries for each row of Q; nowhere if 0.
   * @param basis - Where Q goes; nowhere if 0.
   * @param rest - Part of the squared norm of B that may be left out.
   * @param limit - Most rows of Q.
   * @returns Rows of Q, and what is left out.
   */
  orthogonalize(
    at: number,
    rows: number,
    columns: number,
    factors: number,
    basis: number,
    rest: number,
    slicer: TimeSlicer,
    limit = Number.POSITIVE_INFINITY,
  ): MaybePromise<Orthogonalized> {
    const masses = this.scratch('masses', 8 * rows);
    this.kernels.rowMasses(at, rows, columns, masses);
    const total = this.#sumOf(masses, rows);
    const most = Math.min(rows, columns, limit);
    const run = (from: number, to: number) =>
      this.kernels.orthogonalizeRows(
        at,
        rows,
        columns,
        masses,
        factors,
        basis,
        from,
        to,
        rest * total,
      );
    const result = (rank: number) => ({
      rank,
      total,
      left: rank === Math.min(rows, columns) ? 0 : this.#sumOf(masses, rows),
    });
    const products = (basis === 0 ? 2 : 3) * rows * columns;
    if (products * most <= PRODUCTS_PER_CALL) {
      const rank = run(0, most);
      return slicer.spend(products * most) ? slicer.pause().then(() => result(rank)) : result(rank);
    }
    const inParts = async () => {
      const steps = Math.max(1, Math.floor(PRODUCTS_PER_CALL / products));
      let rank = 0;
      while (rank < most) {
        const to = Math.min(most, rank + steps);
        const done = run(rank, to);
        if (slicer.spend(products * (done - rank))) await slicer.pause();
        rank = done;
        if (done < to) break;
      }
      return result(rank);
    };
    return inParts();
  }

  /** Sum of the doubles that are positive. */
  #sumOf(at: number, count: number): number {
    const { doubles } = this;
    let sum = 0;
    for (let i = at / 8; i < at / 8 + count; i++) sum += Math.max(0, doubles[i]!);
    return sum;
  }

  /**
   * Makes rows orthogonal by rotations among them, so that they are singular vectors times singular values. Their squared
   * norms are in the scratch `masses`.
   */
  diagonalize(at: number, rows: number, columns: number, slicer: TimeSlicer): MaybePromise<void> {
    const masses = this.scratch('masses', 8 * rows);
    const products = 3 * rows * columns;
    const sweep = (from: number, to: number) =>
      this.kernels.rotateRows(at, rows, columns, masses, from, to, JACOBI_TOLERANCE);
    if ((products * rows) / 2 <= PRODUCTS_PER_CALL) {
      for (let round = 0; round < MAX_JACOBI_SWEEPS; round++) {
        this.kernels.rowMasses(at, rows, columns, masses);
        if (sweep(0, rows) === 0) break;
      }
      return slicer.spend(3 * products * rows) ? slicer.pause() : undefined;
    }
    const inParts = async () => {
      const step = Math.max(1, Math.floor(PRODUCTS_PER_CALL / products));
      for (let round = 0; round < MAX_JACOBI_SWEEPS; round++) {
        this.kernels.rowMasses(at, rows, columns, masses);
        let rotations = 0;
        for (let from = 0; from < rows; from += step) {
          rotations += sweep(from, Math.min(rows, from + step));
          if (slicer.spend(products * step)) await slicer.pause();
        }
        if (rotations === 0) break;
      }
    };
    return inParts();
  }
}

/** What an orthogonalisation found. */
export interface Orthogonalized {
  readonly rank: number;
  /** Squared norm of the matrix, and of the part that is left out. */
  readonly total: number;
  readonly left: number;
}

/** Product of two rows, relative to their norms, that is rounding. */
const JACOBI_TOLERANCE = 1e-14;
/** Rows converge after four to ten sweeps; more would be rounding that goes back and forth. */
const MAX_JACOBI_SWEEPS = 30;
