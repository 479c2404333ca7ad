// Runs circuits of one shape from |0...0>, each with angles of its own, and stores their states.
//
// A circuit has 2^thread_qubits threads of one workgroup; a thread holds 16 of its amplitudes in
// registers, those that differ in the four register qubits of the stage. Instructions act on registers
// only; between stages the circuit goes through workgroup memory and other qubits become register
// qubits. Circuits of up to four qubits have one thread and one stage, and meet no barrier. Each
// amplitude is read and written by one invocation between barriers, so there are no races.
//
// Threads of a circuit compute cosines of its angles alike, which is cheaper than to share them. A
// one-qubit matrix is multiplied together in registers before it is applied to any amplitude.
//
// Prelude: WORKGROUP_SIZE; then lib/complex.wgsl. All words of `program` are read at uniform positions.
// Registers are variables of their own, as in sweep.wgsl.

struct Params {
  num_circuits: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  // 2^thread_qubits threads have a circuit of 2^(thread_qubits + 4) amplitudes.
  thread_qubits: u32,
  // Angles of one circuit.
  num_angles: u32,
}

@group(0) @binding(0) var<storage, read_write> states: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read> program: array<u32>;
@group(0) @binding(2) var<uniform> params: Params;
// Halves of angles as fractions of a turn, times 2^32: whole turns wrap around. By workgroup, then
// by angle, then by circuit of the workgroup.
@group(0) @binding(3) var<storage, read> angles: array<i32>;

// First words of instructions; any other multiplies by a phase.
const TURN_X = 1u;
const TURN_Y = 2u;
const PHASE_ROW = 3u;
const CONSTANT = 4u;
const APPLY = 5u;
const FLIP = 6u;
const ADD_ANGLE = 7u;

// pi/2^31: what 1 is of an angle, in radians.
const RADIANS = 1.4629180792671596e-9;

var<workgroup> tile: array<vec2<f32>, 16u * WORKGROUP_SIZE>;

// Row-major.
struct Matrix {
  a: vec2<f32>,
  b: vec2<f32>,
  c: vec2<f32>,
  d: vec2<f32>,
}

fn complex(at: u32) -> vec2<f32> {
  return vec2(bitcast<f32>(program[at]), bitcast<f32>(program[at + 1u]));
}

// Cosine and sine of a fraction of a turn. WGSL's own may be wrong by 2^-11; the polynomials are those
// of Moshier's Cephes for [-pi/4, pi/4].
fn unit(turns: i32) -> vec2<f32> {
  let quarter = (turns + 0x20000000) >> 30u;
  let r = f32(turns - (quarter << 30u)) * RADIANS;
  let z = r * r;
  let sine = r + r * z * (-1.6666654611e-1 + z * (8.3321608736e-3 - z * 1.9515295891e-4));
  let cosine = 1.0 - 0.5 * z
    + z * z * (4.166664568298827e-2 + z * (-1.388731625493765e-3 + z * 2.443315711809948e-5));
  let turned = select(vec2(cosine, sine), vec2(-sine, cosine), (quarter & 1) != 0);
  return select(turned, -turned, (quarter & 2) != 0);
}

// Multiple of a circuit's angle, from [angle, multiple] at `at`.
fn angle(first: u32, stride: u32, at: u32) -> i32 {
  return angles[first + program[at] * stride] * bitcast<i32>(program[at + 1u]);
}

// Applies a 2x2 matrix to a pair.
fn apply(m: Matrix, a: ptr<function, vec2<f32>>, b: ptr<function, vec2<f32>>, does: bool) {
  let x = *a;
  let y = *b;
  *a = select(x, times(m.a, x) + times(m.b, y), does);
  *b = select(y, times(m.c, x) + times(m.d, y), does);
}

fn multiply_if(a: ptr<function, vec2<f32>>, phase: vec2<f32>, does: bool) {
  *a = select(*a, times(*a, phase), does);
}

// Where a thread's amplitudes begin: the strides of its bits, which stand at `strides`. Strides are
// combined by exclusive or, so that neighbours may be kept in different banks of workgroup memory.
fn place_of(thread: u32, strides: u32) -> u32 {
  var place = 0u;
  for (var bit = 0u; bit < params.thread_qubits; bit++) {
    place ^= ((thread >> bit) & 1u) * program[strides + bit];
  }
  return place;
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let thread_qubits = params.thread_qubits;
  let circuits_per_group = WORKGROUP_SIZE >> thread_qubits;
  let thread = local & ((1u << thread_qubits) - 1u);
  let slot = local >> thread_qubits;
  let group_number = group.x + group.y * params.row_length;
  let circuit = group_number * circuits_per_group + slot;
  // Angles of absent circuits are 0, or left over from an earlier run.
  let own_angles = group_number * circuits_per_group * params.num_angles + slot;
  let own_tile = slot << (thread_qubits + 4u);

  var r0 = vec2(select(0.0, 1.0, thread == 0u), 0.0);
  var r1 = vec2(0.0);
  var r2 = vec2(0.0);
  var r3 = vec2(0.0);
  var r4 = vec2(0.0);
  var r5 = vec2(0.0);
  var r6 = vec2(0.0);
  var r7 = vec2(0.0);
  var r8 = vec2(0.0);
  var r9 = vec2(0.0);
  var r10 = vec2(0.0);
  var r11 = vec2(0.0);
  var r12 = vec2(0.0);
  var r13 = vec2(0.0);
  var r14 = vec2(0.0);
  var r15 = vec2(0.0);
  let none = Matrix(vec2(1.0, 0.0), vec2(0.0), vec2(0.0), vec2(1.0, 0.0));
  var m = none;
  var turns = 0;

  let num_stages = program[0u];
  var at = 1u;
  for (var stage = 0u; stage < num_stages; stage++) {
    // A stage: [instructions, four strides of registers, strides of the thread's bits].
    let num_instructions = program[at];
    let d0 = program[at + 1u];
    let d1 = program[at + 2u];
    let d2 = program[at + 3u];
    let d3 = program[at + 4u];
    let place = own_tile ^ place_of(thread, at + 5u);
    at += 5u + thread_qubits;
    if (stage > 0u) {
      workgroupBarrier();
      r0 = tile[place];
      r1 = tile[place ^ d0];
      r2 = tile[place ^ d1];
      r3 = tile[place ^ d0 ^ d1];
      r4 = tile[place ^ d2];
      r5 = tile[place ^ d0 ^ d2];
      r6 = tile[place ^ d1 ^ d2];
      r7 = tile[place ^ d0 ^ d1 ^ d2];
      r8 = tile[place ^ d3];
      r9 = tile[place ^ d0 ^ d3];
      r10 = tile[place ^ d1 ^ d3];
      r11 = tile[place ^ d0 ^ d1 ^ d3];
      r12 = tile[place ^ d2 ^ d3];
      r13 = tile[place ^ d0 ^ d2 ^ d3];
      r14 = tile[place ^ d1 ^ d2 ^ d3];
      r15 = tile[place ^ d0 ^ d1 ^ d2 ^ d3];
      workgroupBarrier();
    }

    for (var i = 0u; i < num_instructions; i++) {
      let opcode = program[at];
      switch opcode {
        // [angle, multiple]
        case TURN_X: {
          let e = unit(angle(own_angles, circuits_per_group, at + 1u));
          let s = vec2(0.0, -e.y);
          m = Matrix(
            e.x * m.a + times(s, m.c), e.x * m.b + times(s, m.d),
            times(s, m.a) + e.x * m.c, times(s, m.b) + e.x * m.d,
          );
          at += 3u;
        }
        // [angle, multiple]
        case TURN_Y: {
          let e = unit(angle(own_angles, circuits_per_group, at + 1u));
          m = Matrix(
            e.x * m.a - e.y * m.c, e.x * m.b - e.y * m.d,
            e.y * m.a + e.x * m.c, e.y * m.b + e.x * m.d,
          );
          at += 3u;
        }
        // [angle, multiple, row]
        case PHASE_ROW: {
          let e = unit(angle(own_angles, circuits_per_group, at + 1u));
          if (program[at + 3u] == 0u) {
            m.a = times(e, m.a);
            m.b = times(e, m.b);
          } else {
            m.c = times(e, m.c);
            m.d = times(e, m.d);
          }
          at += 4u;
        }
        // [four complex numbers]
        case CONSTANT: {
          let a = complex(at + 1u);
          let b = complex(at + 3u);
          let c = complex(at + 5u);
          let d = complex(at + 7u);
          m = Matrix(
            times(a, m.a) + times(b, m.c), times(a, m.b) + times(b, m.d),
            times(c, m.a) + times(d, m.c), times(c, m.b) + times(d, m.d),
          );
          at += 9u;
        }
        // [register bit, mask, value, pairs]: of the thread's number; a bit for each pair of registers.
        case APPLY: {
          let holds = (thread & program[at + 2u]) == program[at + 3u];
          let pairs = select(0u, program[at + 4u], holds);
          switch program[at + 1u] {
            case 0u: {
              apply(m, &r0, &r1, (pairs & 1u) != 0u);
              apply(m, &r2, &r3, (pairs & 2u) != 0u);
              apply(m, &r4, &r5, (pairs & 4u) != 0u);
              apply(m, &r6, &r7, (pairs & 8u) != 0u);
              apply(m, &r8, &r9, (pairs & 16u) != 0u);
              apply(m, &r10, &r11, (pairs & 32u) != 0u);
              apply(m, &r12, &r13, (pairs & 64u) != 0u);
              apply(m, &r14, &r15, (pairs & 128u) != 0u);
            }
            case 1u: {
              apply(m, &r0, &r2, (pairs & 1u) != 0u);
              apply(m, &r1, &r3, (pairs & 2u) != 0u);
              apply(m, &r4, &r6, (pairs & 4u) != 0u);
              apply(m, &r5, &r7, (pairs & 8u) != 0u);
              apply(m, &r8, &r10, (pairs & 16u) != 0u);
              apply(m, &r9, &r11, (pairs & 32u) != 0u);
              apply(m, &r12, &r14, (pairs & 64u) != 0u);
              apply(m, &r13, &r15, (pairs & 128u) != 0u);
            }
            case 2u: {
              apply(m, &r0, &r4, (pairs & 1u) != 0u);
              apply(m, &r1, &r5, (pairs & 2u) != 0u);
              apply(m, &r2, &r6, (pairs & 4u) != 0u);
              apply(m, &r3, &r7, (pairs & 8u) != 0u);
              apply(m, &r8, &r12, (pairs & 16u) != 0u);
              apply(m, &r9, &r13, (pairs & 32u) != 0u);
              apply(m, &r10, &r14, (pairs & 64u) != 0u);
              apply(m, &r11, &r15, (pairs & 128u) != 0u);
            }
            default: {
              apply(m, &r0, &r8, (pairs & 1u) != 0u);
              apply(m, &r1, &r9, (pairs & 2u) != 0u);
              apply(m, &r2, &r10, (pairs & 4u) != 0u);
              apply(m, &r3, &r11, (pairs & 8u) != 0u);
              apply(m, &r4, &r12, (pairs & 16u) != 0u);
              apply(m, &r5, &r13, (pairs & 32u) != 0u);
              apply(m, &r6, &r14, (pairs & 64u) != 0u);
              apply(m, &r7, &r15, (pairs & 128u) != 0u);
            }
          }
          m = none;
          at += 5u;
        }
        // [register bit, mask, value, pairs]
        case FLIP: {
          let holds = (thread & program[at + 2u]) == program[at + 3u];
          let pairs = select(0u, program[at + 4u], holds);
          switch program[at + 1u] {
            case 0u: {
              exchange_if(&r0, &r1, (pairs & 1u) != 0u);
              exchange_if(&r2, &r3, (pairs & 2u) != 0u);
              exchange_if(&r4, &r5, (pairs & 4u) != 0u);
              exchange_if(&r6, &r7, (pairs & 8u) != 0u);
              exchange_if(&r8, &r9, (pairs & 16u) != 0u);
              exchange_if(&r10, &r11, (pairs & 32u) != 0u);
              exchange_if(&r12, &r13, (pairs & 64u) != 0u);
              exchange_if(&r14, &r15, (pairs & 128u) != 0u);
            }
            case 1u: {
              exchange_if(&r0, &r2, (pairs & 1u) != 0u);
              exchange_if(&r1, &r3, (pairs & 2u) != 0u);
              exchange_if(&r4, &r6, (pairs & 4u) != 0u);
              exchange_if(&r5, &r7, (pairs & 8u) != 0u);
              exchange_if(&r8, &r10, (pairs & 16u) != 0u);
              exchange_if(&r9, &r11, (pairs & 32u) != 0u);
              exchange_if(&r12, &r14, (pairs & 64u) != 0u);
              exchange_if(&r13, &r15, (pairs & 128u) != 0u);
            }
            case 2u: {
              exchange_if(&r0, &r4, (pairs & 1u) != 0u);
              exchange_if(&r1, &r5, (pairs & 2u) != 0u);
              exchange_if(&r2, &r6, (pairs & 4u) != 0u);
              exchange_if(&r3, &r7, (pairs & 8u) != 0u);
              exchange_if(&r8, &r12, (pairs & 16u) != 0u);
              exchange_if(&r9, &r13, (pairs & 32u) != 0u);
              exchange_if(&r10, &r14, (pairs & 64u) != 0u);
              exchange_if(&r11, &r15, (pairs & 128u) != 0u);
            }
            default: {
              exchange_if(&r0, &r8, (pairs & 1u) != 0u);
              exchange_if(&r1, &r9, (pairs & 2u) != 0u);
              exchange_if(&r2, &r10, (pairs & 4u) != 0u);
              exchange_if(&r3, &r11, (pairs & 8u) != 0u);
              exchange_if(&r4, &r12, (pairs & 16u) != 0u);
              exchange_if(&r5, &r13, (pairs & 32u) != 0u);
              exchange_if(&r6, &r14, (pairs & 64u) != 0u);
              exchange_if(&r7, &r15, (pairs & 128u) != 0u);
            }
          }
          at += 5u;
        }
        // [angle, multiple]
        case ADD_ANGLE: {
          turns += angle(own_angles, circuits_per_group, at + 1u);
          at += 3u;
        }
        // [mask, value, registers, factor]: a bit for each register; the angles added up join in.
        default: {
          let phase = times(unit(turns), complex(at + 4u));
          turns = 0;
          let holds = (thread & program[at + 1u]) == program[at + 2u];
          let registers = select(0u, program[at + 3u], holds);
          multiply_if(&r0, phase, (registers & 1u) != 0u);
          multiply_if(&r1, phase, (registers & 2u) != 0u);
          multiply_if(&r2, phase, (registers & 4u) != 0u);
          multiply_if(&r3, phase, (registers & 8u) != 0u);
          multiply_if(&r4, phase, (registers & 16u) != 0u);
          multiply_if(&r5, phase, (registers & 32u) != 0u);
          multiply_if(&r6, phase, (registers & 64u) != 0u);
          multiply_if(&r7, phase, (registers & 128u) != 0u);
          multiply_if(&r8, phase, (registers & 256u) != 0u);
          multiply_if(&r9, phase, (registers & 512u) != 0u);
          multiply_if(&r10, phase, (registers & 1024u) != 0u);
          multiply_if(&r11, phase, (registers & 2048u) != 0u);
          multiply_if(&r12, phase, (registers & 4096u) != 0u);
          multiply_if(&r13, phase, (registers & 8192u) != 0u);
          multiply_if(&r14, phase, (registers & 16384u) != 0u);
          multiply_if(&r15, phase, (registers & 32768u) != 0u);
          at += 6u;
        }
      }
    }

    if (stage + 1u < num_stages) {
      tile[place] = r0;
      tile[place ^ d0] = r1;
      tile[place ^ d1] = r2;
      tile[place ^ d0 ^ d1] = r3;
      tile[place ^ d2] = r4;
      tile[place ^ d0 ^ d2] = r5;
      tile[place ^ d1 ^ d2] = r6;
      tile[place ^ d0 ^ d1 ^ d2] = r7;
      tile[place ^ d3] = r8;
      tile[place ^ d0 ^ d3] = r9;
      tile[place ^ d1 ^ d3] = r10;
      tile[place ^ d0 ^ d1 ^ d3] = r11;
      tile[place ^ d2 ^ d3] = r12;
      tile[place ^ d0 ^ d2 ^ d3] = r13;
      tile[place ^ d1 ^ d2 ^ d3] = r14;
      tile[place ^ d0 ^ d1 ^ d2 ^ d3] = r15;
    }
  }

  if (circuit < params.num_circuits) {
    // Where registers and threads are stored: strides in the order of logical qubits.
    let d0 = program[at];
    let d1 = program[at + 1u];
    let d2 = program[at + 2u];
    let d3 = program[at + 3u];
    let to = (circuit << (thread_qubits + 4u)) ^ place_of(thread, at + 4u);
    states[to] = r0;
    states[to ^ d0] = r1;
    states[to ^ d1] = r2;
    states[to ^ d0 ^ d1] = r3;
    states[to ^ d2] = r4;
    states[to ^ d0 ^ d2] = r5;
    states[to ^ d1 ^ d2] = r6;
    states[to ^ d0 ^ d1 ^ d2] = r7;
    states[to ^ d3] = r8;
    states[to ^ d0 ^ d3] = r9;
    states[to ^ d1 ^ d3] = r10;
    states[to ^ d0 ^ d1 ^ d3] = r11;
    states[to ^ d2 ^ d3] = r12;
    states[to ^ d0 ^ d2 ^ d3] = r13;
    states[to ^ d1 ^ d2 ^ d3] = r14;
    states[to ^ d0 ^ d1 ^ d2 ^ d3] = r15;
  }
}
