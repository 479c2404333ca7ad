/** Points of a range that belong to one group of a program. */
import type { ProgramGroup } from './batch-program.ts';

/** Points of a group within a range. */
export interface GroupPoints {
  readonly length: number;
  /** As in `ProgramGroup`; `from` and `to` are positions in it, or points where it is undefined. */
  readonly list: Uint32Array | undefined;
  readonly from: number;
  readonly to: number;
  indices(): Iterable<number>;
}

/** The points of a group from `first` to before `end`. */
export function pointsIn({ points: list }: ProgramGroup, first: number, end: number): GroupPoints {
  const [from, to] =
    list === undefined ? [first, end] : [lowerBound(list, first), lowerBound(list, end)];
  return {
    length: to - from,
    list,
    from,
    to,
    *indices() {
      for (let i = from; i < to; i++) yield list === undefined ? i : list[i]!;
    },
  };
}

/** Index of the first entry that is not below a number, in ascending entries. */
function lowerBound(list: Uint32Array, number: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
