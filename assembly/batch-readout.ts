/**
 * Reads the final states of a bundle: masses, outcomes, amplitudes and counts.
 */
import { highDoubles, lowDoubles, mulAddDoubles } from './doubles';
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

/**
 * Draws the shots of one circuit and counts the values of the register.
 *
 * @param at - Address of its amplitude 0.
 * @param offsets - Offsets of the amplitudes in 32-bit words, u32.
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
