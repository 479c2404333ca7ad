/** The segments of a program with noise on a device: compiled and uploaded when a run first needs them. */
import type { Program } from '../../compiler/program.ts';
import type { GpuContext } from './gpu-context.ts';
import type { GpuProgram } from './gpu-program.ts';

/** Bytes of segments that are kept by default. */
const MAX_BYTES = 2 ** 28;

/** Keeps segments until it is cleared. */
export class GpuSegments {
  readonly #context: Pick<GpuContext, 'flush'>;
  readonly #maxBytes: number;
  readonly #place: (program: Program) => Promise<GpuProgram>;
  /** Least recently used first. */
  readonly #segments = new Map<Program, GpuProgram>();
  #bytes = 0;

  /**
   * @param place - Compiles and uploads a segment.
   * @param maxBytes - Before a segment is added to more than these, those that were not used for the longest time go.
   */
  constructor(
    context: Pick<GpuContext, 'flush'>,
    place: (program: Program) => Promise<GpuProgram>,
    maxBytes = MAX_BYTES,
  ) {
    this.#context = context;
    this.#place = place;
    this.#maxBytes = maxBytes;
  }

  /** A segment on the device, where it stays at least until the next call. */
  async placed(program: Program): Promise<GpuProgram> {
    let placed = this.#segments.get(program);
    if (placed === undefined) placed = await this.#placeNew(program);
    else this.#segments.delete(program);
    this.#segments.set(program, placed);
    return placed;
  }

  clear(): void {
    for (const placed of this.#segments.values()) placed.destroy();
    this.#segments.clear();
    this.#bytes = 0;
  }

  async #placeNew(program: Program): Promise<GpuProgram> {
    // The buffer of a segment that goes may be written anew at once, so work that reads it is submitted before.
    if (this.#bytes > this.#maxBytes) this.#context.flush();
    for (const [oldest, placed] of this.#segments) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#bytes -= placed.bytes;
      placed.destroy();
      this.#segments.delete(oldest);
    }
    const placed = await this.#place(program);
    this.#bytes += placed.bytes;
    return placed;
  }
}
