/**
 * How a kernel sees a state in chunks: by an index whose lowest bits lie inside a chunk, whose next
 * tell the chunks of the tile apart, and whose others say which chunks the dispatch is about.
 *
 * An index has 31 bits, masks of it being signed words on the host. Chunk qubits beyond these are
 * constants of a dispatch.
 */
import type { Qubit } from '../../../circuit/circuit.ts';

/** How a state is cut. */
export interface ChunkShape {
  readonly numQubits: number;
  /** Qubits inside one chunk. */
  readonly chunkQubits: number;
}

/** Bits of an index. */
export const MAX_INDEX_BITS = 31;

/** The bits of the indices of one sweep. */
export interface IndexBits {
  /** Chunk qubits inside the tile, ascending; bit i of the number of a bound chunk is the i-th. */
  readonly tileChunks: readonly Qubit[];
  /** Chunk qubits in which dispatches differ. */
  readonly outerChunks: readonly Qubit[];
  /** Those of them that no index holds. */
  readonly constants: readonly Qubit[];
  /** Bit of the index for each physical qubit; undefined for a constant. */
  readonly bitOf: readonly (number | undefined)[];
  readonly numBits: number;
}

/**
 * The bits for a sweep.
 *
 * @param tile - Physical qubits of the tile.
 * @param maxBits - Of an index: inside a chunk and a tile at least.
 */
export function indexBits(
  tile: readonly Qubit[],
  { numQubits, chunkQubits }: ChunkShape,
  maxBits: number,
): IndexBits {
  const chunks = Array.from({ length: numQubits - chunkQubits }, (_, i) => chunkQubits + i);
  const tileChunks = chunks.filter((qubit) => tile.includes(qubit));
  const outerChunks = chunks.filter((qubit) => !tile.includes(qubit));
  const numBits = Math.min(numQubits, maxBits);
  const indexed = outerChunks.slice(0, numBits - chunkQubits - tileChunks.length);
  const bitOf: (number | undefined)[] = Array.from({ length: numQubits }, (_, qubit) =>
    qubit < chunkQubits ? qubit : undefined,
  );
  for (const [i, qubit] of [...tileChunks, ...indexed].entries()) bitOf[qubit] = chunkQubits + i;
  return { tileChunks, outerChunks, constants: outerChunks.slice(indexed.length), bitOf, numBits };
}
