// Draws the shots of each circuit of a batch and counts what the measured qubits are read as.
//
// A circuit has 2^thread_qubits invocations of one workgroup. Together they write the sums of
// |amplitude|^2 up to each basis state into workgroup memory: each adds up a run, one adds up the runs.
// Then each draws its part of the shots: the basis state whose sum first exceeds the draw times the norm.
// Equal sums belong to impossible basis states, which so are never found. Counts are added to atomically.
//
// Prelude: WORKGROUP_SIZE; MAX_SUMS: amplitudes of all circuits of a workgroup, at most.

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
}

@group(0) @binding(0) var<storage, read> states: array<vec2<f32>>;
// Lower and upper half of each circuit's seed.
@group(0) @binding(1) var<storage, read> seeds: array<vec2<u32>>;
@group(0) @binding(2) var<uniform> params: Params;
// By circuit, then by pattern: bit i is the i-th lowest measured qubit.
@group(0) @binding(3) var<storage, read_write> counts: array<atomic<u32>>;

var<workgroup> sums: array<f32, MAX_SUMS>;
var<workgroup> runs: array<f32, WORKGROUP_SIZE>;

fn mul_high(a: u32, b: u32) -> u32 {
  let a_low = a & 0xffffu;
  let a_high = a >> 16u;
  let b_low = b & 0xffffu;
  let b_high = b >> 16u;
  // No sum reaches 2^32.
  let mid1 = a_high * b_low + ((a_low * b_low) >> 16u);
  let mid2 = a_low * b_high + (mid1 & 0xffffu);
  return a_high * b_high + (mid1 >> 16u) + (mid2 >> 16u);
}

// The first 24 bits of uniformDraw(seed, shot, 0, 0) of src/math/philox.ts, where more is said.
fn uniform_draw(seed: vec2<u32>, shot: u32) -> f32 {
  var c = vec4(shot, 0u, 0u, 0u);
  var k = seed;
  for (var round = 0u; round < 10u; round++) {
    c = vec4(
      mul_high(0xcd9e8d57u, c.z) ^ c.y ^ k.x,
      0xcd9e8d57u * c.z,
      mul_high(0xd2511f53u, c.x) ^ c.w ^ k.y,
      0xd2511f53u * c.x,
    );
    k += vec2(0x9e3779b9u, 0xbb67ae85u);
  }
  return f32(c.x >> 8u) * 5.9604644775390625e-8;
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

  var run_sum = 0.0;
  if (is_used) {
    for (var i = 0u; i < run_length; i++) {
      let amplitude = states[base + i];
      run_sum += dot(amplitude, amplitude);
      sums[own_sums + run + i] = run_sum;
    }
  }
  runs[local] = run_sum;
  workgroupBarrier();
  var start = 0.0;
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
  // A draw just below 1 may round up to the norm, which no sum exceeds.
  let largest = bitcast<f32>(bitcast<u32>(norm) - 1u);
  let first_count = circuit << params.num_measured;
  for (var shot = params.first_shot + thread; shot < params.end_of_shots; shot += 1u << thread_qubits) {
    let threshold = min(uniform_draw(seeds[circuit], shot) * norm, largest);
    var index = 0u;
    for (var half = 1u << (params.room_qubits - 1u); half > 0u; half >>= 1u) {
      index += select(0u, half, sums[own_sums + index + half - 1u] <= threshold);
    }
    atomicAdd(&counts[first_count + pattern_of(index)], 1u);
  }
}
