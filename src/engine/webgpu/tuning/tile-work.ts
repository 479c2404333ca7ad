/**
 * Work of the common circuits on tiles of each size. A larger tile may take longer for a sweep and
 * still win, because circuits need fewer sweeps; which effect dominates depends on the device.
 */

/** Work of one circuit. */
export interface TileWork {
  readonly sweeps: number;
  /** Stages of all sweeps. */
  readonly stages: number;
  /** Instructions of all stages. */
  readonly instructions: number;
}

/** Tile qubits of the first column. */
export const MIN_COUNTED_TILE = 8;

/**
 * Sweeps, stages and instructions at 30 qubits, for tiles of 8, 9, … 13 qubits, as the compiler and
 * `lowerSweep` make them of the circuits of bench/webgpu-circuits.ts.
 */
export const COUNTED_WORK = {
  ghz: columns([7, 6, 5, 4, 4, 3], [26, 13, 11, 10, 9, 8], [31, 7, 7, 7, 11, 11]),
  qft: columns([7, 6, 5, 4, 4, 3], [14, 14, 11, 11, 10, 11], [39, 37, 37, 36, 36, 35]),
  qaoa: columns([14, 11, 9, 8, 6, 5], [42, 44, 44, 41, 35, 39], [225, 216, 223, 210, 205, 218]),
  adder: columns([13, 11, 9, 7, 7, 5], [52, 46, 31, 33, 27, 27], [107, 107, 77, 76, 84, 73]),
  rqc: columns([15, 12, 9, 8, 6, 6], [72, 84, 72, 75, 68, 70], [679, 682, 655, 643, 635, 627]),
} as const satisfies Record<string, readonly TileWork[]>;

/** Work of each common circuit on tiles of this size. */
export function workOfTile(tileQubits: number): readonly TileWork[] {
  return Object.values(COUNTED_WORK).map((columns) => {
    const work = columns[tileQubits - MIN_COUNTED_TILE];
    if (work === undefined) throw new Error(`unreachable: no tile has ${tileQubits} qubits`);
    return work;
  });
}

function columns(
  sweeps: readonly number[],
  stages: readonly number[],
  instructions: readonly number[],
): readonly TileWork[] {
  return sweeps.map((count, i) => ({
    sweeps: count,
    stages: stages[i]!,
    instructions: instructions[i]!,
  }));
}
