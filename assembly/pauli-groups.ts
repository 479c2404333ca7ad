/**
 * Groups of Pauli strings that flip the same qubits, as pauli-plan.ts writes them.
 *
 * A string sends |i⟩ to i^numY · (−1)^|i & signs| · |i ^ flips⟩. The strings of a group differ in
 * their signs alone, and all of them have real factors i^numY, or all have imaginary ones.
 *
 * A state is processed in cells of eight amplitudes, and in blocks of cells that stay in cache. The
 * cells of a block are enumerated by three masks of byte offsets: qubits in which the signs of a
 * group's strings differ, qubits that change the sign of all of them, and qubits that change none.
 */
import { GROUP_SHIFT, LANES } from './vectors';

/** log2 of the bytes of a cell. */
// @ts-ignore: a decorator of this compiler
@inline
export const CELL_SHIFT: usize = <usize>GROUP_SHIFT + (LANES == 4 ? 1 : 2);
/** Bytes of a cell's doubles in a table. */
// @ts-ignore: a decorator of this compiler
@inline
export const TABLE_CELL: usize = 64;

// Fields of a group, u32 each. Masks are of offsets within the state, in 32-bit words.
/** Flipped qubits outside of lanes. */
export const FLIPS: usize = 0;
export const FLIPPED_LANES: usize = 4;
/** One of SIMPLE…: how a pair of amplitudes is multiplied. */
export const PART: usize = 8;
export const VARYING: usize = 12;
export const SIGNED: usize = 16;
export const PLAIN: usize = 20;
/** A flipped qubit outside of the block, if only the blocks are visited where it is 0; or 0. */
export const PAIR_BIT: usize = 24;
export const FOLDS: usize = 28;
export const END_OF_FOLDS: usize = 32;
/** Offset of the list of places; entry [i] is string i: its place in the folded table, and its signs outside of the block. */
export const PLACES: usize = 36;
export const END_OF_PLACES: usize = 40;
/** Number of the first string. */
export const FIRST_STRING: usize = 44;
export const GROUP_BYTES: usize = 48;
export const PLACE_BYTES: usize = 8;

/** Squares: nothing is flipped. */
export const DIAGONAL: u32 = 0;
export const REAL: u32 = 1;
export const IMAGINARY: u32 = 2;

/** Moves each lane to the one that differs from it in `flips`; `flips` is a constant of the caller. */
// @ts-ignore: a decorator of this compiler
@inline
export function flippedLanes(v: v128, flips: i32): v128 {
  if (LANES == 4) {
    if (flips == 1) return v128.shuffle<f32>(v, v, 1, 0, 3, 2);
    if (flips == 2) return v128.shuffle<f32>(v, v, 2, 3, 0, 1);
    if (flips == 3) return v128.shuffle<f32>(v, v, 3, 2, 1, 0);
    return v;
  }
  if (flips == 1) return v128.shuffle<f64>(v, v, 1, 0);
  return v;
}

/** A double as a sign: −1 if an odd number of these bits are set. */
// @ts-ignore: a decorator of this compiler
@inline
export function signed(value: f64, bits: usize): f64 {
  return popcnt(bits) & 1 ? -value : value;
}

/** A vector that changes signs if an odd number of these bits are set. */
// @ts-ignore: a decorator of this compiler
@inline
export function signOf(bits: usize): v128 {
  return i64x2.splat((<i64>popcnt(bits)) << 63);
}
