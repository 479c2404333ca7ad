/** Maps on Pauli strings in the form of the kernels (assembly/paulis.ts), and those of Clifford gates apart. */
import type { PauliMap } from '../../compiler/program.ts';

/** What a Clifford gate makes of each string of its qubits: another one, up to its sign. */
export interface CliffordMap {
  readonly images: Int32Array;
  /** 1 where the sign changes. */
  readonly turned: Uint8Array;
}

/** A map whose strings are divided into groups, so that images of the strings of a group are in the same group. */
export interface StringMap {
  readonly numQubits: number;
  /** Present if the map is that of a Clifford gate. */
  readonly clifford?: CliffordMap;
  /** Whether the map changes any string. */
  readonly changes: boolean;
  /**
   * Bits of strings whose sum is odd exactly for the strings that the map changes; 0 if there are none. Otherwise all
   * strings but the identity may be changed.
   */
  readonly selected: number;
  readonly numImages: number;
  readonly numGroups: number;
  /** Strings of the largest group. */
  readonly largest: number;
  /**
   * Factors of images, in doubles; then in words where the images of each string start, the images as places in their
   * group, the group of each string, where the members of each group start, and the members; then for each string a
   * byte that says whether the map changes it.
   */
  readonly bytes: Uint8Array;
}

/** A factor that differs from ±1 by less is ±1 up to rounding. */
const ROUNDING = 1e-14;

const known = new WeakMap<PauliMap['strings'], StringMap>();

/** The form of a map; equal objects share it. */
export function stringMapOf(strings: PauliMap['strings']): StringMap {
  const found = known.get(strings);
  if (found !== undefined) return found;
  const made = makeMap(strings);
  known.set(strings, made);
  return made;
}

function makeMap({ starts, images, factors }: PauliMap['strings']): StringMap {
  const numStrings = starts.length - 1;
  const imagesOf = (p: number) => images.subarray(starts[p]!, starts[p + 1]!);
  const isMoved = Uint8Array.from({ length: numStrings }, (_, p) => {
    const own = imagesOf(p);
    return Number(own.length !== 1 || own[0] !== p || factors[starts[p]!] !== 1);
  });
  const { groupOf, groups } = groupsOf(numStrings, imagesOf);
  const members = Int32Array.from(groups.flat());
  const groupStarts = new Int32Array(groups.length + 1);
  for (const [i, group] of groups.entries()) groupStarts[i + 1] = groupStarts[i]! + group.length;
  const placeOf = new Int32Array(numStrings);
  for (const group of groups) for (const [place, p] of group.entries()) placeOf[p] = place;
  const words = [starts, images.map((q) => placeOf[q]!), groupOf, groupStarts, members];
  const parts = [factors, ...words, isMoved];
  const bytes = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of parts) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  const clifford = cliffordOf({ starts, images, factors });
  return {
    numQubits: Math.log2(numStrings) / 2,
    ...(clifford !== undefined && { clifford }),
    changes: isMoved.includes(1),
    selected: selectedBits(isMoved),
    numImages: images.length,
    numGroups: groups.length,
    largest: groups.reduce((most, { length }) => Math.max(most, length), 0),
    bytes,
  };
}

/** Divides strings into the least groups that hold their images. */
function groupsOf(numStrings: number, imagesOf: (p: number) => Int32Array) {
  const groupOf = Int32Array.from({ length: numStrings }, (_, p) => p);
  for (let p = 0; p < numStrings; p++) {
    for (const q of imagesOf(p)) {
      const [kept, joined] = [groupOf[p]!, groupOf[q]!];
      if (kept === joined) continue;
      for (let i = 0; i < numStrings; i++) if (groupOf[i] === joined) groupOf[i] = kept;
    }
  }
  const groups = [...Map.groupBy(groupOf.keys(), (p) => groupOf[p]!).values()];
  for (const [number, group] of groups.entries()) for (const p of group) groupOf[p] = number;
  return { groupOf, groups };
}

function cliffordOf({ starts, images, factors }: PauliMap['strings']): CliffordMap | undefined {
  const numStrings = starts.length - 1;
  if (images.length !== numStrings || starts.some((start, p) => start !== p)) return undefined;
  if (factors.some((factor) => Math.abs(Math.abs(factor) - 1) > ROUNDING)) return undefined;
  // A channel may send several strings to one.
  if (new Set(images).size < numStrings) return undefined;
  return { images, turned: Uint8Array.from(factors, (factor) => Number(factor < 0)) };
}

function selectedBits(isMoved: Uint8Array): number {
  let selected = 0;
  for (let bit = 1; bit < isMoved.length; bit <<= 1) if (isMoved[bit] === 1) selected |= bit;
  const isOdd = (p: number): number => (p === 0 ? 0 : (p & 1) ^ isOdd(p >>> 1));
  return isMoved.every((moved, p) => moved === isOdd(p & selected)) ? selected : 0;
}
