// Bindings of kernels that read observables off the states of a batch, and the sums that they share.

struct Params {
  num_circuits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  thread_qubits: u32,
  // A circuit has 2^room_qubits amplitudes.
  room_qubits: u32,
  num_observables: u32,
}

@group(0) @binding(0) var<storage, read> states: array<vec2<f32>>;
// Each observable is [number of groups], then its groups: [flips, is imaginary, number of strings], then
// their strings: [signs, factor].
@group(0) @binding(1) var<storage, read> observables: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;

var<workgroup> sums: array<f32, WORKGROUP_SIZE>;

// Adds up over the invocations of a circuit. The first of them may read the sum from `sums` at once, others
// after a barrier.
fn add_up(local: u32, thread: u32, own: f32) {
  sums[local] = own;
  for (var width = (1u << params.thread_qubits) >> 1u; width > 0u; width >>= 1u) {
    workgroupBarrier();
    if (thread < width) {
      sums[local] += sums[local + width];
    }
  }
}

// Sum of the factors of some strings, each with its sign at a basis index.
fn factor_at(index: u32, first: u32, end: u32) -> f32 {
  var factor = 0.0;
  for (var at = first; at < end; at += 2u) {
    let is_odd = (countOneBits(index & observables[at]) & 1u) != 0u;
    let own = bitcast<f32>(observables[at + 1u]);
    factor += select(own, -own, is_odd);
  }
  return factor;
}
