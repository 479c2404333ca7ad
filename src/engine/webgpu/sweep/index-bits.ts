/**
 * The index by which a kernel addresses a state in chunks. Its lowest bits are inside a chunk, the
 * next tell the chunks of the tile apart, and the others say which chunks the dispatch works on.
 *
 * An index has 31 bits, because masks of it are signed words on the host. Chunk qubits beyond these
 * are constants of a dispatch.
 */
import type { Qubit } from '../../../circuit/circuit.ts';

/** Partition of a state into chunks. */
export interface ChunkShape {
  readonly numQubits: number;
  /** Qubits inside one chunk. */
  readonly chunkQubits: number;
}

/** Most bits of an index. */
export const MAX_INDEX_BITS = 31;

/** Index bits of one sweep. */
export interface IndexBits {
  /** Chunk qubits inside the tile, ascending; bit i of the number of a bound chunk is the i-th. */
  readonly tileChunks: readonly Qubit[];
  /** Chunk qubits that differ between dispatches. */
  readonly outerChunks: readonly Qubit[];
  /** Outer chunk qubits that are not index bits. */
  readonly constants: readonly Qubit[];
  /** Index bit of each physical qubit; undefined for a constant. */
  readonly bitOf: readonly (number | undefined)[];
  readonly numBits: number;
}

/**
 * Assigns index bits for a sweep.
 *
 * @param tile - Physical qubits of the tile.
 * @param maxBits - Most bits of an index; at least those inside a chunk and of a tile.
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
