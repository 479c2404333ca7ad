// Variances of Pauli sums in the states of a batch: |(O - mean) psi|^2, where psi has norm 1.
//
// A circuit has 2^thread_qubits invocations of one workgroup, which share its amplitudes. For each of
// them an invocation adds up the amplitude of O psi over the groups of strings with the same flips, as
// batch_expectations.wgsl has them; no second state is written. Their squares are added up in workgroup
// memory. States are only read, and each result is written by one invocation.
//
// Factors are those of expectation values: twice the operator's where pairs of amplitudes are summed, and of
// the opposite sign where they are imaginary.
//
// Requires: batch_observables. Prelude: WORKGROUP_SIZE.

@group(0) @binding(3) var<storage, read_write> variances: array<f32>;
@group(0) @binding(4) var<storage, read> expectations: array<f32>;

// Sum over the invocations of a circuit. Every invocation gets it.
fn total(local: u32, thread: u32, own: f32) -> f32 {
  add_up(local, thread, own);
  workgroupBarrier();
  let sum = sums[local - thread];
  workgroupBarrier();
  return sum;
}

// The amplitude of O psi at a basis index; the observable's groups begin at `begin`.
fn image(base: u32, index: u32, begin: u32, num_groups: u32) -> vec2<f32> {
  var at = begin;
  var sum = vec2(0.0);
  for (var g = 0u; g < num_groups; g++) {
    let flips = observables[at];
    let first = at + 3u;
    let end = first + 2u * observables[at + 2u];
    let factor = factor_at(index ^ flips, first, end) * select(0.5, 1.0, flips == 0u);
    let amplitude = states[base | (index ^ flips)];
    let turned = vec2(amplitude.y, -amplitude.x);
    sum += factor * select(amplitude, turned, observables[at + 1u] != 0u);
    at = end;
  }
  return sum;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let thread_qubits = params.thread_qubits;
  let thread = local & ((1u << thread_qubits) - 1u);
  let group_number = group.x + group.y * params.row_length;
  let circuit = group_number * (WORKGROUP_SIZE >> thread_qubits) + (local >> thread_qubits);
  let is_used = circuit < params.num_circuits;
  let base = circuit << params.room_qubits;
  let count = select(0u, 1u << params.room_qubits, is_used);

  var mass = 0.0;
  for (var i = thread; i < count; i += 1u << thread_qubits) {
    let amplitude = states[base | i];
    mass += dot(amplitude, amplitude);
  }
  let norm = total(local, thread, mass);

  var at = 0u;
  for (var observable = 0u; observable < params.num_observables; observable++) {
    let num_groups = observables[at];
    at++;
    let place = circuit * params.num_observables + observable;
    var square = 0.0;
    if (is_used) {
      let mean = expectations[place] / norm;
      for (var i = thread; i < count; i += 1u << thread_qubits) {
        let deviation = image(base, i, at, num_groups) - mean * states[base | i];
        square += dot(deviation, deviation);
      }
    }
    let sum = total(local, thread, square);
    if (is_used && thread == 0u) {
      variances[place] = sum / norm;
    }
    for (var g = 0u; g < num_groups; g++) {
      at += 3u + 2u * observables[at + 2u];
    }
  }
}
