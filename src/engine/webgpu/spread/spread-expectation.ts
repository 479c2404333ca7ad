/**
 * ⟨ψ|O|ψ⟩ of a state on several devices. Strings that flip no qubit which tells devices apart are
 * added up where they are; of others, the two amplitudes of a pair lie on two devices, and one of
 * them has the other's chunks brought to it, one at a time.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { type ChunkPair, pauliSum } from '../readout/expectation.ts';
import { type Batch, batchesOf, visitedChunks } from '../readout/pauli-strings.ts';
import { ScratchBuffers } from '../readout/scratch-buffers.ts';
import { type CargoWindow, carryAll } from './carry.ts';
import type { Dock } from './dock.ts';
import { settledAll } from './settled-all.ts';
import type { StateShare } from './spread-readout.ts';
import { runsIn, windowsWhere } from './state-runs.ts';

/** How chunks come from one device to another. */
export interface CarryOptions {
  /** By rank. */
  readonly docks: readonly Dock[];
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
  options: CarryOptions,
): Promise<number> {
  const { chunkQubits, numQubits } = shares[0]!.state;
  const numChunks = 2 ** (numQubits - chunkQubits);
  // Chunks are numbered through all devices, rank after rank.
  const batches = batchesOf(observable, layout, chunkQubits);
  const byFlippedRanks = Map.groupBy(batches, ({ chunkFlips }) =>
    Math.floor(chunkFlips / numChunks),
  );
  let sum = 0;
  for (const [flippedRanks, own] of byFlippedRanks) {
    const sums = await settledAll(
      flippedRanks === 0
        ? shares.map((share, rank) => sumInside(share, rank * numChunks, own))
        : visitedChunks(flippedRanks, shares.length).map((rank) =>
            sumAcross(shares, rank, rank ^ flippedRanks, own, options),
          ),
    );
    sum += sums.reduce((all, one) => all + one, 0);
  }
  return sum;
}

/** @param firstChunk - The number of the device's first chunk. */
function sumInside(
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
  return pauliSum(context, { chunkQubits, pairs }, batches);
}

/** Visits the amplitudes of one device, each of whose partners is on another. */
async function sumAcross(
  shares: readonly StateShare[],
  rank: number,
  partnerRank: number,
  batches: readonly Batch[],
  { docks, windowSize, pause }: CarryOptions,
): Promise<number> {
  const { context, state } = shares[rank]!;
  const partner = shares[partnerRank]!.state;
  const { chunks, chunkQubits } = state;
  const shape = { numQubits: chunkQubits, chunkQubits };
  using scratch = new ScratchBuffers(context);
  const room = await scratch.room('chunk of another device', chunks[0]!.size);
  const brought = { chunks: [room], ...shape };
  let sum = 0;
  for (const [flips, own] of Map.groupBy(batches, ({ chunkFlips }) => chunkFlips % chunks.length)) {
    for (const [number, chunk] of chunks.entries()) {
      const wanted = { chunks: [partner.chunks[number ^ flips]!], ...shape };
      const windows = function* (): Generator<CargoWindow> {
        for (const runs of windowsWhere(shape, [], windowSize)) {
          const [source, target] = [runsIn(wanted, runs), runsIn(brought, runs)];
          yield [{ from: docks[partnerRank]!, source, to: docks[rank]!, target }];
        }
      };
      await carryAll([windows()], pause);
      const pair = { number: rank * chunks.length + number, chunk, partner: room };
      sum += await pauliSum(context, { chunkQubits, pairs: () => [pair] }, own);
    }
  }
  return sum;
}
