/**
 * Observables of a state on several devices: ⟨ψ|O|ψ⟩ and O·ψ. Strings that flip no device qubit are
 * computed on each device. For other strings the amplitudes of a pair are on two devices; one of them
 * receives the other's in pieces. Little memory may be free beside the state, so a piece is at most
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
  addToPieces,
  clearImage,
  type PieceStrings,
  pieceStrings,
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
  // Chunks and pieces are numbered through all devices, rank after rank.
  const inside = batchesOf(observable, layout, chunkQubits).filter(
    ({ chunkFlips }) => chunkFlips < numChunks,
  );
  const sums = [
    ...(await settledAll(shares.map((share, rank) => sumInside(share, rank * numChunks, inside)))),
  ];
  const pieceQubits = pieceQubitsOf(shares[0]!.state, options);
  const numPieces = 2 ** (numQubits - pieceQubits);
  const byFlippedRanks = Map.groupBy(batchesOf(observable, layout, pieceQubits), ({ chunkFlips }) =>
    Math.floor(chunkFlips / numPieces),
  );
  for (const [flippedRanks, own] of byFlippedRanks) {
    if (flippedRanks === 0) continue;
    const across = visitedChunks(flippedRanks, shares.length).map((rank) =>
      sumAcross(shares, [rank, rank ^ flippedRanks], own, pieceQubits, options),
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
  pieceQubits: number,
  options: TransferOptions,
): Promise<number> {
  const { context, state } = shares[rank]!;
  const numPieces = 2 ** (state.numQubits - pieceQubits);
  const size = AMPLITUDE_BYTES * 2 ** pieceQubits;
  using scratch = new ScratchBuffers(context);
  const room = await scratch.room('piece of another device', size);
  let sum = 0;
  for (const [flips, own] of Map.groupBy(batches, ({ chunkFlips }) => chunkFlips % numPieces)) {
    for (let piece = 0; piece < numPieces; piece++) {
      await receivePiece(shares, [partnerRank, rank], piece ^ flips, room, options);
      const pair = {
        number: rank * numPieces + piece,
        chunk: pieceOf(state, piece, size),
        partner: { buffer: room, size },
      };
      const paired = { chunkQubits: pieceQubits, pairs: () => [pair] };
      const [ofPiece = 0] = await pauliSums(context, paired, [own]);
      sum += ofPiece;
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
  const pieceQubits = pieceQubitsOf(shares[0]!.state, options);
  // Pieces are numbered through all devices, rank after rank.
  for (const strings of pieceStrings(observable, layout, pieceQubits)) {
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
  strings: PieceStrings,
  options: TransferOptions,
): Promise<void> {
  const { context, state } = shares[rank]!;
  const pieceQubits = pieceQubitsOf(state, options);
  const numPieces = 2 ** (state.numQubits - pieceQubits);
  const size = AMPLITUDE_BYTES * 2 ** pieceQubits;
  const flippedRanks = Math.floor(strings.numberFlips / numPieces);
  const flips = strings.numberFlips % numPieces;
  const sourceRank = rank ^ flippedRanks;
  const placed = (piece: number) => ({
    image: pieceOf(image, piece, size),
    sourceNumber: sourceRank * numPieces + (piece ^ flips),
  });
  if (flippedRanks === 0) {
    const pieces = Array.from({ length: numPieces }, (_, piece) => {
      return { ...placed(piece), source: pieceOf(state, piece ^ flips, size) };
    });
    await addToPieces(context, pieces, strings, pieceQubits);
    return;
  }
  using scratch = new ScratchBuffers(context);
  const room = await scratch.room('piece of another device', size);
  for (let piece = 0; piece < numPieces; piece++) {
    await receivePiece(shares, [sourceRank, rank], piece ^ flips, room, options);
    const source = { buffer: room, size };
    await addToPieces(context, [{ ...placed(piece), source }], strings, pieceQubits);
  }
}

/** Windows of a piece, so that several are in flight. */
const PIECE_WINDOWS = 8;

/** Options of transfers between devices. */
export interface TransferOptions {
  /** By rank. */
  readonly staging: readonly StagingBuffers[];
  /** Amplitudes of a window. */
  readonly windowSize: number;
  readonly pause: () => Promise<void>;
}

/** Qubits of a piece. */
function pieceQubitsOf(
  { chunkQubits }: GpuState,
  { windowSize }: Pick<TransferOptions, 'windowSize'>,
): number {
  return Math.min(chunkQubits, Math.log2(PIECE_WINDOWS * windowSize));
}

/**
 * A piece in the memory of its device.
 *
 * @param size - Of a piece, in bytes.
 */
function pieceOf({ chunks }: GpuState, piece: number, size: number): Run {
  const perChunk = chunks[0]!.size / size;
  const buffer = chunks[Math.floor(piece / perChunk)]!;
  return { buffer, offset: size * (piece % perChunk), size };
}

/** Sends a piece of the state from one device to another, where `room` is as large as a piece. */
async function receivePiece(
  shares: readonly StateShare[],
  [fromRank, toRank]: readonly [number, number],
  piece: number,
  room: GPUBuffer,
  options: TransferOptions,
): Promise<void> {
  const { staging, windowSize, pause } = options;
  const { state } = shares[fromRank]!;
  const size = AMPLITUDE_BYTES * 2 ** pieceQubitsOf(state, options);
  const wanted = pieceOf(state, piece, size);
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
