/**
 * The memory of matrix product states, which lies in that of the engine's threads: tensors, and scratch that one
 * operation after the other uses. Large products and orthogonalisations are divided among the threads.
 */

import { StateMemoryError } from '../../errors.ts';
import type { MaybePromise } from '../../state-operations.ts';
import { type TimeSlicer, UNITS_PER_CHUNK } from '../../time-slicer.ts';
import { COMMAND_HEADER_WORDS, COMMAND_KINDS, doubleWords, writeCommand } from '../command.ts';
import type { ThreadPool } from '../thread-pool.ts';
import type { KernelExports } from '../wasm-kernels.ts';

/** Bytes of a complex number. */
export const ENTRY_BYTES = 16;

/** Most complex multiplications of a product in one kernel call; larger products are commands for all threads. */
const PRODUCTS_PER_CALL = UNITS_PER_CHUNK;

/**
 * Multiplications of an orthogonalisation that is not divided, at most: 1.4 ms. Its steps wait for each other, so that
 * smaller ones gain nothing from a second thread (up to bonds of about 100).
 */
const MAX_UNDIVIDED = 2 ** 22;

/** Multiplications in an item of a product, about, and rows of it: with 64 rows of A, packing B costs little. */
const PRODUCTS_PER_ITEM = 2 ** 15;
const ROWS_PER_ITEM = 64;
/** Longest rows of a shared product: a thread's scratch holds two packed columns. Bonds, up to 4096, fit. */
const MAX_PACKED = 2 ** 13;

/** Bytes of a command of either kind. */
const COMMAND_BYTES = 128;
/** Position of the steps that an orthogonalisation has done, in words; the order of assembly/mps-commands.ts. */
const STEPS_DONE = COMMAND_HEADER_WORDS + 10;

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
  | 'products'
  | 'command'
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

/** The blocks of one run. */
export class TensorMemory {
  readonly #threadPool: ThreadPool;
  readonly #maxBytes: number;
  readonly #scratch = new Map<ScratchName, Scratch>();
  #takenBytes = 0;
  readonly #sizes = new Map<number, number>();
  /** Further owners of blocks that have several. */
  readonly #sharers = new Map<number, number>();
  #doubles: Float64Array = new Float64Array(0);

  /** @param maxBytes - Most bytes of tensors and scratch together. */
  constructor(threadPool: ThreadPool, maxBytes: number) {
    this.#threadPool = threadPool;
    this.#maxBytes = maxBytes;
  }

  /** The calling thread's kernels. */
  get kernels(): KernelExports {
    return this.#threadPool.kernels;
  }

  /** The memory as doubles; not to be kept over an allocation. */
  get doubles(): Float64Array {
    const { memory } = this.#threadPool;
    if (this.#doubles.buffer !== memory) this.#doubles = new Float64Array(memory);
    return this.#doubles;
  }

  /**
   * Allocates a block with unspecified contents.
   *
   * @throws {StateMemoryError} if the limit does not allow it, or the system.
   */
  allocate(bytes: number): number {
    if (this.#takenBytes + bytes > this.#maxBytes) throw new StateMemoryError(bytes);
    const at = this.#threadPool.allocate(bytes);
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
    this.#threadPool.release(at);
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

  /** A scratch block of at least `bytes`. Its contents are lost if it has to grow. */
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

  /** Releases all blocks. */
  releaseAll(): void {
    for (const at of this.#sizes.keys()) this.#threadPool.release(at);
    this.#sizes.clear();
    this.#sharers.clear();
    this.#scratch.clear();
    this.#takenBytes = 0;
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
    const products = m * k * n;
    if (products > PRODUCTS_PER_CALL && k <= MAX_PACKED) {
      const rows = Math.min(m, ROWS_PER_ITEM);
      const columns = Math.min(n, 2 * Math.ceil(PRODUCTS_PER_ITEM / (2 * rows * k)));
      const numItems = Math.ceil(m / rows) * Math.ceil(n / columns);
      const fields = [a.at, a.stride, b.at, b.stride, c.at, c.stride, m, k, n, rows, columns];
      const command = this.scratch('command', COMMAND_BYTES);
      const header = { kind: COMMAND_KINDS.multiply, numItems, perClaim: 1 };
      writeCommand(this.#threadPool.memory, command, header, fields);
      return this.#threadPool.runCommand(command, numItems, slicer);
    }
    const packed = this.scratch('packed', 2 * ENTRY_BYTES * k);
    this.kernels.multiplyMatrices(a.at, a.stride, b.at, b.stride, c.at, c.stride, m, k, n, packed);
    return slicer.spend(products) ? slicer.pause() : undefined;
  }

  /**
   * Orthogonalises rows, largest first: B = Lᵀ·Q.
   *
   * @param at - B, overwritten.
   * @param factors - Where L goes: one row of `rows` entries for each row of Q; nowhere if 0.
   * @param basis - Where Q goes; nowhere if 0.
   * @param rest - Part of the squared norm of B that may be left out.
   * @param limit - Most rows of Q.
   * @returns Rows of Q, and the discarded weight.
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
    const result = (rank: number) => ({
      rank,
      total,
      left: rank === Math.min(rows, columns) ? 0 : this.#sumOf(masses, rows),
    });
    const products = (basis === 0 ? 2 : 3) * rows * columns * most;
    if (products <= MAX_UNDIVIDED) {
      const rank = this.kernels.orthogonalizeRows(
        at,
        rows,
        columns,
        masses,
        factors,
        basis,
        most,
        rest * total,
      );
      return slicer.spend(products) ? slicer.pause().then(() => result(rank)) : result(rank);
    }
    const command = this.scratch('command', COMMAND_BYTES);
    const projections = this.scratch('products', ENTRY_BYTES * most);
    const fields = [at, rows, columns, masses, factors, basis, projections, most];
    // The number of items only tells that there are several: a command of this kind counts its own.
    const header = { kind: COMMAND_KINDS.orthogonalize, numItems: most, perClaim: 1 };
    writeCommand(this.#threadPool.memory, command, header, [
      ...fields,
      ...doubleWords(rest * total),
    ]);
    this.kernels.beginOrthogonalization(command);
    const running = this.#threadPool.runCommand(command, most, slicer);
    const rankDone = () => result(this.#threadPool.words[command / 4 + STEPS_DONE]!);
    return running === undefined ? rankDone() : running.then(rankDone);
  }

  /** Sum of the doubles that are positive. */
  #sumOf(at: number, count: number): number {
    const { doubles } = this;
    let sum = 0;
    for (let i = at / 8; i < at / 8 + count; i++) sum += Math.max(0, doubles[i]!);
    return sum;
  }

  /**
   * Makes rows orthogonal by rotations among them, so that they are singular vectors times singular values. Their
   * squared norms are in the scratch `masses`.
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

/** Result of an orthogonalisation. */
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
