/**
 * A state in chunks as kernels address it: the index, kernels on its bits, and exchanges with chunk qubits. The lowest
 * bits of an index are inside a chunk, the next tell the chunks of the tile apart, and the others say which chunks the
 * dispatch works on.
 *
 * An index has 31 bits, because masks of it are signed words on the host. Chunk qubits beyond these
 * are constants of a dispatch.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Exchange, Kernel, Sweep } from '../../../compiler/program.ts';
import type { MatrixPool } from '../../matrix-pool.ts';

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

/** Kernels whose targets and controls are index bits, and their matrices. */
export interface IndexKernels {
  readonly kernels: readonly Kernel[];
  readonly pool: MatrixPool;
}

/** A program's matrices, to which reduced diagonals can be appended. */
export class GrowingMatrices {
  readonly #pool: MatrixPool;
  /** Places of the entries that were appended, in complex numbers. */
  readonly #added: number[] = [];

  constructor(pool: MatrixPool) {
    this.#pool = pool;
  }

  /**
   * Appends copies of entries.
   *
   * @param places - Indices of the program's entries, in complex numbers.
   * @returns Index of the first copy, in complex numbers.
   */
  add(places: readonly number[]): number {
    const offset = this.#pool.matrices.length / 2 + this.#added.length;
    this.#added.push(...places);
    return offset;
  }

  /** The matrices, the program's own first. */
  grown(): MatrixPool {
    const { matrices, trace } = this.#pool;
    const added = this.#added;
    if (added.length === 0) return this.#pool;
    const all = new Float64Array(matrices.length + 2 * added.length);
    all.set(matrices);
    for (const [i, place] of added.entries()) {
      all.set(matrices.subarray(2 * place, 2 * place + 2), matrices.length + 2 * i);
    }
    if (trace === undefined) return { matrices: all };
    const ofAdded = added.map((place) => trace.origins[place]!);
    const origins = Int32Array.from([...trace.origins, ...ofAdded]);
    return { matrices: all, trace: { ...trace, origins } };
  }
}

/**
 * Rewrites kernels.
 *
 * @param bitOf - Index bit of each qubit; undefined for a constant.
 * @param isOne - Whether a constant qubit is 1.
 */
export function onIndexBits(
  kernels: readonly Kernel[],
  pool: MatrixPool,
  bitOf: readonly (number | undefined)[],
  isOne: (qubit: Qubit) => boolean,
): IndexKernels {
  const grown = new GrowingMatrices(pool);
  const restricted = restrictedKernels(kernels, grown, bitOf, isOne);
  return { kernels: restricted, pool: grown.grown() };
}

/** Rewrites kernels, appending reduced diagonals to the matrices. */
export function restrictedKernels(
  kernels: readonly Kernel[],
  grown: GrowingMatrices,
  bitOf: readonly (number | undefined)[],
  isOne: (qubit: Qubit) => boolean,
): readonly Kernel[] {
  const isConstant = (qubit: Qubit) => bitOf[qubit] === undefined;
  const bits = (qubits: readonly Qubit[]) => qubits.flatMap((qubit) => bitOf[qubit] ?? []);
  const restricted: Kernel[] = [];
  for (const kernel of kernels) {
    const { targets, controls } = kernel;
    if (controls.some((control) => isConstant(control) && !isOne(control))) continue;
    const common = { targets: bits(targets), controls: bits(controls) };
    if (!targets.some(isConstant)) {
      restricted.push({ ...kernel, ...common });
      continue;
    }
    if (kernel.kind !== 'diagonal') throw new Error(`unreachable: a ${kernel.kind} on a constant`);
    const left = entriesWhere(targets, isConstant, isOne);
    const offset = grown.add(left.map((entry) => kernel.offset + entry));
    restricted.push({ kind: 'diagonal', ...common, offset });
  }
  return restricted;
}

/** Indices of a diagonal's entries that agree with the constant targets, ascending. */
function entriesWhere(
  targets: readonly Qubit[],
  isConstant: (qubit: Qubit) => boolean,
  isOne: (qubit: Qubit) => boolean,
): readonly number[] {
  const agrees = (entry: number) =>
    targets.every((qubit, i) => !isConstant(qubit) || ((entry >> i) & 1) === Number(isOne(qubit)));
  return Array.from({ length: 2 ** targets.length }, (_, entry) => entry).filter(agrees);
}

/** Parts of an exchange, in any order. */
export interface ExchangeParts {
  /** Pairs of chunk qubits. */
  readonly swaps: readonly (readonly [Qubit, Qubit])[];
  readonly sweeps: readonly Sweep[];
}

/**
 * Splits an exchange into steps of the engine: an exchange of chunk qubits only reorders chunks; any other pair is
 * exchanged by the store of a sweep without kernels.
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
