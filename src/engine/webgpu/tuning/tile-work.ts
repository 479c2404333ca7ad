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
  ghz: columns([7, 6, 5, 4, 4, 3], [25, 14, 15, 13, 13, 12], [29, 29, 29, 29, 29, 29]),
  qft: columns([7, 6, 5, 4, 4, 3], [14, 12, 10, 9, 9, 9], [43, 45, 47, 49, 48, 46]),
  qaoa: columns([14, 11, 9, 8, 6, 5], [53, 47, 45, 49, 45, 48], [251, 230, 240, 230, 233, 252]),
  adder: columns([13, 11, 9, 7, 7, 5], [49, 41, 33, 34, 30, 32], [82, 85, 82, 82, 82, 82]),
  rqc: columns([15, 12, 9, 8, 6, 6], [79, 72, 66, 61, 66, 67], [201, 213, 197, 178, 185, 172]),
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
