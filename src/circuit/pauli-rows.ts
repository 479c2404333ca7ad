/**
 * Pauli strings on many qubits, as rows of bits, 32 qubits a word. The tableau of a Clifford circuit U is a table of
 * such rows: the strings U†·P·U, where P is the X of qubit q in row 2q and its Z in row 2q + 1.
 */
import { hasOddParity } from '../math/basis-index.ts';
import type { PauliFactor } from './observable.ts';

/** Rows of Pauli strings. Row r is the operator i^turns[r] · X^flips · Z^signs. */
export interface PauliRows {
  /** Words of a mask; bit q of a mask is qubit q. */
  readonly numWords: number;
  /** For each row the words of its flips, then those of its signs. */
  readonly words: Int32Array;
  /** For each row, modulo 4. */
  readonly turns: Uint8Array;
}

/** Rows of identities. */
export function identityRows(numRows: number, numQubits: number): PauliRows {
  const numWords = Math.max(1, Math.ceil(numQubits / 32));
  return {
    numWords,
    words: new Int32Array(2 * numWords * numRows),
    turns: new Uint8Array(numRows),
  };
}

/** The tableau of no gates. */
export function identityTableau(numQubits: number): PauliRows {
  const tableau = identityRows(2 * numQubits, numQubits);
  for (let qubit = 0; qubit < numQubits; qubit++) {
    const [word, bit] = [qubit >>> 5, 1 << (qubit & 31)];
    masksOf(tableau, 2 * qubit).flips[word] = bit;
    masksOf(tableau, 2 * qubit + 1).signs[word] = bit;
  }
  return tableau;
}

/** The masks of a row; views. */
export function masksOf(
  { numWords, words }: PauliRows,
  row: number,
): { readonly flips: Int32Array; readonly signs: Int32Array } {
  const start = 2 * numWords * row;
  return {
    flips: words.subarray(start, start + numWords),
    signs: words.subarray(start + numWords, start + 2 * numWords),
  };
}

/** Multiplies a row by a row of a table of the same width, on the right. */
export function multiplyRow(rows: PauliRows, row: number, table: PauliRows, factor: number): void {
  const { numWords, words } = rows;
  const [to, from] = [2 * numWords * row, 2 * numWords * factor];
  let overlap = 0;
  for (let i = 0; i < numWords; i++) overlap ^= words[to + numWords + i]! & table.words[from + i]!;
  for (let i = 0; i < 2 * numWords; i++) words[to + i]! ^= table.words[from + i]!;
  const sign = hasOddParity(overlap) ? 2 : 0;
  rows.turns[row] = (rows.turns[row]! + table.turns[factor]! + sign) & 3;
}

/** The string U†·P·U of a tableau, for a product P of factors on distinct qubits; one row. */
export function beforeCircuit(tableau: PauliRows, factors: readonly PauliFactor[]): PauliRows {
  const { numWords } = tableau;
  const string = identityRows(1, 32 * numWords);
  for (const { qubit, pauli } of factors) {
    // Y = i·X·Z.
    if (pauli === 'Y') string.turns[0]!++;
    if (pauli !== 'Z') multiplyRow(string, 0, tableau, 2 * qubit);
    if (pauli !== 'X') multiplyRow(string, 0, tableau, 2 * qubit + 1);
  }
  return string;
}

/** Whether bit `qubit` of a mask is set. */
export function hasBit(mask: Int32Array, qubit: number): boolean {
  return ((mask[qubit >>> 5]! >>> (qubit & 31)) & 1) === 1;
}

/** A row on some qubits alone, at most 30: bit i of its masks is `qubits[i]`. */
export function stringOn(qubits: readonly number[], rows: PauliRows, row: number) {
  const masks = masksOf(rows, row);
  let [flips, signs] = [0, 0];
  for (const [i, qubit] of qubits.entries()) {
    if (hasBit(masks.flips, qubit)) flips |= 1 << i;
    if (hasBit(masks.signs, qubit)) signs |= 1 << i;
  }
  return { flips, signs, turns: rows.turns[row]! };
}
