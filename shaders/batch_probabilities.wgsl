// Probabilities of what some qubits of each circuit of a batch are read as.
//
// An invocation has one circuit and one pattern of the measured qubits, and adds up |amplitude|^2 over
// all others. States are only read, and each probability is written by one invocation.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  // Probabilities of all circuits: num_circuits << num_measured.
  num_values: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  // A circuit has 2^room_qubits amplitudes.
  room_qubits: u32,
  num_measured: u32,
  // The bits of a basis index that are measured.
  measured: u32,
}

@group(0) @binding(0) var<storage, read> states: array<vec2<f32>>;
@group(0) @binding(2) var<uniform> params: Params;
// By circuit, then by pattern: bit i is the i-th lowest measured qubit.
@group(0) @binding(3) var<storage, read_write> probabilities: array<f32>;

// The basis index whose measured bits, from the lowest, are those of the pattern.
fn spread(pattern: u32) -> u32 {
  var index = 0u;
  var left = params.measured;
  for (var bit = 0u; bit < params.num_measured; bit++) {
    let lowest = left & (0u - left);
    index |= select(0u, lowest, ((pattern >> bit) & 1u) != 0u);
    left ^= lowest;
  }
  return index;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let value = (group.x + group.y * params.row_length) * WORKGROUP_SIZE + local;
  if (value >= params.num_values) {
    return;
  }
  let circuit = value >> params.num_measured;
  let pattern = value & ((1u << params.num_measured) - 1u);
  let base = (circuit << params.room_qubits) | spread(pattern);
  let free = ((1u << params.room_qubits) - 1u) & ~params.measured;
  var few = 0.0;
  var sum = 0.0;
  var subset = 0u;
  for (var i = 0u; i < (1u << (params.room_qubits - params.num_measured)); i++) {
    let amplitude = states[base | subset];
    few += dot(amplitude, amplitude);
    if ((i & 31u) == 31u) {
      sum += few;
      few = 0.0;
    }
    // The next value of the free bits.
    subset = (subset - free) & free;
  }
  probabilities[value] = sum + few;
}
