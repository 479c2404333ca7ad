/**
 * Computes ⟨ψ|O|ψ⟩ of a state on several devices. Strings that flip no device qubit are summed on
 * each device. For other strings the amplitudes of a pair are on two devices; one of them receives
 * the other's, one piece of a chunk at a time, because little memory may be free beside the state.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { AMPLITUDE_BYTES, type GpuState } from '../gpu-state.ts';
import { type ChunkPair, pauliSums } from '../readout/expectation.ts';
import { type Batch, batchesOf, visitedChunks } from '../readout/pauli-strings.ts';
import { ScratchBuffers } from '../scratch-buffers.ts';
import { settledAll } from './settled-all.ts';
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
  const pieceQubits = Math.min(chunkQubits, Math.log2(PIECE_WINDOWS * options.windowSize));
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
  { staging, windowSize, pause }: TransferOptions,
): Promise<number> {
  const { context, state } = shares[rank]!;
  const partner = shares[partnerRank]!.state;
  const numPieces = 2 ** (state.numQubits - pieceQubits);
  const size = AMPLITUDE_BYTES * 2 ** pieceQubits;
  using scratch = new ScratchBuffers(context);
  const room = await scratch.room('piece of another device', size);
  let sum = 0;
  for (const [flips, own] of Map.groupBy(batches, ({ chunkFlips }) => chunkFlips % numPieces)) {
    for (let piece = 0; piece < numPieces; piece++) {
      const wanted = pieceOf(partner, piece ^ flips, size);
      const windows = function* (): Generator<TransferWindow> {
        const step = Math.min(size, AMPLITUDE_BYTES * windowSize);
        for (let at = 0; at < size; at += step) {
          const source = [{ ...wanted, offset: wanted.offset + at, size: step }];
          const target = [{ buffer: room, offset: at, size: step }];
          yield [{ from: staging[partnerRank]!, source, to: staging[rank]!, target }];
        }
      };
      await runTransfers([windows()], pause);
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

/** @param size - Of a piece, in bytes. */
function pieceOf({ chunks }: GpuState, piece: number, size: number): Run {
  const perChunk = chunks[0]!.size / size;
  const buffer = chunks[Math.floor(piece / perChunk)]!;
  return { buffer, offset: size * (piece % perChunk), size };
}
