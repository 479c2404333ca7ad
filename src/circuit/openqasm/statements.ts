/** The statements that OpenQASM 2 and 3 share, read into a circuit. */
import type { Bit, Condition } from '../circuit.ts';
import { type CircuitLimits, MAX_CONDITION_BITS } from '../circuit-limits.ts';
import { counted } from '../fault-list.ts';
import { CircuitBuilder } from './circuit-builder.ts';
import { evaluate, NO_PARAMETERS } from './expressions.ts';
import { Gates } from './gate-definitions.ts';
import { costOf, expandGate } from './gate-meaning.ts';
import { elements, type Operand, type Register, Registers } from './registers.ts';
import { quoted, type TokenStream } from './token-stream.ts';

/** A program while it is read; a dialect decides which statement stands where. */
export class ProgramReader {
  readonly tokens: TokenStream;
  readonly gates: Gates;
  readonly registers: Registers;
  readonly builder: CircuitBuilder;

  constructor(version: 2 | 3, tokens: TokenStream, limits: CircuitLimits) {
    this.tokens = tokens;
    this.gates = new Gates(version, tokens);
    this.registers = new Registers(tokens);
    this.builder = new CircuitBuilder(limits, tokens);
  }

  /** `include "qelib1.inc";` */
  readInclude(): void {
    this.tokens.next();
    const { kind, text, offset } = this.tokens.current;
    if (kind !== 'string') throw this.tokens.unexpected('the name of a file in quotes');
    if (!this.gates.include(text)) {
      const known = 'only "qelib1.inc" and "stdgates.inc" are known, and including another file';
      throw this.tokens.unsupported(offset, `The file ${quoted(text)} is not there: ${known}`);
    }
    this.tokens.next();
    this.tokens.expect(';');
  }

  /** `qreg q[4];` or `creg c[4];` */
  readOldRegister(kind: Register['kind']): void {
    this.tokens.next();
    const { text: name, offset } = this.tokens.expectWord("the register's name");
    this.tokens.expect('[');
    const size = this.readSize();
    this.tokens.expect(']');
    this.tokens.expect(';');
    this.declare({ kind, name, size, isScalar: false }, offset);
  }

  /** A register's size, at least 1. */
  readSize(): number {
    const { offset } = this.tokens.current;
    const size = this.tokens.expectInteger("the register's size, a whole number");
    if (size === 0) throw this.tokens.meaningless(offset, 'A register has at least one element.');
    return size;
  }

  /** Makes a register and what it numbers. */
  declare(register: Omit<Register, 'start'>, offset: number): Operand {
    const { kind, name, size, isScalar } = register;
    this.registers.checkNew(name, offset);
    const start =
      kind === 'qubit'
        ? this.builder.declareQubits(size, offset)
        : this.builder.declareBits(size, offset);
    this.registers.declare({ ...register, start });
    return { start, size: isScalar ? undefined : size, name, offset };
  }

  /** `cx q[0], r;`: over whole registers, once for each element. */
  readGateCall(condition: Condition | undefined): void {
    const called = this.gates.readName();
    const { name, gate, offset } = called;
    const angles = this.gates.readAngles(called, NO_PARAMETERS).map((angle) => evaluate(angle, []));
    const operands = this.tokens.isSymbol(';') ? [] : this.registers.readOperands('qubit');
    this.tokens.expect(';');
    this.gates.checkNumQubits(called, operands.length);
    const size = this.#commonSize(operands);
    this.builder.reserve(costOf(gate), size ?? 1, offset);
    for (let i = 0; i < (size ?? 1); i++) {
      const qubits = operands.map(({ start, size }) => (size === undefined ? start : start + i));
      this.#checkDistinct(qubits, operands);
      expandGate(this.builder, { name, gate, angles, qubits, condition, offset });
    }
  }

  /** `measure q -> c;`; returns the bits it writes. */
  readMeasureArrow(condition: Condition | undefined): readonly Bit[] {
    const { offset } = this.tokens.next();
    const from = this.registers.readOperand('qubit');
    this.tokens.expect('->');
    const to = this.registers.readOperand('bit');
    this.tokens.expect(';');
    return this.measure(from, to, condition, offset);
  }

  /**
   * Measures a register into a register of the same size, or one qubit into one bit.
   *
   * @returns The bits written.
   */
  measure(
    from: Operand,
    to: Operand,
    condition: Condition | undefined,
    offset: number,
  ): readonly Bit[] {
    const qubits = elements(from);
    const bits = elements(to);
    if (qubits.length !== bits.length) {
      const sizes = `${from.name} has ${qubits.length} qubits and ${to.name} ${bits.length} bits`;
      throw this.tokens.meaningless(offset, `${sizes}; a measurement needs as many of each.`);
    }
    const operation = { kind: 'measure', qubits, bits } as const;
    this.builder.add(condition === undefined ? operation : { ...operation, condition }, offset);
    return bits;
  }

  /** `reset q;` */
  readReset(condition: Condition | undefined): void {
    const { offset } = this.tokens.next();
    const qubits = elements(this.registers.readOperand('qubit'));
    this.tokens.expect(';');
    const operation = { kind: 'reset', qubits } as const;
    this.builder.add(condition === undefined ? operation : { ...operation, condition }, offset);
  }

  /** `barrier q, r[0];`, or `barrier;` across all qubits. */
  readBarrier(): void {
    const { offset } = this.tokens.next();
    const isBare = this.tokens.isSymbol(';');
    const qubits = isBare
      ? this.builder.allQubits
      : [...new Set(this.registers.readOperands('qubit').flatMap(elements))];
    this.tokens.expect(';');
    this.builder.addBarrier(qubits, offset);
  }

  /** The condition that a classical register, or one bit, reads `value`. */
  registerCondition(operand: Operand, value: number, offset: number): Condition {
    const bits = elements(operand);
    if (bits.length > MAX_CONDITION_BITS) {
      const problem = `${operand.name} has ${bits.length} bits; the limit for one condition is`;
      throw this.tokens.pastLimit(offset, `${problem} ${MAX_CONDITION_BITS}.`);
    }
    const highest = 2 ** bits.length - 1;
    if (value > highest) {
      const has = `${operand.name} has ${counted(bits.length, 'bit')}`;
      throw this.tokens.meaningless(
        offset,
        `${has}, so it reads at most ${highest}, not ${value}.`,
      );
    }
    return { bits, value };
  }

  /** The size that all whole registers among the operands share; undefined when there is none. */
  #commonSize(operands: readonly Operand[]): number | undefined {
    let first: Operand | undefined;
    for (const operand of operands) {
      if (operand.size === undefined) continue;
      first ??= operand;
      if (operand.size !== first.size) {
        const sizes = `${first.name} has ${first.size} qubits and ${operand.name} ${operand.size}`;
        const problem = `${sizes}; registers in one statement have the same size.`;
        throw this.tokens.meaningless(operand.offset, problem);
      }
    }
    return first?.size;
  }

  #checkDistinct(qubits: readonly number[], operands: readonly Operand[]): void {
    for (const [i, qubit] of qubits.entries()) {
      const earlier = qubits.indexOf(qubit);
      if (earlier === i) continue;
      const { name, offset } = operands[i]!;
      const first = operands[earlier]!.name;
      const problem = `${first} and ${name} name the same qubit (number ${qubit})`;
      throw this.tokens.meaningless(offset, `A gate acts on distinct qubits; ${problem}.`);
    }
  }
}
