/** Assignments and measurements of an OpenQASM 3 program: writes registers, bits and numbers. */
import { NEVER } from './decision-diagram.ts';
import { type Evaluator, hasSizes } from './evaluator.ts';
import { type Expression, type OperandSyntax, withPlace } from './expressions.ts';
import { binary } from './operators.ts';
import type { ProgramState } from './program-state.ts';
import type { Operand } from './registers.ts';
import type { ArraySymbol, VariableSymbol } from './scopes.ts';
import type { Statement } from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { type Bits, expressionOf, typeOf, type Value } from './values.ts';

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
    const { name, offset } = operand;
    const number = this.#evaluator.number(operand);
    if (number === undefined) return this.#evaluator.operand(operand, 'bit');
    this.#checkAssignable(operand);
    const { symbol, selectors } = number;
    const elements = this.#state.memory.bitsOfVariable(symbol, offset);
    const { type } = symbol;
    const isScalar = type.base === 'bit' && type.width === undefined;
    if (selectors.length > 0) {
      this.#evaluator.widthToSelect(
        typeOf(this.#evaluator.variable(operand, symbol, true)),
        offset,
      );
    }
    const register = { kind: 'bit', elements, isScalar } as const;
    const selected = this.#state.scopes.select(operand, register, selectors, (at) =>
      this.#evaluator.whole(at),
    );
    return { ...selected, name, offset };
  }

  /** Executes an assignment, plain or compound. */
  assign({ target, operator, value, offset }: Extract<Statement, { kind: 'assign' }>): void {
    const found = this.#state.scopes.find(target.name);
    if (found?.kind === 'array') {
      const { part } = this.#evaluator.part(target, found);
      if (part.sizes.length > 0) {
        this.#checkAssignable(target);
        if (operator === undefined) this.assignElements(part, value, offset);
        else throw this.#state.tokens.unsupported(offset, `"${operator}=" of arrays`);
        return;
      }
    }
    const number = this.#evaluator.number(target);
    if (number !== undefined) this.#checkAssignable(target);
    const given = this.#evaluator.evaluate(value);
    const result =
      operator === undefined
        ? given
        : withPlace(this.#state.tokens, offset, () =>
            binary(this.#state.diagrams, operator, this.#evaluator.read(target), given),
          );
    if (number === undefined) {
      this.assignBits(target, result, offset);
      return;
    }
    const { symbol, selectors } = number;
    const whole =
      selectors.length === 0
        ? result
        : this.#withBits({ ...target, selectors }, symbol, result, offset);
    this.#state.memory.set(symbol, this.#evaluator.held(symbol.type, whole, offset), offset);
  }

  /** The bits of a number, of which the target's are replaced by those of a value. */
  #withBits(target: OperandSyntax, symbol: VariableSymbol, value: Value, offset: number): Bits {
    const old = this.#evaluator.variable(target, symbol, true);
    const width = this.#evaluator.widthToSelect(typeOf(old), offset);
    const bits = [...this.#state.memory.row(old, width, offset).bits];
    const places = { kind: 'bit', elements: bits.map((_, i) => i), isScalar: false } as const;
    const { elements, isScalar } = this.#state.scopes.select(
      target,
      places,
      target.selectors,
      (at) => this.#evaluator.whole(at),
    );
    const written = this.#evaluator.bits(isScalar ? undefined : elements.length, value, offset);
    for (const [i, place] of elements.entries()) bits[place] = written.bits[i]!;
    return { kind: 'bits', bits, isScalar: false };
  }

  /** Gives the elements of an array, or of a part of one, the values of another of the same sizes. */
  assignElements({ sizes, elements }: ArraySymbol, value: Expression, offset: number): void {
    if (sizes.length === 0) {
      const [symbol] = elements as [VariableSymbol];
      this.#state.memory.set(symbol, this.#evaluator.stored(symbol.type, value), offset);
      return;
    }
    const from = this.#evaluator.array(value);
    if (from === undefined || !hasSizes(from.sizes, sizes)) {
      const found = from === undefined ? '' : `, not of ${from.sizes.join(' × ')}`;
      const needed = `The value must be an array of ${sizes.join(' × ')} elements${found}.`;
      throw this.#state.tokens.invalid(value.offset, needed);
    }
    const name = { name: 'An element', selectors: [], offset: value.offset };
    // All are read before the first is written: the arrays may overlap.
    const values = from.elements.map((element, i) =>
      this.#evaluator.held(elements[i]!.type, this.#evaluator.variable(name, element), offset),
    );
    for (const [i, element] of elements.entries()) {
      this.#state.memory.set(element, values[i]!, offset);
    }
  }

  #checkAssignable({ name, offset }: OperandSyntax): void {
    const symbol = this.#state.scopes.find(name);
    if (this.#state.subroutine !== undefined && this.#state.scopes.isFromOutside(name)) {
      const problem = `${quoted(name)} is declared outside the subroutine, which may read it but not change it`;
      throw this.#state.tokens.invalid(offset, `${problem}; return the value instead.`);
    }
    if (symbol?.kind === 'array' && symbol.isConst) {
      const problem = `${quoted(name)} is a readonly array; declare the parameter as mutable to change it.`;
      throw this.#state.tokens.invalid(offset, problem);
    }
    if (symbol?.kind === 'variable' && symbol.isConst) {
      throw this.#state.tokens.invalid(offset, `${quoted(name)} is constant.`);
    }
  }

  /** Gives bits the value of an expression; a register takes as many bits as it has. */
  assignBits(target: OperandSyntax, value: Value, offset: number): void {
    const { elements, isScalar } = this.#bits(target);
    const row = this.#evaluator.bits(isScalar ? undefined : elements.length, value, offset);
    const isZero = row.bits.every((f) => f === NEVER);
    const isFresh = this.#state.frames.level === 0 && !this.#state.builder.hasWritten(elements);
    // Bits read 0 before they are written.
    if (isZero && isFresh) return;
    this.#state.memory.write(elements, expressionOf({ ...row, isScalar: false }), offset);
  }
}
