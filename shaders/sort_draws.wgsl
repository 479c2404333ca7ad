// Puts what remains of the draws next to that of their block's others.
//
// An invocation has a shot, whose block and rank in it give a place of its own: no races.
//
// Prelude: WORKGROUP_SIZE, GROUP_SIZE: blocks of a group of the scan.

struct Params {
  num_shots: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

@group(0) @binding(2) var<uniform> params: Params;
// Cumulative numbers of draws of blocks inside groups, and of groups. Upper words are 0.
@group(0) @binding(3) var<storage, read> block_ends: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> group_ends: array<vec2<u32>>;
// As written by draw_shots.wgsl.
@group(0) @binding(5) var<storage, read> drawn: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> rests: array<vec2<u32>>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let i = (group.x + group.y * params.row_length) * WORKGROUP_SIZE + local;
  if (i >= params.num_shots) {
    return;
  }
  let shot = drawn[i];
  let block = shot.z;
  var place = shot.w;
  if (block >= GROUP_SIZE) {
    place += group_ends[block / GROUP_SIZE - 1u].x;
  }
  if (block % GROUP_SIZE != 0u) {
    place += block_ends[block - 1u].x;
  }
  rests[place] = shot.xy;
}
