/** The tableau of a Clifford circuit that grows gate by gate. */
import type { PauliFactor } from '../../circuit/observable.ts';
import {
  beforeCircuit,
  identityTableau,
  multiplyRow,
  type PauliRows,
} from '../../circuit/pauli-rows.ts';
import { STABILIZER_OPS } from '../program.ts';
import type { LocalGate } from './pauli-images.ts';

const { x, y, z, h, s, sdg, cx, cz } = STABILIZER_OPS;

/** U†·P·U for the X and the Z of each qubit, where U is the product of the Clifford gates so far. */
export class CliffordTableau {
  readonly rows: PauliRows;

  constructor(numQubits: number) {
    this.rows = identityTableau(numQubits);
  }

  /** Appends a Clifford gate; its operands are those of `qubits`. */
  apply({ op, a, b }: LocalGate, qubits: readonly number[]): void {
    const [xp, zp] = [2 * qubits[a]!, 2 * qubits[a]! + 1];
    const [xq, zq] = [2 * qubits[b]!, 2 * qubits[b]! + 1];
    switch (op) {
      case x:
        this.#turn(zp, 2);
        break;
      case y:
        this.#turn(xp, 2);
        this.#turn(zp, 2);
        break;
      case z:
        this.#turn(xp, 2);
        break;
      case h:
        this.#swap(xp, zp);
        break;
      case s:
      case sdg:
        this.#multiply(xp, zp);
        this.#turn(xp, op === s ? 3 : 1);
        break;
      case cx:
        this.#multiply(xp, xq);
        this.#multiply(zq, zp);
        break;
      case cz:
        this.#multiply(xp, zq);
        this.#multiply(xq, zp);
        break;
      default:
        this.#swap(xp, xq);
        this.#swap(zp, zq);
    }
  }

  /** Appends the Clifford gate exp(−i·θ/2·P), where θ is a number of quarter turns, 1 to 3. */
  rotate(factors: readonly PauliFactor[], quarters: number): void {
    const string = beforeCircuit(this.rows, factors);
    // A string Q that anticommutes with P becomes Q·(−i·P)^quarters.
    string.turns[0] = (string.turns[0]! + 3) & 3;
    for (const { qubit, pauli } of factors) {
      for (let i = 0; i < quarters; i++) {
        if (pauli !== 'X') multiplyRow(this.rows, 2 * qubit, string, 0);
        if (pauli !== 'Z') multiplyRow(this.rows, 2 * qubit + 1, string, 0);
      }
    }
  }

  #turn(row: number, turns: number): void {
    this.rows.turns[row] = (this.rows.turns[row]! + turns) & 3;
  }

  #multiply(row: number, factor: number): void {
    multiplyRow(this.rows, row, this.rows, factor);
  }

  #swap(row: number, other: number): void {
    const { numWords, words, turns } = this.rows;
    const size = 2 * numWords;
    for (let i = 0; i < size; i++) {
      const word = words[row * size + i]!;
      words[row * size + i] = words[other * size + i]!;
      words[other * size + i] = word;
    }
    [turns[row], turns[other]] = [turns[other]!, turns[row]!];
  }
}
