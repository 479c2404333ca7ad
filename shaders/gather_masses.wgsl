// Puts the masses of one chunk's amplitudes into logical order, for some blocks: the window.
//
// A workgroup reads 2^11 amplitudes in the order of memory, those of all blocks of the window that
// lie there. Each amplitude has a place of its own: no races. Blocks without draws are left out.
//
// Prelude: WORKGROUP_SIZE, RUN_SIZE: amplitudes of a workgroup, a multiple of it; GROUP_SIZE: blocks
// of a group of the scan.

struct Params {
  // The chunk's index of the window's first amplitude.
  base: u32,
  // Added to places for the chunk's number.
  first_place: u32,
  // The number of the window's first block.
  first_block: u32,
  // Amplitudes of the window in this chunk.
  num_amplitudes: u32,
  // Bits of the workgroup's number.
  num_group_bits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

// One chunk.
@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
// By rank in the order of memory inside a workgroup [bits of the chunk's index, bits of the place, bits
// of the block's number, 0]; after RUN_SIZE of them the same for each bit of the workgroup's number.
@group(0) @binding(1) var<storage, read> places: array<vec4<u32>>;
@group(0) @binding(2) var<uniform> params: Params;
// Draws of blocks, cumulative inside groups.
@group(0) @binding(3) var<storage, read> block_ends: array<vec2<u32>>;
// By block of the window and logical number in the block.
@group(0) @binding(4) var<storage, read_write> masses: array<f32>;

fn is_drawn(block: u32) -> bool {
  var before = 0u;
  if (block % GROUP_SIZE != 0u) {
    before = block_ends[block - 1u].x;
  }
  return block_ends[block].x != before;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let group_number = group.x + group.y * params.row_length;
  let first = group_number * RUN_SIZE;
  if (first >= params.num_amplitudes) {
    return;
  }
  var base = vec4(params.base, params.first_place, params.first_block, 0u);
  for (var bit = 0u; bit < params.num_group_bits; bit++) {
    if (((group_number >> bit) & 1u) != 0u) {
      base |= places[RUN_SIZE + bit];
    }
  }
  for (var rank = local; rank < RUN_SIZE; rank += WORKGROUP_SIZE) {
    if (first + rank < params.num_amplitudes) {
      let place = base | places[rank];
      if (is_drawn(place.z)) {
        let amplitude = state[place.x];
        masses[place.y] = dot(amplitude, amplitude);
      }
    }
  }
}
