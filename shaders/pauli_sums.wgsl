// Partial sums of the expectation values of Pauli strings over one chunk.
//
// The qubits of a chunk's number are constants of a dispatch: what they flip makes another chunk the
// partner, and their signs are left to the host.
//
// A batch has up to four strings that flip the same qubits: they read the same pairs of amplitudes and
// differ in the signs. The two amplitudes of a pair give the same term, so that one is visited. A
// workgroup of a batch (its z) adds up the terms of neighbouring pairs and writes one sum a string: no
// races. An invocation adds 16 terms, then up to 16 such sums; a workgroup adds those of its invocations by
// pairs. Strings are lanes of vectors, not elements of arrays: software drivers take seconds to
// compile the loops over those.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  // Workgroups of the longest batch.
  max_groups: u32,
  // Terms of an invocation; at most 256.
  num_terms: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  // Index of the dispatch's first batch.
  first_batch: u32,
  // Index of the dispatch's first slot.
  first_slot: u32,
}

struct Batch {
  // For each string, the qubits whose 1 changes the sign.
  signs: vec4<u32>,
  // For each string, 1 if the imaginary part counts.
  is_imaginary: vec4<u32>,
  // Flipped qubits of the chunk.
  flips: u32,
  // Bit that is 0 in visited amplitudes; 0 if all of the chunk is visited.
  pair_bit: u32,
  num_pairs: u32,
}

@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> batches: array<Batch>;
@group(0) @binding(2) var<uniform> params: Params;
// By batch and workgroup.
@group(0) @binding(3) var<storage, read_write> slots: array<vec4<f32>>;
// The chunk where the other amplitudes of the pairs are; the same one where no chunk is flipped.
@group(0) @binding(4) var<storage, read> partner: array<vec2<f32>>;

var<workgroup> sums: array<vec4<f32>, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let group_number = group.x + group.y * params.row_length;
  if (group_number >= params.max_groups) {
    return;
  }
  let batch = batches[params.first_batch + group.z];
  var few = vec4(0.0);
  var sum = vec4(0.0);
  let first = group_number * params.num_terms * WORKGROUP_SIZE + local;
  for (var i = 0u; i < params.num_terms; i++) {
    let pair = first + i * WORKGROUP_SIZE;
    if (pair < batch.num_pairs) {
      // Without a pair bit, `below` is all of it.
      let below = pair & (batch.pair_bit - 1u);
      let index = ((pair ^ below) << 1u) | below;
      let a = partner[index ^ batch.flips];
      let b = state[index];
      let re = vec4(dot(a, b));
      let im = vec4(a.x * b.y - a.y * b.x);
      let term = select(re, im, batch.is_imaginary != vec4(0u));
      let is_odd = (countOneBits(vec4(index) & batch.signs) & vec4(1u)) != vec4(0u);
      few += select(term, -term, is_odd);
    }
    if ((i & 15u) == 15u) {
      sum += few;
      few = vec4(0.0);
    }
  }

  sums[local] = sum + few;
  for (var width = WORKGROUP_SIZE / 2u; width > 0u; width >>= 1u) {
    workgroupBarrier();
    if (local < width) {
      sums[local] += sums[local + width];
    }
  }
  // The invocation that added the last two.
  if (local == 0u) {
    slots[params.first_slot + group.z * params.max_groups + group_number] = sums[0];
  }
}
