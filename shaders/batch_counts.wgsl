// Draws the shots of each circuit of a batch, counts what the measured qubits are read as, and says which
// circuits have draws that single precision does not decide.
//
// A circuit has 2^thread_qubits invocations of one workgroup. Together they write the sums of
// |amplitude|^2 up to each basis state into workgroup memory: each adds up a run, one adds up the runs.
// Sums are whole numbers in units of 2^-30, so adding them does not round, and the order does not matter.
// Then each invocation draws its part of the shots: the first basis state whose sum exceeds the draw times
// the norm. Only the draw's upper 32 bits are used. They, the masses and the amplitudes are off by the
// margin at most (src/engine/exact-counts.ts). A draw that is no further than the margin from a boundary between two
// patterns is undecided. Counts are added to atomically.
//
// Requires: fixed_point, philox. Prelude: WORKGROUP_SIZE; MAX_SUMS: amplitudes of all circuits of a
// workgroup, at most.

struct Params {
  num_circuits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  thread_qubits: u32,
  // A circuit has 2^room_qubits amplitudes.
  room_qubits: u32,
  num_measured: u32,
  // The bits of a basis index that are measured.
  measured: u32,
  // Shots of this dispatch.
  first_shot: u32,
  end_of_shots: u32,
  // Largest error of a difference between a sum and a draw, in units of 2^-30. At most 2^31.
  margin: u32,
}

@group(0) @binding(0) var<storage, read> states: array<vec2<f32>>;
// Lower and upper half of each circuit's seed.
@group(0) @binding(1) var<storage, read> seeds: array<vec2<u32>>;
@group(0) @binding(2) var<uniform> params: Params;
// By circuit, then by pattern: bit i is the i-th lowest measured qubit.
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;
// Undecided draws of each circuit.
@group(0) @binding(4) var<storage, read_write> undecided: array<atomic<u32>>;

var<workgroup> sums: array<u32, MAX_SUMS>;
var<workgroup> runs: array<u32, WORKGROUP_SIZE>;

// The upper 32 of the 53 bits of uniformDraw(seed, shot, 0, 0).
fn uniform_draw(seed: vec2<u32>, shot: u32) -> u32 {
  let words = philox(shot, 0u, seed);
  return (words.x & 0xffffffe0u) | (words.y >> 27u);
}

// The measured bits of a basis index, next to each other.
fn pattern_of(index: u32) -> u32 {
  var pattern = 0u;
  var left = params.measured;
  for (var bit = 0u; bit < params.num_measured; bit++) {
    pattern |= select(0u, 1u << bit, (index & left & (0u - left)) != 0u);
    left &= left - 1u;
  }
  return pattern;
}

// Whether all basis states to which a draw may belong have one pattern; the first of them is known.
fn is_decided(own_sums: u32, first: u32, pattern: u32, threshold: u32) -> bool {
  let last = (1u << params.room_qubits) - 1u;
  for (var i = first; i < last && sums[own_sums + i] <= threshold + params.margin; i++) {
    if (pattern_of(i + 1u) != pattern) {
      return false;
    }
  }
  return true;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let thread_qubits = params.thread_qubits;
  let thread = local & ((1u << thread_qubits) - 1u);
  let slot = local >> thread_qubits;
  let group_number = group.x + group.y * params.row_length;
  let circuit = group_number * (WORKGROUP_SIZE >> thread_qubits) + slot;
  let is_used = circuit < params.num_circuits;
  let run_length = 1u << (params.room_qubits - thread_qubits);
  let run = thread * run_length;
  let own_sums = slot << params.room_qubits;
  let base = (circuit << params.room_qubits) + run;

  var run_sum = 0u;
  if (is_used) {
    for (var i = 0u; i < run_length; i++) {
      let amplitude = states[base + i];
      run_sum += u32(dot(amplitude, amplitude) * 0x1p30);
      sums[own_sums + run + i] = run_sum;
    }
  }
  runs[local] = run_sum;
  workgroupBarrier();
  var start = 0u;
  for (var other = local - thread; other < local; other++) {
    start += runs[other];
  }
  if (is_used && thread > 0u) {
    for (var i = 0u; i < run_length; i++) {
      sums[own_sums + run + i] += start;
    }
  }
  workgroupBarrier();
  if (!is_used) {
    return;
  }

  let norm = sums[own_sums + (1u << params.room_qubits) - 1u];
  let first_count = circuit << params.num_measured;
  for (var shot = params.first_shot + thread; shot < params.end_of_shots; shot += 1u << thread_qubits) {
    let threshold = product_of(norm, uniform_draw(seeds[circuit], shot)).y;
    // The first basis state to which the draw may belong.
    var index = 0u;
    for (var half = 1u << (params.room_qubits - 1u); half > 0u; half >>= 1u) {
      let sum = sums[own_sums + index + half - 1u];
      index += select(0u, half, sum + params.margin <= threshold);
    }
    let pattern = pattern_of(index);
    atomicAdd(&counts[first_count + pattern], 1u);
    if (!is_decided(own_sums, index, pattern, threshold)) {
      atomicAdd(&undecided[circuit], 1u);
    }
  }
}
