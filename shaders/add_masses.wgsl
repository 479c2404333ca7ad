// Adds up |amplitude|^2 by the values of some qubits: the bins.
//
// The lowest THREAD_QUBITS qubits are the invocation's number, whichever qubits are asked for, so that
// neighbours read neighbours. Of the others, an invocation visits all values of the loop's; a
// workgroup has one value of the rest. Qubits of the invocation's number that are not binned are added
// up in workgroup memory. Each sum has a slot of its own, which one invocation writes: no races.
// An invocation adds 16 terms, then 16 such sums, then up to 16 of those: an error of few roundings.
//
// Prelude: THREAD_QUBITS, WORKGROUP_SIZE = 1 << THREAD_QUBITS.

struct Params {
  // The amplitude that the first workgroup begins at; a multiple of 2^THREAD_QUBITS.
  base: u32,
  // Where the dispatch's slots begin.
  first_slot: u32,
  // Bits of the index that an invocation visits all values of.
  loop_mask: u32,
  // 2^(bits of loop_mask); at most 2^12.
  num_terms: u32,
  // Bits of the invocation's number that are added up.
  summed_threads: u32,
  // 2^num_group_bits.
  num_groups: u32,
  num_group_bits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

// One chunk.
@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
// For each bit of the workgroup's number [bit of the index, bit of the slot]; then for each bit of the
// invocation's number its bit of the slot.
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> slots: array<f32>;

var<workgroup> sums: array<f32, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let group_number = group.x + group.y * params.row_length;
  if (group_number >= params.num_groups) {
    return;
  }
  var index = params.base | local;
  var slot = params.first_slot;
  for (var bit = 0u; bit < params.num_group_bits; bit++) {
    if (((group_number >> bit) & 1u) != 0u) {
      index |= places[2u * bit];
      slot += places[2u * bit + 1u];
    }
  }
  for (var bit = 0u; bit < THREAD_QUBITS; bit++) {
    if (((local >> bit) & 1u) != 0u) {
      slot += places[2u * params.num_group_bits + bit];
    }
  }

  var few = 0.0;
  var more = 0.0;
  var sum = 0.0;
  var visited = 0u;
  for (var i = 0u; i < params.num_terms; i++) {
    let amplitude = state[index | visited];
    few += dot(amplitude, amplitude);
    // The next value of the loop's bits: a carry runs through all other bits.
    visited = ((visited | ~params.loop_mask) + 1u) & params.loop_mask;
    if ((i & 15u) == 15u) {
      more += few;
      few = 0.0;
    }
    if ((i & 255u) == 255u) {
      sum += more;
      more = 0.0;
    }
  }
  sums[local] = sum + (more + few);

  // Two sums that differ in a summed bit are added to the one where the bit is 0.
  var folded = 0u;
  for (var bit = 1u; bit < WORKGROUP_SIZE; bit <<= 1u) {
    if ((params.summed_threads & bit) != 0u) {
      folded |= bit;
      workgroupBarrier();
      if ((local & folded) == 0u) {
        sums[local] += sums[local | bit];
      }
    }
  }
  if ((local & folded) == 0u) {
    slots[slot] = sums[local];
  }
}
