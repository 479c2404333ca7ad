/**
 * Commands on matrix product states: the parts of a product, and of an orthogonalisation of rows.
 *
 * Every entry is computed by the same operations in the same order, whatever thread does which part, so results have the
 * same bits on any number of threads.
 */
import { ENTRY, multiplyMatrices } from './mps-products';
import {
  largestMass,
  largestRow,
  massSum,
  normalizeRow,
  productIm,
  productRe,
  setLargest,
  setProduct,
  subtractRow,
} from './mps-rows';

// Fields, u32 each after the command's header; the order of tensor-memory.ts.
const IS_CANCELLED: usize = 12;
const A: usize = 32;
const LDA: usize = 36;
const B: usize = 40;
const LDB: usize = 44;
const C: usize = 48;
const LDC: usize = 52;
const M: usize = 56;
const K: usize = 60;
const N: usize = 64;
const ROWS_PER_ITEM: usize = 68;
const COLUMNS_PER_ITEM: usize = 72;

/** Multiplies some rows of A by some columns of B. */
export function multiplyItem(command: usize, item: i32, packed: usize): void {
  const m: usize = load<u32>(command, M);
  const n: usize = load<u32>(command, N);
  const rows: usize = load<u32>(command, ROWS_PER_ITEM);
  const columns: usize = load<u32>(command, COLUMNS_PER_ITEM);
  const across = (n + columns - 1) / columns;
  const row = (<usize>item / across) * rows;
  const column = (<usize>item % across) * columns;
  const lda: usize = load<u32>(command, LDA);
  const ldc: usize = load<u32>(command, LDC);
  multiplyMatrices(
    <usize>load<u32>(command, A) + row * lda * ENTRY,
    lda,
    <usize>load<u32>(command, B) + column * ENTRY,
    load<u32>(command, LDB),
    <usize>load<u32>(command, C) + (row * ldc + column) * ENTRY,
    ldc,
    min(rows, m - row),
    load<u32>(command, K),
    min(columns, n - column),
    packed,
  );
}

// Fields of an orthogonalisation.
const AT: usize = 32;
const ROWS: usize = 36;
const COLUMNS: usize = 40;
const MASSES: usize = 44;
const FACTORS: usize = 48;
const BASIS: usize = 52;
const PRODUCTS: usize = 56;
const MOST: usize = 60;
const REST: usize = 64;
/** Steps done; the rank at the end. */
const STEP: usize = 72;
const PIVOT: usize = 76;
const PHASE: usize = 80;
const PER_BLOCK: usize = 84;
/** Blocks of the stage that are not done. */
const NUM_LEFT: usize = 88;
/** Number of the stage, shifted, plus its blocks that are not claimed; negative at the end. */
const CLAIM: usize = 92;

const BLOCK_BITS = 12;
const BLOCK_MASK = (1 << BLOCK_BITS) - 1;
const ENDED = -1;

// A step has one or three stages. Each is divided into blocks; the thread that ends the last block opens the next stage.
/** Products of the rows of Q and the row that is to be the next one. */
const PROJECT = 0;
/** Subtracts these rows of Q from it, some columns in a block. */
const CORRECT = 1;
/** Subtracts the new row of Q from the other rows. */
const SUBTRACT = 2;

/** Multiplications of complex numbers in a block, about: 5 µs. */
const BLOCK_PRODUCTS: usize = 1 << 14;
/** Looks at a stage without free blocks before a thread sleeps: some microseconds. */
const LOOKS = 1000;
/** A thread sleeps for a millisecond at most, and then looks whether the command was cancelled. */
const SLEEP_NS: i64 = 1_000_000;

/**
 * Begins a modified Gram-Schmidt orthogonalisation of rows, as `orthogonalizeRows` describes it. The masses are those of the
 * rows.
 */
export function beginOrthogonalization(command: usize): void {
  store<i32>(command, 0, CLAIM);
  store<i32>(command, 0, STEP);
  choosePivot(command, 0);
}

/**
 * Claims and does blocks of an orthogonalisation.
 *
 * @param maxClaims - Returns early after so many, and where none is free for a while.
 * @returns Whether the orthogonalisation has ended.
 */
export function orthogonalize(command: usize, maxClaims: i32): bool {
  for (let claim = 0; claim < maxClaims; claim++) {
    let looks = 0;
    for (;;) {
      const claimed = atomic.load<i32>(command, CLAIM);
      if (claimed == ENDED || atomic.load<i32>(command, IS_CANCELLED) != 0) return true;
      const numFree = claimed & BLOCK_MASK;
      if (numFree > 0) {
        // The stage is still the same if the exchange succeeds, and stays so until the block is done.
        if (atomic.cmpxchg<i32>(command, claimed, claimed - 1, CLAIM) != claimed) continue;
        doBlock(command, numFree - 1);
        break;
      }
      if (++looks < LOOKS) continue;
      atomic.wait<i32>(command + CLAIM, claimed, SLEEP_NS);
      looks = 0;
      if (maxClaims != i32.MAX_VALUE) return false;
    }
  }
  return false;
}

function doBlock(command: usize, block: i32): void {
  const perBlock: usize = load<u32>(command, PER_BLOCK);
  const from = <usize>block * perBlock;
  const phase = load<i32>(command, PHASE);
  if (phase == PROJECT) project(command, from, from + perBlock);
  else if (phase == CORRECT) correct(command, from, from + perBlock);
  else subtract(command, from, from + perBlock);
  if (atomic.sub<i32>(command, 1, NUM_LEFT) == 1) openNext(command, phase);
}

function openNext(command: usize, phase: i32): void {
  const step: usize = load<u32>(command, STEP);
  const columns: usize = load<u32>(command, COLUMNS);
  if (phase == PROJECT) openStage(command, CORRECT, columns, step);
  else if (phase == CORRECT) finishPivot(command);
  else choosePivot(command, step + 1);
}

/** Opens a stage of so many parts with so many multiplications each. */
function openStage(command: usize, phase: i32, parts: usize, products: usize): void {
  const fewest = (parts + BLOCK_MASK - 1) / BLOCK_MASK;
  const perBlock = max(fewest, max(<usize>4, BLOCK_PRODUCTS / products));
  store<i32>(command, phase, PHASE);
  store<u32>(command, <u32>perBlock, PER_BLOCK);
  const numBlocks = <i32>((parts + perBlock - 1) / perBlock);
  store<i32>(command, numBlocks, NUM_LEFT);
  const stage = (load<i32>(command, CLAIM) >> BLOCK_BITS) + 1;
  // Only now may blocks be claimed: the claim says how many there are.
  publish(command, (stage << BLOCK_BITS) | numBlocks);
}

function publish(command: usize, claim: i32): void {
  atomic.store<i32>(command, claim, CLAIM);
  atomic.notify(command + CLAIM, -1);
}

/** Chooses the largest row for a step, or ends. */
function choosePivot(command: usize, step: usize): void {
  const masses: usize = load<u32>(command, MASSES);
  const rows: usize = load<u32>(command, ROWS);
  setLargest(masses, rows);
  const isSmall = largestMass <= 0 || massSum <= load<f64>(command, REST);
  store<u32>(command, <u32>step, STEP);
  if (step == <usize>load<u32>(command, MOST) || isSmall) {
    publish(command, ENDED);
    return;
  }
  store<u32>(command, <u32>largestRow, PIVOT);
  const columns: usize = load<u32>(command, COLUMNS);
  if (load<u32>(command, BASIS) != 0 && step > 0) openStage(command, PROJECT, step, columns);
  else finishPivot(command);
}

// @ts-ignore: a decorator of this compiler
@inline
function pivotRow(command: usize): usize {
  const bytes = <usize>load<u32>(command, COLUMNS) * ENTRY;
  return <usize>load<u32>(command, AT) + <usize>load<u32>(command, PIVOT) * bytes;
}

function project(command: usize, from: usize, to: usize): void {
  const bytes = <usize>load<u32>(command, COLUMNS) * ENTRY;
  const unit = pivotRow(command);
  const basis: usize = load<u32>(command, BASIS);
  const products: usize = load<u32>(command, PRODUCTS);
  const end = min(to, <usize>load<u32>(command, STEP));
  for (let done = from; done < end; done++) {
    setProduct(basis + done * bytes, unit, bytes);
    store<f64>(products + done * ENTRY, productRe);
    store<f64>(products + done * ENTRY, productIm, 8);
  }
}

function correct(command: usize, from: usize, to: usize): void {
  const columns: usize = load<u32>(command, COLUMNS);
  const basis: usize = load<u32>(command, BASIS);
  const products: usize = load<u32>(command, PRODUCTS);
  const step: usize = load<u32>(command, STEP);
  const unit = pivotRow(command) + from * ENTRY;
  const bytes = (min(to, columns) - from) * ENTRY;
  for (let done: usize = 0; done < step; done++) {
    const at = products + done * ENTRY;
    const row = basis + (done * columns + from) * ENTRY;
    subtractRow(load<f64>(at), load<f64>(at, 8), row, unit, bytes);
  }
}

/** Makes the pivot a row of Q. */
function finishPivot(command: usize): void {
  const rows: usize = load<u32>(command, ROWS);
  const columns: usize = load<u32>(command, COLUMNS);
  const bytes = columns * ENTRY;
  const step: usize = load<u32>(command, STEP);
  const pivot: usize = load<u32>(command, PIVOT);
  const unit = pivotRow(command);
  const basis: usize = load<u32>(command, BASIS);
  const norm = normalizeRow(unit, bytes, basis == 0 ? 0 : basis + step * bytes);
  store<f64>(<usize>load<u32>(command, MASSES) + pivot * 8, -1);
  const factors: usize = load<u32>(command, FACTORS);
  if (factors != 0) {
    const own = factors + (step * rows + pivot) * ENTRY;
    store<f64>(own, norm);
    store<f64>(own, 0, 8);
  }
  openStage(command, SUBTRACT, rows, 2 * columns);
}

function subtract(command: usize, from: usize, to: usize): void {
  const at: usize = load<u32>(command, AT);
  const rows: usize = load<u32>(command, ROWS);
  const bytes = <usize>load<u32>(command, COLUMNS) * ENTRY;
  const masses: usize = load<u32>(command, MASSES);
  const factors: usize = load<u32>(command, FACTORS);
  const own = factors + <usize>load<u32>(command, STEP) * rows * ENTRY;
  const pivot: usize = load<u32>(command, PIVOT);
  const unit = at + pivot * bytes;
  const end = min(to, rows);
  for (let row = from; row < end; row++) {
    if (row == pivot) continue;
    let re: f64 = 0;
    let im: f64 = 0;
    if (load<f64>(masses + row * 8) >= 0) {
      setProduct(unit, at + row * bytes, bytes);
      re = productRe;
      im = productIm;
      store<f64>(masses + row * 8, subtractRow(re, im, unit, at + row * bytes, bytes));
    }
    if (factors != 0) {
      store<f64>(own + row * ENTRY, re);
      store<f64>(own + row * ENTRY, im, 8);
    }
  }
}
