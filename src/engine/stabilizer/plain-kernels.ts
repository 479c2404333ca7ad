/** The kernels of stabilizer runs in plain TypeScript: the same bits as those in WebAssembly, and slower. */
import { runFrames } from './plain-frames.ts';
import { PlainTableau, transposeBlock } from './plain-tableau.ts';
import type { StabilizerKernels } from './stabilizer-kernels.ts';

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
    frames: (header, from, to) => runFrames(words, doubles, header, from, to),
    outcomes: (rows, numRows, rowWords, to, stride, blocks) =>
      turnRows(words, rows, numRows, rowWords, to, stride, blocks),
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
