/**
 * Declarations of an OpenQASM 3 program (registers, variables, arrays and aliases), and the assignments and
 * measurements that write them.
 */
import { type Bit, FLOAT_BITS, isWhole } from '../classical-expression.ts';
import type { Operand } from './actions.ts';
import { widthOf } from './classical-memory.ts';
import { ALWAYS, NEVER } from './decision-diagram.ts';
import { type Evaluator, hasSizes } from './evaluator.ts';
import { type Expression, type OperandSyntax, type ValueType, withPlace } from './expressions.ts';
import { binary } from './operators.ts';
import type { ProgramState } from './program-state.ts';
import type { ArraySymbol, RegisterSymbol, VariableSymbol } from './scopes.ts';
import {
  type ArrayDeclaration,
  type ArrayValues,
  joinedOperands,
  type RegisterDeclaration,
  type Statement,
  type VariableDeclaration,
} from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { type Bits, expressionOf, typeOf, type Value } from './values.ts';

/** Elements of an array. */
const MAX_ELEMENTS = 65_536;

/** Executes declarations. */
export class Declarations {
  readonly #state: ProgramState;
  readonly #evaluator: Evaluator;
  readonly #assignments: Assignments;
  /** Output numbers, with the bits of the outcome that show them. */
  readonly #outputs: { readonly symbol: VariableSymbol; readonly bits: readonly Bit[] }[] = [];

  constructor(state: ProgramState, evaluator: Evaluator, assignments: Assignments) {
    this.#state = state;
    this.#evaluator = evaluator;
    this.#assignments = assignments;
  }

  /** Declares a register, or a single qubit or bit. */
  register(declaration: RegisterDeclaration): void {
    const { of, role, name, size, measured, value, offset } = declaration;
    if (of === 'qubit' && !(this.#state.scopes.isGlobal && this.#state.frames.depth === 0)) {
      throw this.#state.tokens.unsupported(offset, 'A qubit declared inside a block');
    }
    if (of === 'qubit' && this.#evaluator.usesPhysicalQubits)
      throw this.#evaluator.mixedQubits(offset);
    const count = size === undefined ? 1 : this.#evaluator.whole(size);
    if (count < 1) {
      const place = size?.offset ?? offset;
      throw this.#state.tokens.invalid(place, 'A register has at least one element.');
    }
    if (role !== 'plain' && !this.#state.scopes.isGlobal) throw this.#notGlobal(role, offset);
    const isLocal = of === 'bit' && this.#state.subroutine !== undefined;
    const first =
      of === 'qubit'
        ? this.#state.builder.declareQubits(count, offset)
        : isLocal
          ? this.#state.builder.declareScratch(count, offset)
          : this.#state.builder.declareBits(count, offset, name);
    const elements = Array.from({ length: count }, (_, i) => first + i);
    if (role === 'output') this.#state.builder.giveOut(elements);
    const symbol: RegisterSymbol = { kind: of, elements, isScalar: size === undefined };
    this.#state.scopes.declare(name, symbol, offset);
    const whole = { name, selectors: [], offset };
    if (measured !== undefined)
      this.#assignments.measure(this.#evaluator.operand(measured, 'qubit'), whole, offset);
    else if (value !== undefined)
      this.#assignments.assignBits(whole, this.#evaluator.evaluate(value), value.offset);
    else if (of === 'bit' && this.#state.frames.level > 0) {
      // New in each round of a loop on measured bits, whose rounds share the bits.
      const zeros: Value = {
        kind: 'bits',
        bits: elements.map(() => NEVER),
        isScalar: symbol.isScalar,
      };
      this.#assignments.assignBits(whole, zeros, offset);
    }
  }

  /** Declares a number, or bits that are a constant or an input. */
  variable({ role, type: written, name, value, offset }: VariableDeclaration): void {
    const type = this.#evaluator.typeOf(written);
    if ((role === 'input' || role === 'output') && !this.#state.scopes.isGlobal) {
      throw this.#notGlobal(role, offset);
    }
    const symbol = this.#state.newVariable(type, role === 'const' || role === 'input');
    const held =
      role === 'input'
        ? this.#input(name, type)
        : value === undefined
          ? undefined
          : this.#evaluator.stored(type, value);
    this.#state.scopes.declare(name, symbol, offset);
    if (held !== undefined) this.#state.memory.set(symbol, held, offset);
    if (role !== 'output') return;
    const width = widthOf(type);
    if (type.base !== 'bit' && !isWhole(type.base) && width === FLOAT_BITS) {
      const what = `The output ${quoted(name)} is a ${type.base} of double precision: its 64 bits in a label are those of IEEE 754.`;
      this.#state.tokens.warn('CIRCUIT_OUTPUT_FLOAT', offset, what);
    }
    const first = this.#state.builder.declareBits(width, offset, name);
    const bits = Array.from({ length: width }, (_, i) => first + i);
    this.#state.builder.giveOut(bits);
    this.#outputs.push({ symbol, bits });
  }

  #input(name: string, { base, width }: ValueType): Value {
    if (base !== 'bit') return this.#state.inputs.take(name, { base, width });
    const bits = this.#state.inputs.takeBits(name, width ?? 1);
    const isScalar = width === undefined;
    return { kind: 'bits', bits: bits.map((bit) => (bit ? ALWAYS : NEVER)), isScalar };
  }

  #notGlobal(role: 'input' | 'output', offset: number) {
    return this.#state.tokens.invalid(offset, `An ${role} stands outside all blocks.`);
  }

  /** Declares an array. */
  array({ type: written, sizes, name, values, offset }: ArrayDeclaration): void {
    const type = this.#evaluator.typeOf(written);
    const dimensions = sizes.map((size) => this.#evaluator.whole(size));
    const count = dimensions.reduce((product, size) => product * size, 1);
    if (dimensions.some((size) => size < 1) || count > MAX_ELEMENTS) {
      const problem = `An array has 1 to ${MAX_ELEMENTS} elements, not ${count}.`;
      throw this.#state.tokens.pastLimit(offset, problem);
    }
    this.#state.takeSteps(count, offset);
    const elements = Array.from({ length: count }, () => this.#state.newVariable(type));
    const array: ArraySymbol = { kind: 'array', isConst: false, sizes: dimensions, elements };
    if (values !== undefined) this.#fillArray(array, values, offset);
    this.#state.scopes.declare(name, array, offset);
  }

  /** Gives the elements of an array their first values. */
  #fillArray(array: ArraySymbol, values: ArrayValues, offset: number): void {
    const [size, ...inner] = array.sizes;
    if (!('list' in values)) {
      this.#assignments.assignElements(array, values, offset);
      return;
    }
    if (size === undefined) {
      throw this.#state.tokens.invalid(offset, 'A number is needed here, not a list.');
    }
    if (values.list.length !== size) {
      throw this.#state.tokens.invalid(offset, `A list of ${size} values is needed here.`);
    }
    const stride = array.elements.length / size;
    for (const [i, value] of values.list.entries()) {
      const elements = array.elements.slice(i * stride, (i + 1) * stride);
      this.#fillArray({ ...array, sizes: inner, elements }, value, offset);
    }
  }

  /** Declares an alias of parts of registers or arrays. */
  alias(name: string, value: Expression, offset: number): void {
    const array = this.#evaluator.array(value);
    if (array !== undefined) {
      this.#state.scopes.declare(name, array, offset);
      return;
    }
    const parts = joinedOperands(value);
    if (parts === undefined) {
      const problem = 'An alias names registers, or parts of them, as in "let a = q[0:1] ++ r;".';
      throw this.#state.tokens.invalid(value.offset, problem);
    }
    const first = this.#state.scopes.resolve(parts[0]!, undefined, (index) =>
      this.#evaluator.whole(index),
    );
    const operands = parts.map((part) => this.#evaluator.operand(part, first.kind));
    const elements = operands.flatMap((operand) => operand.elements);
    this.#state.takeSteps(elements.length, offset);
    if (new Set(elements).size < elements.length) {
      throw this.#state.tokens.invalid(offset, `${quoted(name)} would name an element twice.`);
    }
    const isScalar = parts.length === 1 && first.isScalar;
    this.#state.scopes.declare(name, { kind: first.kind, elements, isScalar }, offset);
  }

  /** Writes output numbers into the bits of the outcome, at the end of the program. */
  finish(): void {
    for (const { symbol, bits } of this.#outputs) {
      if (symbol.value === undefined) continue;
      this.#state.memory.write(bits, expressionOf(symbol.value), 0);
    }
  }
}

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
