/**
 * Sums of Pauli strings for Pauli propagation; src/engine/pauli/string-sum.ts says how they are used.
 *
 * A string is written twice. Its record, with hash and coefficient, is what equal strings are found by, through a table
 * of hashes. Its bits also stand in columns, one for each bit of a string, so that a map finds the strings that it
 * changes 64 at a time and reads no others. Records and columns of 512 strings are a block.
 *
 * A string that is left out keeps its place with coefficient 0 until a third of them are left out.
 *
 * The hash of a string is the exclusive or of a key for each of its bits, so that the hash of a product is that of its
 * factors. It decides where a string is looked up, never what is equal.
 */
import { transposeFour } from './stabilizer-ops';

const BLOCK: i32 = 512;
/** Bytes of a column of a block, and of its marks. */
const COLUMN: usize = 64;
/** Bytes of a record before its string: hash and coefficient. */
const HEAD: usize = 16;
const FIRST_SLOTS: i32 = 256;
/** Strings that are left out are taken away if they are more than this, and more than half of the others. */
const FEW: i32 = 256;
/** Strings beyond which caches do not hold them. */
const LARGE: i32 = 8192;

/** 64-bit words of the X part of a string; its Z part has as many. */
let numWords: i32 = 0;
let stringBytes: usize = 0;
let halfBytes: usize = 0;
let recordBytes: usize = 0;
let blockBytes: usize = 0;
/** Address of the marks in a block, and of the columns after them. */
let marksIn: usize = 0;
let columnsIn: usize = 0;

let keys: usize = 0;
let scratch: usize = 0;
let table: usize = 0;
let blocks: usize = 0;
/** log2 of the slots: 32 bits of the hash above the number of a string, from 1 on; 0 if free. */
let slotBits: i32 = 0;
/** Strings, and those with a coefficient. */
let count: i32 = 0;
let live: i32 = 0;
/** Strings before a map. */
let before: i32 = 0;
let leftOut: f64 = 0;
let least: f64 = 0;
let maxWeight: i32 = 0;
let units: f64 = 0;

/** The map; addresses as the host gives them. */
let numBits: i32 = 0;
let selected: u32 = 0;
let starts: usize = 0;
let images: usize = 0;
let factors: usize = 0;
let groupOf: usize = 0;
let groupStarts: usize = 0;
let members: usize = 0;
let isMoved: usize = 0;
let largest: i32 = 0;
let isFramed: bool = false;
/** Of each bit of a map's number: the columns whose parity it is, and the end of their list. */
let lists: usize = 0;
let listEnds: usize = 0;
/** Words of 64 strings for each bit. */
let bits: usize = 0;
/** For each product of generators: hash, turns, and its string. */
let products: usize = 0;
/** The product by which members of groups differ if it is always the same, as for rotations, else 0. */
let onlyProduct: usize = 0;
/** Keeps loads of `touch`. */
let touched: u64 = 0;
let productBytes: usize = 0;
/** Of the members of a group, 8 bytes each: coefficient, new coefficient, record, hash, whether the sign changes. */
let values: usize = 0;
const VALUE: usize = 40;

// @ts-ignore: a decorator of this compiler
@inline
function recordOf(row: i32): usize {
  return blocks + <usize>(row >>> 9) * blockBytes + <usize>(row & 511) * recordBytes;
}

/** Bytes below the table, for strings of so many words and maps on up to so many qubits. */
export function headBytes(words: i32, mapQubits: i32): usize {
  const strings: usize = 1 << (2 * mapQubits);
  const ofLists = <usize>(2 * mapQubits) * (<usize>words * 128 * 4 + 4 + 8);
  return <usize>words * 1024 + 1024 + ofLists + strings * (16 + 16 * <usize>words + VALUE) + 64;
}

/**
 * Opens an empty sum.
 *
 * @param at - Address of `headBytes` bytes; the table and the blocks come after them.
 * @returns 0 if there is no memory for it.
 */
export function open(at: usize, words: i32, mapQubits: i32, smallest: f64, heaviest: i32): i32 {
  numWords = words;
  halfBytes = 8 * <usize>words;
  stringBytes = 2 * halfBytes;
  recordBytes = HEAD + stringBytes;
  marksIn = <usize>BLOCK * recordBytes;
  columnsIn = marksIn + COLUMN;
  blockBytes = columnsIn + 8 * stringBytes * COLUMN;
  const strings: usize = 1 << (2 * mapQubits);
  keys = at;
  scratch = keys + 8 * 8 * stringBytes;
  lists = scratch + 1024;
  listEnds = lists + <usize>(2 * mapQubits) * 8 * stringBytes * 4;
  bits = (listEnds + <usize>(2 * mapQubits) * 4 + 7) & ~7;
  products = bits + <usize>(2 * mapQubits) * 8;
  productBytes = 16 + stringBytes;
  values = products + strings * productBytes;
  table = at + headBytes(words, mapQubits);
  makeKeys();
  least = smallest;
  maxWeight = heaviest;
  count = 0;
  live = 0;
  leftOut = 0;
  units = 0;
  slotBits = 31 - clz(FIRST_SLOTS);
  blocks = table + (<usize>FIRST_SLOTS << 3);
  if (!hasMemory(blocks)) return 0;
  memory.fill(table, 0, blocks - table);
  return 1;
}

/** @see Steele, Lea & Flood, "Fast splittable pseudorandom number generators", 2014. */
function makeKeys(): void {
  for (let i: u64 = 0; i < 8 * <u64>stringBytes; i++) {
    let key: u64 = (i + 1) * 0x9e3779b97f4a7c15;
    key = (key ^ (key >>> 30)) * 0xbf58476d1ce4e5b9;
    key = (key ^ (key >>> 27)) * 0x94d049bb133111eb;
    store<u64>(keys + (<usize>i << 3), key ^ (key >>> 31));
  }
}

/** Whether the memory reaches to an address, after it has grown if need be. */
function hasMemory(end: usize): bool {
  const pages = <i32>((<u64>end + 0xffff) >>> 16);
  const more = pages - memory.size();
  if (more <= 0) return true;
  // A little more than is needed, so that it seldom grows.
  return memory.grow(more + memory.size() / 16) >= 0 || memory.grow(more) >= 0;
}

/** Makes room for so many strings; returns whether there is. */
function hasRoom(rows: i32): bool {
  let wanted = slotBits;
  while (<i64>1 << wanted < 2 * <i64>rows) wanted++;
  const tableBytes: u64 = <u64>8 << wanted;
  const end = <u64>table + tableBytes + <u64>((rows + BLOCK - 1) / BLOCK) * blockBytes;
  if (end > 0xffff0000 || !hasMemory(<usize>end)) return false;
  if (wanted == slotBits) return true;
  const used = <usize>((count + BLOCK - 1) / BLOCK) * blockBytes;
  const moved = table + <usize>tableBytes;
  memory.copy(moved, blocks, used);
  blocks = moved;
  slotBits = wanted;
  fillTable();
  return true;
}

function fillTable(): void {
  memory.fill(table, 0, <usize>8 << slotBits);
  for (let row = 0; row < count; row++) enter(load<u64>(recordOf(row)), row);
}

// @ts-ignore: a decorator of this compiler
@inline
function slotOf(hash: u64): u32 {
  return <u32>((hash * 0x9e3779b97f4a7c15) >>> (64 - slotBits));
}

function enter(hash: u64, row: i32): void {
  const mask: u32 = (1 << slotBits) - 1;
  let slot = slotOf(hash);
  while (load<u64>(table + (<usize>slot << 3)) != 0) slot = (slot + 1) & mask;
  store<u64>(table + (<usize>slot << 3), (hash & 0xffffffff00000000) | <u64>(row + 1));
}

/** The number of the string that is a record's times a product; −1 if there is none. */
function find(hash: u64, record: usize, product: usize): i32 {
  const mask: u32 = (1 << slotBits) - 1;
  let slot = slotOf(hash);
  while (true) {
    const entry = load<u64>(table + (<usize>slot << 3));
    if (entry == 0) return -1;
    slot = (slot + 1) & mask;
    if ((entry ^ hash) >>> 32 != 0) continue;
    const row = <i32>(<u32>entry - 1);
    const other = recordOf(row) + HEAD;
    let i: usize = 0;
    while (
      i < stringBytes &&
      load<u64>(other + i) == (load<u64>(record + HEAD + i) ^ load<u64>(product + 16 + i))
    ) {
      i += 8;
    }
    if (i == stringBytes) return row;
  }
}

/** Appends a record's string times a product. There must be room. */
function append(hash: u64, record: usize, product: usize, coefficient: f64): void {
  const row = count++;
  const at = recordOf(row);
  if ((row & 511) == 0) memory.fill(blocks + <usize>(row >>> 9) * blockBytes + marksIn, 0, COLUMN);
  store<u64>(at, hash);
  store<f64>(at, coefficient, 8);
  for (let i: usize = 0; i < stringBytes; i += 16) {
    const factor = v128.load(product + i, 16);
    v128.store(at + HEAD + i, v128.xor(v128.load(record + HEAD + i), factor));
  }
  enter(hash, row);
  live++;
}

/**
 * Adds a term to the sum, before the first map.
 *
 * @param at - Address of its string.
 * @returns 0 if there is no memory for it.
 */
export function add(at: usize, coefficient: f64): i32 {
  if (!hasRoom(count + 1)) return 0;
  // The record of an identity, and the term in place of a product.
  const identity = products + productBytes;
  memory.fill(identity, 0, HEAD + stringBytes);
  memory.copy(products + 16, at, stringBytes);
  const hash = hashOf(at);
  const row = find(hash, identity, products);
  if (row < 0) append(hash, identity, products, coefficient);
  else {
    const record = recordOf(row);
    store<f64>(record, load<f64>(record, 8) + coefficient, 8);
  }
  return 1;
}

function hashOf(at: usize): u64 {
  let hash: u64 = 0;
  for (let word = 0; word < 2 * numWords; word++) {
    let rest = load<u64>(at + (<usize>word << 3));
    for (; rest != 0; rest &= rest - 1) {
      hash ^= load<u64>(keys + ((<usize>word * 64 + <usize>ctz(rest)) << 3));
    }
  }
  return hash;
}

/** Ends what `add` began: leaves out small terms, and writes the columns of the others. */
export function begin(): void {
  for (let row = 0; row < count; row++) {
    const record = recordOf(row);
    const size = abs(load<f64>(record, 8));
    if (size >= least) continue;
    leftOut += size;
    store<f64>(record, 0, 8);
  }
  compact();
}

/** Writes the columns of the strings from one on. */
function writeColumns(from: i32): void {
  for (let row = from & ~31; row < count; row += 32) {
    const record = recordOf(row) + HEAD;
    const columns =
      blocks +
      <usize>(row >>> 9) * blockBytes +
      columnsIn +
      (<usize>((row & 511) >>> 5) << 2);
    for (let i: usize = 0; i < stringBytes; i += 16) {
      let source = record + i;
      for (let to: usize = 0; to < 512; to += 16, source += recordBytes) {
        v128.store(scratch + to, v128.load(source));
      }
      transposeFour(scratch, 16);
      const column = columns + 8 * i * COLUMN;
      for (let bit: usize = 0; bit < 32; bit++) {
        const four = scratch + 16 * bit;
        const at = column + bit * COLUMN;
        store<u32>(at, load<u32>(four));
        store<u32>(at + 32 * COLUMN, load<u32>(four, 4));
        store<u32>(at + 64 * COLUMN, load<u32>(four, 8));
        store<u32>(at + 96 * COLUMN, load<u32>(four, 12));
      }
    }
  }
}

/**
 * Sets the map that the next functions work with; string-map.ts has its fields.
 *
 * @param generators - For each qubit of the map the strings that stand for its X and its Z: a string each.
 * @param turns - Their powers of i, a word each.
 */
export function setMap(
  qubits: i32,
  selectedBits: u32,
  at: usize,
  numImages: i32,
  numGroups: i32,
  mostMembers: i32,
  generators: usize,
  turns: usize,
  framed: i32,
): void {
  numBits = 2 * qubits;
  selected = selectedBits;
  const strings: usize = 1 << numBits;
  factors = at;
  starts = factors + 8 * <usize>numImages;
  images = starts + 4 * (strings + 1);
  groupOf = images + 4 * <usize>numImages;
  groupStarts = groupOf + 4 * strings;
  members = groupStarts + 4 * (<usize>numGroups + 1);
  isMoved = members + 4 * strings;
  largest = mostMembers;
  isFramed = framed != 0;
  before = count;
  let end = lists;
  for (let bit = 0; bit < numBits; bit++) {
    // A string has an X where it anticommutes with Z, and a Z where it does with X.
    const other = generators + <usize>(bit ^ 1) * stringBytes;
    for (let word = 0; word < 2 * numWords; word++) {
      let rest = load<u64>(other + (<usize>word << 3));
      const opposite = word < numWords ? word + numWords : word - numWords;
      for (; rest != 0; rest &= rest - 1) {
        store<u32>(end, <u32>(opposite * 64 + <i32>ctz(rest)) * <u32>COLUMN);
        end += 4;
      }
    }
    store<u32>(listEnds + (<usize>bit << 2), <u32>end);
  }
  makeProducts(generators, turns);
}

/** Products of generators by which the members of groups differ. */
function makeProducts(generators: usize, turns: usize): void {
  let numProducts = 0;
  onlyProduct = 0;
  // Products of no generators, and those that are not made yet, have the hash 0.
  memory.fill(products, 0, productBytes);
  for (let p: u32 = 0; p < <u32>1 << numBits; p++) {
    store<u64>(products + <usize>p * productBytes, 0);
  }
  for (let p: i32 = 0; p < 1 << numBits; p++) {
    const group = load<i32>(groupOf + (<usize>p << 2));
    const first = load<i32>(groupStarts + (<usize>group << 2));
    const end = load<i32>(groupStarts + (<usize>group << 2), 4);
    for (let i = first; i < end; i++) {
      const flips = load<u32>(members + (<usize>i << 2)) ^ <u32>p;
      const product = products + <usize>flips * productBytes;
      if (flips == 0 || load<u64>(product) != 0) continue;
      onlyProduct = numProducts++ == 0 ? product : 0;
      memory.fill(product + 16, 0, stringBytes);
      let power = countY(flips);
      for (let bit = 0; bit < numBits; bit++) {
        if (((flips >>> bit) & 1) == 0) continue;
        const generator = generators + <usize>bit * stringBytes;
        power += load<i32>(turns + (<usize>bit << 2));
        power += 2 * overlap(product + 16 + halfBytes, generator);
        for (let j: usize = 0; j < stringBytes; j += 8) {
          store<u64>(product + j, load<u64>(product + j, 16) ^ load<u64>(generator + j), 16);
        }
      }
      store<u64>(product, hashOf(product + 16));
      store<i32>(product, power & 3, 8);
    }
  }
}

/** Qubits with both bits of a number of a string. */
// @ts-ignore: a decorator of this compiler
@inline
function countY(p: u32): i32 {
  return <i32>popcnt(p & (p >>> 1) & 0x55);
}

/** Number of bits that two masks share. */
// @ts-ignore: a decorator of this compiler
@inline
function overlap(a: usize, b: usize): i32 {
  let shared: u64 = 0;
  for (let i: usize = 0; i < halfBytes; i += 8) {
    shared += popcnt(load<u64>(a + i) & load<u64>(b + i));
  }
  return <i32>shared;
}

/**
 * Applies the map to the strings from one, a multiple of 64, up to another one.
 *
 * @returns 0 if there is no memory for their images.
 */
export function apply(from: i32, to: i32): i32 {
  const end = min(to, before);
  units += 0.0625 * <f64>(end - from) * <f64>numBits;
  for (let row = from; row < end; row += 64) {
    if (!hasRoom(count + 64 * (largest - 1))) return 0;
    const block = blocks + <usize>(row >>> 9) * blockBytes;
    const word = <usize>((row & 511) >>> 6) << 3;
    const columns = block + columnsIn + word;
    let odd: u64 = 0;
    let any: u64 = 0;
    let at = lists;
    for (let bit = 0; bit < numBits; bit++) {
      const listEnd = <usize>load<u32>(listEnds + (<usize>bit << 2));
      let parity: u64 = 0;
      for (; at < listEnd; at += 4) parity ^= load<u64>(columns + <usize>load<u32>(at));
      store<u64>(bits + (<usize>bit << 3), parity);
      if ((selected >>> bit) & 1) odd ^= parity;
      any |= parity;
    }
    let rest = selected != 0 ? odd : any;
    if (end - row < 64) rest &= (<u64>1 << (end - row)) - 1;
    const marks = block + marksIn + word;
    if (onlyProduct != 0 && count > LARGE) touch(row, rest & ~load<u64>(marks));
    while ((rest &= ~load<u64>(marks)) != 0) {
      const i = <i32>ctz(rest);
      rest &= rest - 1;
      visit(row + i, i);
    }
    store<u64>(marks, 0);
  }
  return 1;
}

/**
 * Reads what `visit` will read of 64 strings, so that the memory looks up several at once. Without this, sums that
 * caches do not hold took 1.6 times as long.
 */
function touch(row: i32, mask: u64): void {
  const hash = load<u64>(onlyProduct);
  let end = scratch;
  for (let rest = mask; rest != 0; rest &= rest - 1) {
    const other = load<u64>(recordOf(row + <i32>ctz(rest))) ^ hash;
    store<u64>(end, other);
    store<u64>(end, load<u64>(table + (<usize>slotOf(other) << 3)), 8);
    end += 16;
  }
  let sum: u64 = 0;
  for (let at = scratch; at < end; at += 16) {
    const entry = load<u64>(at, 8);
    if (entry != 0 && (entry ^ load<u64>(at)) >>> 32 == 0) {
      sum ^= load<u64>(recordOf(<i32>(<u32>entry - 1)));
    }
  }
  touched = sum;
}

/** Applies the map to a string and to those that its images are added to. */
function visit(row: i32, i: i32): void {
  const record = recordOf(row);
  const coefficient = load<f64>(record, 8);
  if (coefficient == 0) return;
  let p: u32 = 0;
  for (let bit = 0; bit < numBits; bit++) {
    p |= (<u32>(load<u64>(bits + (<usize>bit << 3)) >>> i) & 1) << bit;
  }
  if (load<u8>(isMoved + <usize>p) == 0) return;
  const group = groupStarts + (<usize>load<i32>(groupOf + (<usize>p << 2)) << 2);
  const first = members + (<usize>load<i32>(group) << 2);
  const numMembers = load<i32>(group, 4) - load<i32>(group);
  if (numMembers == 1) {
    units += 4;
    const from = starts + (<usize>p << 2);
    const hasImage = load<i32>(from, 4) > load<i32>(from);
    const factor = hasImage ? load<f64>(factors + (<usize>load<i32>(from) << 3)) : 0;
    settle(record, coefficient * factor);
    return;
  }
  units += 12 * <f64>numMembers;
  gather(row, record, p, first, numMembers);
  for (let k = 0; k < numMembers; k++) {
    const value = values + <usize>k * VALUE;
    const old = load<f64>(value);
    if (old == 0) continue;
    const from = starts + (<usize>load<u32>(first + (<usize>k << 2)) << 2);
    for (let j = load<i32>(from); j < load<i32>(from, 4); j++) {
      // Images are written as places in the group.
      const to = values + <usize>load<i32>(images + (<usize>j << 2)) * VALUE;
      store<f64>(to, load<f64>(to, 8) + old * load<f64>(factors + (<usize>j << 3)), 8);
    }
  }
  for (let k = 0; k < numMembers; k++) {
    const value = values + <usize>k * VALUE;
    const next = load<i32>(value, 32) != 0 ? -load<f64>(value, 8) : load<f64>(value, 8);
    const at = load<u32>(value, 16);
    if (at != 0) settle(at, next);
    else if (next != 0) {
      const flips = load<u32>(first + (<usize>k << 2)) ^ p;
      const product = products + <usize>flips * productBytes;
      if (isKept(next, record, product)) append(load<u64>(value, 24), record, product, next);
      else leftOut += abs(next);
    }
  }
}

/** Collects the strings of a group, whose signs are relative to that of the string `p` of it. */
function gather(row: i32, record: usize, p: u32, first: usize, numMembers: i32): void {
  const ownY = isFramed ? overlap(record + HEAD, record + HEAD + halfBytes) : 0;
  const hash = load<u64>(record);
  for (let k = 0; k < numMembers; k++) {
    const value = values + <usize>k * VALUE;
    const member = load<u32>(first + (<usize>k << 2));
    const flips = member ^ p;
    store<f64>(value, 0, 8);
    if (flips == 0) {
      store<f64>(value, load<f64>(record, 8));
      store<u32>(value, <u32>record, 16);
      store<i32>(value, 0, 32);
      continue;
    }
    const product = products + <usize>flips * productBytes;
    const turned = isFramed && turns(record, ownY, product, p, member);
    const other = hash ^ load<u64>(product);
    const found = find(other, record, product);
    let coefficient = 0.0;
    let at: usize = 0;
    if (found >= 0) {
      at = recordOf(found);
      coefficient = load<f64>(at, 8);
      if (found > row && found < before) {
        const marks = blocks + <usize>(found >>> 9) * blockBytes + marksIn;
        const word = marks + (<usize>((found & 511) >>> 6) << 3);
        store<u64>(word, load<u64>(word) | (<u64>1 << (found & 63)));
      }
    }
    store<f64>(value, turned ? -coefficient : coefficient);
    store<u32>(value, <u32>at, 16);
    store<u64>(value, other, 24);
    store<i32>(value, i32(turned), 32);
  }
}

/** Whether a product turns the sign otherwise on the string of a record than on the qubits of the map. */
// @ts-ignore: a decorator of this compiler
@inline
function turns(record: usize, ownY: i32, product: usize, p: u32, member: u32): bool {
  let shared: u64 = 0;
  let otherY: u64 = 0;
  for (let i: usize = 0; i < halfBytes; i += 8) {
    const x = load<u64>(record + HEAD + i);
    const z = load<u64>(record + HEAD + halfBytes + i);
    const factorX = load<u64>(product + i, 16);
    const factorZ = load<u64>(product + halfBytes + i, 16);
    shared += popcnt(factorZ & x);
    otherY += popcnt((x ^ factorX) & (z ^ factorZ));
  }
  const flips = member ^ p;
  const whole = load<i32>(product, 8) + ownY - <i32>otherY + 2 * <i32>shared;
  const ofMap = countY(flips) + countY(p) - countY(member) + 2 * <i32>popcnt((flips >>> 1) & p & 0x55);
  return ((whole - ofMap) & 2) != 0;
}

/** Gives a string its new coefficient, or leaves it out. */
// @ts-ignore: a decorator of this compiler
@inline
function settle(record: usize, next: f64): void {
  const wasLive = load<f64>(record, 8) != 0;
  if (next != 0 && isKept(next, record, products)) {
    store<f64>(record, next, 8);
    live += i32(!wasLive);
    return;
  }
  leftOut += abs(next);
  store<f64>(record, 0, 8);
  live -= i32(wasLive);
}

// @ts-ignore: a decorator of this compiler
@inline
function isKept(coefficient: f64, record: usize, product: usize): bool {
  if (abs(coefficient) < least) return false;
  if (maxWeight < 0) return true;
  let weight: u64 = 0;
  for (let i: usize = 0; i < halfBytes; i += 8) {
    const x = load<u64>(record + HEAD + i) ^ load<u64>(product + i, 16);
    weight += popcnt(x | (load<u64>(record + HEAD + halfBytes + i) ^ load<u64>(product + halfBytes + i, 16)));
  }
  return weight <= <u64>maxWeight;
}

/** Ends a map: writes the columns of new strings, and takes away what was left out if it is much. Returns the strings. */
export function finish(): i32 {
  const out = count - live;
  if (out > FEW && 2 * out > live) compact();
  else if (count > before) writeColumns(before);
  return live;
}

function compact(): void {
  let kept = 0;
  for (let row = 0; row < count; row++) {
    const record = recordOf(row);
    if (load<f64>(record, 8) == 0) continue;
    if (kept < row) memory.copy(recordOf(kept), record, recordBytes);
    kept++;
  }
  units += 8 * <f64>count;
  count = kept;
  live = kept;
  fillTable();
  writeColumns(0);
}

/**
 * Leaves out all but the largest strings; among equal ones those that come last.
 *
 * The least size that is kept is found by its bits, 8 at a time: sizes are in the order of their bits.
 */
export function keepLargest(most: i32): void {
  let prefix: u64 = 0;
  let wanted = most;
  for (let shift = 56; shift >= 0; shift -= 8) {
    memory.fill(lists, 0, 1024);
    const above: u64 = shift == 56 ? 0 : ~(<u64>0) << (shift + 8);
    for (let row = 0; row < count; row++) {
      const size = load<u64>(recordOf(row), 8) & 0x7fffffffffffffff;
      if (((size ^ prefix) & above) != 0) continue;
      const at = lists + (<usize>((size >>> shift) & 0xff) << 2);
      store<i32>(at, load<i32>(at) + 1);
    }
    let digit = 255;
    for (; digit > 0; digit--) {
      const inDigit = load<i32>(lists + (<usize>digit << 2));
      if (inDigit >= wanted) break;
      wanted -= inDigit;
    }
    prefix |= <u64>digit << shift;
  }
  for (let row = 0; row < count; row++) {
    const record = recordOf(row);
    const size = load<u64>(record, 8) & 0x7fffffffffffffff;
    if (size > prefix || (size == prefix && wanted-- > 0)) continue;
    leftOut += abs(load<f64>(record, 8));
    store<f64>(record, 0, 8);
  }
  units += 16 * <f64>count;
  compact();
}

/** The expectation value in |0…0⟩: that of the strings of Z alone. */
export function valueOnZeros(): f64 {
  let sum = 0.0;
  for (let row = 0; row < count; row++) {
    const record = recordOf(row);
    let flips: u64 = 0;
    for (let i: usize = 0; i < halfBytes; i += 8) flips |= load<u64>(record + HEAD + i);
    if (flips == 0) sum += load<f64>(record, 8);
  }
  return sum;
}

/** Sum of the absolute coefficients that were left out. */
export function sumLeftOut(): f64 {
  return leftOut;
}

export function numStrings(): i32 {
  return count;
}

/** Work since this was last asked for, in the units of time slices. */
export function spent(): f64 {
  const since = units;
  units = 0;
  return since;
}
