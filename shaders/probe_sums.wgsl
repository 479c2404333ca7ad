// Partial sums of products of two states over one chunk of each: of conj(λ[i ^ flips])·ψ[i], with signs.
//
// The qubits of a chunk's number are constants of a dispatch: what they flip makes another chunk the partner,
// and their signs and controls are left to the host.
//
// A batch has up to four sums over the same products, which differ in the signs. A workgroup of a batch (its z)
// adds up the products of neighbouring amplitudes and writes two vectors, the real and the imaginary parts of its
// sums: no races. An invocation adds 16 terms, then up to 16 such sums; a workgroup adds those of its invocations
// by pairs.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  num_amplitudes: u32,
  // Workgroups of a batch.
  num_groups: u32,
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
  // For each sum, the qubits whose 1 changes the sign.
  signs: vec4<u32>,
  // Flipped qubits of the chunk.
  flips: u32,
  // Qubits that must be 1.
  controls: u32,
}

@group(0) @binding(0) var<storage, read> psi: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> batches: array<Batch>;
@group(0) @binding(2) var<uniform> params: Params;
// By batch and workgroup, real parts and then imaginary parts.
@group(0) @binding(3) var<storage, read_write> slots: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> lambda: array<vec2<f32>>;

var<workgroup> re_sums: array<vec4<f32>, WORKGROUP_SIZE>;
var<workgroup> im_sums: array<vec4<f32>, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let group_number = group.x + group.y * params.row_length;
  if (group_number >= params.num_groups) {
    return;
  }
  let batch = batches[params.first_batch + group.z];
  var few_re = vec4(0.0);
  var few_im = vec4(0.0);
  var re = vec4(0.0);
  var im = vec4(0.0);
  let first = group_number * params.num_terms * WORKGROUP_SIZE + local;
  for (var i = 0u; i < params.num_terms; i++) {
    let index = first + i * WORKGROUP_SIZE;
    if (index < params.num_amplitudes && (index & batch.controls) == batch.controls) {
      let a = lambda[index ^ batch.flips];
      let b = psi[index];
      let is_odd = (countOneBits(vec4(index) & batch.signs) & vec4(1u)) != vec4(0u);
      let sign = select(vec4(1.0), vec4(-1.0), is_odd);
      few_re += sign * dot(a, b);
      few_im += sign * (a.x * b.y - a.y * b.x);
    }
    if ((i & 15u) == 15u) {
      re += few_re;
      im += few_im;
      few_re = vec4(0.0);
      few_im = vec4(0.0);
    }
  }

  re_sums[local] = re + few_re;
  im_sums[local] = im + few_im;
  for (var width = WORKGROUP_SIZE / 2u; width > 0u; width >>= 1u) {
    workgroupBarrier();
    if (local < width) {
      re_sums[local] += re_sums[local + width];
      im_sums[local] += im_sums[local + width];
    }
  }
  // The invocation that added the last two.
  if (local == 0u) {
    let slot = params.first_slot + 2u * (group.z * params.num_groups + group_number);
    slots[slot] = re_sums[0];
    slots[slot + 1u] = im_sums[0];
  }
}
