/**
 * The sweeps that are timed, and what they make of a tile, so that nothing is timed that is wrong.
 * All are real: rotations about Y, and signs.
 */
import type { Qubit } from '../../../circuit/circuit.ts';
import type { Kernel, Program, Sweep } from '../../../compiler/program.ts';
import { placeSweep } from '../sweep/place-sweep.ts';
import type { TileShape } from '../sweep/sweep-kernel.ts';
import type { TileWork } from './tile-work.ts';

/** Sweeps as a program that reads all of the state. */
export interface TimedProgram {
  readonly program: Program;
  /** The step of the program that is its first sweep. */
  readonly firstSweep: number;
  /** In the order of `layers`. */
  readonly sweeps: readonly TileWork[];
}

/** Lowest qubits of every tile: with fewer, memory would be read in pieces of lines. */
export const LOWEST = 4;
/** Of a rotation: neither |0⟩ nor |1⟩ gets far ahead, whatever their number. */
const ANGLE = 0.7;
/** Of the pool: the rotation, then CZ's diagonal. */
const CZ_OFFSET = 4;

const C = Math.cos(ANGLE / 2);
const S = Math.sin(ANGLE / 2);
const MATRICES = Float64Array.of(C, 0, -S, 0, S, 0, C, 0, 1, 0, 1, 0, 1, 0, -1, 0);

/** The lowest qubits and the highest: the farthest apart that a tile's amplitudes can lie. */
function farTile(numQubits: number, tileQubits: number): readonly Qubit[] {
  return Array.from({ length: tileQubits }, (_, i) =>
    i < LOWEST ? i : numQubits - tileQubits + i,
  );
}

/** Layers of rotations with a CZ between neighbours after each; of none, one gate, far away. */
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
 * Sweeps on the far tile of a state of one chunk.
 *
 * @param layers - Of each sweep.
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
    const { words } = placeSweep(sweep, MATRICES, placing, new Set(), 0);
    // The first word of a sweep. What diagonals come to is counted with the stages.
    const stages = words[0]![0]!;
    const rotations = sweep.kernels.filter(({ kind }) => kind === 'dense');
    return { sweeps: 1, stages, instructions: rotations.length };
  });
  const program: Program = {
    hash: `tuning ${numQubits} ${tileQubits} ${tilesPerGroup}`,
    numQubits,
    numBits: 0,
    // A measurement, even of nothing, ends what is known of the state: sweeps read all of it then.
    steps: [{ kind: 'measure', qubits: [], bits: [] }, ...sweeps],
    matrices: MATRICES,
    finalLayout: Array.from({ length: numQubits }, (_, qubit) => qubit),
  };
  return { program, firstSweep: 1, sweeps: work };
}

/**
 * The amplitudes of a tile that began with 1 in its first place, after the sweeps one after another.
 *
 * @returns Real; entry i is that at place i of the tile.
 */
export function tileAfter(layers: readonly number[], tileQubits: number): Float64Array {
  const amplitudes = new Float64Array(2 ** tileQubits);
  amplitudes[0] = 1;
  for (const count of layers) {
    if (count === 0) rotate(amplitudes, tileQubits - 1, ANGLE / 2);
    for (let layer = 0; layer < count; layer++) {
      for (let bit = 0; bit < tileQubits; bit++) rotate(amplitudes, bit, ANGLE / 2);
      for (const i of amplitudes.keys()) {
        // Neighbouring bits that are both 1, each pair a sign.
        if (isOdd(i & (i >> 1))) amplitudes[i] = -amplitudes[i]!;
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

function isOdd(bits: number): boolean {
  let odd = false;
  for (let rest = bits; rest !== 0; rest &= rest - 1) odd = !odd;
  return odd;
}
