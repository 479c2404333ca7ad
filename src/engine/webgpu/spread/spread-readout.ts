/** Reads a state on several devices: masses of qubits and blocks, amplitudes, outcome probabilities. */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { BitImages } from '../../../math/bit-images.ts';
import type { QubitMasses } from '../../state-operations.ts';
import type { GpuContext } from '../gpu-context.ts';
import type { GpuState } from '../gpu-state.ts';
import { encodeKernel, gridOf, readMapped } from '../readout/dispatch.ts';
import {
  baseOf,
  chosenAmplitudes,
  copyAmplitudes,
  logicalImages,
  physicalIndices,
} from '../readout/final-state.ts';
import { addMasses } from '../readout/masses.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { settledAll } from './transfers.ts';

/** A device and its share of a state; its rank is its index in a list of shares. */
export interface StateShare {
  readonly context: GpuContext;
  readonly state: GpuState;
}

/** Number of physical qubits inside each device; those above are rank bits. */
export function localQubitsOf([first]: readonly StateShare[]): number {
  if (first === undefined) throw new Error('unreachable: a state on no device');
  return first.state.numQubits;
}

/** Whether a device qubit is 1 on the device of a rank. */
export function isOneOn(rank: number, qubit: Qubit, numLocal: number): boolean {
  return ((rank >> (qubit - numLocal)) & 1) === 1;
}

/** Masses of a physical qubit, added in the order of ranks. */
export async function massesOfShares(
  shares: readonly StateShare[],
  qubit: Qubit,
): Promise<QubitMasses> {
  const numLocal = localQubitsOf(shares);
  const isInside = qubit < numLocal;
  const asked = isInside ? [{ qubit, image: 1 }] : [];
  const bins = await settledAll(
    shares.map(async ({ context, state }, rank) => {
      const own = new Float64Array(2);
      const image = !isInside && isOneOn(rank, qubit, numLocal) ? 1 : 0;
      await addMasses(context, state, asked, own, { image });
      return own;
    }),
  );
  const zero = bins.reduce((sum, own) => sum + own[0]!, 0);
  const one = bins.reduce((sum, own) => sum + own[1]!, 0);
  return { zero, one };
}

/**
 * The amplitudes in logical order.
 *
 * @param layout - Logical qubit → physical qubit.
 * @returns Interleaved re, im; length 2·2^layout.length.
 */
export async function amplitudesOfShares(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
): Promise<Float64Array> {
  const numLocal = localQubitsOf(shares);
  const out = new Float64Array(2 * 2 ** layout.length);
  const images = logicalImages(layout, numLocal + Math.log2(shares.length));
  await settledAll(
    shares.map(async ({ context, state }, rank) => {
      const first = baseOf(images.slice(numLocal), rank);
      if (first === undefined) return;
      await copyAmplitudes(context, state, images.slice(0, numLocal), first, out);
    }),
  );
  return out;
}

/**
 * The amplitudes at a list of logical basis indices, in its order.
 *
 * @param layout - Logical qubit → physical qubit.
 * @returns Interleaved re, im.
 */
export async function chosenOfShares(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
  basisIndices: readonly number[],
): Promise<Float64Array> {
  const size = 2 ** localQubitsOf(shares);
  const out = new Float64Array(2 * basisIndices.length);
  const physical = physicalIndices(basisIndices, layout);
  const byRank = Map.groupBy(physical.keys(), (i) => Math.floor(physical[i]! / size));
  await settledAll(
    [...byRank].map(async ([rank, places]) => {
      const { context, state } = shares[rank]!;
      const own = await chosenAmplitudes(
        context,
        state,
        places.map((i) => physical[i]! % size),
      );
      for (const [k, i] of places.entries()) out.set(own.subarray(2 * k, 2 * k + 2), 2 * i);
    }),
  );
  return out;
}

/**
 * Distribution of the classical register. Devices that contribute to the same outcomes are added
 * one after another, so that the sums are reproducible.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param outcomeOf - Physical basis index → value of the register.
 * @returns Length 2^numBits.
 */
export async function probabilitiesOfShares(
  shares: readonly StateShare[],
  layout: readonly Qubit[],
  outcomeOf: BitImages,
  numBits: number,
): Promise<Float64Array> {
  const numLocal = localQubitsOf(shares);
  const out = new Float64Array(2 ** numBits);
  const imaged = layout
    .map((qubit) => ({ qubit, image: outcomeOf.images[qubit] ?? 0 }))
    .filter(({ image }) => image !== 0);
  const asked = imaged.filter(({ qubit }) => qubit < numLocal);
  const ofRanks = imaged.filter(({ qubit }) => qubit >= numLocal);
  const imageOf = (rank: number) =>
    ofRanks.reduce(
      (all, { qubit, image }) => (isOneOn(rank, qubit, numLocal) ? all | image : all),
      0,
    );
  const byImage = Map.groupBy(shares.keys(), imageOf);
  await settledAll(
    [...byImage].map(async ([image, ranks]) => {
      for (const rank of ranks) {
        const { context, state } = shares[rank]!;
        await addMasses(context, state, asked, out, { image });
      }
    }),
  );
  return out;
}

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
