/** The inverse tableau of a stabilizer state; see src/engine/stabilizer/plain-tableau.ts. */
import {
  CX,
  CZ,
  H,
  INSTRUCTION,
  MEASURE,
  RESET,
  S,
  SDG,
  SWAP,
  transposeBlock,
  transposeFour,
  UNLESS,
  X,
  Y,
  Z,
} from './stabilizer-ops';

/** Bytes of a row. */
let rowBytes: usize = 0;
let xx: usize = 0;
let xz: usize = 0;
let zx: usize = 0;
let zz: usize = 0;
let signsX: usize = 0;
let signsZ: usize = 0;
/** Address after the last row of `zx` that may hold anything. */
let endOfZx: usize = 0;
/** Row of qubits whose images have an X somewhere; computed for the words that `known` has bits for. */
let anyWord: u32 = 0;
let anyAt: i32 = -1;

export function openTableau(at: usize, numQubits: i32): void {
  const rowWords = 4 * ((numQubits + 127) / 128);
  rowBytes = <usize>rowWords << 2;
  const size = 32 * <usize>rowWords * rowBytes;
  xx = at << 2;
  xz = xx + size;
  zx = xz + size;
  zz = zx + size;
  signsX = zz + size;
  signsZ = signsX + rowBytes;
  endOfZx = zx + 32 * <usize>((numQubits + 31) / 32) * rowBytes;
  anyAt = -1;
  for (let q = 0; q < numQubits; q++) {
    const offset = <usize>q * rowBytes + (<usize>(q >>> 5) << 2);
    store<u32>(xx + offset, load<u32>(xx + offset) | (1 << (q & 31)));
    store<u32>(zz + offset, load<u32>(zz + offset) | (1 << (q & 31)));
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function signAt(signs: usize, qubit: i32): u32 {
  return (load<u32>(signs + (<usize>(qubit >>> 5) << 2)) >>> (qubit & 31)) & 1;
}

// @ts-ignore: a decorator of this compiler
@inline
function flip(signs: usize, qubit: i32, by: u32): void {
  const at = signs + (<usize>(qubit >>> 5) << 2);
  store<u32>(at, load<u32>(at) ^ (by << (qubit & 31)));
}

function exchange(first: usize, second: usize): void {
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const kept = v128.load(first + i);
    v128.store(first + i, v128.load(second + i));
    v128.store(second + i, kept);
  }
}

function exchangeSigns(first: usize, a: i32, second: usize, b: i32): void {
  const differs = signAt(first, a) ^ signAt(second, b);
  flip(first, a, differs);
  flip(second, b, differs);
}

// @ts-ignore: a decorator of this compiler
@inline
function numOnes(bits: v128): u32 {
  return <u32>(
    popcnt<u64>(i64x2.extract_lane(bits, 0)) + popcnt<u64>(i64x2.extract_lane(bits, 1))
  );
}

/** row ← i^turns · row · other. Returns whether the sign changes. */
function multiplyInto(rowX: usize, rowZ: usize, otherX: usize, otherZ: usize, turns: u32): u32 {
  let ones = i32x4.splat(0);
  let twos = i32x4.splat(0);
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const x1 = v128.load(rowX + i);
    const z1 = v128.load(rowZ + i);
    const x2 = v128.load(otherX + i);
    const z2 = v128.load(otherZ + i);
    const product = v128.and(x1, z2);
    const anticommutes = v128.xor(v128.and(x2, z1), product);
    const newX = v128.xor(x1, x2);
    const newZ = v128.xor(z1, z2);
    v128.store(rowX + i, newX);
    v128.store(rowZ + i, newZ);
    const odd = v128.xor(v128.xor(ones, newX), v128.xor(newZ, product));
    twos = v128.xor(twos, v128.and(odd, anticommutes));
    ones = v128.xor(ones, anticommutes);
  }
  return ((turns + numOnes(ones) + 2 * numOnes(twos)) >>> 1) & 1;
}

export function gates(code: usize, from: i32, to: i32): void {
  const end = (code << 2) + <usize>to * INSTRUCTION;
  for (let at = (code << 2) + <usize>from * INSTRUCTION; at < end; at += INSTRUCTION) {
    const op = load<i32>(at);
    const a = load<i32>(at, 4);
    const b = load<i32>(at, 8);
    const rowA = <usize>a * rowBytes;
    const rowB = <usize>b * rowBytes;
    if (op == X) flip(signsZ, a, 1);
    else if (op == Z) flip(signsX, a, 1);
    else if (op == Y) {
      flip(signsX, a, 1);
      flip(signsZ, a, 1);
    } else if (op == H) {
      exchange(xx + rowA, zx + rowA);
      exchange(xz + rowA, zz + rowA);
      exchangeSigns(signsX, a, signsZ, a);
    } else if (op == S || op == SDG) {
      const turns: u32 = op == S ? 3 : 1;
      const turned = multiplyInto(xx + rowA, xz + rowA, zx + rowA, zz + rowA, turns);
      flip(signsX, a, turned ^ signAt(signsZ, a));
    } else if (op == CX) {
      const turnedX = multiplyInto(xx + rowA, xz + rowA, xx + rowB, xz + rowB, 0);
      flip(signsX, a, turnedX ^ signAt(signsX, b));
      const turnedZ = multiplyInto(zx + rowB, zz + rowB, zx + rowA, zz + rowA, 0);
      flip(signsZ, b, turnedZ ^ signAt(signsZ, a));
    } else if (op == CZ) {
      const turnedA = multiplyInto(xx + rowA, xz + rowA, zx + rowB, zz + rowB, 0);
      flip(signsX, a, turnedA ^ signAt(signsZ, b));
      const turnedB = multiplyInto(xx + rowB, xz + rowB, zx + rowA, zz + rowA, 0);
      flip(signsX, b, turnedB ^ signAt(signsZ, a));
    } else if (op == SWAP) {
      exchange(xx + rowA, xx + rowB);
      exchange(xz + rowA, xz + rowB);
      exchange(zx + rowA, zx + rowB);
      exchange(zz + rowA, zz + rowB);
      exchangeSigns(signsX, a, signsX, b);
      exchangeSigns(signsZ, a, signsZ, b);
    }
  }
}

export function pauli(qubit: i32, letter: u32): void {
  flip(signsZ, qubit, letter & 1);
  flip(signsX, qubit, letter >>> 1);
}

export function isRandom(qubit: i32): i32 {
  const row = zx + <usize>qubit * rowBytes;
  for (let i: usize = 0; i < rowBytes; i += 16) {
    if (v128.any_true(v128.load(row + i))) return 1;
  }
  return 0;
}

export function firstRandom(code: usize, from: i32, to: i32): i32 {
  for (let place = from; place < to; place++) {
    const at = (code << 2) + <usize>place * INSTRUCTION;
    const op = load<i32>(at);
    if ((op == MEASURE || op == RESET) && isRandom(load<i32>(at, 4))) return place;
  }
  return to;
}

export function readings(code: usize, from: i32, to: i32): void {
  const end = (code << 2) + <usize>to * INSTRUCTION;
  for (let at = (code << 2) + <usize>from * INSTRUCTION; at < end; at += INSTRUCTION) {
    const op = load<i32>(at);
    const qubit = load<i32>(at, 4);
    if (op == MEASURE) store<i32>(at, valueOf(qubit), 12);
    else if (op == RESET) flip(signsZ, qubit, valueOf(qubit));
  }
}

export function valueOf(qubit: i32): i32 {
  return signAt(signsZ, qubit);
}

export function transpose(fromBlock: i32, toBlock: i32): void {
  anyAt = -1;
  for (let i = fromBlock; i < toBlock; i++) {
    transposeBlocks(xx, i);
    transposeBlocks(xz, i);
    transposeBlocks(zx, i);
    transposeBlocks(zz, i);
  }
}

/** Transposes the blocks of row i of blocks up to the diagonal, and those that they change places with. */
function transposeBlocks(matrix: usize, i: i32): void {
  const stride = rowBytes;
  const row = matrix + 32 * <usize>i * stride;
  const column = matrix + (<usize>i << 2);
  let j = 0;
  // Blocks of a row lie side by side.
  for (; j + 4 <= i; j += 4) transposeFour(row + (<usize>j << 2), stride);
  for (; j < i; j++) transposeBlock(row + (<usize>j << 2), stride);
  transposeBlock(row + (<usize>i << 2), stride);
  for (j = 0; j < i; j++) {
    const first = row + (<usize>j << 2);
    const second = column + 32 * <usize>j * stride;
    transposeBlock(second, stride);
    for (let offset: usize = 0; offset < 32 * stride; offset += stride) {
      const kept = load<u32>(first + offset);
      store<u32>(first + offset, load<u32>(second + offset));
      store<u32>(second + offset, kept);
    }
  }
}

/** Whether the image of Z on a qubit has an X, in the transposed tableau. */
// @ts-ignore: a decorator of this compiler
@inline
function hasFlip(qubit: i32): bool {
  const word = qubit >>> 5;
  if (anyAt != word) {
    // Qubits of one word are asked for one after the other.
    anyAt = word;
    anyWord = 0;
    for (let at = zx + (<usize>word << 2); at < endOfZx; at += rowBytes) anyWord |= load<u32>(at);
  }
  return ((anyWord >>> (qubit & 31)) & 1) != 0;
}

/** Conjugates the images of X, or of Z, with a controlled X on columns. */
// @ts-ignore: a decorator of this compiler
@inline
function controlledX(xc: usize, zc: usize, xt: usize, zt: usize, signs: usize): void {
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const cx = v128.load(xc + i);
    const cz = v128.load(zc + i);
    const tx = v128.load(xt + i);
    const tz = v128.load(zt + i);
    const turned = v128.andnot(v128.and(cx, tz), v128.xor(tx, cz));
    v128.store(signs + i, v128.xor(v128.load(signs + i), turned));
    v128.store(xt + i, v128.xor(tx, cx));
    v128.store(zc + i, v128.xor(cz, tz));
  }
}

/** Turns X, or Y, of a column into Z. */
// @ts-ignore: a decorator of this compiler
@inline
function turnToZ(atX: usize, atZ: usize, signs: usize, isY: bool): void {
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const bx = v128.load(atX + i);
    let bz = v128.load(atZ + i);
    let turned = v128.load(signs + i);
    if (isY) {
      turned = v128.xor(turned, v128.and(bx, bz));
      bz = v128.xor(bz, bx);
    }
    v128.store(signs + i, v128.xor(turned, v128.and(bx, bz)));
    v128.store(atX + i, bz);
    v128.store(atZ + i, bx);
  }
}

// @ts-ignore: a decorator of this compiler
@inline
function addTo(row: usize, other: usize): void {
  for (let i: usize = 0; i < rowBytes; i += 16) {
    v128.store(row + i, v128.xor(v128.load(row + i), v128.load(other + i)));
  }
}

export function collapse(qubit: i32, outcome: i32): i32 {
  if (!hasFlip(qubit)) return 0;
  anyAt = -1;
  const word = <usize>(qubit >>> 5) << 2;
  const bit: u32 = 1 << (qubit & 31);
  const size = endOfZx - zx;
  let pivot: usize = 0;
  while (!(load<u32>(zx + pivot + word) & bit)) pivot += rowBytes;
  for (let column = pivot + rowBytes; column < size; column += rowBytes) {
    if (!(load<u32>(zx + column + word) & bit)) continue;
    controlledX(xx + pivot, xz + pivot, xx + column, xz + column, signsX);
    controlledX(zx + pivot, zz + pivot, zx + column, zz + column, signsZ);
  }
  const isY = (load<u32>(zz + pivot + word) & bit) != 0;
  turnToZ(xx + pivot, xz + pivot, signsX, isY);
  turnToZ(zx + pivot, zz + pivot, signsZ, isY);
  if (valueOf(qubit) != outcome) {
    addTo(signsX, xz + pivot);
    addTo(signsZ, zz + pivot);
  }
  return 1;
}

// @ts-ignore: a decorator of this compiler
@inline
function opAt(code: usize, place: i32): i32 {
  return load<i32>((code << 2) + <usize>place * INSTRUCTION);
}

export function walkPattern(
  code: usize,
  from: i32,
  to: i32,
  pattern: usize,
  outcomes: usize,
  numBlocks: i32,
): i32 {
  let place = from;
  while (place < to) {
    const at = (code << 2) + <usize>place * INSTRUCTION;
    const op = load<i32>(at);
    if (op == UNLESS) {
      const isTaken = signAt(pattern << 2, load<i32>(at, 4));
      place = isTaken ? place + 1 : load<i32>(at, 8);
      continue;
    }
    let end = place + 1;
    if (op <= SWAP) {
      while (end < to && opAt(code, end) <= SWAP) end++;
      gates(code, place, end);
    } else {
      while (end < to && (opAt(code, end) == MEASURE || opAt(code, end) == RESET)) end++;
      collapseAll(code, place, end, numBlocks);
      readings(code, place, end);
      for (let i = place; i < end; i++) {
        const read = (code << 2) + <usize>i * INSTRUCTION;
        if (load<i32>(read) == MEASURE) flip(outcomes << 2, load<i32>(read, 8), load<u32>(read, 12));
      }
    }
    place = end;
  }
  return place;
}

/** Collapses the random ones among measurements and resets, with outcome 0. */
function collapseAll(code: usize, from: i32, to: i32, numBlocks: i32): void {
  const first = firstRandom(code, from, to);
  if (first == to) return;
  transpose(0, numBlocks);
  for (let i = first; i < to; i++) {
    collapse(load<i32>((code << 2) + <usize>i * INSTRUCTION, 4), 0);
  }
  transpose(0, numBlocks);
}
