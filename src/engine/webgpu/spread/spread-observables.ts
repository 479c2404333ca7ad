/**
 * Observables of a state on several devices: ⟨ψ|O|ψ⟩ and O·ψ. Strings that flip no device qubit are
 * computed on each device. For other strings the amplitudes of a pair are on two devices; one of them
 * receives the other's in slices. Little memory may be free beside the state, so a slice is at most
 * a chunk.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import {
  type Batch,
  batchesOf,
  type ChunkPair,
  pauliSums,
  visitedChunks,
} from '../readout/expectation.ts';
import {
  addToSlices,
  clearImage,
  type SliceStrings,
  sliceStrings,
} from '../readout/observable-image.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import type { StateShare } from './spread-readout.ts';
import {
  type Run,
  runTransfers,
  type StagingBuffers,
  settledAll,
  type TransferWindow,
} from './transfers.ts';

/**
 * The expectation value of an observable; devices are added in the order of their ranks.
 *
 * @param layout - Logical qubit → physical qubit.
 */
export async function expectationOfShares(
  shares: readonly StateShare[],
  observable: PauliSum,
  layout: readonly Qubit[],
  options: TransferOptions,
): Promise<number> {
  const { chunkQubits, numQubits } = shares[0]!.state;
  const numChunks = 2 ** (numQubits - chunkQubits);
  // Chunks and slices are numbered through all devices, rank after rank.
  const inside = batchesOf(observable, layout, chunkQubits).filter(
    ({ chunkFlips }) => chunkFlips < numChunks,
  );
  const sums = [
    ...(await settledAll(shares.map((share, rank) => sumInside(share, rank * numChunks, inside)))),
  ];
  const sliceQubits = sliceQubitsOf(shares[0]!.state, options);
  const numSlices = 2 ** (numQubits - sliceQubits);
  const byFlippedRanks = Map.groupBy(batchesOf(observable, layout, sliceQubits), ({ chunkFlips }) =>
    Math.floor(chunkFlips / numSlices),
  );
  for (const [flippedRanks, own] of byFlippedRanks) {
    if (flippedRanks === 0) continue;
    const across = visitedChunks(flippedRanks, shares.length).map((rank) =>
      sumAcross(shares, [rank, rank ^ flippedRanks], own, sliceQubits, options),
    );
    sums.push(...(await settledAll(across)));
  }
  return sums.reduce((all, one) => all + one, 0);
}

/** @param firstChunk - Number of the device's first chunk in the state. */
async function sumInside(
  { context, state }: StateShare,
  firstChunk: number,
  batches: readonly Batch[],
): Promise<number> {
  const { chunks, chunkQubits } = state;
  const pairs = (chunkFlips: number) =>
    visitedChunks(chunkFlips, chunks.length).map((chunk): ChunkPair => {
      const number = firstChunk + chunk;
      return { number, chunk: chunks[chunk]!, partner: chunks[chunk ^ chunkFlips]! };
    });
  const [sum = 0] = await pauliSums(context, { chunkQubits, pairs }, [batches]);
  return sum;
}

/** Sums strings whose amplitudes on one device have their partners on another. */
async function sumAcross(
  shares: readonly StateShare[],
  [rank, partnerRank]: readonly [number, number],
  batches: readonly Batch[],
  sliceQubits: number,
  options: TransferOptions,
): Promise<number> {
  const { context, state } = shares[rank]!;
  const numSlices = 2 ** (state.numQubits - sliceQubits);
  const size = AMPLITUDE_BYTES * 2 ** sliceQubits;
  using scratch = new ScratchBuffers(context);
  const room = await scratch.room('slice of another device', size);
  let sum = 0;
  for (const [flips, own] of Map.groupBy(batches, ({ chunkFlips }) => chunkFlips % numSlices)) {
    for (let slice = 0; slice < numSlices; slice++) {
      await receiveSlice(shares, [partnerRank, rank], slice ^ flips, room, options);
      const pair = {
        number: rank * numSlices + slice,
        chunk: sliceOf(state, slice, size),
        partner: { buffer: room, size },
      };
      const paired = { chunkQubits: sliceQubits, pairs: () => [pair] };
      const [ofSlice = 0] = await pauliSums(context, paired, [own]);
      sum += ofSlice;
    }
  }
  return sum;
}

/**
 * Writes O·ψ over a state.
 *
 * @param layout - Logical qubit → physical qubit.
 * @param images - The devices' shares of the image, by rank.
 */
export async function applyToShares(
  shares: readonly StateShare[],
  observable: PauliSum,
  layout: readonly Qubit[],
  images: readonly GpuState[],
  options: TransferOptions,
): Promise<void> {
  for (const [rank, { context }] of shares.entries()) clearImage(context, images[rank]!);
  const sliceQubits = sliceQubitsOf(shares[0]!.state, options);
  // Slices are numbered through all devices, rank after rank.
  for (const strings of sliceStrings(observable, layout, sliceQubits)) {
    const ranks = [...shares.keys()];
    await settledAll(
      ranks.map((rank) => addToShare(shares, rank, images[rank]!, strings, options)),
    );
  }
}

/** Adds the contributions of some strings to one device's share of the image. */
async function addToShare(
  shares: readonly StateShare[],
  rank: number,
  image: GpuState,
  strings: SliceStrings,
  options: TransferOptions,
): Promise<void> {
  const { context, state } = shares[rank]!;
  const sliceQubits = sliceQubitsOf(state, options);
  const numSlices = 2 ** (state.numQubits - sliceQubits);
  const size = AMPLITUDE_BYTES * 2 ** sliceQubits;
  const flippedRanks = Math.floor(strings.numberFlips / numSlices);
  const flips = strings.numberFlips % numSlices;
  const sourceRank = rank ^ flippedRanks;
  const placed = (slice: number) => ({
    image: sliceOf(image, slice, size),
    sourceNumber: sourceRank * numSlices + (slice ^ flips),
  });
  if (flippedRanks === 0) {
    const slices = Array.from({ length: numSlices }, (_, slice) => {
      return { ...placed(slice), source: sliceOf(state, slice ^ flips, size) };
    });
    await addToSlices(context, slices, strings, sliceQubits);
    return;
  }
  using scratch = new ScratchBuffers(context);
  const room = await scratch.room('slice of another device', size);
  for (let slice = 0; slice < numSlices; slice++) {
    await receiveSlice(shares, [sourceRank, rank], slice ^ flips, room, options);
    const source = { buffer: room, size };
    await addToSlices(context, [{ ...placed(slice), source }], strings, sliceQubits);
  }
}

/** Windows of a slice, so that several are in flight. */
const SLICE_WINDOWS = 8;

/** Options of transfers between devices. */
export interface TransferOptions {
  /** By rank. */
  readonly staging: readonly StagingBuffers[];
  /** Amplitudes of a window. */
  readonly windowSize: number;
  readonly pause: () => Promise<void>;
}

/** Qubits of a slice. */
function sliceQubitsOf(
  { chunkQubits }: GpuState,
  { windowSize }: Pick<TransferOptions, 'windowSize'>,
): number {
  return Math.min(chunkQubits, Math.log2(SLICE_WINDOWS * windowSize));
}

/**
 * A slice in the memory of its device.
 *
 * @param size - Of a slice, in bytes.
 */
function sliceOf({ chunks }: GpuState, slice: number, size: number): Run {
  const perChunk = chunks[0]!.size / size;
  const buffer = chunks[Math.floor(slice / perChunk)]!;
  return { buffer, offset: size * (slice % perChunk), size };
}

/** Sends a slice of the state from one device to another, where `room` is as large as a slice. */
async function receiveSlice(
  shares: readonly StateShare[],
  [fromRank, toRank]: readonly [number, number],
  slice: number,
  room: GPUBuffer,
  options: TransferOptions,
): Promise<void> {
  const { staging, windowSize, pause } = options;
  const { state } = shares[fromRank]!;
  const size = AMPLITUDE_BYTES * 2 ** sliceQubitsOf(state, options);
  const wanted = sliceOf(state, slice, size);
  const windows = function* (): Generator<TransferWindow> {
    const step = Math.min(size, AMPLITUDE_BYTES * windowSize);
    for (let at = 0; at < size; at += step) {
      const source = [{ ...wanted, offset: wanted.offset + at, size: step }];
      const target = [{ buffer: room, offset: at, size: step }];
      yield [{ from: staging[fromRank]!, source, to: staging[toRank]!, target }];
    }
  };
  await runTransfers([windows()], pause);
}
