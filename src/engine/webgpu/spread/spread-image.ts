/**
 * Computes O·ψ of a state on several devices. For strings that flip a device qubit, each device
 * receives the pieces of another device one after the other.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import {
  addToPieces,
  clearImage,
  type PieceStrings,
  pieceStrings,
} from '../readout/observable-image.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { pieceOf, pieceQubitsOf, receivePiece, type TransferOptions } from './pieces.ts';
import { settledAll } from './settled-all.ts';
import type { StateShare } from './spread-readout.ts';

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

/** Adds what some strings contribute to one device's share of the image. */
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
