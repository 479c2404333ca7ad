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
  // Bits that all indices of the dispatch have in common: those of its chunks.
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

@group(1) @binding(1) var<uniform> params: Params;

const TILE_QUBITS = THREAD_QUBITS + 4u;
// Quads of masks for the bits of a tile, and of those of its threads.
const TILE_QUADS = (TILE_QUBITS + 3u) / 4u;
const THREAD_QUADS = (THREAD_QUBITS + 3u) / 4u;
// Right shift of a register's number that gives its chunk.
const CHUNK_SHIFT = 4u - TILE_CHUNK_QUBITS;
const ROTATE = 1u;
const ROTATE_SOME = 2u;
const FLIP = 3u;
const EXCHANGE = 4u;
const PHASE = 5u;
const DIAGONAL = 6u;
const ROTATE_PAIR = 7u;
const ROTATE_PAIR_BY_I = 8u;
const DENSE2 = 9u;
const DENSE3 = 10u;
const DENSE4 = 11u;

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

// A factor [mask, re, im] if `index` has its mask, otherwise 1.
fn factor_at(at: u32, index: u32) -> vec2<f32> {
  let factor = program[at];
  return select(vec2(1.0, 0.0), bitcast<vec2<f32>>(factor.yz), (index & factor.x) == factor.x);
}

// The product of `count` factors, which begin at `at`. The count is even: two products that do not wait
// for each other take less time than one.
fn phase_of(at: u32, count: u32, index: u32) -> vec2<f32> {
  var even = factor_at(at, index);
  var odd = factor_at(at + 1u, index);
  for (var i = at + 2u; i < at + count; i += 2u) {
    even = times(even, factor_at(i, index));
    odd = times(odd, factor_at(i + 1u, index));
  }
  return times(even, odd);
}

// [[1, -t], [t, 1]] on a pair.
fn turn(a: ptr<function, vec2<f32>>, b: ptr<function, vec2<f32>>, t: f32) {
  let before = *a;
  *a = fma(vec2(-t), *b, before);
  *b = fma(vec2(t), before, *b);
}

// [[1, it], [it, 1]] on a pair.
fn turn_by_i(a: ptr<function, vec2<f32>>, b: ptr<function, vec2<f32>>, t: f32) {
  let before = *a;
  *a = fma(vec2(-t, t), (*b).yx, before);
  *b = fma(vec2(-t, t), before.yx, *b);
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

// The exclusive or of the masks whose bit `value` has: its bit i stands for mask i.
fn spread(value: u32, masks: u32, num_quads: u32) -> u32 {
  var out = 0u;
  for (var i = 0u; i < num_quads; i++) {
    let bits = (vec4(value >> (4u * i)) >> vec4(0u, 1u, 2u, 3u)) & vec4(1u);
    let quad = (vec4(0u) - bits) & program[masks + i];
    out ^= (quad.x ^ quad.y) ^ (quad.z ^ quad.w);
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
  // Header: [stages, scale re, im, outer qubits], then masks of the index: of each tile bit, and of each
  // bit of a tile's number.
  let header = program[0];
  let num_stages = header.x;
  let read_at = 1u;
  let outer_at = read_at + TILE_QUADS;
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
    // A stage: [instructions, quads of a wide block before them], the places of the register bits in
    // workgroup memory, their masks of the index, the places of the thread's bits and their masks of the
    // index, the wide block.
    let head_at = at;
    let head = program[at];
    let num_instructions = head.x;
    let wide_quads = head.y;
    let p = program[at + 1u];
    let threads_at = at + 3u;
    let wide_at = threads_at + 2u * THREAD_QUADS;
    at = wide_at + wide_quads;
    let source = tile_start | spread(thread, threads_at, THREAD_QUADS);
    let index = outer | spread(thread, threads_at + THREAD_QUADS, THREAD_QUADS);
    if (stage == 0u) {
      if (is_used) {
        let m = program[head_at + 2u];
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
      workgroupBarrier();
      if (wide_quads > 0u) {
        apply_wide(wide_at, tile_start, thread, outer, read_at);
      }
      // A thread puts its amplitudes back where it fetches them, so nothing waits until all have fetched.
      r0 = tile[source];
      r1 = tile[source ^ p.x];
      r2 = tile[source ^ p.y];
      r3 = tile[source ^ p.x ^ p.y];
      r4 = tile[source ^ p.z];
      r5 = tile[source ^ p.x ^ p.z];
      r6 = tile[source ^ p.y ^ p.z];
      r7 = tile[source ^ p.x ^ p.y ^ p.z];
      r8 = tile[source ^ p.w];
      r9 = tile[source ^ p.x ^ p.w];
      r10 = tile[source ^ p.y ^ p.w];
      r11 = tile[source ^ p.x ^ p.y ^ p.w];
      r12 = tile[source ^ p.z ^ p.w];
      r13 = tile[source ^ p.x ^ p.z ^ p.w];
      r14 = tile[source ^ p.y ^ p.z ^ p.w];
      r15 = tile[source ^ p.x ^ p.y ^ p.z ^ p.w];
    }

    var next = program[at];
    for (var i = 0u; i < num_instructions; i++) {
      // An instruction begins with [opcode | register bits << 8 | pairs << 16, condition, …, its quads]: it
      // is for amplitudes whose index has all bits of the condition. The next one is on its way while it is
      // done.
      let code = next;
      let rest = at + 1u;
      at += code.w;
      next = program[at];
      let opcode = code.x & 0xffu;
      let bits = (code.x >> 8u) & 0xffu;
      let holds = (index & code.y) == code.y;
      switch opcode {
        // [code, condition, t]: on a register bit.
        case ROTATE: {
          let t = select(0.0, bitcast<f32>(code.z), holds);
          switch bits {
            case 0u: {
              turn(&r0, &r1, t);
              turn(&r2, &r3, t);
              turn(&r4, &r5, t);
              turn(&r6, &r7, t);
              turn(&r8, &r9, t);
              turn(&r10, &r11, t);
              turn(&r12, &r13, t);
              turn(&r14, &r15, t);
            }
            case 1u: {
              turn(&r0, &r2, t);
              turn(&r1, &r3, t);
              turn(&r4, &r6, t);
              turn(&r5, &r7, t);
              turn(&r8, &r10, t);
              turn(&r9, &r11, t);
              turn(&r12, &r14, t);
              turn(&r13, &r15, t);
            }
            case 2u: {
              turn(&r0, &r4, t);
              turn(&r1, &r5, t);
              turn(&r2, &r6, t);
              turn(&r3, &r7, t);
              turn(&r8, &r12, t);
              turn(&r9, &r13, t);
              turn(&r10, &r14, t);
              turn(&r11, &r15, t);
            }
            default: {
              turn(&r0, &r8, t);
              turn(&r1, &r9, t);
              turn(&r2, &r10, t);
              turn(&r3, &r11, t);
              turn(&r4, &r12, t);
              turn(&r5, &r13, t);
              turn(&r6, &r14, t);
              turn(&r7, &r15, t);
            }
          }
        }
        // The same for the pairs of registers that have a bit in `pairs`.
        case ROTATE_SOME: {
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
        // [code, condition]: exchanges the two registers of each pair in `pairs`.
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
        // [code]: exchanges two register bits: 0 and 1, 0 and 2, 1 and 2, 0 and 3, 1 and 3, 2 and 3
        // for 0 to 5.
        case EXCHANGE: {
          switch bits {
            case 0u: {
              exchange(&r1, &r2);
              exchange(&r5, &r6);
              exchange(&r9, &r10);
              exchange(&r13, &r14);
            }
            case 1u: {
              exchange(&r1, &r4);
              exchange(&r3, &r6);
              exchange(&r9, &r12);
              exchange(&r11, &r14);
            }
            case 2u: {
              exchange(&r2, &r4);
              exchange(&r3, &r5);
              exchange(&r10, &r12);
              exchange(&r11, &r13);
            }
            case 3u: {
              exchange(&r1, &r8);
              exchange(&r3, &r10);
              exchange(&r5, &r12);
              exchange(&r7, &r14);
            }
            case 4u: {
              exchange(&r2, &r8);
              exchange(&r3, &r9);
              exchange(&r6, &r12);
              exchange(&r7, &r13);
            }
            default: {
              exchange(&r4, &r8);
              exchange(&r5, &r9);
              exchange(&r6, &r10);
              exchange(&r7, &r11);
            }
          }
        }
        // [code, 0, count], factors: for registers that have all bits of the code's register bits, of
        // which the factors' masks are free.
        case PHASE: {
          let phase = phase_of(rest, code.z, index);
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
            case 3u: {
              r3 = times(r3, phase);
              r7 = times(r7, phase);
              r11 = times(r11, phase);
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
            case 5u: {
              r5 = times(r5, phase);
              r7 = times(r7, phase);
              r13 = times(r13, phase);
              r15 = times(r15, phase);
            }
            case 6u: {
              r6 = times(r6, phase);
              r7 = times(r7, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            case 7u: {
              r7 = times(r7, phase);
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
            case 9u: {
              r9 = times(r9, phase);
              r11 = times(r11, phase);
              r13 = times(r13, phase);
              r15 = times(r15, phase);
            }
            case 10u: {
              r10 = times(r10, phase);
              r11 = times(r11, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            case 11u: {
              r11 = times(r11, phase);
              r15 = times(r15, phase);
            }
            case 12u: {
              r12 = times(r12, phase);
              r13 = times(r13, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            case 13u: {
              r13 = times(r13, phase);
              r15 = times(r15, phase);
            }
            case 14u: {
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
            case 15u: {
              r15 = times(r15, phase);
            }
            default: {
              r0 = times(r0, phase);
              r1 = times(r1, phase);
              r2 = times(r2, phase);
              r3 = times(r3, phase);
              r4 = times(r4, phase);
              r5 = times(r5, phase);
              r6 = times(r6, phase);
              r7 = times(r7, phase);
              r8 = times(r8, phase);
              r9 = times(r9, phase);
              r10 = times(r10, phase);
              r11 = times(r11, phase);
              r12 = times(r12, phase);
              r13 = times(r13, phase);
              r14 = times(r14, phase);
              r15 = times(r15, phase);
            }
          }
        }
        // [code], a factor for each register, two a quad.
        case DIAGONAL: {
          let d0 = entries_at(rest + 0u);
          r0 = times(r0, d0.xy);
          r1 = times(r1, d0.zw);
          let d1 = entries_at(rest + 1u);
          r2 = times(r2, d1.xy);
          r3 = times(r3, d1.zw);
          let d2 = entries_at(rest + 2u);
          r4 = times(r4, d2.xy);
          r5 = times(r5, d2.zw);
          let d3 = entries_at(rest + 3u);
          r6 = times(r6, d3.xy);
          r7 = times(r7, d3.zw);
          let d4 = entries_at(rest + 4u);
          r8 = times(r8, d4.xy);
          r9 = times(r9, d4.zw);
          let d5 = entries_at(rest + 5u);
          r10 = times(r10, d5.xy);
          r11 = times(r11, d5.zw);
          let d6 = entries_at(rest + 6u);
          r12 = times(r12, d6.xy);
          r13 = times(r13, d6.zw);
          let d7 = entries_at(rest + 7u);
          r14 = times(r14, d7.xy);
          r15 = times(r15, d7.zw);
        }
        // [code, condition], [even, odd tangent]: of 0 and 3 and of 1 and 2, by the lowest two register
        // bits, for the groups of four registers that have a bit in `groups`.
        case ROTATE_PAIR: {
          let groups = code.x >> 16u;
          let t = select(vec2(0.0), bitcast<vec2<f32>>(program[rest].xy), holds);
          if ((groups & 1u) != 0u) {
            turn(&r0, &r3, t.x);
            turn(&r1, &r2, t.y);
          }
          if ((groups & 2u) != 0u) {
            turn(&r4, &r7, t.x);
            turn(&r5, &r6, t.y);
          }
          if ((groups & 4u) != 0u) {
            turn(&r8, &r11, t.x);
            turn(&r9, &r10, t.y);
          }
          if ((groups & 8u) != 0u) {
            turn(&r12, &r15, t.x);
            turn(&r13, &r14, t.y);
          }
        }
        // The same with imaginary tangents.
        case ROTATE_PAIR_BY_I: {
          let groups = code.x >> 16u;
          let t = select(vec2(0.0), bitcast<vec2<f32>>(program[rest].xy), holds);
          if ((groups & 1u) != 0u) {
            turn_by_i(&r0, &r3, t.x);
            turn_by_i(&r1, &r2, t.y);
          }
          if ((groups & 2u) != 0u) {
            turn_by_i(&r4, &r7, t.x);
            turn_by_i(&r5, &r6, t.y);
          }
          if ((groups & 4u) != 0u) {
            turn_by_i(&r8, &r11, t.x);
            turn_by_i(&r9, &r10, t.y);
          }
          if ((groups & 8u) != 0u) {
            turn_by_i(&r12, &r15, t.x);
            turn_by_i(&r13, &r14, t.y);
          }
        }
        // [code, condition], 4 x 4 entries, row-major, two a quad: on the lowest two register bits.
        case DENSE2: {
          let groups = select(0u, code.x >> 16u, holds);
          let m0 = entries_at(rest + 0u);
          let m1 = entries_at(rest + 1u);
          let m2 = entries_at(rest + 2u);
          let m3 = entries_at(rest + 3u);
          let m4 = entries_at(rest + 4u);
          let m5 = entries_at(rest + 5u);
          let m6 = entries_at(rest + 6u);
          let m7 = entries_at(rest + 7u);
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
        }
        // [code, condition], 8 x 8 entries: the same on the lowest three bits, for the groups of eight.
        case DENSE3: {
          let groups = select(0u, code.x >> 16u, holds);
          let m0_0 = entries_at(rest + 0u);
          let m0_1 = entries_at(rest + 1u);
          let m0_2 = entries_at(rest + 2u);
          let m0_3 = entries_at(rest + 3u);
          let y0 = row_of_4(m0_0, m0_1, r0, r1, r2, r3)
            + row_of_4(m0_2, m0_3, r4, r5, r6, r7);
          let y8 = row_of_4(m0_0, m0_1, r8, r9, r10, r11)
            + row_of_4(m0_2, m0_3, r12, r13, r14, r15);
          let m1_0 = entries_at(rest + 4u);
          let m1_1 = entries_at(rest + 5u);
          let m1_2 = entries_at(rest + 6u);
          let m1_3 = entries_at(rest + 7u);
          let y1 = row_of_4(m1_0, m1_1, r0, r1, r2, r3)
            + row_of_4(m1_2, m1_3, r4, r5, r6, r7);
          let y9 = row_of_4(m1_0, m1_1, r8, r9, r10, r11)
            + row_of_4(m1_2, m1_3, r12, r13, r14, r15);
          let m2_0 = entries_at(rest + 8u);
          let m2_1 = entries_at(rest + 9u);
          let m2_2 = entries_at(rest + 10u);
          let m2_3 = entries_at(rest + 11u);
          let y2 = row_of_4(m2_0, m2_1, r0, r1, r2, r3)
            + row_of_4(m2_2, m2_3, r4, r5, r6, r7);
          let y10 = row_of_4(m2_0, m2_1, r8, r9, r10, r11)
            + row_of_4(m2_2, m2_3, r12, r13, r14, r15);
          let m3_0 = entries_at(rest + 12u);
          let m3_1 = entries_at(rest + 13u);
          let m3_2 = entries_at(rest + 14u);
          let m3_3 = entries_at(rest + 15u);
          let y3 = row_of_4(m3_0, m3_1, r0, r1, r2, r3)
            + row_of_4(m3_2, m3_3, r4, r5, r6, r7);
          let y11 = row_of_4(m3_0, m3_1, r8, r9, r10, r11)
            + row_of_4(m3_2, m3_3, r12, r13, r14, r15);
          let m4_0 = entries_at(rest + 16u);
          let m4_1 = entries_at(rest + 17u);
          let m4_2 = entries_at(rest + 18u);
          let m4_3 = entries_at(rest + 19u);
          let y4 = row_of_4(m4_0, m4_1, r0, r1, r2, r3)
            + row_of_4(m4_2, m4_3, r4, r5, r6, r7);
          let y12 = row_of_4(m4_0, m4_1, r8, r9, r10, r11)
            + row_of_4(m4_2, m4_3, r12, r13, r14, r15);
          let m5_0 = entries_at(rest + 20u);
          let m5_1 = entries_at(rest + 21u);
          let m5_2 = entries_at(rest + 22u);
          let m5_3 = entries_at(rest + 23u);
          let y5 = row_of_4(m5_0, m5_1, r0, r1, r2, r3)
            + row_of_4(m5_2, m5_3, r4, r5, r6, r7);
          let y13 = row_of_4(m5_0, m5_1, r8, r9, r10, r11)
            + row_of_4(m5_2, m5_3, r12, r13, r14, r15);
          let m6_0 = entries_at(rest + 24u);
          let m6_1 = entries_at(rest + 25u);
          let m6_2 = entries_at(rest + 26u);
          let m6_3 = entries_at(rest + 27u);
          let y6 = row_of_4(m6_0, m6_1, r0, r1, r2, r3)
            + row_of_4(m6_2, m6_3, r4, r5, r6, r7);
          let y14 = row_of_4(m6_0, m6_1, r8, r9, r10, r11)
            + row_of_4(m6_2, m6_3, r12, r13, r14, r15);
          let m7_0 = entries_at(rest + 28u);
          let m7_1 = entries_at(rest + 29u);
          let m7_2 = entries_at(rest + 30u);
          let m7_3 = entries_at(rest + 31u);
          let y7 = row_of_4(m7_0, m7_1, r0, r1, r2, r3)
            + row_of_4(m7_2, m7_3, r4, r5, r6, r7);
          let y15 = row_of_4(m7_0, m7_1, r8, r9, r10, r11)
            + row_of_4(m7_2, m7_3, r12, r13, r14, r15);
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
        }
        // [code, condition, blocks of four rows], 16 x 16 entries, row-major, two a quad. The blocks are
        // counted in the program lest a driver unrolls them.
        case DENSE4: {
          // Rows are many and seldom: they may lie in memory.
          var image: array<vec2<f32>, 16>;
          for (var block = 0u; block < code.z; block++) {
            let first = rest + 32u * block;
            for (var k = 0u; k < 4u; k++) {
              let row = first + 8u * k;
              image[4u * block + k] =
                row_of_4(entries_at(row), entries_at(row + 1u), r0, r1, r2, r3)
                + row_of_4(entries_at(row + 2u), entries_at(row + 3u), r4, r5, r6, r7)
                + row_of_4(entries_at(row + 4u), entries_at(row + 5u), r8, r9, r10, r11)
                + row_of_4(entries_at(row + 6u), entries_at(row + 7u), r12, r13, r14, r15);
            }
          }
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
      // After the instructions: the places of the register bits, which may have changed.
      at++;
      tile[source] = r0;
      tile[source ^ next.x] = r1;
      tile[source ^ next.y] = r2;
      tile[source ^ next.x ^ next.y] = r3;
      tile[source ^ next.z] = r4;
      tile[source ^ next.x ^ next.z] = r5;
      tile[source ^ next.y ^ next.z] = r6;
      tile[source ^ next.x ^ next.y ^ next.z] = r7;
      tile[source ^ next.w] = r8;
      tile[source ^ next.x ^ next.w] = r9;
      tile[source ^ next.y ^ next.w] = r10;
      tile[source ^ next.x ^ next.y ^ next.w] = r11;
      tile[source ^ next.z ^ next.w] = r12;
      tile[source ^ next.x ^ next.z ^ next.w] = r13;
      tile[source ^ next.y ^ next.z ^ next.w] = r14;
      tile[source ^ next.x ^ next.y ^ next.z ^ next.w] = r15;
    } else if (is_used) {
      // At the end: the masks of the index where the register bits are stored, and the thread's bits.
      let scale = bitcast<vec2<f32>>(header.yz);
      let m = next;
      let to = outer | spread(thread, at + 1u, THREAD_QUADS);
      write_state(0u, to, times(scale, r0));
      write_state(1u, to | m.x, times(scale, r1));
      write_state(2u, to | m.y, times(scale, r2));
      write_state(3u, to | m.x | m.y, times(scale, r3));
      write_state(4u, to | m.z, times(scale, r4));
      write_state(5u, to | m.x | m.z, times(scale, r5));
      write_state(6u, to | m.y | m.z, times(scale, r6));
      write_state(7u, to | m.x | m.y | m.z, times(scale, r7));
      write_state(8u, to | m.w, times(scale, r8));
      write_state(9u, to | m.x | m.w, times(scale, r9));
      write_state(10u, to | m.y | m.w, times(scale, r10));
      write_state(11u, to | m.x | m.y | m.w, times(scale, r11));
      write_state(12u, to | m.z | m.w, times(scale, r12));
      write_state(13u, to | m.x | m.z | m.w, times(scale, r13));
      write_state(14u, to | m.y | m.z | m.w, times(scale, r14));
      write_state(15u, to | m.x | m.y | m.z | m.w, times(scale, r15));
    }
  }
}
