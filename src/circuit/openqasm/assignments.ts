/** Assignments and measurements of an OpenQASM 3 program: writes registers, bits and numbers. */
import { isWhole } from '../classical-expression.ts';
import { asBits, stored } from './conversions.ts';
import { NEVER } from './decision-diagram.ts';
import type { Evaluator } from './evaluator.ts';
import { type OperandSyntax, withPlace } from './expressions.ts';
import { binary } from './operators.ts';
import type { ProgramState } from './program-state.ts';
import type { Operand } from './registers.ts';
import type { VariableSymbol } from './scopes.ts';
import type { Statement } from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { type Bits, expressionOf, type Value } from './values.ts';

/** Executes statements that write classical values. */
export class Assignments {
  readonly #state: ProgramState;
  readonly #evaluator: Evaluator;

  constructor(state: ProgramState, evaluator: Evaluator) {
    this.#state = state;
    this.#evaluator = evaluator;
  }

  /** Measures qubits into a register or number; outcomes without a target get bits of their own. */
  measure(from: Operand, target: OperandSyntax | undefined, offset: number): void {
    const to = target === undefined ? this.#unnamedBits(from, offset) : this.#bits(target);
    this.#evaluator.measureInto(from, to, offset);
  }

  /** Bits for an outcome that the program keeps nowhere; they follow the declared ones. */
  #unnamedBits({ elements, isScalar, name }: Operand, offset: number): Operand {
    const first = this.#state.builder.declareBits(elements.length, offset);
    return { elements: elements.map((_, i) => first + i), isScalar, name, offset };
  }

  /** Bits to write: those of a register, or scratch bits of a number. */
  #bits(operand: OperandSyntax): Operand {
    const { name, selectors, offset } = operand;
    const symbol = this.#state.scopes.find(name);
    if (symbol?.kind !== 'variable') return this.#evaluator.operand(operand, 'bit');
    this.#checkAssignable(symbol, operand);
    const elements = this.#state.memory.bitsOfVariable(symbol, offset);
    const register = { kind: 'bit', elements, isScalar: false } as const;
    const selected = this.#state.scopes.select(operand, register, selectors, (at) =>
      this.#evaluator.whole(at),
    );
    return { ...selected, name, offset };
  }

  /** Executes an assignment, plain or compound. */
  assign({ target, operator, value, offset }: Extract<Statement, { kind: 'assign' }>): void {
    const found = this.#state.scopes.find(target.name);
    const symbol = found?.kind === 'array' ? this.#evaluator.element(target, found) : found;
    const isWholeNumber = found?.kind === 'array' || target.selectors.length === 0;
    if (symbol?.kind !== 'variable' || !isWholeNumber) {
      const given = this.#evaluator.evaluate(value);
      if (operator === undefined) {
        this.assignBits(target, given, offset);
        return;
      }
      const result = withPlace(this.#state.tokens, offset, () =>
        binary(this.#state.diagrams, operator, this.#evaluator.read(target), given),
      );
      this.assignBits(target, result, offset);
      return;
    }
    this.#checkAssignable(symbol, target);
    const given = this.#evaluator.evaluate(value);
    const held = withPlace(this.#state.tokens, offset, () => {
      const old = this.#evaluator.variable(target, symbol, operator === undefined);
      const result =
        operator === undefined ? given : binary(this.#state.diagrams, operator, old, given);
      return stored(this.#state.diagrams, symbol.type, result);
    });
    this.#state.memory.set(symbol, held, offset);
  }

  #checkAssignable({ isConst }: VariableSymbol, { name, offset }: OperandSyntax): void {
    if (this.#state.subroutine !== undefined && this.#state.scopes.isFromOutside(name)) {
      const problem = `${quoted(name)} is declared outside the subroutine, which may read it but not change it`;
      throw this.#state.tokens.invalid(offset, `${problem}; return the value instead.`);
    }
    if (isConst) throw this.#state.tokens.invalid(offset, `${quoted(name)} is constant.`);
  }

  /** Gives bits the value of an expression; a register takes as many bits as it has. */
  assignBits(target: OperandSyntax, value: Value, offset: number): void {
    const { elements, isScalar } = this.#bits(target);
    const width = elements.length;
    this.#state.takeSteps(width, offset);
    if (value.kind === 'bits' && value.bits.length > width) {
      const problem = `${quoted(target.name)} is ${width} bits wide here, and the value ${value.bits.length}`;
      throw this.#state.tokens.invalid(offset, `${problem}.`);
    }
    if (value.kind === 'scalar' && !isWhole(value.type)) {
      throw this.#state.tokens.invalid(offset, 'Only a whole number can be assigned to bits.');
    }
    const row = isScalar
      ? { kind: 'bits' as const, bits: [this.#state.memory.truth(value, offset)], isScalar }
      : withPlace(this.#state.tokens, offset, () => this.#asRow(value, width, offset));
    const isZero = row.bits.every((f) => f === NEVER);
    const isFresh =
      this.#state.frames.level === 0 && !elements.some((bit) => this.#state.written.has(bit));
    // Bits read 0 before they are written.
    if (isZero && isFresh) return;
    this.#state.memory.write(elements, expressionOf({ ...row, isScalar: false }), offset);
    for (const bit of elements) this.#state.written.add(bit);
  }

  /** Converts a value to a row of `width` bits. */
  #asRow(value: Value, width: number, offset: number): Bits {
    const row = asBits(this.#state.diagrams, width, value);
    return row.kind === 'bits' ? row : this.#state.memory.row(value, width, offset);
  }
}
