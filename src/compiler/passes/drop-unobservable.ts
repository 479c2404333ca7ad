/**
 * Pass that drops operations that no classical bit can reveal. It walks backwards and tracks, for every
 * qubit, how it is still observed.
 *
 * The rest of the circuit may use a qubit in any way, use only its value |0⟩ or |1⟩ (as a measurement does,
 * whatever follows it), or not use it at all. An operation is unobservable if it is diagonal on the qubits of
 * which only the value is used, and acts on others only if they are not used: the probability of each value
 * is unchanged. A measurement into a bit that is overwritten before it is read is dropped under the same
 * rule.
 */
import type {
  Circuit,
  Condition,
  MeasureOperation,
  Operation,
  Qubit,
  ResetOperation,
} from '../../circuit/circuit.ts';
import { operationQubits } from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { monomialRows } from '../../math/complex-matrix.ts';
import { Z_AXIS } from './gate-facts.ts';
import { axesOf, type GateLike, matrixOf } from './gate-like.ts';
import type { Pass } from './pass.ts';

/** Keeps the distribution of the classical bits. Does nothing if the state is requested. */
export const dropUnobservable: Pass = {
  name: 'drop-unobservable',
  run(circuit, { keepState }) {
    if (keepState) return circuit;
    const observer = new Observer(circuit);
    const operations: Operation[] = [];
    for (const operation of circuit.operations.toReversed()) {
      const seen = observer.seen(operation);
      if (seen !== undefined) operations.push(seen);
    }
    return { ...circuit, operations: operations.reverse() };
  },
};

/** Use of a qubit from here on. */
const NOT = 0;
/** Only its value is used: a diagonal operation before it is unobservable. */
const BY_VALUE = 1;
const IN_ANY_WAY = 2;

/** Tracks the use of qubits and bits while walking backwards. */
class Observer {
  readonly #looks: Uint8Array;
  /** Whether the current value of each bit is read later. */
  readonly #isRead: Uint8Array;

  constructor({ numQubits, numBits }: Circuit) {
    this.#looks = new Uint8Array(numQubits);
    this.#isRead = new Uint8Array(numBits).fill(1);
  }

  /** Returns the observable part of an operation; undefined if there is none. */
  seen(operation: Operation): Operation | undefined {
    switch (operation.kind) {
      case 'gate':
      case 'unitary':
        return this.#seenGate(operation) ? operation : undefined;
      case 'measure':
        return this.#seenMeasurement(operation);
      case 'reset':
        return this.#seenReset(operation);
      case 'barrier':
        return operation;
    }
  }

  #seenGate(operation: GateLike): boolean {
    const qubits = operationQubits(operation);
    const axes = axesOf(operation);
    const isDiagonalOn = (i: number) => (axes[i]! & Z_AXIS) !== 0;
    const isInvisible = qubits.every((qubit, i) => {
      const look = this.#looks[qubit];
      return look === NOT || (look === BY_VALUE && isDiagonalOn(i));
    });
    if (isInvisible) return false;
    if (this.#exchanges(operation)) return true;
    // A permutation of values needs only the values before it.
    const isByValue =
      qubits.every((qubit) => this.#looks[qubit] !== IN_ANY_WAY) &&
      monomialRows(matrixOf(operation)) !== undefined;
    for (const [i, qubit] of qubits.entries()) {
      this.#look(qubit, isByValue || isDiagonalOn(i) ? BY_VALUE : IN_ANY_WAY);
    }
    this.#read(operation.condition);
    return true;
  }

  /** A SWAP also exchanges the use of its qubits. */
  #exchanges(operation: GateLike): boolean {
    if (operation.kind !== 'gate' || operation.gate !== 'SWAP') return false;
    const { controls, targets, condition } = operation;
    if (controls.length > 0 || condition !== undefined) return false;
    const [first = 0, second = 0] = targets;
    const look = this.#looks[first]!;
    this.#looks[first] = this.#looks[second]!;
    this.#looks[second] = look;
    return true;
  }

  #seenMeasurement(operation: MeasureOperation): MeasureOperation | undefined {
    const { condition } = operation;
    const qubits: Qubit[] = [];
    const bits: Bit[] = [];
    for (let i = operation.qubits.length - 1; i >= 0; i--) {
      const [qubit, bit] = [operation.qubits[i]!, operation.bits[i]!];
      const isInvisible = this.#isRead[bit] === 0 && this.#looks[qubit] !== IN_ANY_WAY;
      if (isInvisible) continue;
      qubits.push(qubit);
      bits.push(bit);
      if (condition === undefined) {
        this.#looks[qubit] = BY_VALUE;
        this.#isRead[bit] = 0;
      } else {
        this.#look(qubit, BY_VALUE);
      }
    }
    if (qubits.length === 0) return undefined;
    this.#read(condition);
    if (qubits.length === operation.qubits.length) return operation;
    return { ...operation, qubits: qubits.reverse(), bits: bits.reverse() };
  }

  #seenReset(operation: ResetOperation): ResetOperation | undefined {
    const qubits = operation.qubits.filter((qubit) => this.#looks[qubit] !== NOT);
    if (qubits.length === 0) return undefined;
    if (operation.condition === undefined) for (const qubit of qubits) this.#looks[qubit] = NOT;
    this.#read(operation.condition);
    return qubits.length === operation.qubits.length ? operation : { ...operation, qubits };
  }

  #look(qubit: Qubit, look: number): void {
    this.#looks[qubit] = Math.max(this.#looks[qubit]!, look);
  }

  #read(condition: Condition | undefined): void {
    for (const bit of condition?.bits ?? []) this.#isRead[bit] = 1;
  }
}
