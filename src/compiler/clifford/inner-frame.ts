/**
 * The Clifford circuit U of a program with active qubits (`ActivePart`), as a tableau, and which inner qubits are active.
 * Clifford gates of the circuit are appended after U, those that change how the inner state is written before it.
 */
import type { PauliFactor } from '../../circuit/observable.ts';
import {
  beforeCircuit,
  hasBit,
  identityRows,
  masksOf,
  multiplyRow,
  type PauliRows,
  stringOn,
} from '../../circuit/pauli-rows.ts';
import { hasOddParity } from '../../math/basis-index.ts';
import type { CoreString } from '../program.ts';
import { CliffordTableau } from './clifford-tableau.ts';

/** The tableau of the common Clifford circuit U, and the inner qubits that are active. */
export class InnerFrame {
  readonly outer: CliffordTableau;
  /** Inner qubits by bit of the inner state. */
  readonly active: number[] = [];
  readonly #idle: Int32Array;
  readonly #numQubits: number;
  /** Units of work of a row of the tableau, and of a pass over all. */
  readonly rowUnits: number;
  readonly rowsUnits: number;

  constructor(numQubits: number) {
    this.#numQubits = numQubits;
    this.outer = new CliffordTableau(numQubits);
    const { numWords } = this.outer.rows;
    this.#idle = new Int32Array(numWords).fill(-1);
    this.rowUnits = 4 * numWords;
    this.rowsUnits = 2 * numQubits * (10 + 2 * numWords);
  }

  /** U†·P·U, one row. */
  inner(factors: readonly PauliFactor[]): PauliRows {
    return beforeCircuit(this.outer.rows, factors);
  }

  /** A string as it acts on the active qubits, where all others are |0⟩ and it flips none of these. */
  onActive(string: PauliRows) {
    return stringOn(this.active, string, 0);
  }

  /** An idle qubit that a string flips; −1 if there is none. */
  idleFlip(string: PauliRows): number {
    const { flips } = masksOf(string, 0);
    for (const [word, bits] of flips.entries()) {
      const idle = bits & this.#idle[word]!;
      if (idle !== 0) return 32 * word + 31 - Math.clz32(idle & -idle);
    }
    return -1;
  }

  /** Makes a qubit active; returns its bit. */
  begin(qubit: number): number {
    this.#idle[qubit >>> 5]! &= ~(1 << (qubit & 31));
    return this.active.push(qubit) - 1;
  }

  /** Makes the active qubit of a bit idle; higher bits move down. */
  end(bit: number): void {
    const [qubit] = this.active.splice(bit, 1);
    this.#idle[qubit! >>> 5]! |= 1 << (qubit! & 31);
  }

  /** U·P·U†, but for its sign, for P an X or a Z of an inner qubit. */
  outerOf(qubit: number, pauli: 'X' | 'Z') {
    const { rows } = this.outer;
    const qubits = Array.from({ length: this.#numQubits }, (_, q) => q);
    const anticommutes = (row: number) => {
      const { flips, signs } = masksOf(rows, row);
      return hasBit(pauli === 'Z' ? flips : signs, qubit);
    };
    return {
      flips: qubits.filter((q) => anticommutes(2 * q + 1)),
      signs: qubits.filter((q) => anticommutes(2 * q)),
    };
  }

  /** Changes U to U·V, where V† turns a string into Z of one qubit that it acts on. V is controlled by this qubit. */
  makeZ(string: PauliRows, qubit: number): void {
    const { flips, signs } = masksOf(string, 0);
    if (hasBit(flips, qubit)) {
      const isY = hasBit(signs, qubit);
      this.#controlled(qubit, string, isY);
      if (isY) this.#phase(qubit);
    } else {
      this.#hadamard(qubit);
      this.#controlled(qubit, string, false);
    }
    this.#hadamard(qubit);
  }

  /**
   * Changes U to U·W†, where W is a quarter turn of the active qubits of the lowest bits that makes a string of theirs
   * diagonal. Strings that commute with it and are diagonal do not change.
   *
   * @returns The string that W turns about.
   */
  diagonalize({ flips, signs, turns }: CoreString, numBits: number): CoreString {
    const below = 2 ** numBits - 1;
    // W = exp(−i·π/4·B) for B = i·A·Z turns A into −Z; Z is that of a bit that A flips.
    const axis = { flips, signs: (signs & below) ^ (flips & -flips), turns: (turns + 1) & 3 };
    // Bits above have a Z, which W leaves alone: no factor i of a Y is theirs.
    const row = identityRows(1, this.#numQubits);
    const masks = masksOf(row, 0);
    for (const [bit, qubit] of this.active.entries()) {
      const [word, at] = [qubit >>> 5, 1 << (qubit & 31)];
      if (((axis.flips >> bit) & 1) === 1) masks.flips[word]! |= at;
      if (((axis.signs >> bit) & 1) === 1) masks.signs[word]! |= at;
    }
    row.turns[0] = axis.turns;
    const { rows } = this.outer;
    for (let i = 0; i < rows.turns.length; i++) {
      if (commute(masksOf(rows, i), masks)) continue;
      // W·Q·W† = i·Q·B.
      multiplyRow(rows, i, row, 0);
      rows.turns[i] = (rows.turns[i]! + 1) & 3;
    }
    return axis;
  }

  /**
   * Appends V = |0⟩⟨0| + |1⟩⟨1|·R with the control `qubit`, where the string is X or Y (or where it does not flip the
   * qubit, Z) of the qubit times R: each row Q becomes V†·Q·V.
   */
  #controlled(qubit: number, string: PauliRows, isY: boolean): void {
    const { rows } = this.outer;
    const { numWords, words, turns } = rows;
    const rest = string.words.slice();
    const [word, bit] = [qubit >>> 5, 1 << (qubit & 31)];
    rest[word]! &= ~bit;
    rest[numWords + word]! &= ~bit;
    const restTurns = string.turns[0]! + (isY ? 3 : 0);
    for (let row = 0; row < turns.length; row++) {
      const at = 2 * numWords * row;
      let [overlap, crossed] = [0, 0];
      for (let i = 0; i < numWords; i++) {
        crossed ^= words[at + numWords + i]! & rest[i]!;
        overlap ^= words[at + i]! & rest[numWords + i]!;
      }
      const isFlipped = (words[at + word]! & bit) !== 0;
      const anticommutes = hasOddParity(crossed ^ overlap);
      if (isFlipped) {
        // R·Q is Q·R with the sign by which they commute.
        const sign = (anticommutes ? 2 : 0) + (hasOddParity(crossed) ? 2 : 0);
        for (let i = 0; i < 2 * numWords; i++) words[at + i]! ^= rest[i]!;
        turns[row] = (turns[row]! + restTurns + sign) & 3;
      }
      if (anticommutes) words[at + numWords + word]! ^= bit;
    }
  }

  #hadamard(qubit: number): void {
    const { numWords, words, turns } = this.outer.rows;
    const [word, bit] = [qubit >>> 5, 1 << (qubit & 31)];
    for (let row = 0; row < turns.length; row++) {
      const at = 2 * numWords * row + word;
      const [flip, sign] = [words[at]! & bit, words[at + numWords]! & bit];
      if (flip !== 0 && sign !== 0) turns[row] = (turns[row]! + 2) & 3;
      else if (flip !== sign) {
        words[at]! ^= bit;
        words[at + numWords]! ^= bit;
      }
    }
  }

  /** Appends S: an X becomes −Y. */
  #phase(qubit: number): void {
    const { numWords, words, turns } = this.outer.rows;
    const [word, bit] = [qubit >>> 5, 1 << (qubit & 31)];
    for (let row = 0; row < turns.length; row++) {
      const at = 2 * numWords * row + word;
      if ((words[at]! & bit) === 0) continue;
      words[at + numWords]! ^= bit;
      turns[row] = (turns[row]! + 3) & 3;
    }
  }
}

type Masks = ReturnType<typeof masksOf>;

/** Whether two strings commute. */
function commute(a: Masks, b: Masks): boolean {
  let overlap = 0;
  for (let i = 0; i < a.flips.length; i++) {
    overlap ^= (a.flips[i]! & b.signs[i]!) ^ (a.signs[i]! & b.flips[i]!);
  }
  return !hasOddParity(overlap);
}
