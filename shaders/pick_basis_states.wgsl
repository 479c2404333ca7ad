// Finds the basis states of draws inside blocks, and lists them in ascending order with their counts.
//
// A workgroup has a block. It adds up the block's masses in a tree, takes what remains of each draw
// down the tree to the first basis state up to which the sum exceeds it, counts the picks of each
// basis state, and lists those that were picked. The list has room for as many as there are draws:
// what is left of it has counts of 0. Sums are those that found the block, unless
// the device rounds a product otherwise in another kernel: what that puts beyond the block's end
// stays at the last basis state that is possible. Each place of the list is written by one invocation.
//
// Requires: fixed_point. Prelude: WORKGROUP_SIZE; BLOCK_BITS: log2 of a block's basis states, at least
// WORKGROUP_SIZE of them; GROUP_SIZE: blocks of a group of the scan.

struct Params {
  // The number of the window's first block.
  first_block: u32,
  num_blocks: u32,
  // Bits of a block's number in the window.
  num_block_bits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

// By block of the window and logical number in the block.
@group(0) @binding(0) var<storage, read> masses: array<f32>;
// For each bit of a block's number in the window, its bit of the block's number.
@group(0) @binding(1) var<storage, read> block_bits: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
// Cumulative numbers of draws of blocks inside groups, and of groups. Upper words are 0.
@group(0) @binding(3) var<storage, read> block_ends: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read> group_ends: array<vec2<u32>>;
// Remainders of the draws, block after block.
@group(0) @binding(5) var<storage, read> rests: array<vec2<u32>>;
// [lower 32 bits of the logical basis index, number of picks].
@group(0) @binding(6) var<storage, read_write> picks: array<vec2<u32>>;

const BLOCK_SIZE = 1u << BLOCK_BITS;
const RUN = BLOCK_SIZE / WORKGROUP_SIZE;

// tree[1] is the sum of all, tree[i] that of tree[2i] and tree[2i + 1]; the last level has runs.
var<workgroup> tree: array<vec2<u32>, 2u * WORKGROUP_SIZE>;
var<workgroup> counts: array<atomic<u32>, BLOCK_SIZE>;
// Basis states that were picked, up to the end of a run.
var<workgroup> run_ends: array<u32, WORKGROUP_SIZE>;

// The logical number in the block.
fn pick_of(draw: vec2<u32>, first_mass: u32) -> u32 {
  var rest = draw;
  var node = 1u;
  while (node < WORKGROUP_SIZE) {
    node *= 2u;
    let left = tree[node];
    let goes_right = !is_below(rest, left) && any(tree[node + 1u] != vec2(0u));
    rest = select(rest, difference_of(rest, left), goes_right);
    node += u32(goes_right);
  }
  let run = (node - WORKGROUP_SIZE) * RUN;
  // The last possible one that begins at or before the draw.
  var pick = run;
  var start = vec2(0u);
  for (var i = run; i < run + RUN; i++) {
    let mass = fixed_of(masses[first_mass + i]);
    let is_reached = any(mass != vec2(0u)) && !is_below(rest, start);
    pick = select(pick, i, is_reached);
    start = sum_of(start, mass);
  }
  return pick;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let item = group.x + group.y * params.row_length;
  if (item >= params.num_blocks) {
    return;
  }
  var block = params.first_block;
  for (var bit = 0u; bit < params.num_block_bits; bit++) {
    if (((item >> bit) & 1u) != 0u) {
      block |= block_bits[bit];
    }
  }
  var first = 0u;
  var end = block_ends[block].x;
  if (block % GROUP_SIZE != 0u) {
    first = block_ends[block - 1u].x;
  }
  let count = end - first;
  if (count == 0u) {
    return;
  }
  if (block >= GROUP_SIZE) {
    first += group_ends[block / GROUP_SIZE - 1u].x;
  }

  // The tree, and no picks yet.
  let first_mass = item << BLOCK_BITS;
  // A step that compilers do not know: they would unroll the loops of barriers, over which software
  // drivers then spend up to a second.
  let one = min(params.num_blocks, 1u);
  var sum = vec2(0u);
  for (var i = 0u; i < RUN; i++) {
    sum = sum_of(sum, fixed_of(masses[first_mass + local * RUN + i]));
    atomicStore(&counts[local * RUN + i], 0u);
  }
  tree[WORKGROUP_SIZE + local] = sum;
  for (var width = WORKGROUP_SIZE / 2u; width > 0u; width >>= one) {
    workgroupBarrier();
    if (local < width) {
      let node = width + local;
      tree[node] = sum_of(tree[2u * node], tree[2u * node + 1u]);
    }
  }
  workgroupBarrier();

  for (var i = local; i < count; i += WORKGROUP_SIZE) {
    atomicAdd(&counts[pick_of(rests[first + i], first_mass)], 1u);
  }
  workgroupBarrier();

  var num_picked = 0u;
  for (var i = 0u; i < RUN; i++) {
    num_picked += u32(atomicLoad(&counts[local * RUN + i]) > 0u);
  }
  run_ends[local] = num_picked;
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance <<= one) {
    workgroupBarrier();
    var before = 0u;
    if (local >= distance) {
      before = run_ends[local - distance];
    }
    workgroupBarrier();
    run_ends[local] += before;
  }
  var place = first + run_ends[local] - num_picked;
  for (var i = local * RUN; i < (local + 1u) * RUN; i++) {
    let times = atomicLoad(&counts[i]);
    if (times > 0u) {
      picks[place] = vec2((block << BLOCK_BITS) | i, times);
      place++;
    }
  }
  workgroupBarrier();
  for (var i = run_ends[WORKGROUP_SIZE - 1u] + local; i < count; i += WORKGROUP_SIZE) {
    picks[first + i] = vec2(0u);
  }
}
