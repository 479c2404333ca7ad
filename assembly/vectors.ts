/**
 * Amplitudes in SIMD registers. `real` is f32 or f64: the compiler is run once for each, see
 * scripts/build-wasm.ts.
 *
 * A group is LANES neighbouring amplitudes in 32 bytes, their real parts before their imaginary
 * parts: a complex product then needs no shuffle, and the interleaved order that others use would
 * need one for every product. The lowest LANE_QUBITS qubits lie inside a group.
 */

// @ts-ignore: a decorator of this compiler
@inline
export const LANES: i32 = 16 / sizeof<real>();
// @ts-ignore: a decorator of this compiler
@inline
export const LANE_QUBITS: i32 = LANES >> 1;
/** log2 of the 32 bytes of a group. */
// @ts-ignore: a decorator of this compiler
@inline
export const GROUP_SHIFT: i32 = 5;
// @ts-ignore: a decorator of this compiler
@inline
export const IMAG: usize = 16;

/**
 * Reads an address in a state, or an offset, at `p`. Hosts write these in 32-bit words, because a state may lie beyond
 * 4 GiB; other addresses are in bytes.
 */
// @ts-ignore: a decorator of this compiler
@inline
export function place(p: usize): usize {
  return <usize>load<u32>(p) << 2;
}

/** Real or imaginary parts of the group at `p`; `imag` is a constant of the caller. */
// @ts-ignore: a decorator of this compiler
@inline
export function half(p: usize, imag: bool): v128 {
  return imag ? v128.load(p, IMAG) : v128.load(p);
}

/** Sets one half of the group at `p`; `imag` is a constant of the caller. */
// @ts-ignore: a decorator of this compiler
@inline
export function setHalf(p: usize, v: v128, imag: bool): void {
  if (imag) v128.store(p, v, IMAG);
  else v128.store(p, v);
}

/** a·b + c, fused where the host has relaxed SIMD. */
// @ts-ignore: a decorator of this compiler
@inline
export function mulAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_madd<real>(a, b, c);
  return v128.add<real>(v128.mul<real>(a, b), c);
}

/** c − a·b, fused where the host has relaxed SIMD. */
// @ts-ignore: a decorator of this compiler
@inline
export function subMul(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return v128.relaxed_nmadd<real>(a, b, c);
  return v128.sub<real>(c, v128.mul<real>(a, b));
}

/** c + a·b, or c − a·b; `isMinus` is a constant of the caller. */
// @ts-ignore: a decorator of this compiler
@inline
export function addProduct(a: v128, b: v128, c: v128, isMinus: bool): v128 {
  return isMinus ? subMul(a, b, c) : mulAdd(a, b, c);
}

/** Swaps the lanes of `v` that differ in lane qubit 0. */
// @ts-ignore: a decorator of this compiler
@inline
export function flipLane0(v: v128): v128 {
  if (LANES == 4) return v128.shuffle<f32>(v, v, 1, 0, 3, 2);
  return v128.shuffle<f64>(v, v, 1, 0);
}

/** Swaps the lanes of `v` that differ in lane qubit 1; single precision only. */
// @ts-ignore: a decorator of this compiler
@inline
export function flipLane1(v: v128): v128 {
  return v128.shuffle<f32>(v, v, 2, 3, 0, 1);
}

/** Multiplies the group at `at` by (c + i·s), lane by lane. */
// @ts-ignore: a decorator of this compiler
@inline
export function multiplyGroup(at: usize, c: v128, s: v128): void {
  const re = v128.load(at);
  const im = v128.load(at, IMAG);
  v128.store(at, subMul(im, s, v128.mul<real>(re, c)));
  v128.store(at, mulAdd(im, c, v128.mul<real>(re, s)), IMAG);
}
