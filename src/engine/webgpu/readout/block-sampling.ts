/**
 * Draws of basis states from a large state, which stays on the device.
 *
 * Masses come back by blocks, which agree in all but their lowest logical bits; the draws are
 * sorted, so that one walk here finds each one's block, and the device picks inside blocks. What
 * remains of a draw inside its block is small against the norm: single precision is enough for it.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import { BitImages } from '../../../math/bit-images.ts';
import type { Pacer } from '../../pacer.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, readMapped } from './dispatch.ts';
import { addMasses, assertNorm } from './masses.ts';
import { ScratchBuffers } from './scratch-buffers.ts';

const WORKGROUP_SIZE = 256;
/** log2 of the basis states of a block. */
const BLOCK_BITS = 11;
/** Picked in one submit: 1 MiB of picks. */
const DRAWS_PER_BATCH = 2 ** 18;
/** Draws of one workgroup: where nearly all fall into one block, more workgroups share it. */
const MAX_DRAWS_PER_ITEM = 4096;

/**
 * The basis state of each draw.
 *
 * @param layout - Logical qubit → physical qubit; at least BLOCK_BITS of them.
 * @param draws - Ascending.
 * @returns Logical, ascending.
 * @throws {GpuFaultError} if the buffer holds no state.
 */
export async function pickFromBlocks(
  context: GpuContext,
  state: GpuState,
  layout: readonly Qubit[],
  draws: Float64Array,
  pacer: Pacer,
): Promise<Uint32Array> {
  const prefix = layout.slice(BLOCK_BITS);
  const masses = new Float64Array(2 ** prefix.length);
  const binned = prefix.map((qubit, i) => ({ qubit, image: 2 ** i }));
  await addMasses(context, state, binned, masses);
  const walk = new BlockWalk(masses);
  const baseOf = new BitImages(prefix.map((qubit) => 2 ** qubit));

  const pipeline = await context.pipeline('pick_basis_states', {
    WORKGROUP_SIZE,
    BLOCK_SIZE: 2 ** BLOCK_BITS,
  });
  using shared = new ScratchBuffers(context);
  const batchSize = Math.min(draws.length, DRAWS_PER_BATCH);
  const staging = await shared.staging(4 * batchSize);
  const picks = await shared.room('picks', 4 * batchSize);
  const places = shared.words('places', placesInBlock(layout.slice(0, BLOCK_BITS)));
  const drawn = new Uint32Array(draws.length);
  for (let from = 0; from < draws.length; from += DRAWS_PER_BATCH) {
    const batch = draws.subarray(from, from + DRAWS_PER_BATCH);
    const { items, thresholds } = await walk.find(batch, pacer);
    const grid = gridOf(items.length);
    const itemWords = items.flatMap(({ block, first, count }) => [baseOf.at(block), first, count]);
    using scratch = new ScratchBuffers(context);
    const buffers = [
      state.chunks[0]!,
      scratch.words('items', Uint32Array.from(itemWords)),
      // Keep the field order of `Params` in pick_basis_states.wgsl.
      scratch.params('params', [[items.length, grid.rowLength]])[0],
      scratch.words('thresholds', new Uint32Array(thresholds.buffer)),
      places,
      picks,
    ];
    const bytes = 4 * batch.length;
    const encode = (encoder: GPUCommandEncoder) => {
      encodeKernel(context, encoder, pipeline, buffers, grid);
      encoder.copyBufferToBuffer(picks, 0, staging, 0, bytes);
    };
    await readMapped(context, staging, bytes, encode, (mapped) => {
      const inBlock = new Uint32Array(mapped);
      for (const { block, first, count } of items) {
        const start = block * 2 ** BLOCK_BITS;
        for (let i = first; i < first + count; i++) drawn[from + i] = start + inBlock[i]!;
      }
    });
  }
  return drawn;
}

/** Draws of a batch that fall into one block. */
interface Item {
  readonly block: number;
  readonly first: number;
  readonly count: number;
}

/** Finds the blocks of draws, batch after batch. */
class BlockWalk {
  readonly #masses: Float64Array;
  readonly #norm: number;
  readonly #lastPossible: number;
  #block = 0;
  /** Mass of all blocks before this one, added up as the norm is. */
  #before = 0;

  constructor(masses: Float64Array) {
    this.#masses = masses;
    this.#norm = masses.reduce((sum, mass) => sum + mass, 0);
    assertNorm(this.#norm);
    this.#lastPossible = masses.findLastIndex((mass) => mass > 0);
  }

  /**
   * The items of draws, and what of each draw remains inside its block.
   *
   * @param draws - Ascending, and not below those of an earlier batch.
   */
  async find(
    draws: Float64Array,
    pacer: Pacer,
  ): Promise<{ items: readonly Item[]; thresholds: Float32Array<ArrayBuffer> }> {
    const items: Item[] = [];
    const thresholds = new Float32Array(draws.length);
    for (let next = 0; next < draws.length; ) {
      this.#moveTo(draws[next]! * this.#norm);
      const first = next;
      const end = this.#before + this.#masses[this.#block]!;
      const isLast = this.#block >= this.#lastPossible;
      const most = Math.min(draws.length, first + MAX_DRAWS_PER_ITEM);
      while (next < most && (isLast || draws[next]! * this.#norm < end)) {
        thresholds[next] = draws[next]! * this.#norm - this.#before;
        next++;
      }
      items.push({ block: this.#block, first, count: next - first });
      if (pacer.spend(next - first)) await pacer.pause();
    }
    return { items, thresholds };
  }

  /** Goes on to the first block up to which the sum exceeds `target`; not beyond the last possible. */
  #moveTo(target: number): void {
    while (this.#block < this.#lastPossible) {
      const end = this.#before + this.#masses[this.#block]!;
      if (target < end) return;
      this.#before = end;
      this.#block++;
    }
  }
}

/** Of each rank in the order of memory [offset of the physical index, logical number]. */
function placesInBlock(qubits: readonly Qubit[]): Uint32Array<ArrayBuffer> {
  const ascending = [...qubits].sort((a, b) => a - b);
  const offsetOf = new BitImages(ascending.map((qubit) => 2 ** qubit));
  const numberOf = new BitImages(ascending.map((qubit) => 2 ** qubits.indexOf(qubit)));
  const places = new Uint32Array(2 * 2 ** qubits.length);
  for (let rank = 0; rank < places.length / 2; rank++) {
    places[2 * rank] = offsetOf.at(rank);
    places[2 * rank + 1] = numberOf.at(rank);
  }
  return places;
}
