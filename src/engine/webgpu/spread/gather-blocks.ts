/** Reads the masses of selected blocks from a device's share of a state. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, readMapped } from '../readout/dispatch.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';

const WORKGROUP_SIZE = 256;

/** Selected blocks that begin in one chunk. */
interface ChunkBlocks {
  readonly chunk: number;
  /** Pairs: index of the first amplitude in the chunk, index of its mass in the list. */
  readonly words: number[];
}

/**
 * Reads the masses of the blocks' amplitudes, block after block.
 *
 * @param layout - Logical qubit of the share → physical qubit.
 * @param blockBits - Number of lowest logical qubits that differ inside a block.
 * @param blocks - At least one block number.
 */
export async function gatherBlocks(
  context: GpuContext,
  { chunks, chunkQubits }: GpuState,
  layout: readonly Qubit[],
  blockBits: number,
  blocks: readonly number[],
): Promise<Float32Array> {
  const pipeline = await context.pipeline('gather_blocks', { WORKGROUP_SIZE });
  const inBlock = layout.slice(0, blockBits);
  const inner = inBlock.flatMap((physical, i) =>
    physical < chunkQubits ? [2 ** physical, 2 ** i] : [],
  );
  const byChunk = blocksByChunk(layout.slice(blockBits), chunkQubits, blockBits, blocks);
  const bytes = 4 * blocks.length * 2 ** blockBits;
  using scratch = new ScratchBuffers(context);
  const masses = await scratch.room('masses', bytes);
  const staging = await scratch.staging(bytes);
  const words = await scratch.words(
    'blocks',
    Uint32Array.from([...inner, ...byChunk.flatMap((c) => c.words)]),
  );
  const numInner = inner.length / 2;
  let firstBlock = numInner;
  const dispatches = byChunk.flatMap(({ chunk, words: own }) => {
    const numBlocks = own.length / 2;
    const grid = gridOf(Math.ceil((numBlocks * 2 ** numInner) / WORKGROUP_SIZE));
    const first = firstBlock;
    firstBlock += numBlocks;
    return chunksOfBlocks(inBlock, chunkQubits).map(({ bits, place }) => ({
      chunk: chunks[chunk + bits]!,
      grid,
      // Keep the field order of `Params` in gather_blocks.wgsl.
      params: [numBlocks, numInner, place, first, grid.rowLength],
    }));
  });
  const params = await scratch.params(
    'params',
    dispatches.map((dispatch) => dispatch.params),
  );
  const encode = (encoder: GPUCommandEncoder) => {
    for (const [i, { chunk, grid }] of dispatches.entries()) {
      encodeKernel(context, encoder, pipeline, [chunk, words, params[i], masses], grid);
    }
    encoder.copyBufferToBuffer(masses, 0, staging, 0, bytes);
  };
  let gathered = new Float32Array();
  await readMapped(context, staging, bytes, encode, (mapped) => {
    gathered = new Float32Array(mapped.slice(0));
  });
  return gathered;
}

function blocksByChunk(
  ofBlocks: readonly Qubit[],
  chunkQubits: number,
  blockBits: number,
  blocks: readonly number[],
): readonly ChunkBlocks[] {
  const byChunk = new Map<number, ChunkBlocks>();
  for (const [i, block] of blocks.entries()) {
    let [chunk, index] = [0, 0];
    for (const [bit, physical] of ofBlocks.entries()) {
      if (((block >>> bit) & 1) === 0) continue;
      if (physical < chunkQubits) index += 2 ** physical;
      else chunk += 2 ** (physical - chunkQubits);
    }
    const known = byChunk.get(chunk) ?? { chunk, words: [] };
    byChunk.set(chunk, known);
    known.words.push(index, i * 2 ** blockBits);
  }
  return [...byChunk.values()];
}

/** The chunks of a block: bits of their numbers, and what these add to the index in the block. */
function chunksOfBlocks(
  inBlock: readonly Qubit[],
  chunkQubits: number,
): readonly { readonly bits: number; readonly place: number }[] {
  const found = [{ bits: 0, place: 0 }];
  for (const [i, physical] of inBlock.entries()) {
    if (physical < chunkQubits) continue;
    for (const { bits, place } of found.slice()) {
      found.push({ bits: bits + 2 ** (physical - chunkQubits), place: place + 2 ** i });
    }
  }
  return found;
}
