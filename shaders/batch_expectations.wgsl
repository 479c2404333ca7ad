// Expectation values of Pauli sums in the states of a batch.
//
// A circuit has 2^thread_qubits invocations of one workgroup, which share the pairs of amplitudes of
// each group of Pauli strings with the same flips, neighbours reading neighbours; a pair is read once
// and multiplied by the sum of the strings' factors with their signs. The invocations' sums are added
// up in workgroup memory. States are only read, and each sum is written by one invocation.
//
// Requires: batch_observables. Prelude: WORKGROUP_SIZE.

@group(0) @binding(3) var<storage, read_write> expectations: array<f32>;

// The invocation's share of a group's value; its strings are from `first` to `end`.
fn share(base: u32, thread: u32, flips: u32, imaginary: bool, first: u32, end: u32) -> f32 {
  // One amplitude of each pair is visited: that in which the highest of the flips is 0.
  let is_diagonal = flips == 0u;
  let low = select((1u << (31u - countLeadingZeros(flips | 1u))) - 1u, 0xffffffffu, is_diagonal);
  let count = 1u << (params.room_qubits - select(1u, 0u, is_diagonal));
  var few = 0.0;
  var sum = 0.0;
  var visited = 0u;
  for (var k = thread; k < count; k += 1u << params.thread_qubits) {
    let i = ((k & ~low) << 1u) | (k & low);
    let a = states[base | i];
    let b = states[base | (i ^ flips)];
    let product = select(dot(a, b), b.x * a.y - b.y * a.x, imaginary);
    few += factor_at(i, first, end) * product;
    visited++;
    if ((visited & 15u) == 0u) {
      sum += few;
      few = 0.0;
    }
  }
  return sum + few;
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

  var at = 0u;
  for (var observable = 0u; observable < params.num_observables; observable++) {
    let num_groups = observables[at];
    at++;
    var sum = 0.0;
    for (var g = 0u; g < num_groups; g++) {
      let first = at + 3u;
      let end = first + 2u * observables[at + 2u];
      if (is_used) {
        sum += share(base, thread, observables[at], observables[at + 1u] != 0u, first, end);
      }
      at = end;
    }
    if (thread_qubits > 0u) {
      add_up(local, thread, sum);
      // Only the invocation's own sum is read, and overwritten by it alone.
      sum = sums[local];
      workgroupBarrier();
    }
    if (is_used && thread == 0u) {
      expectations[circuit * params.num_observables + observable] = sum;
    }
  }
}
