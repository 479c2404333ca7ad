// Lists amplitudes at given indices, as far as they lie in one chunk.
//
// An invocation has one number, whose place in the list is its own: no races. The index of a number is
// the exclusive or of `flips` and the images of its bits.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  num_bits: u32,
  // Bits of all indices that are the other way round.
  flips: u32,
  // Number of the chunk.
  chunk: u32,
  // Bits of an index that lie inside a chunk; below 32.
  chunk_qubits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

// One chunk.
@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
// Of each bit of a number.
@group(0) @binding(1) var<storage, read> images: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> amplitudes: array<vec2<f32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let number = (group.x + group.y * params.row_length) * WORKGROUP_SIZE + local;
  if (number >= (1u << params.num_bits)) {
    return;
  }
  var index = params.flips;
  for (var bit = 0u; bit < params.num_bits; bit++) {
    if (((number >> bit) & 1u) != 0u) {
      index ^= images[bit];
    }
  }
  if ((index >> params.chunk_qubits) == params.chunk) {
    amplitudes[number] = state[index & ((1u << params.chunk_qubits) - 1u)];
  }
}
