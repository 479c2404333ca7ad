/** The segments of a program with noise in shared memory: lowered and placed when a run first needs them. */
import type { Program } from '../../compiler/program.ts';
import type { ProgramLowering } from './lowered-program.ts';
import { type PlacedProgram, placedBytes, placeProgram } from './placed-program.ts';
import type { ThreadPool } from './thread-pool.ts';

/** Bytes of segments that are kept; beyond that, those that were not used for the longest time go. */
const MAX_BYTES = 2 ** 28;

interface Segment {
  readonly at: number;
  readonly bytes: number;
  readonly placed: PlacedProgram;
}

/** Keeps segments until it is cleared. */
export class SegmentStore {
  readonly #threadPool: ThreadPool;
  readonly #lowering: ProgramLowering;
  /** Least recently used first. */
  readonly #segments = new Map<Program, Segment>();
  #bytes = 0;

  constructor(threadPool: ThreadPool, lowering: ProgramLowering) {
    this.#threadPool = threadPool;
    this.#lowering = lowering;
  }

  /** A segment in memory, where it stays at least until the next call. */
  placed(program: Program): PlacedProgram {
    let segment = this.#segments.get(program);
    if (segment === undefined) segment = this.#place(program);
    else this.#segments.delete(program);
    this.#segments.set(program, segment);
    return segment.placed;
  }

  clear(): void {
    for (const { at } of this.#segments.values()) this.#threadPool.release(at);
    this.#segments.clear();
    this.#bytes = 0;
  }

  #place(program: Program): Segment {
    const lowered = this.#lowering.lower(program);
    const bytes = placedBytes(lowered);
    for (const [oldest, segment] of this.#segments) {
      if (this.#bytes + bytes <= MAX_BYTES) break;
      this.#threadPool.release(segment.at);
      this.#bytes -= segment.bytes;
      this.#segments.delete(oldest);
    }
    const at = this.#threadPool.allocate(bytes);
    this.#bytes += bytes;
    // Read after allocating, which may grow the memory.
    const { memory, kernels } = this.#threadPool;
    return { at, bytes, placed: placeProgram(lowered, memory, at, kernels) };
  }
}
