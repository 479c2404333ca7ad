// A diagonal gate on two qubits, on the whole state: each invocation owns one amplitude. What
// plain_gate.wgsl is for one qubit.
//
// No prelude.

struct Params {
  // Factors of the basis states 0 to 3 of the two qubits; complex numbers re, im.
  factors_01: vec4<f32>,
  factors_23: vec4<f32>,
  first_mask: u32,
  second_mask: u32,
  num_amplitudes: u32,
  // Invocations of a row of the dispatch.
  row_length: u32,
}

@group(0) @binding(0) var<storage, read_write> state: array<vec2<f32>>;
@group(0) @binding(1) var<uniform> params: Params;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let index = id.x + id.y * params.row_length;
  if (index >= params.num_amplitudes) {
    return;
  }
  let is_second = (index & params.second_mask) != 0u;
  let half = select(params.factors_01, params.factors_23, is_second);
  let factor = select(half.xy, half.zw, (index & params.first_mask) != 0u);
  let amplitude = state[index];
  state[index] = vec2(
    amplitude.x * factor.x - amplitude.y * factor.y,
    amplitude.x * factor.y + amplitude.y * factor.x,
  );
}
