// Makes numbers their cumulative sums, in groups of WORKGROUP_SIZE * RUN, and lists the groups' sums.
//
// A workgroup has a group, an invocation RUN neighbouring numbers of it, which no other touches.
//
// Requires: fixed_point. Prelude: WORKGROUP_SIZE, RUN.

struct Params {
  num_sums: u32,
  num_groups: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
}

@group(0) @binding(2) var<uniform> params: Params;
// Element i becomes the sum of its group's elements up to i.
@group(0) @binding(3) var<storage, read_write> sums: array<vec2<u32>>;
@group(0) @binding(4) var<storage, read_write> group_sums: array<vec2<u32>>;

var<workgroup> totals: array<vec2<u32>, WORKGROUP_SIZE>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3<u32>,
) {
  let group = workgroup.x + workgroup.y * params.row_length;
  if (group >= params.num_groups) {
    return;
  }
  let first = (group * WORKGROUP_SIZE + local) * RUN;
  let end = min(first + RUN, params.num_sums);
  var total = vec2(0u);
  for (var i = first; i < end; i++) {
    total = sum_of(total, sums[i]);
  }
  totals[local] = total;
  // A step that compilers do not know: they would unroll the loops of barriers, over which software
  // drivers then spend up to a second.
  let one = min(params.num_groups, 1u);
  // After each step an element is the sum of the 2 * distance invocations that end with its own.
  for (var distance = 1u; distance < WORKGROUP_SIZE; distance <<= one) {
    workgroupBarrier();
    var before = vec2(0u);
    if (local >= distance) {
      before = totals[local - distance];
    }
    workgroupBarrier();
    totals[local] = sum_of(totals[local], before);
  }
  workgroupBarrier();
  var sum = vec2(0u);
  if (local > 0u) {
    sum = totals[local - 1u];
  }
  for (var i = first; i < end; i++) {
    sum = sum_of(sum, sums[i]);
    sums[i] = sum;
  }
  if (local == WORKGROUP_SIZE - 1u) {
    group_sums[group] = totals[local];
  }
}
