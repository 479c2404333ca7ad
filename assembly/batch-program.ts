/**
 * Runs the program of a batch on one bundle: LANES circuits of one shape. A group holds one
 * amplitude of each, so a qubit is a bit of the group's number, no gate needs a shuffle, and a
 * coefficient is a vector with a value for each circuit.
 *
 * The program is a list of instructions in 32-bit words, written by batch-program.ts in
 * src/engine/cpu/, where the same numbers and fields stand.
 */
import { addAngle, COEFFICIENT_BYTES, setAngle } from './batch-angles';
import { applyDense } from './dense';
import { multiply, rotateSubcubes } from './tile-kernels';
import { IMAG, mulAdd, subMul } from './vectors';

const SET_ANGLE = 1;
const ADD_ANGLE = 2;
const TURN_X = 3;
const MIX = 4;
const MULTIPLY = 5;
const CYCLE = 6;
const DENSE = 7;
const DENSE_LANES = 8;

// @ts-ignore: a decorator of this compiler
@inline
function word(at: usize, index: usize): u32 {
  return load<u32>(at + (index << 2));
}

/**
 * Address of coefficients: in the program, or, if the word is smaller than any address, in the
 * bundle.
 */
// @ts-ignore: a decorator of this compiler
@inline
function coefficientsAt(at: u32, own: usize): usize {
  return <usize>at < COEFFICIENT_BYTES ? own + at : at;
}

/** Applies [[c, −i·s], [−i·s, c]] to pairs of groups at distance d; c and s are at `at`. */
function turnX(first: usize, free: usize, d: usize, at: usize): void {
  const c = v128.load(at);
  const s = v128.load(at, 16);
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d;
    const r0 = v128.load(p0);
    const r1 = v128.load(p1);
    const i0 = v128.load(p0, IMAG);
    const i1 = v128.load(p1, IMAG);
    v128.store(p0, mulAdd(s, i1, v128.mul<real>(c, r0)));
    v128.store(p0, subMul(s, r1, v128.mul<real>(c, i0)), IMAG);
    v128.store(p1, mulAdd(s, i0, v128.mul<real>(c, r1)));
    v128.store(p1, subMul(s, r0, v128.mul<real>(c, i1)), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

/** Applies a real 2×2 matrix, row-major at `at`, one vector for each entry. */
function mix(first: usize, free: usize, d: usize, at: usize): void {
  const m00 = v128.load(at);
  const m01 = v128.load(at, 16);
  const m10 = v128.load(at, 32);
  const m11 = v128.load(at, 48);
  let i: usize = 0;
  do {
    const p0 = first + i;
    const p1 = p0 + d;
    const r0 = v128.load(p0);
    const r1 = v128.load(p1);
    const i0 = v128.load(p0, IMAG);
    const i1 = v128.load(p1, IMAG);
    v128.store(p0, mulAdd(m00, r0, v128.mul<real>(m01, r1)));
    v128.store(p1, mulAdd(m10, r0, v128.mul<real>(m11, r1)));
    v128.store(p0, mulAdd(m00, i0, v128.mul<real>(m01, i1)), IMAG);
    v128.store(p1, mulAdd(m10, i0, v128.mul<real>(m11, i1)), IMAG);
    i = (i - free) & free;
  } while (i != 0);
}

/**
 * Applies a dense matrix that differs between circuits.
 *
 * @param offsets - Byte offset of each row, u32.
 * @param matrix - Row-major; an entry is LANES real and LANES imaginary parts.
 * @param scratch - 32 bytes a row.
 */
function applyDenseLanes(
  first: usize,
  free: usize,
  numRows: i32,
  offsets: usize,
  matrix: usize,
  scratch: usize,
): void {
  const end = scratch + ((<usize>numRows) << 5);
  let i: usize = 0;
  do {
    const p = first + i;
    for (let column = 0; column < numRows; column++) {
      const from = p + load<u32>(offsets + ((<usize>column) << 2));
      const to = scratch + ((<usize>column) << 5);
      v128.store(to, v128.load(from));
      v128.store(to, v128.load(from, IMAG), IMAG);
    }
    let m = matrix;
    for (let row = 0; row < numRows; row++) {
      let re = v128.splat<real>(0);
      let im = v128.splat<real>(0);
      for (let x = scratch; x < end; x += 32) {
        const xr = v128.load(x);
        const xi = v128.load(x, IMAG);
        const c = v128.load(m);
        const s = v128.load(m, IMAG);
        re = subMul(s, xi, mulAdd(c, xr, re));
        im = mulAdd(s, xr, mulAdd(c, xi, im));
        m += 32;
      }
      const to = p + load<u32>(offsets + ((<usize>row) << 2));
      v128.store(to, re);
      v128.store(to, im, IMAG);
    }
    i = (i - free) & free;
  } while (i != 0);
}

/**
 * @param state - 32 bytes for each basis state.
 * @param angles - Of the bundle's first circuit; `stride` bytes on are those of the next.
 * @param matrices - The bundle's own, which instructions refer to by offset.
 * @param own - COEFFICIENT_BYTES.
 * @param scratch - 32 bytes for each row of the widest dense block.
 */
export function runBatchProgram(
  begin: usize,
  end: usize,
  state: usize,
  angles: usize,
  stride: usize,
  matrices: usize,
  own: usize,
  scratch: usize,
): void {
  let at = begin;
  while (at < end) {
    const op = at;
    at += (<usize>word(op, 1)) << 2;
    const first = state + word(op, 2);
    const free: usize = word(op, 3);
    switch (word(op, 0)) {
      case SET_ANGLE:
        setAngle(angles + word(op, 2), stride, load<f64>(op, 16), own);
        break;
      case ADD_ANGLE:
        addAngle(angles + word(op, 2), stride, load<f64>(op, 16), own);
        break;
      case TURN_X:
        turnX(first, free, word(op, 4), coefficientsAt(word(op, 5), own));
        break;
      case MIX:
        mix(first, free, word(op, 4), coefficientsAt(word(op, 5), own));
        break;
      case MULTIPLY:
        multiply(first, free, coefficientsAt(word(op, 5), own));
        break;
      case CYCLE:
        rotateSubcubes(first, free, word(op, 4), op + 24);
        break;
      case DENSE:
        applyDense(first, free, word(op, 4), word(op, 5), word(op, 6), word(op, 7), scratch);
        break;
      case DENSE_LANES:
        applyDenseLanes(first, free, word(op, 4), word(op, 5), matrices + word(op, 6), scratch);
        break;
      default:
        unreachable();
    }
  }
}
