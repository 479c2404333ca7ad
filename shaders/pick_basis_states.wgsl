// Draws basis states inside blocks of a state; a block agrees in all but its 11 lowest logical bits.
//
// A workgroup has an item: a block and some thresholds, each below the block's mass or next to it. It
// reads the block in the order of memory, puts the masses into logical order, adds them up in a tree,
// and takes each threshold down the tree to the first basis state up to which the sum exceeds it. One
// that rounding put beyond the sum ends at the last basis state that is possible; one that is
// impossible is never picked. Only sums of a tree are compared, which no prefix sum of another
// association can contradict, and a greater threshold never ends at a lower basis state.
// The state is only read; each pick is written by one invocation.
//
// Prelude: WORKGROUP_SIZE, BLOCK_SIZE: amplitudes of a block, a multiple of it.

struct Params {
  num_items: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
// Of each item [physical index of the block's first basis state, first threshold, thresholds].
@group(0) @binding(1) var<storage, read> items: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read> thresholds: array<f32>;
// By rank in the order of memory: [offset of the physical index, logical number in the block].
@group(0) @binding(4) var<storage, read> places: array<vec2<u32>>;
// Of each threshold the logical number in the block.
@group(0) @binding(5) var<storage, read_write> picks: array<u32>;

const RUN = BLOCK_SIZE / WORKGROUP_SIZE;

var<workgroup> masses: array<f32, BLOCK_SIZE>;
// tree[1] is the sum of all, tree[i] that of tree[2i] and tree[2i + 1]; the last level has runs.
var<workgroup> tree: array<f32, 2u * WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let item = group.x + group.y * params.row_length;
  if (item >= params.num_items) {
    return;
  }
  let base = items[3u * item];
  let first = items[3u * item + 1u];
  let count = items[3u * item + 2u];

  for (var rank = local; rank < BLOCK_SIZE; rank += WORKGROUP_SIZE) {
    let place = places[rank];
    let amplitude = state[base | place.x];
    masses[place.y] = dot(amplitude, amplitude);
  }
  workgroupBarrier();
  var sum = 0.0;
  for (var i = 0u; i < RUN; i++) {
    sum += masses[local * RUN + i];
  }
  tree[WORKGROUP_SIZE + local] = sum;
  for (var width = WORKGROUP_SIZE / 2u; width > 0u; width >>= 1u) {
    workgroupBarrier();
    if (local < width) {
      let node = width + local;
      tree[node] = tree[2u * node] + tree[2u * node + 1u];
    }
  }
  workgroupBarrier();

  for (var i = local; i < count; i += WORKGROUP_SIZE) {
    var rest = thresholds[first + i];
    var node = 1u;
    while (node < WORKGROUP_SIZE) {
      node *= 2u;
      if (rest >= tree[node] && tree[node + 1u] > 0.0) {
        rest -= tree[node];
        node++;
      }
    }
    let run = (node - WORKGROUP_SIZE) * RUN;
    var pick = run;
    for (var j = run; j < run + RUN; j++) {
      if (masses[j] > 0.0) {
        pick = j;
        if (rest < masses[j]) {
          break;
        }
        rest -= masses[j];
      }
    }
    picks[first + i] = pick;
  }
}
