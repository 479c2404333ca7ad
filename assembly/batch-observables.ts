/**
 * Expectation values and variances of observables in the final states of a bundle.
 *
 * The groups of Pauli strings are those of pauli-groups.ts, where a state of 2^n groups of registers
 * takes the place of cells: the lanes of a register are circuits. An element of a table is a double
 * for each circuit.
 */
import { highDoubles, lowDoubles, mulAddDoubles, subMulDoubles } from './doubles';
import { fold, unfold } from './folds';
import {
  DIAGONAL,
  END_OF_FOLDS,
  END_OF_PLACES,
  FIRST_STRING,
  FLIPS,
  FOLDS,
  GROUP_BYTES,
  IMAGINARY,
  PART,
  PLACE_BYTES,
  PLACES,
  PLAIN,
  REAL,
  SIGNED,
  signOf,
  VARYING,
} from './pauli-groups';
import { GROUP_SHIFT, IMAG, LANES, mulAdd, place, subMul } from './vectors';

/** Number of circuits of a bundle. */
// @ts-ignore: a decorator of this compiler
@inline
const CIRCUITS: usize = <usize>LANES;
/** Bytes of one double for each circuit. */
// @ts-ignore: a decorator of this compiler
@inline
const DOUBLES: usize = 8 * CIRCUITS;

// A use of a string: the number of the observable, u32, and the factor in it, a double.
const USE_FACTOR: usize = 8;
const USE_BYTES: usize = 16;

// Fields of an observable whose variance is asked for, u32 each.
const GROUPS: usize = 0;
const END_OF_GROUPS: usize = 4;
/** A double for each string: its coefficient times i^numY, the real or the imaginary part. */
const COEFFICIENTS: usize = 8;
const OBSERVABLE_BYTES: usize = 12;

/**
 * Writes expectation values.
 *
 * @param firstUses - For each string the address of its first use, and a last one where they end.
 * @param out - `numObservables` doubles for each circuit.
 * @param table - DOUBLES for each basis state.
 */
export function storeExpectations(
  state: usize,
  groups: usize,
  endOfGroups: usize,
  firstUses: usize,
  out: usize,
  numObservables: usize,
  table: usize,
): void {
  memory.fill(out, 0, DOUBLES * numObservables);
  for (let group = groups; group < endOfGroups; group += GROUP_BYTES) {
    const part = load<u32>(group, PART);
    if (part == DIAGONAL) sumProducts(state, group, table, DIAGONAL);
    else if (part == REAL) sumProducts(state, group, table, REAL);
    else sumProducts(state, group, table, IMAGINARY);
    fold(load<u32>(group, FOLDS), load<u32>(group, END_OF_FOLDS), table);
    let uses = firstUses + (<usize>load<u32>(group, FIRST_STRING) << 2);
    const end: usize = load<u32>(group, END_OF_PLACES);
    for (let string: usize = load<u32>(group, PLACES); string < end; string += PLACE_BYTES) {
      const sum = table + <usize>load<u32>(string);
      const endOfUses: usize = load<u32>(uses, 4);
      for (let use: usize = load<u32>(uses); use < endOfUses; use += USE_BYTES) {
        const factor = load<f64>(use, USE_FACTOR);
        let to = out + (<usize>load<u32>(use) << 3);
        for (let circuit: usize = 0; circuit < CIRCUITS; circuit++) {
          store<f64>(to, load<f64>(to) + factor * load<f64>(sum + (circuit << 3)));
          to += numObservables << 3;
        }
      }
      uses += 4;
    }
  }
}

/** |b|², or the real or imaginary part of conj(a)·b. */
// @ts-ignore: a decorator of this compiler
@inline
function product(ar: v128, ai: v128, br: v128, bi: v128, part: u32): v128 {
  if (part == DIAGONAL) return mulAddDoubles(bi, bi, f64x2.mul(br, br));
  return part == IMAGINARY
    ? subMulDoubles(ai, br, f64x2.mul(ar, bi))
    : mulAddDoubles(ai, bi, f64x2.mul(ar, br));
}

/** Adds the product of one pair to the sums of two circuits: the first two, or in f32 the last two. */
// @ts-ignore: a decorator of this compiler
@inline
function addPair(sum: v128, at: usize, partner: usize, part: u32, isHigh: bool): v128 {
  const br = v128.load(at);
  const bi = v128.load(at, IMAG);
  const ar = part == DIAGONAL ? br : v128.load(partner);
  const ai = part == DIAGONAL ? bi : v128.load(partner, IMAG);
  return f64x2.add(
    sum,
    isHigh
      ? product(highDoubles(ar), highDoubles(ai), highDoubles(br), highDoubles(bi), part)
      : product(lowDoubles(ar), lowDoubles(ai), lowDoubles(br), lowDoubles(bi), part),
  );
}

/**
 * Fills the table of a group with sums over the qubits in which its strings agree. Of these, the
 * lowest two are unrolled, so that four sums are under way at a time.
 */
// @ts-ignore: a decorator of this compiler
@inline
function sumProducts(state: usize, group: usize, table: usize, part: u32): void {
  const flips = place(group + FLIPS);
  const varying = place(group + VARYING);
  const allSigns = place(group + SIGNED);
  const uniform = allSigns | place(group + PLAIN);
  const bitA = uniform & (0 - uniform);
  const rest = uniform ^ bitA;
  const bitB = rest & (0 - rest);
  if (bitB == 0) {
    sumFew(state, flips, varying, uniform, allSigns, table, part);
    return;
  }
  const signA = signOf(allSigns & bitA);
  const signB = signOf(allSigns & bitB);
  const signs = allSigns & ~(bitA | bitB);
  const plain = (rest ^ bitB) & ~signs;
  let v: usize = 0;
  do {
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    let s: usize = 0;
    do {
      let low0 = f64x2.splat(0);
      let low1 = f64x2.splat(0);
      let low2 = f64x2.splat(0);
      let low3 = f64x2.splat(0);
      let high0 = f64x2.splat(0);
      let high1 = f64x2.splat(0);
      let high2 = f64x2.splat(0);
      let high3 = f64x2.splat(0);
      let u: usize = 0;
      do {
        const p0 = state + (v | s | u);
        const q0 = state + ((v | s | u) ^ flips);
        const p2 = p0 + bitB;
        const q2 = state + ((v | s | u | bitB) ^ flips);
        const p1 = p0 + bitA;
        const q1 = state + ((v | s | u | bitA) ^ flips);
        const p3 = p2 + bitA;
        const q3 = state + ((v | s | u | bitA | bitB) ^ flips);
        low0 = addPair(low0, p0, q0, part, false);
        low1 = addPair(low1, p1, q1, part, false);
        low2 = addPair(low2, p2, q2, part, false);
        low3 = addPair(low3, p3, q3, part, false);
        if (LANES == 4) {
          high0 = addPair(high0, p0, q0, part, true);
          high1 = addPair(high1, p1, q1, part, true);
          high2 = addPair(high2, p2, q2, part, true);
          high3 = addPair(high3, p3, q3, part, true);
        }
        u = (u - plain) & plain;
      } while (u != 0);
      const sign = signOf(s);
      low = f64x2.add(low, v128.xor(signedSum(low0, low1, low2, low3, signA, signB), sign));
      if (LANES == 4) {
        high = f64x2.add(high, v128.xor(signedSum(high0, high1, high2, high3, signA, signB), sign));
      }
      s = (s - signs) & signs;
    } while (s != 0);
    v128.store(table, low);
    if (LANES == 4) v128.store(table, high, 16);
    table += DOUBLES;
    v = (v - varying) & varying;
  } while (v != 0);
}

/** (a0 ± a1) ± (a2 ± a3), by the signs of two qubits. */
// @ts-ignore: a decorator of this compiler
@inline
function signedSum(a0: v128, a1: v128, a2: v128, a3: v128, signA: v128, signB: v128): v128 {
  const even = f64x2.add(a0, v128.xor(a1, signA));
  const odd = f64x2.add(a2, v128.xor(a3, signA));
  return f64x2.add(even, v128.xor(odd, signB));
}

/** The same where the strings agree in at most one qubit, whose bit is `uniform`. */
// @ts-ignore: a decorator of this compiler
@inline
function sumFew(
  state: usize,
  flips: usize,
  varying: usize,
  uniform: usize,
  signs: usize,
  table: usize,
  part: u32,
): void {
  const sign = signOf(signs & uniform);
  const zero = f64x2.splat(0);
  let v: usize = 0;
  do {
    const p = state + v;
    const q = state + (v ^ flips);
    let low = addPair(zero, p, q, part, false);
    let high = LANES == 4 ? addPair(zero, p, q, part, true) : zero;
    if (uniform != 0) {
      const p1 = p + uniform;
      const q1 = state + ((v | uniform) ^ flips);
      low = f64x2.add(low, v128.xor(addPair(zero, p1, q1, part, false), sign));
      if (LANES == 4) high = f64x2.add(high, v128.xor(addPair(zero, p1, q1, part, true), sign));
    }
    v128.store(table, low);
    if (LANES == 4) v128.store(table, high, 16);
    table += DOUBLES;
    v = (v - varying) & varying;
  } while (v != 0);
}

/**
 * Writes variances ‖(O − ⟨O⟩)ψ‖².
 *
 * @param observables - Their fields, one after the other.
 * @param expectations - Their values, `numObservables` doubles for each circuit.
 * @param out - As many.
 * @param image - Room for a state.
 * @param table - 16 bytes for each basis state.
 */
export function storeVariances(
  state: usize,
  bytes: usize,
  observables: usize,
  numObservables: usize,
  expectations: usize,
  out: usize,
  image: usize,
  table: usize,
): void {
  for (let k: usize = 0; k < numObservables; k++) {
    const fields = observables + k * OBSERVABLE_BYTES;
    // The norm is divided by, because rounding leaves one that is not quite 1.
    const norms = table;
    addSquares(state, bytes, norms);
    for (let circuit: usize = 0; circuit < CIRCUITS; circuit++) {
      const at = (circuit * numObservables + k) << 3;
      const norm = load<f64>(norms + (circuit << 3));
      store<f64>(out + at, norm);
      store<real>(table + DOUBLES + (circuit << alignof<real>()), <real>(-load<f64>(expectations + at) / norm));
    }
    scaleInto(image, state, bytes, v128.load(table + DOUBLES));
    applyGroups(fields, state, image, table);
    addSquares(image, bytes, table);
    for (let circuit: usize = 0; circuit < CIRCUITS; circuit++) {
      const to = out + ((circuit * numObservables + k) << 3);
      store<f64>(to, load<f64>(table + (circuit << 3)) / load<f64>(to));
    }
  }
}

/** Writes the sum of |a|² of each circuit. */
function addSquares(state: usize, bytes: usize, to: usize): void {
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  for (const end = state + bytes; state < end; state += 1 << GROUP_SHIFT) {
    const re = v128.load(state);
    const im = v128.load(state, IMAG);
    low = f64x2.add(low, product(low, low, lowDoubles(re), lowDoubles(im), DIAGONAL));
    if (LANES == 4) {
      high = f64x2.add(high, product(low, low, highDoubles(re), highDoubles(im), DIAGONAL));
    }
  }
  v128.store(to, low);
  if (LANES == 4) v128.store(to, high, 16);
}

/** Writes a state times a real factor for each circuit. */
function scaleInto(image: usize, state: usize, bytes: usize, factors: v128): void {
  for (let i: usize = 0; i < bytes; i += 16) {
    v128.store(image + i, v128.mul<real>(factors, v128.load(state + i)));
  }
}

/** Adds O·ψ to an image. */
function applyGroups(fields: usize, state: usize, image: usize, table: usize): void {
  const end: usize = load<u32>(fields, END_OF_GROUPS);
  let coefficient: usize = load<u32>(fields, COEFFICIENTS);
  for (let group: usize = load<u32>(fields, GROUPS); group < end; group += GROUP_BYTES) {
    const places: usize = load<u32>(group, PLACES);
    const endOfPlaces: usize = load<u32>(group, END_OF_PLACES);
    // An element is a coefficient twice.
    for (let string = places; string < endOfPlaces; string += PLACE_BYTES) {
      v128.store(table + <usize>load<u32>(string), f64x2.splat(load<f64>(coefficient)));
      coefficient += 8;
    }
    unfold(load<u32>(group, FOLDS), load<u32>(group, END_OF_FOLDS), table);
    if (load<u32>(group, PART) == IMAGINARY) addImage(group, state, image, table, true);
    else addImage(group, state, image, table, false);
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function addImage(group: usize, state: usize, image: usize, table: usize, isImaginary: bool): void {
  const flips = place(group + FLIPS);
  const varying = place(group + VARYING);
  const signs = place(group + SIGNED);
  const plain = place(group + PLAIN);
  let v: usize = 0;
  do {
    const value = load<f64>(table);
    table += 16;
    let s: usize = 0;
    do {
      const factor = v128.splat<real>(<real>(popcnt(s) & 1 ? -value : value));
      let u: usize = 0;
      do {
        const i = v | s | u;
        const to = image + (i ^ flips);
        const re = v128.load(state + i);
        const im = v128.load(state + i, IMAG);
        const oldRe = v128.load(to);
        const oldIm = v128.load(to, IMAG);
        v128.store(to, isImaginary ? subMul(factor, im, oldRe) : mulAdd(factor, re, oldRe));
        v128.store(to, mulAdd(factor, isImaginary ? re : im, oldIm), IMAG);
        u = (u - plain) & plain;
      } while (u != 0);
      s = (s - signs) & signs;
    } while (s != 0);
    v = (v - varying) & varying;
  } while (v != 0);
}
