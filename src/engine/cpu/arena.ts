/**
 * The memory that all threads share, and its allocator. Blocks are few and large (a program, a state, a
 * command), so a sorted list of free blocks, searched first fit, is enough.
 */

import { StateMemoryError } from '../errors.ts';

const PAGE_BYTES = 65_536;
/** Bytes of a cache line: no two blocks share one. */
const ALIGNMENT = 64;

/** Largest size of a WebAssembly memory with 32-bit addresses. */
export const NARROW_MEMORY_BYTES = 2 ** 32;
/** Largest size of one with 64-bit addresses, as V8 has them. */
export const WIDE_MEMORY_BYTES = 2 ** 34;

/**
 * Opens a shared memory, which has 64-bit addresses if it may grow beyond what 32 bits reach.
 *
 * @param bytes - Its size at the beginning.
 * @param maxBytes - The most that it grows to, a multiple of 64 KiB.
 */
export function openSharedMemory(bytes: number, maxBytes: number): WebAssembly.Memory {
  const initial = Math.ceil(bytes / PAGE_BYTES);
  const maximum = maxBytes / PAGE_BYTES;
  if (maxBytes <= NARROW_MEMORY_BYTES) {
    return new WebAssembly.Memory({ initial, maximum, shared: true });
  }
  // Checked: sizes in pages are bigints here, which the types of the DOM and of Node do not know.
  const wide = { address: 'i64', initial: BigInt(initial), maximum: BigInt(maximum), shared: true };
  return new WebAssembly.Memory(wide as never);
}

interface Block {
  readonly at: number;
  readonly bytes: number;
}

/** A range of a shared memory, which grows on demand if it is the last one. */
export class Arena {
  readonly #memory: WebAssembly.Memory;
  readonly #end: number;
  /** Ascending, adjacent blocks merged. */
  readonly #free: Block[] = [];
  readonly #taken = new Map<number, number>();

  /**
   * @param begin - First address of the range.
   * @param end - Address behind it, a multiple of 64 KiB; the memory may still be shorter.
   */
  constructor(memory: WebAssembly.Memory, begin: number, end: number) {
    this.#memory = memory;
    this.#end = end;
    const at = Math.ceil(begin / ALIGNMENT) * ALIGNMENT;
    this.#addFree({ at, bytes: Math.min(end, memory.buffer.byteLength) - at });
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
    const end = this.#memory.buffer.byteLength;
    const last = this.#free.at(-1);
    const atEnd = last !== undefined && last.at + last.bytes === end ? last.bytes : 0;
    const pages = Math.ceil((bytes - atEnd) / PAGE_BYTES);
    if (end + pages * PAGE_BYTES > this.#end) throw new StateMemoryError(bytes);
    try {
      if (this.#end > NARROW_MEMORY_BYTES) this.#memory.grow(BigInt(pages) as never);
      else this.#memory.grow(pages);
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
