/** States of active qubits; see src/engine/stabilizer/plain-active.ts. Addresses are indices of doubles. */

// @ts-ignore: a decorator of this compiler
@inline
function swapped(value: v128): v128 {
  return v128.shuffle<f64>(value, value, 1, 0);
}

// @ts-ignore: a decorator of this compiler
@inline
function pair(low: f64, high: f64): v128 {
  return f64x2.replace_lane(f64x2.splat(low), 1, high);
}

// @ts-ignore: a decorator of this compiler
@inline
function isOdd(bits: u32): bool {
  return (popcnt<u32>(bits) & 1) == 1;
}

export function copyScaled(to: usize, from: usize, numStates: usize, factor: f64): void {
  const factors = f64x2.splat(factor);
  for (let i: usize = 0; i < numStates << 4; i += 16) {
    v128.store((to << 3) + i, f64x2.mul(factors, v128.load((from << 3) + i)));
  }
}

export function rotate(
  at: usize,
  numStates: u32,
  flips: u32,
  signs: u32,
  turns: u32,
  cosine: f64,
  sine: f64,
): void {
  const base = at << 3;
  // −i·sine·i^turns
  const quarter = (turns + 3) & 3;
  const re = quarter == 0 ? sine : quarter == 2 ? -sine : 0.0;
  const im = quarter == 1 ? sine : quarter == 3 ? -sine : 0.0;
  const cosines = f64x2.splat(cosine);
  const crossed = pair(-im, im);
  if (flips == 0) {
    const negated = f64x2.neg(crossed);
    for (let x: u32 = 0; x < numStates; x++) {
      const address = base + (<usize>x << 4);
      const value = v128.load(address);
      const factors = isOdd(x & signs) ? negated : crossed;
      v128.store(address, f64x2.add(f64x2.mul(cosines, value), f64x2.mul(factors, swapped(value))));
    }
    return;
  }
  const straight = f64x2.splat(re);
  const below: u32 = (1 << (31 - clz<u32>(flips))) - 1;
  const partnerSign: f64 = isOdd(flips & signs) ? -1.0 : 1.0;
  for (let i: u32 = 0; i < numStates >>> 1; i++) {
    const here = ((i & ~below) << 1) | (i & below);
    const a = base + (<usize>here << 4);
    const b = base + (<usize>(here ^ flips) << 4);
    const valueA = v128.load(a);
    const valueB = v128.load(b);
    const fromA: f64 = isOdd(here & signs) ? -1.0 : 1.0;
    const fromB = fromA * partnerSign;
    const partA = f64x2.add(f64x2.mul(straight, valueA), f64x2.mul(crossed, swapped(valueA)));
    const partB = f64x2.add(f64x2.mul(straight, valueB), f64x2.mul(crossed, swapped(valueB)));
    v128.store(a, f64x2.add(f64x2.mul(cosines, valueA), f64x2.mul(f64x2.splat(fromB), partB)));
    v128.store(b, f64x2.add(f64x2.mul(cosines, valueB), f64x2.mul(f64x2.splat(fromA), partA)));
  }
}

export function multiplyRepeated(at: usize, numSmall: usize, phases: usize, numStates: usize): void {
  const base = at << 3;
  const size = numSmall << 4;
  const negativeLow = pair(-0.0, 0.0);
  let offset = numStates << 4;
  // The highest copy comes first: the amplitudes are read from where the lowest is written.
  while (offset > 0) {
    offset -= size;
    for (let i: usize = 0; i < size; i += 16) {
      const value = v128.load(base + i);
      const phase = v128.load((phases << 3) + offset + i);
      const phaseRe = v128.shuffle<f64>(phase, phase, 0, 0);
      const phaseIm = v128.shuffle<f64>(phase, phase, 1, 1);
      const crossed = v128.xor(f64x2.mul(swapped(value), phaseIm), negativeLow);
      v128.store(base + offset + i, f64x2.add(f64x2.mul(value, phaseRe), crossed));
    }
  }
}

export function collapseState(
  to: usize,
  from: usize,
  numStates: u32,
  flips: u32,
  signs: u32,
  turns: u32,
  pivot: u32,
): f64 {
  const target = to << 3;
  const source = from << 3;
  const below: u32 = (1 << pivot) - 1;
  let weights = f64x2.splat(0);
  if (flips == 0) {
    const odd = turns == 2;
    for (let y: u32 = 0; y < numStates; y++) {
      const first = ((y & ~below) << 1) | (y & below);
      const x = isOdd(first & signs) == odd ? first : first | (below + 1);
      const value = v128.load(source + (<usize>x << 4));
      v128.store(target + (<usize>y << 4), value);
      weights = f64x2.add(weights, f64x2.mul(value, value));
    }
  } else {
    const re: f64 = turns == 0 ? 1.0 : turns == 2 ? -1.0 : 0.0;
    const im: f64 = turns == 1 ? 1.0 : turns == 3 ? -1.0 : 0.0;
    const half = f64x2.splat(Math.SQRT1_2);
    const straight = f64x2.splat(re);
    const crossed = pair(-im, im);
    for (let y: u32 = 0; y < numStates; y++) {
      const x = ((y & ~below) << 1) | (y & below);
      const other = x ^ flips;
      const sign = isOdd(other & signs) ? -Math.SQRT1_2 : Math.SQRT1_2;
      const partner = f64x2.mul(f64x2.splat(sign), v128.load(source + (<usize>other << 4)));
      const value = f64x2.add(
        f64x2.add(
          f64x2.mul(half, v128.load(source + (<usize>x << 4))),
          f64x2.mul(straight, partner),
        ),
        f64x2.mul(crossed, swapped(partner)),
      );
      v128.store(target + (<usize>y << 4), value);
      weights = f64x2.add(weights, f64x2.mul(value, value));
    }
  }
  return f64x2.extract_lane(weights, 0) + f64x2.extract_lane(weights, 1);
}
