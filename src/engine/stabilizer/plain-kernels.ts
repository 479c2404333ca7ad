/** The kernels of stabilizer runs in plain TypeScript: the same bits as those in WebAssembly, and slower. */

import { STABILIZER_OPS } from '../../compiler/program.ts';
import { rotateStates } from './core-state.ts';
import { collapseState, copyScaled, multiplyRepeated } from './plain-active.ts';
import { runFrames } from './plain-frames.ts';
import { type StabilizerKernels, tableauRowWords } from './stabilizer-kernels.ts';

/** Opens kernels that compute on the heap of this thread. */
export function openPlainKernels(): StabilizerKernels {
  let words = new Int32Array(0);
  let doubles = new Float64Array(0);
  let tableau = new PlainTableau(words, 0, 0);
  return {
    get words() {
      return words;
    },
    get doubles() {
      return doubles;
    },
    reserve(numWords) {
      doubles = new Float64Array(Math.ceil(numWords / 2));
      words = new Int32Array(doubles.buffer);
    },
    openTableau(at, numQubits) {
      tableau = new PlainTableau(words, at, numQubits);
    },
    gates: (code, from, to) => tableau.gates(code, from, to),
    firstRandom: (code, from, to) => tableau.firstRandom(code, from, to),
    readings: (code, from, to) => tableau.readings(code, from, to),
    isRandom: (qubit) => tableau.isRandom(qubit),
    valueOf: (qubit) => tableau.valueOf(qubit),
    pauli: (qubit, letter) => tableau.pauli(qubit, letter),
    transpose: (from, to) => tableau.transpose(from, to),
    collapse: (qubit, outcome) => tableau.collapse(qubit, outcome),
    walkPattern: (code, from, to, pattern, outcomes, numBlocks) =>
      tableau.walkPattern(code, from, to, { pattern, outcomes, numBlocks }),
    frames: (header, from, to) => runFrames(words, doubles, header, from, to),
    outcomes: (rows, numRows, rowWords, to, stride, blocks) =>
      turnRows(words, rows, numRows, rowWords, to, stride, blocks),
    copyScaled: (to, from, numStates, factor) => copyScaled(doubles, to, from, numStates, factor),
    rotate: (at, numStates, flips, signs, turns, cosine, sine) =>
      rotateStates(doubles.subarray(at), { flips, signs, turns }, cosine, sine, numStates),
    multiplyRepeated: (at, numSmall, phases, numStates) =>
      multiplyRepeated(doubles, at, numSmall, phases, numStates),
    collapseState: (to, from, numStates, flips, signs, turns, pivot) =>
      collapseState(doubles, to, from, numStates, { flips, signs, turns }, pivot),
    another: openPlainKernels,
    release() {
      doubles = new Float64Array(0);
      words = new Int32Array(0);
    },
  };
}

function turnRows(
  words: Int32Array,
  rows: number,
  numRows: number,
  rowWords: number,
  to: number,
  stride: number,
  block: number,
): void {
  for (let word = 0; 32 * word < numRows; word++) {
    for (let i = 0; i < rowWords; i++) {
      for (let row = 0; row < 32; row++) {
        const isRow = 32 * word + row < numRows;
        words[block + row] = isRow ? words[rows + (32 * word + row) * rowWords + i]! : 0;
      }
      transposeBlock(words, block, 1);
      for (let shot = 0; shot < 32; shot++) {
        words[to + (32 * i + shot) * stride + word] = words[block + shot]!;
      }
    }
  }
}

// `PlainTableau` is the inverse tableau of a stabilizer state: what each X and Z was before the circuit, U†·P·U.
//
// A gate at the end of the circuit combines rows, which lie together in memory. Collapsing a measured qubit combines
// columns, for which the matrices are transposed.
//
// @see Gidney, "Stim: a fast stabilizer circuit simulator", 2021, section 2.

const { x, y, z, h, s, sdg, cx, cz, swap, measure, reset, unless } = STABILIZER_OPS;

/** A tableau in the memory of kernels. */
export class PlainTableau {
  readonly #words: Int32Array;
  readonly #rowWords: number;
  readonly #xx: number;
  readonly #xz: number;
  readonly #zx: number;
  readonly #zz: number;
  readonly #signsX: number;
  readonly #signsZ: number;

  constructor(words: Int32Array, at: number, numQubits: number) {
    this.#words = words;
    const rowWords = tableauRowWords(numQubits);
    const size = 32 * rowWords * rowWords;
    this.#rowWords = rowWords;
    this.#xx = at;
    this.#xz = at + size;
    this.#zx = at + 2 * size;
    this.#zz = at + 3 * size;
    this.#signsX = at + 4 * size;
    this.#signsZ = this.#signsX + rowWords;
    for (let q = 0; q < numQubits; q++) {
      const offset = q * rowWords + (q >>> 5);
      words[this.#xx + offset]! |= 1 << (q & 31);
      words[this.#zz + offset]! |= 1 << (q & 31);
    }
  }

  gates(code: number, from: number, to: number): void {
    const words = this.#words;
    for (let at = code + 4 * from; at < code + 4 * to; at += 4) {
      const [a, b] = [words[at + 1]!, words[at + 2]!];
      switch (words[at]) {
        case x:
          this.#flip(this.#signsZ, a, 1);
          break;
        case y:
          this.#flip(this.#signsX, a, 1);
          this.#flip(this.#signsZ, a, 1);
          break;
        case z:
          this.#flip(this.#signsX, a, 1);
          break;
        case h:
          this.#exchange(this.#xx, a, this.#zx, a);
          this.#exchange(this.#xz, a, this.#zz, a);
          this.#exchangeSigns(this.#signsX, a, this.#signsZ, a);
          break;
        case s:
          // S†·X·S = −i·X·Z.
          this.#multiplyInto(true, a, false, a, 3);
          break;
        case sdg:
          this.#multiplyInto(true, a, false, a, 1);
          break;
        case cx:
          this.#multiplyInto(true, a, true, b, 0);
          this.#multiplyInto(false, b, false, a, 0);
          break;
        case cz:
          this.#multiplyInto(true, a, false, b, 0);
          this.#multiplyInto(true, b, false, a, 0);
          break;
        case swap:
          for (const matrix of [this.#xx, this.#xz, this.#zx, this.#zz]) {
            this.#exchange(matrix, a, matrix, b);
          }
          this.#exchangeSigns(this.#signsX, a, this.#signsX, b);
          this.#exchangeSigns(this.#signsZ, a, this.#signsZ, b);
          break;
      }
    }
  }

  firstRandom(code: number, from: number, to: number): number {
    for (let place = from; place < to; place++) {
      const [op, qubit] = [this.#words[code + 4 * place]!, this.#words[code + 4 * place + 1]!];
      if ((op === measure || op === reset) && this.isRandom(qubit) === 1) return place;
    }
    return to;
  }

  readings(code: number, from: number, to: number): void {
    for (let at = code + 4 * from; at < code + 4 * to; at += 4) {
      const [op, qubit] = [this.#words[at]!, this.#words[at + 1]!];
      if (op === measure) this.#words[at + 3] = this.valueOf(qubit);
      else if (op === reset) this.#flip(this.#signsZ, qubit, this.valueOf(qubit));
    }
  }

  walkPattern(
    code: number,
    from: number,
    to: number,
    given: { readonly pattern: number; readonly outcomes: number; readonly numBlocks: number },
  ): number {
    const words = this.#words;
    const opAt = (place: number) => words[code + 4 * place]!;
    const isReading = (place: number) => opAt(place) === measure || opAt(place) === reset;
    let place = from;
    while (place < to) {
      const [a, b] = [words[code + 4 * place + 1]!, words[code + 4 * place + 2]!];
      if (opAt(place) === unless) {
        const isTaken = (words[given.pattern + (a >>> 5)]! >>> (a & 31)) & 1;
        place = isTaken === 1 ? place + 1 : b;
        continue;
      }
      let end = place + 1;
      if (isReading(place)) {
        while (end < to && isReading(end)) end++;
        this.#collapseAll(code, place, end, given.numBlocks);
        this.readings(code, place, end);
        for (let at = code + 4 * place; at < code + 4 * end; at += 4) {
          if (words[at] === measure) this.#flip(given.outcomes, words[at + 2]!, words[at + 3]!);
        }
      } else {
        while (end < to && opAt(end) <= swap) end++;
        this.gates(code, place, end);
      }
      place = end;
    }
    return place;
  }

  /** Collapses the random ones among measurements and resets, with outcome 0. */
  #collapseAll(code: number, from: number, to: number, numBlocks: number): void {
    const first = this.firstRandom(code, from, to);
    if (first === to) return;
    this.transpose(0, numBlocks);
    for (let i = first; i < to; i++) this.collapse(this.#words[code + 4 * i + 1]!, 0);
    this.transpose(0, numBlocks);
  }

  isRandom(qubit: number): number {
    const at = this.#zx + qubit * this.#rowWords;
    for (let i = 0; i < this.#rowWords; i++) if (this.#words[at + i] !== 0) return 1;
    return 0;
  }

  valueOf(qubit: number): number {
    return (this.#words[this.#signsZ + (qubit >>> 5)]! >>> (qubit & 31)) & 1;
  }

  pauli(qubit: number, letter: number): void {
    this.#flip(this.#signsZ, qubit, letter & 1);
    this.#flip(this.#signsX, qubit, letter >>> 1);
  }

  transpose(fromBlock: number, toBlock: number): void {
    for (const matrix of [this.#xx, this.#xz, this.#zx, this.#zz]) {
      for (let i = fromBlock; i < toBlock; i++) {
        transposeBlocks(this.#words, matrix, this.#rowWords, i);
      }
    }
  }

  collapse(qubit: number, outcome: number): number {
    const words = this.#words;
    const [rowWords, numColumns] = [this.#rowWords, 32 * this.#rowWords];
    const [word, bit] = [qubit >>> 5, qubit & 31];
    const isSet = (matrix: number, column: number) =>
      ((words[matrix + column * rowWords + word]! >>> bit) & 1) === 1;
    let pivot = 0;
    while (pivot < numColumns && !isSet(this.#zx, pivot)) pivot++;
    if (pivot === numColumns) return 0;
    // On |0…0⟩ controlled X changes nothing.
    for (let column = pivot + 1; column < numColumns; column++) {
      if (isSet(this.#zx, column)) this.#controlledX(pivot, column);
    }
    const isY = isSet(this.#zz, pivot);
    for (const [mx, mz, signs] of this.#halves()) {
      const [atX, atZ] = [mx + pivot * rowWords, mz + pivot * rowWords];
      for (let i = 0; i < rowWords; i++) {
        if (isY) {
          words[signs + i]! ^= words[atX + i]! & words[atZ + i]!;
          words[atZ + i]! ^= words[atX + i]!;
        }
        const [bx, bz] = [words[atX + i]!, words[atZ + i]!];
        words[signs + i]! ^= bx & bz;
        words[atX + i] = bz;
        words[atZ + i] = bx;
      }
    }
    if (this.valueOf(qubit) !== outcome) {
      for (const [, mz, signs] of this.#halves()) {
        for (let i = 0; i < rowWords; i++) words[signs + i]! ^= words[mz + pivot * rowWords + i]!;
      }
    }
    return 1;
  }

  /** X bits, Z bits and signs of the images of X, and of those of Z. */
  #halves(): readonly (readonly [mx: number, mz: number, signs: number])[] {
    return [
      [this.#xx, this.#xz, this.#signsX],
      [this.#zx, this.#zz, this.#signsZ],
    ];
  }

  /** Conjugates all images with a controlled X, on columns. */
  #controlledX(control: number, target: number): void {
    const words = this.#words;
    for (const [mx, mz, signs] of this.#halves()) {
      const [xc, zc] = [mx + control * this.#rowWords, mz + control * this.#rowWords];
      const [xt, zt] = [mx + target * this.#rowWords, mz + target * this.#rowWords];
      for (let i = 0; i < this.#rowWords; i++) {
        words[signs + i]! ^= words[xc + i]! & words[zt + i]! & ~(words[xt + i]! ^ words[zc + i]!);
        words[xt + i]! ^= words[xc + i]!;
        words[zc + i]! ^= words[zt + i]!;
      }
    }
  }

  #flip(signs: number, qubit: number, by: number): void {
    this.#words[signs + (qubit >>> 5)]! ^= by << (qubit & 31);
  }

  #exchange(first: number, a: number, second: number, b: number): void {
    const words = this.#words;
    const [atA, atB] = [first + a * this.#rowWords, second + b * this.#rowWords];
    for (let i = 0; i < this.#rowWords; i++) {
      const kept = words[atA + i]!;
      words[atA + i] = words[atB + i]!;
      words[atB + i] = kept;
    }
  }

  #exchangeSigns(first: number, a: number, second: number, b: number): void {
    const words = this.#words;
    const differs =
      ((words[first + (a >>> 5)]! >>> (a & 31)) ^ (words[second + (b >>> 5)]! >>> (b & 31))) & 1;
    this.#flip(first, a, differs);
    this.#flip(second, b, differs);
  }

  /** row ← i^turns · row · other; what is left is a sign. */
  #multiplyInto(isX: boolean, a: number, isOtherX: boolean, b: number, turns: number): void {
    const words = this.#words;
    const [atX, atZ] = [
      (isX ? this.#xx : this.#zx) + a * this.#rowWords,
      (isX ? this.#xz : this.#zz) + a * this.#rowWords,
    ];
    const [otherX, otherZ] = [
      (isOtherX ? this.#xx : this.#zx) + b * this.#rowWords,
      (isOtherX ? this.#xz : this.#zz) + b * this.#rowWords,
    ];
    // Powers of i, counted modulo 4 in each bit.
    let [count, ones, twos] = [turns, 0, 0];
    for (let i = 0; i < this.#rowWords; i++) {
      const [x1, z1, x2, z2] = [
        words[atX + i]!,
        words[atZ + i]!,
        words[otherX + i]!,
        words[otherZ + i]!,
      ];
      const product = x1 & z2;
      const anticommutes = (x2 & z1) ^ product;
      const [newX, newZ] = [x1 ^ x2, z1 ^ z2];
      words[atX + i] = newX;
      words[atZ + i] = newZ;
      twos ^= (ones ^ newX ^ newZ ^ product) & anticommutes;
      ones ^= anticommutes;
    }
    count += numOnesOf(ones) + 2 * numOnesOf(twos);
    const [signs, otherSigns] = [
      isX ? this.#signsX : this.#signsZ,
      isOtherX ? this.#signsX : this.#signsZ,
    ];
    const other = (words[otherSigns + (b >>> 5)]! >>> (b & 31)) & 1;
    this.#flip(signs, a, ((count >>> 1) & 1) ^ other);
  }
}

function numOnesOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Transposes the blocks of row i of blocks up to the diagonal, and those that they change places with. */
function transposeBlocks(words: Int32Array, at: number, stride: number, i: number): void {
  for (let j = 0; j <= i; j++) {
    const first = at + 32 * i * stride + j;
    const second = at + 32 * j * stride + i;
    transposeBlock(words, first, stride);
    if (i === j) continue;
    transposeBlock(words, second, stride);
    for (let row = 0; row < 32 * stride; row += stride) {
      const kept = words[first + row]!;
      words[first + row] = words[second + row]!;
      words[second + row] = kept;
    }
  }
}

/**
 * Transposes 32 words, `stride` apart, as a matrix of 32 × 32 bits.
 *
 * @see Warren, "Hacker's Delight", section 7-3; here bit 0 is the first column.
 */
function transposeBlock(words: Int32Array, at: number, stride: number): void {
  let mask = 0x0000ffff;
  for (let width = 16; width !== 0; width >>>= 1, mask ^= mask << width) {
    for (let row = 0; row < 32; row = ((row | width) + 1) & ~width) {
      const [high, low] = [at + row * stride, at + (row + width) * stride];
      const differs = ((words[high]! >>> width) ^ words[low]!) & mask;
      words[low]! ^= differs;
      words[high]! ^= differs << width;
    }
  }
}
