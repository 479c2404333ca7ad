/**
 * Reads the final states of a bundle: masses, outcomes, amplitudes, expectation values and counts.
 */
import { highDoubles, lowDoubles, mulAddDoubles, subMulDoubles } from './doubles';
import { addUp, drawShots } from './sampling';
import { GROUP_SHIFT, IMAG, LANES } from './vectors';

/** Number of circuits of a bundle. */
// @ts-ignore: a decorator of this compiler
@inline
const CIRCUITS: usize = <usize>LANES;
/** Bytes of one double for each circuit. */
// @ts-ignore: a decorator of this compiler
@inline
const DOUBLES: usize = 8 * CIRCUITS;

/** Writes |a|² of each amplitude: for each basis state a double for each circuit. */
export function storeMasses(state: usize, bytes: usize, masses: usize): void {
  for (let i: usize = 0; i < bytes; i += 1 << GROUP_SHIFT) {
    const re = v128.load(state + i);
    const im = v128.load(state + i, IMAG);
    const low = f64x2.mul(lowDoubles(im), lowDoubles(im));
    v128.store(masses, mulAddDoubles(lowDoubles(re), lowDoubles(re), low));
    if (LANES == 4) {
      const high = f64x2.mul(highDoubles(im), highDoubles(im));
      v128.store(masses, mulAddDoubles(highDoubles(re), highDoubles(re), high), 16);
    }
    masses += DOUBLES;
  }
}

/**
 * Sums masses by the values of the classical register.
 *
 * @param outcomes - Value of the register for each basis state, u32.
 * @param out - `size` doubles for each circuit.
 */
export function addOutcomes(
  masses: usize,
  numStates: usize,
  outcomes: usize,
  out: usize,
  size: usize,
): void {
  memory.fill(out, 0, DOUBLES * size);
  for (let i: usize = 0; i < numStates; i++) {
    let bin = out + ((<usize>load<u32>(outcomes + (i << 2))) << 3);
    for (let lane: usize = 0; lane < CIRCUITS; lane++) {
      store<f64>(bin, load<f64>(bin) + load<f64>(masses + (lane << 3)));
      bin += size << 3;
    }
    masses += DOUBLES;
  }
}

/** Writes the amplitudes of each circuit, interleaved re, im. */
export function storeStatevectors(state: usize, numStates: usize, out: usize): void {
  for (let lane: usize = 0; lane < CIRCUITS; lane++) {
    let from = state + (lane << alignof<real>());
    for (let i: usize = 0; i < numStates; i++) {
      store<f64>(out, <f64>load<real>(from));
      store<f64>(out, <f64>load<real>(from, IMAG), 8);
      from += 1 << GROUP_SHIFT;
      out += 16;
    }
  }
}

// Of a Pauli string: u32 each, byte offsets of groups; the factor a double. The order of batch-layout.ts.
const FLIPS: usize = 0;
const SIGNS: usize = 4;
const IS_IMAGINARY: usize = 8;
/** Highest bit of the flips: a pair is visited where it is 0. */
const PAIR_BIT: usize = 12;
const FACTOR: usize = 16;
const TERM_BYTES: usize = 24;

/** A vector that flips signs if an odd number of these bits are 1. */
// @ts-ignore: a decorator of this compiler
@inline
function signOf(bits: usize): v128 {
  return i64x2.splat(<i64>popcnt(bits) << 63);
}

/** Adds the real or imaginary part of conj(b)·a, with a sign, to `sum`. */
// @ts-ignore: a decorator of this compiler
@inline
function addProduct(ar: v128, ai: v128, br: v128, bi: v128, imaginary: bool, sign: v128, sum: v128): v128 {
  const product = imaginary
    ? subMulDoubles(bi, ar, f64x2.mul(br, ai))
    : mulAddDoubles(bi, ai, f64x2.mul(br, ar));
  return f64x2.add(sum, v128.xor(product, sign));
}

/** Writes the value of a Pauli string without its factor, a double for each circuit, to `to`. */
function storeTerm(state: usize, bytes: usize, masses: usize, term: usize, to: usize): void {
  const flips: usize = load<u32>(term, FLIPS);
  const signs: usize = load<u32>(term, SIGNS);
  let low = f64x2.splat(0);
  let high = f64x2.splat(0);
  if (flips == 0) {
    for (let i: usize = 0; i < bytes; i += 1 << GROUP_SHIFT) {
      const sign = signOf(i & signs);
      low = f64x2.add(low, v128.xor(v128.load(masses), sign));
      if (LANES == 4) high = f64x2.add(high, v128.xor(v128.load(masses, 16), sign));
      masses += DOUBLES;
    }
  } else {
    const imaginary = load<u32>(term, IS_IMAGINARY) != 0;
    const free = (bytes - (1 << GROUP_SHIFT)) & ~(<usize>load<u32>(term, PAIR_BIT));
    let i: usize = 0;
    do {
      const sign = signOf(i & signs);
      const ar = v128.load(state + i);
      const ai = v128.load(state + i, IMAG);
      const br = v128.load(state + (i ^ flips));
      const bi = v128.load(state + (i ^ flips), IMAG);
      low = addProduct(
        lowDoubles(ar), lowDoubles(ai), lowDoubles(br), lowDoubles(bi), imaginary, sign, low,
      );
      if (LANES == 4) {
        high = addProduct(
          highDoubles(ar), highDoubles(ai), highDoubles(br), highDoubles(bi), imaginary, sign, high,
        );
      }
      i = (i - free) & free;
    } while (i != 0);
  }
  v128.store(to, low);
  if (LANES == 4) v128.store(to, high, 16);
}

/**
 * Writes expectation values.
 *
 * @param observables - For each, its number of terms, u32, padded to 8 bytes, then the terms.
 * @param out - `numObservables` doubles for each circuit.
 * @param scratch - One double for each circuit.
 */
export function storeExpectations(
  state: usize,
  bytes: usize,
  masses: usize,
  observables: usize,
  numObservables: usize,
  out: usize,
  scratch: usize,
): void {
  for (let observable: usize = 0; observable < numObservables; observable++) {
    const numTerms = load<u32>(observables);
    observables += 8;
    for (let lane: usize = 0; lane < CIRCUITS; lane++) {
      store<f64>(out + ((lane * numObservables + observable) << 3), 0);
    }
    for (let term: u32 = 0; term < numTerms; term++) {
      storeTerm(state, bytes, masses, observables, scratch);
      const factor = load<f64>(observables, FACTOR);
      for (let lane: usize = 0; lane < CIRCUITS; lane++) {
        const to = out + ((lane * numObservables + observable) << 3);
        store<f64>(to, load<f64>(to) + factor * load<f64>(scratch + (lane << 3)));
      }
      observables += TERM_BYTES;
    }
  }
}

/**
 * Draws the shots of one circuit and counts the values of the register.
 *
 * @param at - Address of its amplitude 0.
 * @param offsets - Byte offsets of the amplitudes, u32.
 * @param counts - `size` words.
 * @param scratch - 12 bytes for each basis state, and 32.
 */
export function countShots(
  at: usize,
  numQubits: i32,
  offsets: usize,
  outcomes: usize,
  seeds: usize,
  shots: u32,
  counts: usize,
  size: usize,
  scratch: usize,
): void {
  const numStates = <usize>1 << numQubits;
  const histogram = scratch + (numStates << 3);
  const draws = histogram + (numStates << 2);
  memory.fill(histogram, 0, numStates << 2);
  memory.fill(counts, 0, size << 2);
  const norm = addUp(at, offsets, <i32>numStates, 0, scratch);
  const low = load<u32>(seeds);
  const high = load<u32>(seeds, 4);
  // All trailing measurements are one event, and a batch has no other.
  drawShots(scratch, numQubits, norm, low, high, 0, 0, shots, 0, histogram, draws);
  for (let i: usize = 0; i < numStates; i++) {
    const bin = counts + ((<usize>load<u32>(outcomes + (i << 2))) << 2);
    store<u32>(bin, load<u32>(bin) + load<u32>(histogram + (i << 2)));
  }
}
