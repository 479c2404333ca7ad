// Lists the masses of some blocks' amplitudes, as far as they lie in one chunk.
//
// An invocation has one amplitude of one block, and its place in the list is its own: no races.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  // Blocks of the dispatch.
  num_blocks: u32,
  // Bits of places in a block that are bits of the chunk's index.
  num_inner_bits: u32,
  // Added to places in a block for the chunk's number.
  first_place: u32,
  // Index of the dispatch's first block in `words`.
  first_block: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

// One chunk.
@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
// For each inner bit [bit of the chunk's index, bit of the place]; of each block [the chunk's index of
// its first amplitude, where its masses are listed].
@group(0) @binding(1) var<storage, read> words: array<vec2<u32>>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> masses: array<f32>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let number = (group.x + group.y * params.row_length) * WORKGROUP_SIZE + local;
  let block = number >> params.num_inner_bits;
  if (block >= params.num_blocks) {
    return;
  }
  var place = words[params.first_block + block] + vec2(0u, params.first_place);
  for (var bit = 0u; bit < params.num_inner_bits; bit++) {
    if (((number >> bit) & 1u) != 0u) {
      place += words[bit];
    }
  }
  let amplitude = state[place.x];
  masses[place.y] = dot(amplitude, amplitude);
}
