// One sweep: every workgroup gathers its tiles, applies the sweep's instructions and stores them.
//
// A tile is 2^TILE_QUBITS amplitudes; a thread holds 16 of them in registers, those that differ in
// the four register qubits of the stage. Instructions act on registers only. Between stages the tile
// goes through workgroup memory and other qubits become register qubits. Each tile is read and written
// by one workgroup alone, so no two invocations share an amplitude between barriers.
//
// Indices are those of the chunks that the dispatch binds, side by side: the lowest bits lie inside a
// chunk, those above them tell the chunk. A tile's own chunk qubits are the highest register qubits of
// the first stage, when it is read, and of the last, when it is stored.
//
// Prelude: THREAD_QUBITS (tile qubits that are not in registers), TILES (tiles of a workgroup),
// WORKGROUP_SIZE = TILES << THREAD_QUBITS; then lib/complex.wgsl and
// one of lib/state_*.wgsl. Nearly all of `program` is read
// at uniform positions.
//
// Registers are variables of their own, not an array: an index that is not constant would move them
// to memory. This is why the kernel is written out.

struct Params {
  // Position of the sweep in `program`.
  first_quad: u32,
  // What all indices of the dispatch have in common: its chunks.
  base: u32,
  first_tile: u32,
  // After the last tile.
  end_tile: u32,
  // Workgroups of a row of the dispatch.
  row_length: u32,
  // Bits of an index that lie inside a chunk.
  chunk_mask: u32,
  // Amplitudes whose index has any of these bits are 0, whatever memory says: nothing has been
  // written there yet.
  unwritten: u32,
}

// In quads, since one load of four words costs what one of a word does.
@group(1) @binding(0) var<storage, read> program: array<vec4<u32>>;
@group(1) @binding(1) var<uniform> params: Params;

const TILE_QUBITS = THREAD_QUBITS + 4u;
// Quads of masks for the bits of a tile, and of those of its threads.
const TILE_QUADS = (TILE_QUBITS + 3u) / 4u;
const THREAD_QUADS = (THREAD_QUBITS + 3u) / 4u;
// Of a register's number, to get its chunk.
const CHUNK_SHIFT = 4u - TILE_CHUNK_QUBITS;
const ROTATE = 1u;
const FLIP = 2u;
const PHASE = 3u;
const DENSE = 4u;
const DENSE2 = 5u;
const DENSE3 = 6u;

var<workgroup> tile: array<vec2<f32>, TILES << TILE_QUBITS>;

// The amplitude of an index, for the register of that number.
fn read_state(number_of_register: u32, index: u32) -> vec2<f32> {
  if ((index & params.unwritten) != 0u) {
    return vec2(0.0);
  }
  return load_amplitude(number_of_register >> CHUNK_SHIFT, index & params.chunk_mask);
}

fn write_state(number_of_register: u32, index: u32, amplitude: vec2<f32>) {
  store_amplitude(number_of_register >> CHUNK_SHIFT, index & params.chunk_mask, amplitude);
}

// The product of `count` factors [mask, re, im], which begin at `at`, whose mask `index` has. The count
// is even: two products that do not wait for each other take less time than one.
fn phase_of(at: u32, count: u32, index: u32) -> vec2<f32> {
  var even = vec2(1.0, 0.0);
  var odd = vec2(1.0, 0.0);
  for (var i = at; i < at + count; i += 2u) {
    let first = program[i];
    let second = program[i + 1u];
    if ((index & first.x) == first.x) {
      even = times(even, bitcast<vec2<f32>>(first.yz));
    }
    if ((index & second.x) == second.x) {
      odd = times(odd, bitcast<vec2<f32>>(second.yz));
    }
  }
  return times(even, odd);
}

// [[1, -t], [t, 1]] on a pair.
fn turn(a: ptr<function, vec2<f32>>, b: ptr<function, vec2<f32>>, t: f32) {
  let before = *a;
  *a = fma(vec2(-t), *b, before);
  *b = fma(vec2(t), before, *b);
}

// Exchanges two register bits: 0 and 1, 0 and 2, 1 and 2, 0 and 3, 1 and 3, 2 and 3 for 1 to 6, none for 0.
fn exchange_bits(
  which: u32,
  r0: ptr<function, vec2<f32>>,
  r1: ptr<function, vec2<f32>>,
  r2: ptr<function, vec2<f32>>,
  r3: ptr<function, vec2<f32>>,
  r4: ptr<function, vec2<f32>>,
  r5: ptr<function, vec2<f32>>,
  r6: ptr<function, vec2<f32>>,
  r7: ptr<function, vec2<f32>>,
  r8: ptr<function, vec2<f32>>,
  r9: ptr<function, vec2<f32>>,
  r10: ptr<function, vec2<f32>>,
  r11: ptr<function, vec2<f32>>,
  r12: ptr<function, vec2<f32>>,
  r13: ptr<function, vec2<f32>>,
  r14: ptr<function, vec2<f32>>,
  r15: ptr<function, vec2<f32>>,
) {
  switch which {
    case 1u: {
      exchange(r1, r2);
      exchange(r5, r6);
      exchange(r9, r10);
      exchange(r13, r14);
    }
    case 2u: {
      exchange(r1, r4);
      exchange(r3, r6);
      exchange(r9, r12);
      exchange(r11, r14);
    }
    case 3u: {
      exchange(r2, r4);
      exchange(r3, r5);
      exchange(r10, r12);
      exchange(r11, r13);
    }
    case 4u: {
      exchange(r1, r8);
      exchange(r3, r10);
      exchange(r5, r12);
      exchange(r7, r14);
    }
    case 5u: {
      exchange(r2, r8);
      exchange(r3, r9);
      exchange(r6, r12);
      exchange(r7, r13);
    }
    case 6u: {
      exchange(r4, r8);
      exchange(r5, r9);
      exchange(r6, r10);
      exchange(r7, r11);
    }
    default: {
    }
  }
}

fn exchange(a: ptr<function, vec2<f32>>, b: ptr<function, vec2<f32>>) {
  let before = *a;
  *a = *b;
  *b = before;
}

// sum + entry · amplitude.
fn plus(sum: vec2<f32>, entry: vec2<f32>, amplitude: vec2<f32>) -> vec2<f32> {
  return vec2(
    fma(-entry.y, amplitude.y, fma(entry.x, amplitude.x, sum.x)),
    fma(entry.y, amplitude.x, fma(entry.x, amplitude.y, sum.y)),
  );
}

// The quad of two matrix entries at a place of the program.
fn entries_at(at: u32) -> vec4<f32> {
  return bitcast<vec4<f32>>(program[at]);
}

// A row of a matrix on two register bits, times four amplitudes.
fn row_of_4(
  left: vec4<f32>,
  right: vec4<f32>,
  a: vec2<f32>,
  b: vec2<f32>,
  c: vec2<f32>,
  d: vec2<f32>,
) -> vec2<f32> {
  return plus(plus(plus(times(left.xy, a), left.zw, b), right.xy, c), right.zw, d);
}

// The masks of those bits that `value` has: its bit i stands for mask i. Masks without a bit are 0.
fn spread(value: u32, masks: u32, num_quads: u32) -> u32 {
  var out = 0u;
  for (var i = 0u; i < num_quads; i++) {
    let bits = (vec4(value >> (4u * i)) >> vec4(0u, 1u, 2u, 3u)) & vec4(1u);
    let quad = bits * program[masks + i];
    out |= quad.x | quad.y | quad.z | quad.w;
  }
  return out;
}

// The bits of `value` under the masks, brought together: the reverse of `spread`.
fn gather(value: u32, masks: u32, num_quads: u32) -> u32 {
  var out = 0u;
  for (var i = 0u; i < num_quads; i++) {
    let is_set = (vec4(value) & program[masks + i]) != vec4(0u);
    let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), is_set);
    out |= (bits.x | bits.y | bits.z | bits.w) << (4u * i);
  }
  return out;
}

// Where an amplitude of the tile lies in workgroup memory: its lowest four bits depend on all others,
// lest neighbouring threads that differ in high bits meet in one bank. The place of an exclusive or is
// that of the places.
fn place_of(in_tile: u32) -> u32 {
  return in_tile ^ ((in_tile >> 4u) & 15u) ^ ((in_tile >> 8u) & 15u);
}

// A block on more qubits than registers hold, on the tile in workgroup memory. At `at` stand [targets,
// whether it is a permutation, condition], two quads of targets as masks of tile bits, then its entries,
// row-major, two a quad, or of a permutation what comes to each row, four a quad.
// A thread computes the rows of 16 amplitudes, then all threads store theirs.
fn apply_wide(at: u32, tile_start: u32, thread: u32, outer: u32, read_at: u32) {
  let head = program[at];
  let num_targets = head.x;
  let is_permutation = head.y != 0u;
  let targets = at + 1u;
  let entries = at + 3u;
  let all = spread(0xffu, targets, 2u);
  var image: array<vec2<f32>, 16>;
  for (var i = 0u; i < 16u; i++) {
    let place = (i << THREAD_QUBITS) | thread;
    let index = outer | spread(place, read_at, TILE_QUADS);
    var sum = tile[tile_start | place_of(place)];
    if ((index & head.z) == head.z) {
      let row = gather(place, targets, 2u);
      let others = place & ~all;
      if (is_permutation) {
        let source = program[entries + (row >> 2u)][row & 3u];
        sum = tile[tile_start | place_of(others | spread(source, targets, 2u))];
      } else {
        let first = entries + ((row << num_targets) >> 1u);
        sum = vec2(0.0);
        for (var column = 0u; column < (1u << num_targets); column += 2u) {
          let pair = bitcast<vec4<f32>>(program[first + (column >> 1u)]);
          let even = place_of(others | spread(column, targets, 2u));
          let odd = place_of(others | spread(column | 1u, targets, 2u));
          sum += times(pair.xy, tile[tile_start | even]) + times(pair.zw, tile[tile_start | odd]);
        }
      }
    }
    image[i] = sum;
  }
  workgroupBarrier();
  for (var i = 0u; i < 16u; i++) {
    tile[tile_start | place_of((i << THREAD_QUBITS) | thread)] = image[i];
  }
  workgroupBarrier();
}

@compute @workgroup_size(WORKGROUP_SIZE)
fn main(
  @builtin(local_invocation_index) local: u32,
  @builtin(workgroup_id) group: vec3<u32>,
) {
  let thread = local & ((1u << THREAD_QUBITS) - 1u);
  let slot = local >> THREAD_QUBITS;
  let tile_number =
    params.first_tile + (group.x + group.y * params.row_length) * TILES + slot;
  let is_used = tile_number < params.end_tile;
  // Header: [stages, scale re, im, outer qubits], then masks of the index: of each tile bit where it
  // is read, where it is stored, and of each bit of a tile's number.
  let header = program[params.first_quad];
  let num_stages = header.x;
  let read_at = params.first_quad + 1u;
  let stored_at = read_at + TILE_QUADS;
  let outer_at = stored_at + TILE_QUADS;
  let num_outer_quads = (header.w + 3u) / 4u;
  let outer = params.base | spread(tile_number, outer_at, num_outer_quads);
  let tile_start = slot << TILE_QUBITS;

  var at = outer_at + num_outer_quads;
  var r0 = vec2(0.0);
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

  for (var stage = 0u; stage < num_stages; stage++) {
    // A stage: [instructions, quads of a wide block before them], masks of the four register bits, the
    // masks of the index where these are read and where they are stored, masks of the thread's bits, the
    // wide block; bits are those of the tile.
    let head = program[at];
    let num_instructions = head.x;
    let wide_quads = head.y;
    let threads_at = at + 4u;
    let wide_at = threads_at + THREAD_QUADS;
    let registers = program[at + 1u];
    let m = program[at + 2u];
    let s = program[at + 3u];
    at = wide_at + wide_quads;
    let p0 = place_of(registers.x);
    let p1 = place_of(registers.y);
    let p2 = place_of(registers.z);
    let p3 = place_of(registers.w);
    let in_tile = spread(thread, threads_at, THREAD_QUADS);
    let index = outer | spread(in_tile, read_at, TILE_QUADS);
    if (stage == 0u) {
      if (is_used) {
        r0 = read_state(0u, index);
        r1 = read_state(1u, index | m.x);
        r2 = read_state(2u, index | m.y);
        r3 = read_state(3u, index | m.x | m.y);
        r4 = read_state(4u, index | m.z);
        r5 = read_state(5u, index | m.x | m.z);
        r6 = read_state(6u, index | m.y | m.z);
        r7 = read_state(7u, index | m.x | m.y | m.z);
        r8 = read_state(8u, index | m.w);
        r9 = read_state(9u, index | m.x | m.w);
        r10 = read_state(10u, index | m.y | m.w);
        r11 = read_state(11u, index | m.x | m.y | m.w);
        r12 = read_state(12u, index | m.z | m.w);
        r13 = read_state(13u, index | m.x | m.z | m.w);
        r14 = read_state(14u, index | m.y | m.z | m.w);
        r15 = read_state(15u, index | m.x | m.y | m.z | m.w);
      }
    } else {
      let source = tile_start | place_of(in_tile);
      workgroupBarrier();
      if (wide_quads > 0u) {
        apply_wide(wide_at, tile_start, thread, outer, read_at);
      }
      r0 = tile[source];
      r1 = tile[source ^ p0];
      r2 = tile[source ^ p1];
      r3 = tile[source ^ p0 ^ p1];
      r4 = tile[source ^ p2];
      r5 = tile[source ^ p0 ^ p2];
      r6 = tile[source ^ p1 ^ p2];
      r7 = tile[source ^ p0 ^ p1 ^ p2];
      r8 = tile[source ^ p3];
      r9 = tile[source ^ p0 ^ p3];
      r10 = tile[source ^ p1 ^ p3];
      r11 = tile[source ^ p0 ^ p1 ^ p3];
      r12 = tile[source ^ p2 ^ p3];
      r13 = tile[source ^ p0 ^ p2 ^ p3];
      r14 = tile[source ^ p1 ^ p2 ^ p3];
      r15 = tile[source ^ p0 ^ p1 ^ p2 ^ p3];
      workgroupBarrier();
    }

    for (var i = 0u; i < num_instructions; i++) {
      // An instruction begins with [opcode | register bits << 8 | pairs << 16, condition]: it is for
      // amplitudes whose index has all bits of the condition, and for the pairs of registers that have
      // a bit in `pairs`.
      let code = program[at];
      let opcode = code.x & 0xffu;
      let bits = (code.x >> 8u) & 0xffu;
      let holds = (index & code.y) == code.y;
      at++;
      switch opcode {
        // [code, condition, t]
        case ROTATE: {
          let t = select(0.0, bitcast<f32>(code.z), holds);
          let pairs = code.x >> 16u;
          switch bits {
            case 0u: {
              turn(&r0, &r1, select(0.0, t, (pairs & 1u) != 0u));
              turn(&r2, &r3, select(0.0, t, (pairs & 2u) != 0u));
              turn(&r4, &r5, select(0.0, t, (pairs & 4u) != 0u));
              turn(&r6, &r7, select(0.0, t, (pairs & 8u) != 0u));
              turn(&r8, &r9, select(0.0, t, (pairs & 16u) != 0u));
              turn(&r10, &r11, select(0.0, t, (pairs & 32u) != 0u));
              turn(&r12, &r13, select(0.0, t, (pairs & 64u) != 0u));
              turn(&r14, &r15, select(0.0, t, (pairs & 128u) != 0u));
            }
            case 1u: {
              turn(&r0, &r2, select(0.0, t, (pairs & 1u) != 0u));
              turn(&r1, &r3, select(0.0, t, (pairs & 2u) != 0u));
              turn(&r4, &r6, select(0.0, t, (pairs & 4u) != 0u));
              turn(&r5, &r7, select(0.0, t, (pairs & 8u) != 0u));
              turn(&r8, &r10, select(0.0, t, (pairs & 16u) != 0u));
              turn(&r9, &r11, select(0.0, t, (pairs & 32u) != 0u));
              turn(&r12, &r14, select(0.0, t, (pairs & 64u) != 0u));
              turn(&r13, &r15, select(0.0, t, (pairs & 128u) != 0u));
            }
            case 2u: {
              turn(&r0, &r4, select(0.0, t, (pairs & 1u) != 0u));
              turn(&r1, &r5, select(0.0, t, (pairs & 2u) != 0u));
              turn(&r2, &r6, select(0.0, t, (pairs & 4u) != 0u));
              turn(&r3, &r7, select(0.0, t, (pairs & 8u) != 0u));
              turn(&r8, &r12, select(0.0, t, (pairs & 16u) != 0u));
              turn(&r9, &r13, select(0.0, t, (pairs & 32u) != 0u));
              turn(&r10, &r14, select(0.0, t, (pairs & 64u) != 0u));
              turn(&r11, &r15, select(0.0, t, (pairs & 128u) != 0u));
            }
            default: {
              turn(&r0, &r8, select(0.0, t, (pairs & 1u) != 0u));
              turn(&r1, &r9, select(0.0, t, (pairs & 2u) != 0u));
              turn(&r2, &r10, select(0.0, t, (pairs & 4u) != 0u));
              turn(&r3, &r11, select(0.0, t, (pairs & 8u) != 0u));
              turn(&r4, &r12, select(0.0, t, (pairs & 16u) != 0u));
              turn(&r5, &r13, select(0.0, t, (pairs & 32u) != 0u));
              turn(&r6, &r14, select(0.0, t, (pairs & 64u) != 0u));
              turn(&r7, &r15, select(0.0, t, (pairs & 128u) != 0u));
            }
          }
        }
        // [code, condition]
        case FLIP: {
          let pairs = select(0u, code.x >> 16u, holds);
          switch bits {
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
        }
        // [code, 0, count], factors: for registers that have all bits of the code's register bits, of
        // which the factors' masks are free. Most ask for one bit; a case for each set of bits would
        // take drivers long to compile.
        case PHASE: {
          let phase = phase_of(at, code.z, index);
          at += code.z;
          switch bits {
            case 1u: {
              r1 = times(r1, phase);
              r3 = times(r3, phase);
              r5 = times(r5, phase);
              r7 = times(r7, phase);
              r9 = times(r9, phase);
              r11 = times(r11, phase);
              r13 = times(r13, phase);
              r15 = times(r15, phase);
            }
            case 2u: {
              r2 = times(r2, phase);
              r3 = times(r3, phase);
              r6 = times(r6, phase);
              r7 = times(r7, phase);
              r10 = times(r10, phase);
              r11 = times(r11, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            case 4u: {
              r4 = times(r4, phase);
              r5 = times(r5, phase);
              r6 = times(r6, phase);
              r7 = times(r7, phase);
              r12 = times(r12, phase);
              r13 = times(r13, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            case 8u: {
              r8 = times(r8, phase);
              r9 = times(r9, phase);
              r10 = times(r10, phase);
              r11 = times(r11, phase);
              r12 = times(r12, phase);
              r13 = times(r13, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            default: {
              r0 = times(r0, select(vec2(1.0, 0.0), phase, (0u & bits) == bits));
              r1 = times(r1, select(vec2(1.0, 0.0), phase, (1u & bits) == bits));
              r2 = times(r2, select(vec2(1.0, 0.0), phase, (2u & bits) == bits));
              r3 = times(r3, select(vec2(1.0, 0.0), phase, (3u & bits) == bits));
              r4 = times(r4, select(vec2(1.0, 0.0), phase, (4u & bits) == bits));
              r5 = times(r5, select(vec2(1.0, 0.0), phase, (5u & bits) == bits));
              r6 = times(r6, select(vec2(1.0, 0.0), phase, (6u & bits) == bits));
              r7 = times(r7, select(vec2(1.0, 0.0), phase, (7u & bits) == bits));
              r8 = times(r8, select(vec2(1.0, 0.0), phase, (8u & bits) == bits));
              r9 = times(r9, select(vec2(1.0, 0.0), phase, (9u & bits) == bits));
              r10 = times(r10, select(vec2(1.0, 0.0), phase, (10u & bits) == bits));
              r11 = times(r11, select(vec2(1.0, 0.0), phase, (11u & bits) == bits));
              r12 = times(r12, select(vec2(1.0, 0.0), phase, (12u & bits) == bits));
              r13 = times(r13, select(vec2(1.0, 0.0), phase, (13u & bits) == bits));
              r14 = times(r14, select(vec2(1.0, 0.0), phase, (14u & bits) == bits));
              r15 = times(r15, select(vec2(1.0, 0.0), phase, (15u & bits) == bits));
            }
          }
        }
        // [code, condition], 4 x 4 entries, row-major, two a quad. The code's register bits say which two
        // bits are exchanged first so that the lowest two are those of the matrix; `pairs` has a bit for
        // each group of four registers that it acts on, numbered by the other two bits.
        case DENSE2: {
          exchange_bits(
            bits & 15u,
            &r0, &r1, &r2, &r3, &r4, &r5, &r6, &r7,
            &r8, &r9, &r10, &r11, &r12, &r13, &r14, &r15,
          );
          exchange_bits(
            bits >> 4u,
            &r0, &r1, &r2, &r3, &r4, &r5, &r6, &r7,
            &r8, &r9, &r10, &r11, &r12, &r13, &r14, &r15,
          );
          let groups = select(0u, code.x >> 16u, holds);
          let m0 = entries_at(at + 0u);
          let m1 = entries_at(at + 1u);
          let m2 = entries_at(at + 2u);
          let m3 = entries_at(at + 3u);
          let m4 = entries_at(at + 4u);
          let m5 = entries_at(at + 5u);
          let m6 = entries_at(at + 6u);
          let m7 = entries_at(at + 7u);
          at += 8u;
          if ((groups & 1u) != 0u) {
            let y0 = row_of_4(m0, m1, r0, r1, r2, r3);
            let y1 = row_of_4(m2, m3, r0, r1, r2, r3);
            let y2 = row_of_4(m4, m5, r0, r1, r2, r3);
            let y3 = row_of_4(m6, m7, r0, r1, r2, r3);
            r0 = y0;
            r1 = y1;
            r2 = y2;
            r3 = y3;
          }
          if ((groups & 2u) != 0u) {
            let y0 = row_of_4(m0, m1, r4, r5, r6, r7);
            let y1 = row_of_4(m2, m3, r4, r5, r6, r7);
            let y2 = row_of_4(m4, m5, r4, r5, r6, r7);
            let y3 = row_of_4(m6, m7, r4, r5, r6, r7);
            r4 = y0;
            r5 = y1;
            r6 = y2;
            r7 = y3;
          }
          if ((groups & 4u) != 0u) {
            let y0 = row_of_4(m0, m1, r8, r9, r10, r11);
            let y1 = row_of_4(m2, m3, r8, r9, r10, r11);
            let y2 = row_of_4(m4, m5, r8, r9, r10, r11);
            let y3 = row_of_4(m6, m7, r8, r9, r10, r11);
            r8 = y0;
            r9 = y1;
            r10 = y2;
            r11 = y3;
          }
          if ((groups & 8u) != 0u) {
            let y0 = row_of_4(m0, m1, r12, r13, r14, r15);
            let y1 = row_of_4(m2, m3, r12, r13, r14, r15);
            let y2 = row_of_4(m4, m5, r12, r13, r14, r15);
            let y3 = row_of_4(m6, m7, r12, r13, r14, r15);
            r12 = y0;
            r13 = y1;
            r14 = y2;
            r15 = y3;
          }
          exchange_bits(
            bits >> 4u,
            &r0, &r1, &r2, &r3, &r4, &r5, &r6, &r7,
            &r8, &r9, &r10, &r11, &r12, &r13, &r14, &r15,
          );
          exchange_bits(
            bits & 15u,
            &r0, &r1, &r2, &r3, &r4, &r5, &r6, &r7,
            &r8, &r9, &r10, &r11, &r12, &r13, &r14, &r15,
          );
        }
        // [code, condition], 8 x 8 entries: the same on three bits, for the two groups of eight.
        case DENSE3: {
          exchange_bits(
            bits,
            &r0, &r1, &r2, &r3, &r4, &r5, &r6, &r7,
            &r8, &r9, &r10, &r11, &r12, &r13, &r14, &r15,
          );
          let groups = select(0u, code.x >> 16u, holds);
          let m0_0 = entries_at(at + 0u);
          let m0_1 = entries_at(at + 1u);
          let m0_2 = entries_at(at + 2u);
          let m0_3 = entries_at(at + 3u);
          let y0 = row_of_4(m0_0, m0_1, r0, r1, r2, r3)
            + row_of_4(m0_2, m0_3, r4, r5, r6, r7);
          let y8 = row_of_4(m0_0, m0_1, r8, r9, r10, r11)
            + row_of_4(m0_2, m0_3, r12, r13, r14, r15);
          let m1_0 = entries_at(at + 4u);
          let m1_1 = entries_at(at + 5u);
          let m1_2 = entries_at(at + 6u);
          let m1_3 = entries_at(at + 7u);
          let y1 = row_of_4(m1_0, m1_1, r0, r1, r2, r3)
            + row_of_4(m1_2, m1_3, r4, r5, r6, r7);
          let y9 = row_of_4(m1_0, m1_1, r8, r9, r10, r11)
            + row_of_4(m1_2, m1_3, r12, r13, r14, r15);
          let m2_0 = entries_at(at + 8u);
          let m2_1 = entries_at(at + 9u);
          let m2_2 = entries_at(at + 10u);
          let m2_3 = entries_at(at + 11u);
          let y2 = row_of_4(m2_0, m2_1, r0, r1, r2, r3)
            + row_of_4(m2_2, m2_3, r4, r5, r6, r7);
          let y10 = row_of_4(m2_0, m2_1, r8, r9, r10, r11)
            + row_of_4(m2_2, m2_3, r12, r13, r14, r15);
          let m3_0 = entries_at(at + 12u);
          let m3_1 = entries_at(at + 13u);
          let m3_2 = entries_at(at + 14u);
          let m3_3 = entries_at(at + 15u);
          let y3 = row_of_4(m3_0, m3_1, r0, r1, r2, r3)
            + row_of_4(m3_2, m3_3, r4, r5, r6, r7);
          let y11 = row_of_4(m3_0, m3_1, r8, r9, r10, r11)
            + row_of_4(m3_2, m3_3, r12, r13, r14, r15);
          let m4_0 = entries_at(at + 16u);
          let m4_1 = entries_at(at + 17u);
          let m4_2 = entries_at(at + 18u);
          let m4_3 = entries_at(at + 19u);
          let y4 = row_of_4(m4_0, m4_1, r0, r1, r2, r3)
            + row_of_4(m4_2, m4_3, r4, r5, r6, r7);
          let y12 = row_of_4(m4_0, m4_1, r8, r9, r10, r11)
            + row_of_4(m4_2, m4_3, r12, r13, r14, r15);
          let m5_0 = entries_at(at + 20u);
          let m5_1 = entries_at(at + 21u);
          let m5_2 = entries_at(at + 22u);
          let m5_3 = entries_at(at + 23u);
          let y5 = row_of_4(m5_0, m5_1, r0, r1, r2, r3)
            + row_of_4(m5_2, m5_3, r4, r5, r6, r7);
          let y13 = row_of_4(m5_0, m5_1, r8, r9, r10, r11)
            + row_of_4(m5_2, m5_3, r12, r13, r14, r15);
          let m6_0 = entries_at(at + 24u);
          let m6_1 = entries_at(at + 25u);
          let m6_2 = entries_at(at + 26u);
          let m6_3 = entries_at(at + 27u);
          let y6 = row_of_4(m6_0, m6_1, r0, r1, r2, r3)
            + row_of_4(m6_2, m6_3, r4, r5, r6, r7);
          let y14 = row_of_4(m6_0, m6_1, r8, r9, r10, r11)
            + row_of_4(m6_2, m6_3, r12, r13, r14, r15);
          let m7_0 = entries_at(at + 28u);
          let m7_1 = entries_at(at + 29u);
          let m7_2 = entries_at(at + 30u);
          let m7_3 = entries_at(at + 31u);
          let y7 = row_of_4(m7_0, m7_1, r0, r1, r2, r3)
            + row_of_4(m7_2, m7_3, r4, r5, r6, r7);
          let y15 = row_of_4(m7_0, m7_1, r8, r9, r10, r11)
            + row_of_4(m7_2, m7_3, r12, r13, r14, r15);
          at += 32u;
          if ((groups & 1u) != 0u) {
            r0 = y0;
            r1 = y1;
            r2 = y2;
            r3 = y3;
            r4 = y4;
            r5 = y5;
            r6 = y6;
            r7 = y7;
          }
          if ((groups & 2u) != 0u) {
            r8 = y8;
            r9 = y9;
            r10 = y10;
            r11 = y11;
            r12 = y12;
            r13 = y13;
            r14 = y14;
            r15 = y15;
          }
          exchange_bits(
            bits,
            &r0, &r1, &r2, &r3, &r4, &r5, &r6, &r7,
            &r8, &r9, &r10, &r11, &r12, &r13, &r14, &r15,
          );
        }
        // [code, condition, blocks of four rows], 16 x 16 entries, row-major, two a quad. The blocks are
        // counted in the program lest a driver unrolls them.
        case DENSE: {
          // Rows are many and seldom: they may lie in memory.
          var image: array<vec2<f32>, 16>;
          for (var block = 0u; block < code.z; block++) {
            let first = at + 32u * block;
            for (var k = 0u; k < 4u; k++) {
              let row = first + 8u * k;
              image[4u * block + k] =
                row_of_4(entries_at(row), entries_at(row + 1u), r0, r1, r2, r3)
                + row_of_4(entries_at(row + 2u), entries_at(row + 3u), r4, r5, r6, r7)
                + (row_of_4(entries_at(row + 4u), entries_at(row + 5u), r8, r9, r10, r11)
                + row_of_4(entries_at(row + 6u), entries_at(row + 7u), r12, r13, r14, r15));
            }
          }
          at += 32u * code.z;
          if (holds) {
            r0 = image[0u];
            r1 = image[1u];
            r2 = image[2u];
            r3 = image[3u];
            r4 = image[4u];
            r5 = image[5u];
            r6 = image[6u];
            r7 = image[7u];
            r8 = image[8u];
            r9 = image[9u];
            r10 = image[10u];
            r11 = image[11u];
            r12 = image[12u];
            r13 = image[13u];
            r14 = image[14u];
            r15 = image[15u];
          }
        }
        default: {
        }
      }
    }

    if (stage + 1u < num_stages) {
      let to = tile_start | place_of(in_tile);
      tile[to] = r0;
      tile[to ^ p0] = r1;
      tile[to ^ p1] = r2;
      tile[to ^ p0 ^ p1] = r3;
      tile[to ^ p2] = r4;
      tile[to ^ p0 ^ p2] = r5;
      tile[to ^ p1 ^ p2] = r6;
      tile[to ^ p0 ^ p1 ^ p2] = r7;
      tile[to ^ p3] = r8;
      tile[to ^ p0 ^ p3] = r9;
      tile[to ^ p1 ^ p3] = r10;
      tile[to ^ p0 ^ p1 ^ p3] = r11;
      tile[to ^ p2 ^ p3] = r12;
      tile[to ^ p0 ^ p2 ^ p3] = r13;
      tile[to ^ p1 ^ p2 ^ p3] = r14;
      tile[to ^ p0 ^ p1 ^ p2 ^ p3] = r15;
    } else if (is_used) {
      let scale = bitcast<vec2<f32>>(header.yz);
      let to = outer | spread(in_tile, stored_at, TILE_QUADS);
      write_state(0u, to, times(scale, r0));
      write_state(1u, to | s.x, times(scale, r1));
      write_state(2u, to | s.y, times(scale, r2));
      write_state(3u, to | s.x | s.y, times(scale, r3));
      write_state(4u, to | s.z, times(scale, r4));
      write_state(5u, to | s.x | s.z, times(scale, r5));
      write_state(6u, to | s.y | s.z, times(scale, r6));
      write_state(7u, to | s.x | s.y | s.z, times(scale, r7));
      write_state(8u, to | s.w, times(scale, r8));
      write_state(9u, to | s.x | s.w, times(scale, r9));
      write_state(10u, to | s.y | s.w, times(scale, r10));
      write_state(11u, to | s.x | s.y | s.w, times(scale, r11));
      write_state(12u, to | s.z | s.w, times(scale, r12));
      write_state(13u, to | s.x | s.z | s.w, times(scale, r13));
      write_state(14u, to | s.y | s.z | s.w, times(scale, r14));
      write_state(15u, to | s.x | s.y | s.z | s.w, times(scale, r15));
    }
  }
}
