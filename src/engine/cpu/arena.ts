/**
 * Allocator of the memory that all threads share. Blocks are few and large (a program, a state, a
 * command), so a sorted list of free blocks, searched first fit, is enough.
 */

import { StateMemoryError } from '../errors.ts';

const PAGE_BYTES = 65_536;
/** WebAssembly's own limit for 32-bit addresses. */
const MAX_PAGES = 65_536;
/** Bytes of a cache line: no two blocks share one. */
const ALIGNMENT = 64;

/** Largest size of a WebAssembly memory. */
export const MAX_MEMORY_BYTES = PAGE_BYTES * MAX_PAGES;

interface Block {
  readonly at: number;
  readonly bytes: number;
}

/** A WebAssembly memory that grows on demand. */
export class Arena {
  readonly memory: WebAssembly.Memory;
  /** Ascending, adjacent blocks merged. */
  readonly #free: Block[] = [];
  readonly #taken = new Map<number, number>();

  /**
   * @param reservedBytes - Reserved at the beginning; never allocated.
   * @param maxBytes - Most that the memory grows to, a multiple of 64 KiB.
   */
  constructor(reservedBytes: number, maxBytes: number) {
    const initial = Math.ceil(reservedBytes / PAGE_BYTES);
    const maximum = maxBytes / PAGE_BYTES;
    this.memory = new WebAssembly.Memory({ initial, maximum, shared: true });
    const at = Math.ceil(reservedBytes / ALIGNMENT) * ALIGNMENT;
    this.#addFree({ at, bytes: this.byteLength - at });
  }

  /** The memory's bytes; another object after it has grown. */
  get buffer(): SharedArrayBuffer {
    // Checked: the memory is shared. The DOM's library does not know.
    return this.memory.buffer as ArrayBufferLike as SharedArrayBuffer;
  }

  get byteLength(): number {
    return this.buffer.byteLength;
  }

  /** Whether every block has been released. */
  get isEmpty(): boolean {
    return this.#taken.size === 0;
  }

  /**
   * Allocates a block with unspecified contents.
   *
   * @returns Its address, a multiple of 64.
   * @throws {StateMemoryError} if the memory cannot grow far enough.
   */
  allocate(bytes: number): number {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);
    if (!this.#free.some((block) => block.bytes >= size)) this.#grow(size);
    const place = this.#free.findIndex((block) => block.bytes >= size);
    const { at, bytes: room } = this.#free[place]!;
    if (room === size) this.#free.splice(place, 1);
    else this.#free[place] = { at: at + size, bytes: room - size };
    this.#taken.set(at, size);
    return at;
  }

  /** Releases a block. */
  release(at: number): void {
    const bytes = this.#taken.get(at);
    if (bytes === undefined) throw new Error('unreachable: a block is released twice');
    this.#taken.delete(at);
    this.#addFree({ at, bytes });
  }

  #grow(bytes: number): void {
    const end = this.byteLength;
    const last = this.#free.at(-1);
    const atEnd = last !== undefined && last.at + last.bytes === end ? last.bytes : 0;
    const pages = Math.ceil((bytes - atEnd) / PAGE_BYTES);
    try {
      this.memory.grow(pages);
    } catch (cause) {
      throw new StateMemoryError(bytes, { cause });
    }
    this.#addFree({ at: end, bytes: pages * PAGE_BYTES });
  }

  #addFree(block: Block): void {
    if (block.bytes <= 0) return;
    const next = this.#free.findIndex((other) => other.at > block.at);
    const place = next < 0 ? this.#free.length : next;
    this.#free.splice(place, 0, block);
    this.#join(place);
    if (place > 0) this.#join(place - 1);
  }

  /** Merges a free block with the next one if they touch. */
  #join(place: number): void {
    const block = this.#free[place];
    const next = this.#free[place + 1];
    if (block === undefined || next === undefined || block.at + block.bytes !== next.at) return;
    this.#free.splice(place, 2, { at: block.at, bytes: block.bytes + next.bytes });
  }
}
