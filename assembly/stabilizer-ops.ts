/** Opcodes of stabilizer programs; keep them those of STABILIZER_OPS (src/compiler/program.ts). */
export const X: i32 = 0;
export const Y: i32 = 1;
export const Z: i32 = 2;
export const H: i32 = 3;
export const S: i32 = 4;
export const SDG: i32 = 5;
export const CX: i32 = 6;
export const CZ: i32 = 7;
export const SWAP: i32 = 8;
export const MEASURE: i32 = 9;
export const RESET: i32 = 10;
export const NOISE_1: i32 = 11;
export const NOISE_2: i32 = 12;
export const NOISE: i32 = 13;
export const MISREAD: i32 = 14;
export const UNLESS: i32 = 17;

/** Bytes of an instruction. */
export const INSTRUCTION: usize = 16;

/** Rows of the transposition below, as v128 constants cannot be made of a loop's numbers. */
// @ts-ignore: a decorator of this compiler
@inline
function exchangeBits(high: usize, low: usize, width: i32, mask: u32): void {
  const a = load<u32>(high);
  const b = load<u32>(low);
  const differs = ((a >>> width) ^ b) & mask;
  store<u32>(low, b ^ differs);
  store<u32>(high, a ^ (differs << width));
}

/**
 * Transposes 32 words, `stride` bytes apart, as a matrix of 32 × 32 bits.
 *
 * @see Warren, "Hacker's Delight", section 7-3.
 */
export function transposeBlock(at: usize, stride: usize): void {
  let mask: u32 = 0x0000ffff;
  for (let width = 16; width != 0; width >>>= 1) {
    for (let row = 0; row < 32; row = ((row | width) + 1) & ~width) {
      const high = at + <usize>row * stride;
      exchangeBits(high, high + <usize>width * stride, width, mask);
    }
    mask ^= mask << (width >>> 1);
  }
}

/** As `transposeBlock`, for four blocks whose words lie side by side. */
export function transposeFour(at: usize, stride: usize): void {
  let mask: u32 = 0x0000ffff;
  for (let width = 16; width != 0; width >>>= 1) {
    const masks = i32x4.splat(mask);
    for (let row = 0; row < 32; row = ((row | width) + 1) & ~width) {
      const high = at + <usize>row * stride;
      const low = high + <usize>width * stride;
      const a = v128.load(high);
      const b = v128.load(low);
      const differs = v128.and(v128.xor(i32x4.shr_u(a, width), b), masks);
      v128.store(low, v128.xor(b, differs));
      v128.store(high, v128.xor(a, i32x4.shl(differs, width)));
    }
    mask ^= mask << (width >>> 1);
  }
}
