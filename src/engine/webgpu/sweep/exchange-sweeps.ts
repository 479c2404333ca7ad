/**
 * An exchange as what the engine has: between chunk qubits, chunks change places and nothing moves;
 * any other pair is moved by the store of a sweep that does nothing else.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Exchange, Sweep } from '../../../compiler/program.ts';
import type { ChunkShape } from './index-bits.ts';

/** What an exchange comes to, in any order. */
export interface ExchangeParts {
  /** Of chunk qubits. */
  readonly swaps: readonly (readonly [Qubit, Qubit])[];
  readonly sweeps: readonly Sweep[];
}

/** @param maxTileChunkQubits - The most chunk qubits that a tile holds. */
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

/** Whether an exchange has pairs beyond the state's own qubits, and so is nothing that its device does. */
export function isBetweenDevices({ pairs }: Exchange, { numQubits }: ChunkShape): boolean {
  return pairs.some(([far]) => far >= numQubits);
}

/** The chunk that comes to each place when chunk qubits are exchanged. */
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
