/** Declarations of an OpenQASM 3 program: registers, variables, arrays and aliases. */
import { type Bit, FLOAT_BITS, isWhole } from '../classical-expression.ts';
import type { Assignments } from './assignments.ts';
import { widthOf } from './classical-memory.ts';
import { ALWAYS, NEVER } from './decision-diagram.ts';
import type { Evaluator } from './evaluator.ts';
import type { Expression, ValueType } from './expressions.ts';
import type { ProgramState } from './program-state.ts';
import type { ArraySymbol, RegisterSymbol, VariableSymbol } from './scopes.ts';
import {
  type ArrayDeclaration,
  type ArrayValues,
  joinedOperands,
  type RegisterDeclaration,
  type VariableDeclaration,
} from './syntax-tree.ts';
import { quoted } from './token-stream.ts';
import { expressionOf, type Value } from './values.ts';

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
