// Adds part of O·ψ to a slice of the image: the groups of Pauli strings that take it from one slice
// of the state.
//
// A group of strings with the same flips moves the amplitude of i to i ^ flips and multiplies it by
// the sum of the strings' factors, each with the sign of i & signs. An invocation owns one amplitude
// of the image and reads one amplitude of the state for each group: no races. Neighbours read
// neighbours, and all of them the same strings.
//
// Prelude: WORKGROUP_SIZE.

struct Params {
  num_amplitudes: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  // Groups of the dispatch.
  first_group: u32,
  end_group: u32,
  // Number of the state's slice: the bits of i above a slice's.
  source_number: u32,
}

struct Group {
  // Flipped qubits of the slice.
  flips: u32,
  // 1 if the factors are imaginary.
  is_imaginary: u32,
  first_string: u32,
  end_string: u32,
}

struct PauliString {
  // Qubits of the slice whose 1 changes the sign, and those of the slice's number.
  signs: u32,
  number_signs: u32,
  factor: f32,
  padding: u32,
}

@group(0) @binding(0) var<storage, read> state: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> groups: array<Group>;
@group(0) @binding(2) var<uniform> params: Params;
@group(0) @binding(3) var<storage, read_write> image: array<vec2<f32>>;
@group(0) @binding(4) var<storage, read> strings: array<PauliString>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) workgroup: vec3<u32>,
) {
  let index = (workgroup.x + workgroup.y * params.row_length) * WORKGROUP_SIZE + local;
  if (index >= params.num_amplitudes) {
    return;
  }
  var sum = image[index];
  for (var g = params.first_group; g < params.end_group; g++) {
    let group = groups[g];
    let source = index ^ group.flips;
    var factor = 0.0;
    for (var s = group.first_string; s < group.end_string; s++) {
      let pauli = strings[s];
      let odd = countOneBits(source & pauli.signs) + countOneBits(params.source_number & pauli.number_signs);
      factor += select(pauli.factor, -pauli.factor, (odd & 1u) != 0u);
    }
    let amplitude = state[source];
    sum += factor * select(amplitude, vec2(-amplitude.y, amplitude.x), group.is_imaginary != 0u);
  }
  image[index] = sum;
}
