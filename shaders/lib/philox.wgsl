// Functions only: the counter-based draws of src/math/philox.ts, where more is said.
//
// Requires: fixed_point.

// The first two words of a block of Philox4x32-10.
fn philox(first: u32, second: u32, seed: vec2<u32>) -> vec2<u32> {
  var counter = vec4(first, second, 0u, 0u);
  var key = seed;
  for (var round = 0u; round < 10u; round++) {
    let a = product_of(0xcd9e8d57u, counter.z);
    let b = product_of(0xd2511f53u, counter.x);
    counter = vec4(a.y ^ counter.y ^ key.x, a.x, b.y ^ counter.w ^ key.y, b.x);
    key += vec2(0x9e3779b9u, 0xbb67ae85u);
  }
  return counter.xy;
}
