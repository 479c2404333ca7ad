// Adds what one chunk holds of each block to the block's mass; a block agrees in all but its lowest
// logical qubits. Sums are exact in fixed point.
//
// The lowest THREAD_QUBITS qubits are the invocation's number, whichever are the block's, so that
// neighbours read neighbours. Of the others, an invocation visits all values of the loop's; a
// workgroup has one value of the rest. Qubits of the invocation's number that lie inside a block are
// added up in workgroup memory. Each block has one invocation that adds to it: no races.
//
// Requires: fixed_point. Prelude: THREAD_QUBITS, WORKGROUP_SIZE = 1 << THREAD_QUBITS.

struct Params {
  // Added to block numbers for the chunk's number.
  first_block: u32,
  // Bits of the index that an invocation visits all values of.
  loop_mask: u32,
  // 2^(bits of loop_mask).
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
// For each bit of the workgroup's number [bit of the index, bit of the block's number]; then for each
// bit of the invocation's number its bit of the block's.
@group(0) @binding(1) var<storage, read> places: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> masses: array<vec2<u32>>;

// 3.5: what an invocation adds up is below 4 if its rounded sum is below this. The bits of what is
// not a number, or infinite, are above it.
const MOST = 0x40600000u;

var<workgroup> sums: array<vec2<u32>, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let group_number = group.x + group.y * params.row_length;
  if (group_number >= params.num_groups) {
    return;
  }
  var index = local;
  var block = params.first_block;
  for (var bit = 0u; bit < params.num_group_bits; bit++) {
    if (((group_number >> bit) & 1u) != 0u) {
      index |= places[2u * bit];
      block |= places[2u * bit + 1u];
    }
  }
  for (var bit = 0u; bit < THREAD_QUBITS; bit++) {
    if (((local >> bit) & 1u) != 0u) {
      block |= places[2u * params.num_group_bits + bit];
    }
  }

  var sum = vec2(0u);
  var rounded = 0.0;
  var visited = 0u;
  for (var i = 0u; i < params.num_terms; i++) {
    let amplitude = state[index | visited];
    let mass = dot(amplitude, amplitude);
    rounded += mass;
    let term = fixed_of(mass);
    // A sum below 4 cannot saturate.
    let low = sum.x + term.x;
    sum = vec2(low, sum.y + term.y + u32(low < term.x));
    // The next value of the loop's bits: a carry runs through all other bits.
    visited = ((visited | ~params.loop_mask) + 1u) & params.loop_mask;
  }
  if (bitcast<u32>(rounded) > MOST) {
    sum = SATURATED;
  }
  sums[local] = sum;

  // Two sums that differ in a summed bit are added to the one where the bit is 0.
  var folded = 0u;
  // A step that compilers do not know: they would unroll the loops of barriers, over which software
  // drivers then spend up to a second.
  let one = min(params.num_groups, 1u);
  for (var bit = 1u; bit < WORKGROUP_SIZE; bit <<= one) {
    if ((params.summed_threads & bit) != 0u) {
      folded |= bit;
      workgroupBarrier();
      if ((local & folded) == 0u) {
        sums[local] = sum_of(sums[local], sums[local | bit]);
      }
    }
  }
  if ((local & folded) == 0u) {
    masses[block] = sum_of(masses[block], sums[local]);
  }
}
