// One gate on one qubit, controls or none, on the whole state: the kernel that simulators use which
// go through memory once for every gate. An invocation owns the pair of amplitudes that differ in
// the target, so no two invocations share one. Invocations are numbered over the qubits that are
// neither target nor control, so that a control halves the work.
//
// No prelude.

struct Params {
  // Rows of [[a, b], [c, d]]; complex numbers re, im.
  ab: vec4<f32>,
  cd: vec4<f32>,
  target_mask: u32,
  control_mask: u32,
  num_pairs: u32,
  // Invocations of a row of the dispatch.
  row_length: u32,
}

@group(0) @binding(0) var<storage, read_write> state: array<vec2<f32>>;
@group(0) @binding(1) var<uniform> params: Params;

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
  return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let pair = id.x + id.y * params.row_length;
  if (pair >= params.num_pairs) {
    return;
  }
  // A zero bit goes in at each place that is taken, the lowest first.
  var low = pair;
  var taken = params.target_mask | params.control_mask;
  while (taken != 0u) {
    let bit = taken & (~taken + 1u);
    low = ((low & ~(bit - 1u)) << 1u) | (low & (bit - 1u));
    taken ^= bit;
  }
  low |= params.control_mask;
  let high = low | params.target_mask;
  let zero = state[low];
  let one = state[high];
  state[low] = times(params.ab.xy, zero) + times(params.ab.zw, one);
  state[high] = times(params.cd.xy, zero) + times(params.cd.zw, one);
}
