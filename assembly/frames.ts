/** Runs instructions on Pauli frames; see src/engine/stabilizer/plain-frames.ts and frame-layout.ts. */
import {
  CX,
  CZ,
  H,
  INSTRUCTION,
  MEASURE,
  MISREAD,
  NOISE,
  NOISE_1,
  NOISE_2,
  RESET,
  S,
  SDG,
  SWAP,
  transposeFour,
  X,
  Y,
  Z,
} from './stabilizer-ops';

/** The host's logarithm, so that draws are those of the plain kernels. */
// @ts-ignore: a decorator of this compiler
@external('env', 'log')
declare function log(value: f64): f64;

/** Bytes of a channel and of an error. */
const CHANNEL: usize = 48;
const ERROR: usize = 16;

let frameRows: usize = 0;
let bitRows: usize = 0;
let channels: usize = 0;
let generators: usize = 0;
let rowBytes: usize = 0;
let operands: usize = 0;
let scratch: usize = 0;
let mask: usize = 0;
let held: i32 = 0;
let paulis: i32 = 0;
let references: usize = 0;
/** The last step of the generators. */
let drawn: v128 = i32x4.splat(0);

// @ts-ignore: a decorator of this compiler
@inline
function field(header: usize, place: usize): usize {
  return <usize>load<u32>(header + (place << 2)) << 2;
}

// @ts-ignore: a decorator of this compiler
@inline
function rotated(word: v128, by: i32): v128 {
  return v128.or(i32x4.shl(word, by), i32x4.shr_u(word, 32 - by));
}

/** A step of the generators, whose state is in memory. */
function step(): void {
  const s0 = v128.load(generators);
  const s1 = v128.load(generators, 16);
  const s2 = v128.load(generators, 32);
  const s3 = v128.load(generators, 48);
  drawn = i32x4.add(rotated(i32x4.add(s0, s3), 7), s0);
  const t2 = v128.xor(s2, s0);
  const t3 = v128.xor(s3, s1);
  v128.store(generators, v128.xor(s0, t3));
  v128.store(generators, v128.xor(s1, t2), 16);
  v128.store(generators, v128.xor(t2, i32x4.shl(s1, 9)), 32);
  v128.store(generators, rotated(t3, 11), 48);
}

function randomize(row: usize): void {
  let s0 = v128.load(generators);
  let s1 = v128.load(generators, 16);
  let s2 = v128.load(generators, 32);
  let s3 = v128.load(generators, 48);
  for (let i: usize = 0; i < rowBytes; i += 16) {
    let word = i32x4.add(rotated(i32x4.add(s0, s3), 7), s0);
    if (mask) word = v128.and(word, v128.load(mask + i));
    v128.store(row + i, v128.xor(v128.load(row + i), word));
    const t2 = v128.xor(s2, s0);
    const t3 = v128.xor(s3, s1);
    s0 = v128.xor(s0, t3);
    s2 = v128.xor(t2, i32x4.shl(s1, 9));
    s1 = v128.xor(s1, t2);
    s3 = rotated(t3, 11);
  }
  v128.store(generators, s0);
  v128.store(generators, s1, 16);
  v128.store(generators, s2, 32);
  v128.store(generators, s3, 48);
}

// @ts-ignore: a decorator of this compiler
@inline
function uniform(high: u32, low: u32): f64 {
  return (<f64>(high >>> 5) * 67108864.0 + <f64>(low >>> 6)) / 9007199254740992.0;
}

/** Trials before a channel's next error, from the last step of the generators. */
// @ts-ignore: a decorator of this compiler
@inline
function skip(record: usize): f64 {
  const draw = uniform(i32x4.extract_lane(drawn, 0), i32x4.extract_lane(drawn, 1));
  return floor<f64>(log(1.0 - draw) / load<f64>(record, 8));
}

/** Address of the error that a draw picks. */
// @ts-ignore: a decorator of this compiler
@inline
function errorOf(record: usize): usize {
  const draw = uniform(i32x4.extract_lane(drawn, 2), i32x4.extract_lane(drawn, 3));
  const numErrors = load<f64>(record, 16);
  const first = <usize>load<f64>(record, 24) << 3;
  if (load<f64>(record, 32) == 1.0) return first + ERROR * <usize>(draw * numErrors);
  let at = first;
  const last = first + ERROR * (<usize>numErrors - 1);
  while (at < last && load<f64>(at) <= draw) at += ERROR;
  return at;
}

// @ts-ignore: a decorator of this compiler
@inline
function toggle(row: usize, shot: u32, by: u32): void {
  const at = row + (<usize>(shot >>> 5) << 2);
  store<u32>(at, load<u32>(at) ^ (by << (shot & 31)));
}

// @ts-ignore: a decorator of this compiler
@inline
function bitAt(row: usize, shot: u32): u32 {
  return (load<u32>(row + (<usize>(shot >>> 5) << 2)) >>> (shot & 31)) & 1;
}

// @ts-ignore: a decorator of this compiler
@inline
function rowX(qubit: i32): usize {
  return frameRows + 2 * <usize>qubit * rowBytes;
}

/** Adds a row to another one, in the shots in which the condition holds, if there is one. */
// @ts-ignore: a decorator of this compiler
@inline
function addTo(row: usize, other: usize): void {
  if (mask) {
    for (let i: usize = 0; i < rowBytes; i += 16) {
      const added = v128.and(v128.load(other + i), v128.load(mask + i));
      v128.store(row + i, v128.xor(v128.load(row + i), added));
    }
    return;
  }
  for (let i: usize = 0; i < rowBytes; i += 16) {
    v128.store(row + i, v128.xor(v128.load(row + i), v128.load(other + i)));
  }
}

/** Exchanges two rows, in the shots in which the condition holds, if there is one. */
// @ts-ignore: a decorator of this compiler
@inline
function exchange(first: usize, second: usize): void {
  if (mask) {
    for (let i: usize = 0; i < rowBytes; i += 16) {
      const kept = v128.load(first + i);
      const differs = v128.and(v128.xor(kept, v128.load(second + i)), v128.load(mask + i));
      v128.store(first + i, v128.xor(kept, differs));
      v128.store(second + i, v128.xor(v128.load(second + i), differs));
    }
    return;
  }
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const kept = v128.load(first + i);
    v128.store(first + i, v128.load(second + i));
    v128.store(second + i, kept);
  }
}

/** A Pauli gate: shots differ by it from the reference sample if that has none, or has taken another branch. */
function pauli(row: usize): void {
  if (!mask && !paulis) return;
  const inReference = i32x4.splat(held);
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const inShots = mask ? v128.load(mask + i) : i32x4.splat(-1);
    v128.store(row + i, v128.xor(v128.load(row + i), v128.xor(inShots, inReference)));
  }
}

function measure(row: usize, from: usize, reference: i32): void {
  const inReference = i32x4.splat(-reference);
  const rowOfReferences = references + <usize>reference * rowBytes;
  for (let i: usize = 0; i < rowBytes; i += 16) {
    let outcome = v128.load(from + i);
    outcome = v128.xor(outcome, references ? v128.load(rowOfReferences + i) : inReference);
    if (mask) outcome = v128.bitselect(outcome, v128.load(row + i), v128.load(mask + i));
    v128.store(row + i, outcome);
  }
}

function reset(row: usize): void {
  if (!mask) {
    memory.fill(row, 0, rowBytes);
    return;
  }
  for (let i: usize = 0; i < rowBytes; i += 16) {
    v128.store(row + i, v128.andnot(v128.load(row + i), v128.load(mask + i)));
  }
}

/** Errors on one qubit or two. */
function noise(record: usize, first: i32, second: i32): void {
  const numShots = <f64>(rowBytes << 3);
  let next = load<f64>(record);
  while (next < numShots) {
    step();
    const shot = <u32>next;
    if (mask == 0 || bitAt(mask, shot)) {
      const error = errorOf(record);
      const flips = load<u32>(error, 8);
      const signs = load<u32>(error, 12);
      toggle(rowX(first), shot, flips & 1);
      toggle(rowX(first) + rowBytes, shot, signs & 1);
      toggle(rowX(second), shot, (flips >>> 1) & 1);
      toggle(rowX(second) + rowBytes, shot, (signs >>> 1) & 1);
    }
    next += 1.0 + skip(record);
  }
  store<f64>(record, next - numShots);
}

function noiseOnMany(record: usize, firstOperand: usize, numOperands: i32): void {
  const numShots = <f64>(rowBytes << 3);
  let next = load<f64>(record);
  while (next < numShots) {
    step();
    const shot = <u32>next;
    if (mask == 0 || bitAt(mask, shot)) {
      const error = errorOf(record);
      const flips = load<u32>(error, 8);
      const signs = load<u32>(error, 12);
      for (let i = 0; i < numOperands; i++) {
        const row = rowX(load<i32>(firstOperand + (<usize>i << 2)));
        toggle(row, shot, (flips >>> i) & 1);
        toggle(row + rowBytes, shot, (signs >>> i) & 1);
      }
    }
    next += 1.0 + skip(record);
  }
  store<f64>(record, next - numShots);
}

/** Misreads the bits of a row that were of a value, which are in `scratch`. */
function misread(record: usize, row: usize, value: u32): void {
  const numShots = <f64>(rowBytes << 3);
  let next = load<f64>(record);
  while (next < numShots) {
    step();
    const shot = <u32>next;
    if (mask == 0 || bitAt(mask, shot)) toggle(row, shot, <u32>(bitAt(scratch, shot) == value));
    next += 1.0 + skip(record);
  }
  store<f64>(record, next - numShots);
}

export function frames(headerWord: usize, from: i32, to: i32): void {
  const header = headerWord << 2;
  const code = field(header, 0);
  frameRows = field(header, 1);
  bitRows = field(header, 2);
  channels = field(header, 3);
  generators = field(header, 4);
  rowBytes = field(header, 5);
  operands = field(header, 6);
  scratch = field(header, 7);
  mask = field(header, 8);
  held = load<i32>(header, 36);
  paulis = load<i32>(header, 40);
  references = field(header, 11);
  const end = code + <usize>to * INSTRUCTION;
  for (let at = code + <usize>from * INSTRUCTION; at < end; at += INSTRUCTION) {
    const a = load<i32>(at, 4);
    const b = load<i32>(at, 8);
    const c = load<i32>(at, 12);
    const rowXa = rowX(a);
    const rowZa = rowXa + rowBytes;
    switch (load<i32>(at)) {
      case X:
        pauli(rowXa);
        break;
      case Y:
        pauli(rowXa);
        pauli(rowZa);
        break;
      case Z:
        pauli(rowZa);
        break;
      case H:
        exchange(rowXa, rowZa);
        break;
      case S:
      case SDG:
        addTo(rowZa, rowXa);
        break;
      case CX:
        addTo(rowX(b), rowXa);
        addTo(rowZa, rowX(b) + rowBytes);
        break;
      case CZ:
        addTo(rowZa, rowX(b));
        addTo(rowX(b) + rowBytes, rowXa);
        break;
      case SWAP:
        exchange(rowXa, rowX(b));
        exchange(rowZa, rowX(b) + rowBytes);
        break;
      case MEASURE:
        measure(bitRows + <usize>b * rowBytes, rowXa, c);
        randomize(rowZa);
        break;
      case RESET:
        reset(rowXa);
        randomize(rowZa);
        break;
      case NOISE_1:
        noise(channels + <usize>a * CHANNEL, b, b);
        break;
      case NOISE_2:
        noise(channels + <usize>a * CHANNEL, b, c);
        break;
      case NOISE:
        noiseOnMany(channels + <usize>a * CHANNEL, operands + (<usize>b << 2), c);
        break;
      case MISREAD: {
        const row = bitRows + <usize>b * rowBytes;
        memory.copy(scratch, row, rowBytes);
        misread(channels + <usize>a * CHANNEL, row, 0);
        misread(channels + <usize>(a + 1) * CHANNEL, row, 1);
        break;
      }
      default:
        break;
    }
  }
}

export function outcomes(
  rows: usize,
  numRows: i32,
  rowWords: i32,
  to: usize,
  stride: i32,
  blocksWord: usize,
): void {
  const blocks = blocksWord << 2;
  const rowBytesHere = <usize>rowWords << 2;
  const strideBytes = <usize>stride << 2;
  for (let word = 0; 32 * word < numRows; word++) {
    const numHere = min(32, numRows - 32 * word);
    for (let i = 0; i < rowWords; i += 4) {
      const first = (rows << 2) + 32 * <usize>word * rowBytesHere + (<usize>i << 2);
      for (let row = 0; row < 32; row++) {
        const bits = row < numHere ? v128.load(first + <usize>row * rowBytesHere) : i32x4.splat(0);
        v128.store(blocks + (<usize>row << 4), bits);
      }
      transposeFour(blocks, 16);
      for (let block = 0; block < 4; block++) {
        let at = (to << 2) + 32 * <usize>(i + block) * strideBytes + (<usize>word << 2);
        for (let shot: usize = 0; shot < 32; shot++) {
          store<u32>(at, load<u32>(blocks + (shot << 4) + (<usize>block << 2)));
          at += strideBytes;
        }
      }
    }
  }
}
