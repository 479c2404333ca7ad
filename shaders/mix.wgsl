// Mixes a chunk with that of another state: (1 - share) * state + share * other.
//
// An invocation owns two neighbouring amplitudes: no other touches them.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  // 2^(chunkQubits - 1).
  num_pairs: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  share: f32,
}

@group(0) @binding(0) var<storage, read_write> state: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> other: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> params: Params;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let pair = (group.x + group.y * params.row_length) * WORKGROUP_SIZE + local;
  if (pair >= params.num_pairs) {
    return;
  }
  state[pair] = mix(state[pair], other[pair], params.share);
}
