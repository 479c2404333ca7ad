/**
 * The Clifford gates of a circuit, which Pauli propagation takes out of it. All of them act on the observable first, and
 * the other maps then act on the strings that their qubits' X and Z are before the gates. This costs nothing for each
 * string, and leaves coefficients as they are.
 */
import type { PauliFactor } from '../../circuit/observable.ts';
import {
  beforeCircuit,
  identityRows,
  identityTableau,
  multiplyRow,
  type PauliRows,
} from '../../circuit/pauli-rows.ts';
import type { PauliMap } from '../../compiler/program.ts';
import { type CliffordMap, stringMapOf } from './string-map.ts';

/** The tableau of the Clifford gates before a place of a circuit. */
export class CliffordFrame {
  readonly #tableau: PauliRows;

  constructor(tableau: PauliRows) {
    this.#tableau = tableau;
  }

  /**
   * The frame at the end of a circuit.
   *
   * @param maps - Its operations, the last one first.
   * @param numQubits - A multiple of 64.
   */
  static atEnd(maps: readonly PauliMap[], numQubits: number): CliffordFrame {
    const frame = new CliffordFrame(identityTableau(numQubits));
    for (const { qubits, strings } of maps.toReversed()) {
      const { clifford } = stringMapOf(strings);
      if (clifford !== undefined) frame.apply(qubits, clifford);
    }
    return frame;
  }

  copy(): CliffordFrame {
    const { numWords, words, turns } = this.#tableau;
    return new CliffordFrame({ numWords, words: words.slice(), turns: turns.slice() });
  }

  /** Goes past a gate: its strings become what they are before it. */
  apply(qubits: readonly number[], { images, turned }: CliffordMap): void {
    this.#replace(qubits, (p) => [images[p]!, turned[p]!]);
  }

  /** Goes back past a gate. */
  undo(qubits: readonly number[], { images, turned }: CliffordMap): void {
    this.#replace(qubits, (q) => {
      const p = images.indexOf(q);
      return [p, turned[p]!];
    });
  }

  /** A string of a qubit, its X or its Z, with the phase i^turns. */
  generator(qubit: number, letter: 0 | 1): { readonly words: Int32Array; readonly turns: number } {
    const { numWords, words, turns } = this.#tableau;
    const row = 2 * qubit + letter;
    const start = 2 * numWords * row;
    return { words: words.subarray(start, start + 2 * numWords), turns: turns[row]! };
  }

  /** What a product of factors is before the gates. */
  before(factors: readonly PauliFactor[]): PauliRows {
    return beforeCircuit(this.#tableau, factors);
  }

  #replace(
    qubits: readonly number[],
    imageOf: (p: number) => readonly [image: number, turned: number],
  ): void {
    const tableau = this.#tableau;
    const made = identityRows(2 * qubits.length, 32 * tableau.numWords);
    const rowOf = (bit: number) => 2 * qubits[bit >>> 1]! + (bit & 1);
    for (let bit = 0; bit < 2 * qubits.length; bit++) {
      const [image, turned] = imageOf(1 << bit);
      made.turns[bit] = 2 * turned + numY(image);
      for (let other = 0; other < 2 * qubits.length; other++) {
        if ((image >>> other) & 1) multiplyRow(made, bit, tableau, rowOf(other));
      }
    }
    const stride = 2 * tableau.numWords;
    for (let bit = 0; bit < 2 * qubits.length; bit++) {
      const words = made.words.subarray(stride * bit, stride * (bit + 1));
      tableau.words.set(words, stride * rowOf(bit));
      tableau.turns[rowOf(bit)] = made.turns[bit]! & 3;
    }
  }
}

/** Qubits with X and Z in the number of a string, as of `PauliMap`: Y = i·X·Z. */
function numY(p: number): number {
  let count = 0;
  for (let both = p & (p >>> 1) & 0x55; both !== 0; both &= both - 1) count++;
  return count;
}
