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
 * `lowerSweep` make them of the circuits of bench/webgpu-circuits.ts. A sweep counts by the share of the state that
 * it works on: the first ones find most of it unwritten.
 */
export const COUNTED_WORK = {
  ghz: columns([1.3, 1.5, 1.3, 1, 1.3, 1], [4.1, 2, 1.8, 2.1, 1.8, 3], [3, 4, 4, 5, 4, 8]),
  qft: columns([1.3, 1.5, 1.3, 1, 1.3, 1], [1.5, 2, 1.5, 2.1, 1.5, 2], [4, 5, 5, 7, 6, 10]),
  qaoa: columns(
    [7.1, 6.1, 4.5, 5, 3, 3],
    [25.7, 26.9, 19.6, 27.3, 27.2, 36.1],
    [83, 96, 76, 105, 88, 98],
  ),
  adder: columns(
    [7.3, 6.5, 5.3, 4, 4.3, 3],
    [26.1, 21.1, 16.3, 17.2, 14.5, 18],
    [45, 47, 46, 45, 46, 51],
  ),
  rqc: columns(
    [9.1, 6.3, 5.1, 5, 3, 4],
    [38.3, 36.5, 27.4, 35.3, 26, 30.1],
    [129, 123, 109, 124, 90, 107],
  ),
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
