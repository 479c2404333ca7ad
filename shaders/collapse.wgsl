// Keeps one outcome of a qubit of a chunk, renormalised, and leaves the qubit as |left>.
//
// An invocation owns the two amplitudes that differ in the qubit: no other touches them.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  // 2^(chunkQubits - 1).
  num_pairs: u32,
  // 2^qubit.
  mask: u32,
  outcome: u32,
  left: u32,
  // 1 / sqrt(mass of the outcome).
  scale: f32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

@group(0) @binding(0) var<storage, read_write> state: array<vec2<f32>>;
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
  let below = pair & (params.mask - 1u);
  let zero = ((pair ^ below) << 1u) | below;
  let kept = params.scale * state[zero + params.outcome * params.mask];
  state[zero + (1u - params.left) * params.mask] = vec2(0.0);
  state[zero + params.left * params.mask] = kept;
}
