/** Evaluates the expressions of an OpenQASM 3 program: names, indices, casts, calls and measurements. */

import { MAX_CLASSICAL_BITS } from '../circuit-limits.ts';
import type { NumberType } from '../classical-evaluation.ts';
import { isWhole, type Scalar, scalar } from '../classical-expression.ts';
import { widthOf } from './classical-memory.ts';
import { converted, stored } from './conversions.ts';
import type { BitFunction, DecisionDiagrams } from './decision-diagram.ts';
import {
  type CastType,
  type Expression,
  evaluate,
  evaluateScalar,
  type OperandSyntax,
  type Scope,
  type WrittenType,
  withPlace,
} from './expressions.ts';
import type { ProgramState } from './program-state.ts';
import type { Operand } from './registers.ts';
import type { ArraySymbol, RegisterSymbol, VariableSymbol } from './scopes.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import type { Value } from './values.ts';

/** Bits of a type, other than a register. */
const MAX_TYPE_WIDTH = 1024;

/** Calls a subroutine; returns undefined if it returns nothing. */
type CallSubroutine = (
  name: string,
  args: readonly Expression[],
  offset: number,
) => Value | undefined;

/** Evaluates expressions in the current scope. */
export class Evaluator implements Scope {
  readonly #state: ProgramState;
  readonly #callSubroutine: CallSubroutine;
  readonly #whole = (index: Expression) => this.whole(index);
  /** Qubits of the machine used so far, `$0` and on. */
  #numPhysical = 0;

  constructor(state: ProgramState, callSubroutine: CallSubroutine) {
    this.#state = state;
    this.#callSubroutine = callSubroutine;
  }

  get tokens(): TokenStream {
    return this.#state.tokens;
  }

  get diagrams(): DecisionDiagrams {
    return this.#state.diagrams;
  }

  /** Whether the program uses qubits of the machine. */
  get usesPhysicalQubits(): boolean {
    return this.#numPhysical > 0;
  }

  /** Value of a name with its indices: a number, an element of an array, or bits. */
  read(operand: OperandSyntax): Value {
    const { name, selectors, offset } = operand;
    const symbol = this.#state.scopes.find(name);
    if (symbol?.kind === 'array') return this.variable(operand, this.element(operand, symbol));
    if (symbol?.kind === 'variable') {
      if (selectors.length === 0) return this.variable(operand, symbol);
      return this.#bitsOfNumber(operand, symbol);
    }
    const { elements, isScalar } = this.operand(operand, 'bit');
    this.#state.takeSteps(elements.length, offset);
    return { kind: 'bits', bits: elements.map((bit) => this.diagrams.bit(bit)), isScalar };
  }

  /** Value of a constant. */
  constant(operand: OperandSyntax): Value {
    const symbol = this.#state.scopes.find(operand.name);
    if (symbol === undefined) throw this.#state.scopes.undeclared(operand.name, operand.offset);
    if (symbol.kind === 'variable' && symbol.isConst) return this.variable(operand, symbol);
    const problem = `${quoted(operand.name)} is not a constant; the body of a gate can use only constants.`;
    throw this.tokens.invalid(operand.offset, problem);
  }

  /** Converts a value to a written type. */
  cast(type: WrittenType, value: Value): Value {
    const cast = this.#castType(type);
    if (cast.base !== 'bit' || value.kind !== 'dynamic') {
      return converted(this.diagrams, cast, value);
    }
    const offset = type.width?.offset ?? 0;
    return {
      ...this.#state.memory.row(value, cast.width ?? 1, offset),
      isScalar: cast.width === undefined,
    };
  }

  /** Evaluates an expression to a number known while reading. */
  scalar(expression: Expression): Scalar {
    this.#state.takeSteps(expression.instructions.length, expression.offset);
    return evaluateScalar(expression, this);
  }

  /** Evaluates an expression to a whole number known while reading. */
  whole(expression: Expression): number {
    const { instructions, offset } = expression;
    const only = instructions.length === 1 ? instructions[0] : undefined;
    if (only?.kind === 'value' && only.value.kind === 'scalar' && isWhole(only.value.type)) {
      this.#state.takeSteps(1, offset);
      return only.value.value;
    }
    const { type, value } = this.scalar(expression);
    if (isWhole(type)) return value;
    throw this.tokens.invalid(expression.offset, 'A whole number is needed here.');
  }

  /** Measures qubits inside an expression, into scratch bits. */
  measured(from: OperandSyntax, offset: number): Value {
    const operand = this.operand(from, 'qubit');
    const { elements, isScalar } = operand;
    const first = this.#state.builder.declareScratch(elements.length, offset);
    const bits = elements.map((_, i) => first + i);
    this.measureInto(operand, { elements: bits, isScalar, name: from.name, offset }, offset);
    return { kind: 'bits', bits: bits.map((bit) => this.diagrams.bit(bit)), isScalar };
  }

  /** Number of elements of a register, or of one dimension of an array. */
  sizeOf(operand: OperandSyntax, dimension: Expression | undefined): number {
    const symbol = this.#state.scopes.find(operand.name);
    if (symbol?.kind !== 'array') {
      return this.#state.scopes.resolve(operand, undefined, (index) => this.whole(index)).elements
        .length;
    }
    const of = dimension === undefined ? 0 : this.whole(dimension);
    const size = symbol.sizes[operand.selectors.length + of];
    if (size !== undefined) return size;
    const problem = `${quoted(operand.name)} has ${symbol.sizes.length} dimensions, counted from 0.`;
    throw this.tokens.invalid(operand.offset, problem);
  }

  /** Calls a subroutine, which must return a value. */
  invoke(name: string, args: readonly Expression[], offset: number): Value {
    const result = this.#callSubroutine(name, args, offset);
    if (result !== undefined) return result;
    throw this.tokens.invalid(
      offset,
      `${quoted(name)} returns nothing, but a value is needed here.`,
    );
  }

  /** Resolves the qubits or bits that an operand names. */
  operand(operand: OperandSyntax, kind: RegisterSymbol['kind']): Operand {
    if (operand.name.startsWith('$') && kind === 'qubit') return this.#physical(operand);
    return this.#state.scopes.resolve(operand, kind, this.#whole);
  }

  /** Resolves `$3`, qubit 3 of the machine; programs that use these declare no qubits. */
  #physical({ name, offset }: OperandSyntax): Operand {
    const qubit = Number(name.slice(1));
    if (qubit >= this.#numPhysical) {
      if (this.#numPhysical === 0 && this.#state.builder.allQubits.length > 0) {
        throw this.mixedQubits(offset);
      }
      this.#state.builder.declareQubits(qubit + 1 - this.#numPhysical, offset);
      this.#numPhysical = qubit + 1;
    }
    return { elements: [qubit], isScalar: true, name, offset };
  }

  /** Error for a program that declares qubits and uses qubits of the machine. */
  mixedQubits(offset: number) {
    return this.tokens.unsupported(offset, 'Declaring qubits beside those of the machine ($0)');
  }

  /** Value of a variable; warns if it is read before it has one. */
  variable({ name, offset }: OperandSyntax, symbol: VariableSymbol, isOverwritten = false): Value {
    if (symbol.value !== undefined) return symbol.value;
    if (!isOverwritten) {
      const problem = `${quoted(name)} is read before it is given a value; it is taken as 0.`;
      this.tokens.warn('CIRCUIT_VARIABLE_UNSET', offset, problem);
    }
    return scalar(symbol.type.base, 0);
  }

  /** Bits of a number: `i[0]`, `i[0:3]`. */
  #bitsOfNumber(operand: OperandSyntax, symbol: VariableSymbol): Value {
    const { selectors, offset } = operand;
    const value = this.variable(operand, symbol);
    if (symbol.type.base === 'float' || symbol.type.base === 'bool') {
      throw this.tokens.invalid(offset, `A ${symbol.type.base} has no bits to select.`);
    }
    const { width } = symbol.type;
    if (symbol.type.base === 'angle' && width === undefined) {
      const problem = 'An angle has bits where its declaration says how many, as in angle[16].';
      throw this.tokens.invalid(offset, problem);
    }
    const row = this.#state.memory.row(value, widthOf(symbol.type), offset);
    const elements = row.bits.map((_, i) => i);
    const register = { kind: 'bit', elements, isScalar: false } as const;
    const selected = this.#state.scopes.select(operand, register, selectors, (at) =>
      this.whole(at),
    );
    const bits = selected.elements.map((i) => row.bits[i]!);
    return { kind: 'bits', bits, isScalar: selected.isScalar };
  }

  /** Finds the element of an array that indices name. */
  element({ name, selectors, offset }: OperandSyntax, { sizes, elements }: ArraySymbol) {
    if (selectors.length !== sizes.length) {
      const problem = `${quoted(name)} has ${sizes.length} dimensions, not ${selectors.length}`;
      throw this.tokens.invalid(offset, `${problem}; parts of arrays are not supported.`);
    }
    let place = 0;
    for (const [i, selector] of selectors.entries()) {
      if (selector.kind !== 'index') throw this.tokens.unsupported(offset, 'A part of an array');
      const size = sizes[i]!;
      const index = this.whole(selector.index);
      const at = index < 0 ? index + size : index;
      if (at < 0 || at >= size) {
        const problem = `${name}[${index}] is out of range; there are indices 0 to ${size - 1}.`;
        throw this.tokens.invalid(selector.index.offset, problem);
      }
      place = place * size + at;
    }
    return elements[place]!;
  }

  /** Measures qubits into as many bits. */
  measureInto(from: Operand, to: Operand, offset: number): void {
    this.#state.memory.prepareWrite(to.elements, offset);
    const conditions = this.#state.frames.conditionsToWrite(to.elements, offset);
    this.#state.actions.measure(from, to, conditions, offset);
    for (const bit of to.elements) this.#state.written.add(bit);
  }

  /** Evaluates an expression. */
  evaluate(expression: Expression): Value {
    this.#state.takeSteps(expression.instructions.length, expression.offset);
    return evaluate(expression, this);
  }

  /** Evaluates an expression as a condition. */
  truth(expression: Expression): BitFunction {
    const value = this.evaluate(expression);
    return withPlace(this.tokens, expression.offset, () =>
      this.#state.memory.truth(value, expression.offset),
    );
  }

  /** Evaluates an expression and converts it to the type of a variable. */
  stored(type: NumberType, value: Expression): Value {
    const given = this.evaluate(value);
    return withPlace(this.tokens, value.offset, () => stored(this.diagrams, type, given));
  }

  #castType({ base, width }: WrittenType): CastType {
    if (width === undefined) return { base, width };
    const bits = this.whole(width);
    const most = base === 'bit' ? MAX_CLASSICAL_BITS : MAX_TYPE_WIDTH;
    if (bits < 1 || bits > most) {
      const problem = `A type has 1 to ${most} bits, not ${bits}.`;
      throw this.tokens.invalid(width.offset, problem);
    }
    if (base === 'bit') this.#state.takeSteps(bits, width.offset);
    return { base, width: bits };
  }

  /** Evaluates the width of a number's type. */
  numberType(written: WrittenType): NumberType {
    const { base, width } = this.#castType(written);
    if (base === 'bit') throw new Error('unreachable: bits are no number');
    return { base, width };
  }
}
