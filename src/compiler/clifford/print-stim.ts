/**
 * Prints a circuit in Stim's circuit format, which read-stim.ts reads back. Clifford gates are recognised by their
 * matrices; other gates on one qubit are printed by the names that Clifft adds to the format.
 */
import type {
  Circuit,
  GateOperation,
  Operation,
  Qubit,
  UnitaryOperation,
} from '../../circuit/circuit.ts';
import { operationQubits } from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { StimUnprintableError } from '../../circuit/errors.ts';
import { eulerAngles } from '../../circuit/gate-matrices.ts';
import { targetMatrix } from '../../circuit/operation-matrix.ts';
import { STABILIZER_OPS } from '../program.ts';
import { CliffordRecognition } from './pauli-images.ts';

/** Gates that both have, with the order of operands that both have. */
const NAMES: Readonly<Record<string, string>> = {
  X: 'X',
  Y: 'Y',
  Z: 'Z',
  H: 'H',
  S: 'S',
  SDG: 'S_DAG',
  SX: 'SQRT_X',
  SXDG: 'SQRT_X_DAG',
  T: 'T',
  TDG: 'T_DAG',
  CX: 'CX',
  CY: 'CY',
  CZ: 'CZ',
  SWAP: 'SWAP',
  ISWAP: 'ISWAP',
};
const NAMES_OF_OPS = new Map<number, string>(
  Object.entries(STABILIZER_OPS).map(([name, op]) => [op, NAMES[name.toUpperCase()] ?? name]),
);

/**
 * Prints a circuit. Bits are the measurement record, so that they are measured in the order of their numbers.
 *
 * @throws {StimUnprintableError} for other orders of bits, for gates on several qubits that are not Clifford, and for
 *   conditions on anything but one bit of a Pauli gate.
 */
export function printStim(circuit: Circuit): string {
  const printer = new Printer();
  for (const [i, operation] of circuit.operations.entries()) printer.add(operation, i);
  return printer.text();
}

class Printer {
  readonly #recognition = new CliffordRecognition();
  readonly #lines: { readonly name: string; readonly targets: string[] }[] = [];
  #numMeasured = 0;
  /** Measurements that follow each other, whose bits may be in another order. */
  #open: { readonly qubit: Qubit; readonly bit: Bit }[] = [];

  add(operation: Operation, index: number): void {
    const { kind } = operation;
    if (kind === 'measure') {
      if (operation.condition !== undefined) throw unprintable(index, 'measures under a condition');
      for (const [i, bit] of operation.bits.entries()) {
        this.#open.push({ qubit: operation.qubits[i]!, bit });
      }
      return;
    }
    this.#endMeasurements(index);
    if (kind === 'barrier') this.#lines.push({ name: 'TICK', targets: [] });
    else if (kind === 'reset') {
      if (operation.condition !== undefined) throw unprintable(index, 'resets under a condition');
      this.#write('R', operation.qubits);
    } else if (operation.condition !== undefined) this.#addFeedback(operation, index);
    else this.#addGate(operation, index);
  }

  text(): string {
    this.#endMeasurements(undefined);
    return this.#lines.map(({ name, targets }) => `${[name, ...targets].join(' ')}\n`).join('');
  }

  #endMeasurements(index: number | undefined): void {
    if (this.#open.length === 0) return;
    const measured = this.#open.toSorted((a, b) => a.bit - b.bit);
    this.#open = [];
    if (measured.some(({ bit }, i) => bit !== this.#numMeasured + i)) {
      const where = index === undefined ? 'The last operation' : `An operation before ${index}`;
      throw new StimUnprintableError(`${where} measures bits that are not the next ones`);
    }
    this.#numMeasured += measured.length;
    this.#write(
      'M',
      measured.map(({ qubit }) => qubit),
    );
  }

  #write(name: string, targets: readonly (Qubit | string)[]): void {
    const last = this.#lines.at(-1);
    if (last?.name === name) last.targets.push(...targets.map(String));
    else this.#lines.push({ name, targets: targets.map(String) });
  }

  #addGate(operation: GateOperation | UnitaryOperation, index: number): void {
    const qubits = operationQubits(operation);
    const isPlain = operation.kind === 'gate' && operation.angles.length === 0;
    const name = isPlain ? NAMES[operation.gate] : undefined;
    if (name !== undefined && operation.controls.length === (name.startsWith('C') ? 1 : 0)) {
      this.#write(name, qubits);
      return;
    }
    const gates = this.#recognition.gatesOf(operation);
    if (gates !== undefined) {
      for (const { op, a, b } of gates) {
        this.#write(NAMES_OF_OPS.get(op)!, b < 0 ? [qubits[a]!] : [qubits[a]!, qubits[b]!]);
      }
      return;
    }
    if (qubits.length !== 1)
      throw unprintable(index, 'is a gate on several qubits that is not Clifford');
    const { theta, phi, lambda } = eulerAngles(targetMatrix(operation));
    this.#write(`U3(${[theta, phi, lambda].map((angle) => angle / Math.PI).join(',')})`, qubits);
  }

  /** A Pauli gate under a bit that was measured; one under a bit that reads 0 is that gate before. */
  #addFeedback(operation: GateOperation | UnitaryOperation, index: number): void {
    const { bits, value } = operation.condition!;
    const [bit] = bits;
    const pauli = operation.kind === 'gate' && operation.controls.length === 0 && operation.gate;
    const isPauli = pauli === 'X' || pauli === 'Y' || pauli === 'Z';
    if (bit === undefined || bits.length !== 1 || !isPauli) {
      throw unprintable(index, 'has a condition that is not on one bit of a Pauli gate');
    }
    const [qubit] = operation.targets;
    if (value === 0) this.#write(pauli, [qubit!]);
    if (bit < this.#numMeasured)
      this.#write(`C${pauli}`, [`rec[-${this.#numMeasured - bit}]`, qubit!]);
  }
}

function unprintable(index: number, what: string): StimUnprintableError {
  return new StimUnprintableError(`Operation ${index} ${what}`);
}
