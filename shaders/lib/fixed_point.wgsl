// Functions only: sums that do not round, of masses below 4.
//
// A number is 64 bits in units of 2^-62, as a vector of its lower and its upper word. Sums of such
// numbers are exact, so they are the same in any order; one that does not fit ends as SATURATED, and
// stays that whatever is added.

const SATURATED = vec2(0xffffffffu, 0xffffffffu);

// Converts a non-negative mass below 4, rounding down to a unit.
fn fixed_of(mass: f32) -> vec2<u32> {
  let scaled = mass * 0x1p30;
  let whole = floor(scaled);
  return vec2(u32((scaled - whole) * 0x1p32), u32(whole));
}

fn is_below(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}

fn sum_of(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  let high = a.y + b.y;
  // Without a branch, which software drivers pay for.
  let carried = high + u32(low < a.x);
  return select(vec2(low, carried), SATURATED, high < a.y || carried < high);
}

// a - b, for b not above a.
fn difference_of(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2(a.x - b.x, a.y - b.y - u32(a.x < b.x));
}

// The 64 bits of a product of two words.
fn product_of(a: u32, b: u32) -> vec2<u32> {
  let a_low = a & 0xffffu;
  let a_high = a >> 16u;
  let b_low = b & 0xffffu;
  let b_high = b >> 16u;
  // No sum reaches 2^32: (2^16 - 1)^2 + 2^16 - 1 < 2^32, and the second adds as much at most.
  let first = a_high * b_low + ((a_low * b_low) >> 16u);
  let second = a_low * b_high + (first & 0xffffu);
  return vec2(a * b, a_high * b_high + (first >> 16u) + (second >> 16u));
}

// A number times a fraction in units of 2^-64, rounded down.
fn scaled_by(number: vec2<u32>, fraction: vec2<u32>) -> vec2<u32> {
  let low = product_of(number.x, fraction.x);
  let cross = product_of(number.x, fraction.y);
  let other = product_of(number.y, fraction.x);
  let middle = low.y + cross.x;
  let carry = u32(middle < cross.x) + u32(middle + other.x < middle);
  let high = sum_of(product_of(number.y, fraction.y), vec2(cross.y, 0u));
  return sum_of(sum_of(high, vec2(other.y, 0u)), vec2(carry, 0u));
}
