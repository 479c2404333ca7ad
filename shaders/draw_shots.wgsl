// Draws for shots, finds the block that each draw falls into, and counts the draws of every block.
//
// An invocation has a shot: its draw is that of src/math/philox.ts, a fraction of 53 bits, and times
// the norm it is compared with cumulative masses without rounding: the first block whose cumulative
// mass exceeds it is the shot's. The order in which shots come to a block is left to chance.
//
// Requires: fixed_point, philox. Prelude: WORKGROUP_SIZE, GROUP_SIZE: blocks of a group of the scan.

struct Params {
  seed_low: u32,
  seed_high: u32,
  event: u32,
  // First shot of consecutive shots, if shots are not listed.
  first_shot: u32,
  num_shots: u32,
  is_listed: u32,
  num_blocks: u32,
  num_groups: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

// Numbers of the shots, if they are listed.
@group(0) @binding(1) var<storage, read> numbers: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
// Cumulative masses of blocks inside groups, and of groups.
@group(0) @binding(3) var<storage, read> block_ends: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> group_ends: array<vec2<u32>>;
// [draws, 0] for each block.
@group(0) @binding(5) var<storage, read_write> counts: array<atomic<u32>>;
// For each shot [remainder of the draw inside its block: lower word, upper word; block; number of
// draws that came to the block before].
@group(0) @binding(6) var<storage, read_write> drawn: array<vec4<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let i = (group.x + group.y * params.row_length) * WORKGROUP_SIZE + local;
  if (i >= params.num_shots) {
    return;
  }
  var shot = params.first_shot + i;
  if (params.is_listed != 0u) {
    shot = numbers[i];
  }
  // 27 bits of the first word, 26 of the second, in units of 2^-64.
  let words = philox(shot, params.event, vec2(params.seed_low, params.seed_high));
  let fraction = vec2((words.y >> 6u) << 11u, (words.x & 0xffffffe0u) | (words.y >> 27u));
  var rest = scaled_by(group_ends[params.num_groups - 1u], fraction);

  var low = 0u;
  var high = params.num_groups - 1u;
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (is_below(rest, group_ends[middle])) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  if (low > 0u) {
    rest = difference_of(rest, group_ends[low - 1u]);
  }
  let first = low * GROUP_SIZE;
  low = first;
  high = min(first + GROUP_SIZE, params.num_blocks) - 1u;
  while (low < high) {
    let middle = (low + high) >> 1u;
    if (is_below(rest, block_ends[middle])) {
      high = middle;
    } else {
      low = middle + 1u;
    }
  }
  if (low > first) {
    rest = difference_of(rest, block_ends[low - 1u]);
  }
  let rank = atomicAdd(&counts[2u * low], 1u);
  drawn[i] = vec4(rest, low, rank);
}
