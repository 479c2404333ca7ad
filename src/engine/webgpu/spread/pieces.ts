/**
 * Pieces of a device's share of a state, which one device receives from another to compute with both
 * of their amplitudes. Little memory may be free beside the state, so a piece is at most a chunk.
 */
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import type { StateShare } from './spread-readout.ts';
import type { StagingBuffers } from './staging-buffers.ts';
import type { Run } from './state-runs.ts';
import { runTransfers, type TransferWindow } from './transfers.ts';

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
export function pieceQubitsOf(
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
export function pieceOf({ chunks }: GpuState, piece: number, size: number): Run {
  const perChunk = chunks[0]!.size / size;
  const buffer = chunks[Math.floor(piece / perChunk)]!;
  return { buffer, offset: size * (piece % perChunk), size };
}

/** Sends a piece of the state from one device to another, where `room` is as large as a piece. */
export async function receivePiece(
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
