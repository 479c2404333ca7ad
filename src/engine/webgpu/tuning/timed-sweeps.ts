/**
 * The sweeps that tuning measures, and their expected effect on a tile, by which results are
 * checked. All amplitudes are real: the gates are rotations about Y and sign flips.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Kernel, Program, Sweep } from '../../../compiler/program.ts';
import { hasOddParity } from '../../../math/basis-index.ts';
import type { GpuContext } from '../gpu-context.ts';
import { placeSweep } from '../sweep/place-sweep.ts';
import type { TileShape } from '../sweep/sweep-kernel.ts';
import type { TileWork } from './choose-tile.ts';

/** The measured sweeps as a program that reads the whole state. */
export interface TimedProgram {
  readonly program: Program;
  /** Index of the first sweep among the program's steps. */
  readonly firstSweep: number;
  /** In the order of `layers`. */
  readonly sweeps: readonly TileWork[];
}

/**
 * Number of lowest qubits in every tile: with fewer, memory would be read in parts of cache lines.
 */
export const LOWEST = 4;
/** Rotation angle: neither |0⟩ nor |1⟩ dominates after any number of rotations. */
const ANGLE = 0.7;
/** Index of CZ's diagonal among the matrices, behind the rotation. */
const CZ_OFFSET = 4;

const C = Math.cos(ANGLE / 2);
const S = Math.sin(ANGLE / 2);
const MATRICES = Float64Array.of(C, 0, -S, 0, S, 0, C, 0, 1, 0, 1, 0, 1, 0, -1, 0);

/** The lowest and the highest qubits: the tile whose amplitudes are farthest apart in memory. */
function farTile(numQubits: number, tileQubits: number): readonly Qubit[] {
  return Array.from({ length: tileQubits }, (_, i) =>
    i < LOWEST ? i : numQubits - tileQubits + i,
  );
}

/**
 * Kernels of a sweep: layers of rotations, each followed by a CZ between neighbours; one rotation
 * for 0 layers.
 */
function kernelsOf(layers: number, tile: readonly Qubit[]): Kernel[] {
  const controls: readonly Qubit[] = [];
  const rotation = (qubit: Qubit): Kernel => ({
    kind: 'dense',
    targets: [qubit],
    controls,
    offset: 0,
  });
  if (layers === 0) return [rotation(tile.at(-1)!)];
  const signs = tile.slice(1).map(
    (qubit, i): Kernel => ({
      kind: 'diagonal',
      targets: [tile[i]!, qubit],
      controls,
      offset: CZ_OFFSET,
    }),
  );
  return Array.from({ length: layers }, () => [...tile.map(rotation), ...signs]).flat();
}

/**
 * Builds sweeps on the far tile of a state of one chunk.
 *
 * @param layers - Layers of each sweep.
 */
export function timedProgram(
  layers: readonly number[],
  numQubits: number,
  { tileQubits, tilesPerGroup }: TileShape,
): TimedProgram {
  const tile = farTile(numQubits, tileQubits);
  const sweeps = layers.map((count): Sweep => {
    return { kind: 'sweep', resident: tile, kernels: kernelsOf(count, tile) };
  });
  const shape = { numQubits, chunkQubits: numQubits };
  const placing = { shape, tileQubits, tilesPerGroup, indexBits: numQubits, maxTiles: 1 };
  const work = sweeps.map((sweep): TileWork => {
    const { words } = placeSweep(sweep, { matrices: MATRICES }, placing, new Set(), 0);
    // The first word of a sweep is its number of stages. Diagonals are counted with the stages.
    const stages = words[0]![0]!;
    const rotations = sweep.kernels.filter(({ kind }) => kind === 'dense');
    return { sweeps: 1, stages, instructions: rotations.length };
  });
  const program: Program = {
    hash: `tuning ${numQubits} ${tileQubits} ${tilesPerGroup}`,
    numQubits,
    numBits: 0,
    // A measurement, even of no qubit, makes the sweeps after it read the whole state.
    steps: [{ kind: 'measure', qubits: [], bits: [] }, ...sweeps],
    matrices: MATRICES,
    finalLayout: Array.from({ length: numQubits }, (_, qubit) => qubit),
  };
  return { program, firstSweep: 1, sweeps: work };
}

/**
 * Expected amplitudes of a tile that began with 1 at its first index, after all sweeps.
 *
 * @returns Real; indexed by tile index.
 */
export function tileAfter(layers: readonly number[], tileQubits: number): Float64Array {
  const amplitudes = new Float64Array(2 ** tileQubits);
  amplitudes[0] = 1;
  for (const count of layers) {
    if (count === 0) rotate(amplitudes, tileQubits - 1, ANGLE / 2);
    for (let layer = 0; layer < count; layer++) {
      for (let bit = 0; bit < tileQubits; bit++) rotate(amplitudes, bit, ANGLE / 2);
      for (const i of amplitudes.keys()) {
        // A sign for each pair of neighbouring bits that are both 1.
        if (hasOddParity(i & (i >> 1))) amplitudes[i] = -amplitudes[i]!;
      }
    }
  }
  return amplitudes;
}

function rotate(amplitudes: Float64Array, bit: number, angle: number): void {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  for (let i = 0; i < amplitudes.length; i++) {
    const j = i | (1 << bit);
    if (i === j) continue;
    const [a, b] = [amplitudes[i]!, amplitudes[j]!];
    amplitudes[i] = c * a - s * b;
    amplitudes[j] = s * a + c * b;
  }
}

/**
 * Work is repeated for this long, to reduce the effect of clock resolution and submission overhead.
 */
const TIMED_MS = 2;
const MAX_REPEATS = 64;
const MEASUREMENTS = 3;

/**
 * Milliseconds of one repetition of some work: the least of several measurements, since a wait that
 * was answered late only ever adds to them.
 */
export async function timedMs(context: GpuContext, enqueue: () => void): Promise<number> {
  let least = await repeatedMs(context, enqueue, 1);
  for (let i = 0; i < MEASUREMENTS; i++) {
    const repeats = Math.min(MAX_REPEATS, Math.ceil(TIMED_MS / Math.max(least, 1e-3)));
    least = Math.min(least, (await repeatedMs(context, enqueue, repeats)) / repeats);
  }
  return least;
}

async function repeatedMs(
  context: GpuContext,
  enqueue: () => void,
  repeats: number,
): Promise<number> {
  for (let i = 0; i < repeats; i++) enqueue();
  const started = performance.now();
  await context.settle();
  return performance.now() - started;
}

/**
 * Bytes read plus written per second when one buffer is copied to another.
 *
 * @param size - Bytes of each buffer.
 * @throws {StateMemoryError} if the device has no memory for both.
 */
export async function copyRate(context: GpuContext, size: number): Promise<number> {
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const from = await context.allocate('copied from', size, COPY_SRC | COPY_DST);
  try {
    const to = await context.allocate('copied to', size, COPY_SRC | COPY_DST);
    try {
      const copy = () =>
        context.enqueue((encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, size));
      // Writing first makes sure that the memory is really allocated.
      await context.submit((encoder) => encoder.clearBuffer(from));
      await context.submit((encoder) => encoder.clearBuffer(to));
      return (1000 * 2 * size) / (await timedMs(context, copy));
    } finally {
      to.destroy();
    }
  } finally {
    from.destroy();
  }
}
