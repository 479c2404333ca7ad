/**
 * Splits an exchange into what the engine can do: an exchange of chunk qubits only reorders chunks;
 * any other pair is exchanged by the store of a sweep without kernels.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Exchange, Sweep } from '../../../compiler/program.ts';
import type { ChunkShape } from './index-bits.ts';

/** Parts of an exchange, in any order. */
export interface ExchangeParts {
  /** Pairs of chunk qubits. */
  readonly swaps: readonly (readonly [Qubit, Qubit])[];
  readonly sweeps: readonly Sweep[];
}

/**
 * Splits an exchange.
 *
 * @param maxTileChunkQubits - Most chunk qubits that a tile holds.
 */
export function exchangeParts(
  { pairs }: Exchange,
  { chunkQubits }: ChunkShape,
  maxTileChunkQubits: number,
): ExchangeParts {
  const swaps = pairs.filter(([, near]) => near >= chunkQubits);
  const moved = pairs.filter(([, near]) => near < chunkQubits);
  const sweeps: Sweep[] = [];
  for (let from = 0; from < moved.length; from += maxTileChunkQubits) {
    const group = moved.slice(from, from + maxTileChunkQubits);
    const placeOf = new Map(
      group.flatMap(([far, near]) => [[far, near] as const, [near, far] as const]),
    );
    const resident = [...placeOf.keys()].sort((a, b) => a - b);
    const store = resident.map((place) => placeOf.get(place)!);
    sweeps.push({ kind: 'sweep', resident, kernels: [], store });
  }
  return { swaps, sweeps };
}

/** Whether an exchange includes qubits beyond the device's own, and thus involves other devices. */
export function isBetweenDevices({ pairs }: Exchange, { numQubits }: ChunkShape): boolean {
  return pairs.some(([far]) => far >= numQubits);
}

/** For each place, the number of the chunk that moves to it when chunk qubits are exchanged. */
export function chunkOrder(
  swaps: ExchangeParts['swaps'],
  { numQubits, chunkQubits }: ChunkShape,
): readonly number[] {
  return Array.from({ length: 2 ** (numQubits - chunkQubits) }, (_, chunk) =>
    swaps.reduce((from, [a, b]) => {
      const [bitA, bitB] = [1 << (a - chunkQubits), 1 << (b - chunkQubits)];
      const differs = ((from & bitA) === 0) !== ((from & bitB) === 0);
      return differs ? from ^ bitA ^ bitB : from;
    }, chunk),
  );
}
