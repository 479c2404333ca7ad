/** Evaluates the expressions of an OpenQASM 3 program: names, indices, casts, calls and measurements. */

import { MAX_CLASSICAL_BITS } from '../circuit-limits.ts';
import { isWhole, type Scalar } from '../classical-expression.ts';
import { isCounted, MAX_WIDTH, type NumberType } from '../classical-types.ts';
import { counted } from '../errors.ts';
import type { Operand } from './actions.ts';
import { unset, widthOf } from './classical-memory.ts';
import { converted, stored } from './conversions.ts';
import { type BitFunction, type DecisionDiagrams, NEVER } from './decision-diagram.ts';
import {
  type Expression,
  evaluate,
  evaluateScalar,
  type OperandSyntax,
  type Scope,
  type Selector,
  type ValueType,
  type WrittenType,
  withPlace,
} from './expressions.ts';
import type { ProgramState } from './program-state.ts';
import type { ArraySymbol, RegisterSymbol, VariableSymbol } from './scopes.ts';
import { joinedOperands } from './syntax-tree.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import { ANGLE_WITHOUT_BITS, type Bits, typeOf, type Value } from './values.ts';

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
    const { offset } = operand;
    const number = this.number(operand);
    if (number !== undefined) {
      const { symbol, selectors } = number;
      if (selectors.length === 0) return this.variable(operand, symbol);
      return this.#selected({ ...operand, selectors }, this.variable(operand, symbol));
    }
    const symbol = this.#state.scopes.find(operand.name);
    if (symbol?.kind === 'duration' && operand.selectors.length === 0) {
      return { kind: 'duration', value: symbol.value };
    }
    const { elements, isScalar } = this.operand(operand, 'bit');
    this.#state.takeSteps(elements.length, offset);
    const bits = elements.map((bit) => this.diagrams.bit(bit));
    if (!this.#state.hasWideRegisters) return { kind: 'bits', bits, isScalar };
    while (bits.length < MAX_WIDTH) bits.push(NEVER);
    return { kind: 'bits', bits, isScalar: false };
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
    const cast = this.typeOf(type);
    if (cast.base !== 'bit' || value.kind !== 'dynamic') {
      return converted(this.diagrams, cast, value);
    }
    const offset = type.width?.offset ?? 0;
    return {
      ...this.#state.memory.row(value, cast.width ?? 1, offset),
      isScalar: cast.width === undefined,
    };
  }

  /** Selects bits of a value without a name. */
  select(value: Value, selectors: readonly Selector[], offset: number): Value {
    return this.#selected({ name: 'this value', selectors, offset }, value);
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
    if (symbol?.kind === 'variable' && symbol.type.base === 'bit') return widthOf(symbol.type);
    if (symbol?.kind !== 'array') return this.#resolved(operand, undefined).elements.length;
    const { sizes } = this.part(operand, symbol).part;
    const size = sizes[dimension === undefined ? 0 : this.whole(dimension)];
    if (size !== undefined) return size;
    const problem = `${quoted(operand.name)} has ${counted(sizes.length, 'dimension')} here, counted from 0.`;
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
    return this.#resolved(operand, kind);
  }

  #resolved(operand: OperandSyntax, kind: RegisterSymbol['kind'] | undefined) {
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
    return unset(symbol.type);
  }

  /** Selects bits of a value: `i[0]`, `i[0:3]`. */
  #selected(operand: OperandSyntax, value: Value): Value {
    const { selectors, offset } = operand;
    const row = this.#state.memory.row(value, this.widthToSelect(typeOf(value), offset), offset);
    const elements = row.bits.map((_, i) => i);
    const register = { kind: 'bit', elements, isScalar: false } as const;
    const selected = this.#state.scopes.select(operand, register, selectors, this.#whole);
    const bits = selected.elements.map((i) => row.bits[i]!);
    return { kind: 'bits', bits, isScalar: selected.isScalar };
  }

  /** Number of bits of a type, of which some are to be selected. */
  widthToSelect({ base, width }: NumberType, offset: number): number {
    if (base === 'float' || base === 'bool') {
      throw this.tokens.invalid(offset, `A ${base} has no bits to select.`);
    }
    if (width !== undefined) return width;
    const problem =
      base === 'angle'
        ? ANGLE_WITHOUT_BITS
        : 'A number has bits where its type says how many, as in int[8](5)[0].';
    throw this.tokens.invalid(offset, problem);
  }

  /** The number that an operand names, by itself or as an element of an array, and the selectors of its bits. */
  number(operand: OperandSyntax): NumberPlace | undefined {
    const symbol = this.#state.scopes.find(operand.name);
    if (symbol?.kind === 'variable') return { symbol, selectors: operand.selectors };
    if (symbol?.kind !== 'array') return undefined;
    const { part, selectors } = this.part(operand, symbol);
    if (part.sizes.length === 0) return { symbol: part.elements[0]!, selectors };
    const problem = `${quoted(operand.name)} is here an array of ${part.sizes.join(' × ')}; one of its elements is needed.`;
    throw this.tokens.invalid(operand.offset, problem);
  }

  /** The part of an array that an operand names; the selectors after the last dimension are left. */
  part(
    { name, selectors, offset }: OperandSyntax,
    array: ArraySymbol,
  ): { readonly part: ArraySymbol; readonly selectors: readonly Selector[] } {
    let part = array;
    for (const [i, selector] of selectors.entries()) {
      if (part.sizes.length === 0) return { part, selectors: selectors.slice(i) };
      let axis = 0;
      for (const each of selector.kind === 'dimensions' ? selector.each : [selector]) {
        const size = part.sizes[axis];
        if (size === undefined) {
          const problem = `${quoted(name)} has ${counted(array.sizes.length, 'dimension')}; more are selected here.`;
          throw this.tokens.invalid(offset, problem);
        }
        const places = this.#state.scopes.places(name, size, each, this.#whole);
        part = along(part, axis, places, each.kind === 'index');
        this.#state.takeSteps(part.elements.length, offset);
        if (each.kind !== 'index') axis++;
      }
    }
    return { part, selectors: [] };
  }

  /** The array that an expression names, or joins from several by `++`; undefined for any other expression. */
  array(expression: Expression): ArraySymbol | undefined {
    const parts = joinedOperands(expression)?.map((operand) => {
      const symbol = this.#state.scopes.find(operand.name);
      return symbol?.kind === 'array' ? this.part(operand, symbol).part : undefined;
    });
    const [first] = parts ?? [];
    if (parts === undefined || first === undefined || first.sizes.length === 0) return undefined;
    if (parts.length === 1) return first;
    const inner = first.sizes.slice(1);
    const isAlike = (part: ArraySymbol | undefined): part is ArraySymbol =>
      part !== undefined && part.sizes.length > 0 && hasSizes(part.sizes.slice(1), inner);
    if (!parts.every(isAlike)) {
      const problem = '"++" joins arrays that differ in their first dimension at most.';
      throw this.tokens.invalid(expression.offset, problem);
    }
    const size = parts.reduce((sum, part) => sum + part.sizes[0]!, 0);
    const elements = parts.flatMap((part) => part.elements);
    return { ...first, sizes: [size, ...inner], elements };
  }

  /** Measures qubits into as many bits. */
  measureInto(from: Operand, to: Operand, offset: number): void {
    this.#state.memory.prepareWrite(to.elements, offset);
    const conditions = this.#state.frames.conditionsToWrite(to.elements, offset);
    this.#state.actions.measure(from, to, conditions, offset);
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
  stored(type: ValueType, value: Expression): Value {
    return this.held(type, this.evaluate(value), value.offset);
  }

  /** Converts a value to the type of a variable. */
  held({ base, width }: ValueType, value: Value, offset: number): Value {
    return base === 'bit'
      ? this.bits(width, value, offset)
      : withPlace(this.tokens, offset, () => stored(this.diagrams, { base, width }, value));
  }

  /** Converts a value to a row of bits, or, without a width, to a single one. */
  bits(width: number | undefined, value: Value, offset: number): Bits {
    const { memory, hasWideRegisters } = this.#state;
    const type = withPlace(this.tokens, offset, () => typeOf(value));
    if (!isCounted(type)) {
      throw this.tokens.invalid(offset, 'Only a whole number can be assigned to bits.');
    }
    if (width === undefined && !hasWideRegisters) {
      const bit = withPlace(this.tokens, offset, () => memory.truth(value, offset));
      return { kind: 'bits', bits: [bit], isScalar: true };
    }
    const size = width ?? 1;
    this.#state.takeSteps(size, offset);
    const isRegister = value.kind === 'bits' && value.number === undefined;
    if (isRegister && value.bits.length > size && !hasWideRegisters) {
      const problem = `${counted(size, 'bit')} cannot hold the value of ${value.bits.length} bits.`;
      throw this.tokens.invalid(offset, problem);
    }
    return withPlace(this.tokens, offset, () => memory.row(value, size, offset));
  }

  /** Evaluates the width of a written type. */
  typeOf({ base, width }: WrittenType): ValueType {
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
}

/** A number, and selectors of bits of it. */
interface NumberPlace {
  readonly symbol: VariableSymbol;
  readonly selectors: readonly Selector[];
}

/** Whether two arrays have the same sizes. */
export const hasSizes = (sizes: readonly number[], expected: readonly number[]): boolean =>
  sizes.length === expected.length && sizes.every((size, i) => size === expected[i]);

/** The elements of an array at some places along a dimension, which an index removes. */
function along(
  array: ArraySymbol,
  axis: number,
  places: readonly number[],
  isIndex: boolean,
): ArraySymbol {
  const { sizes, elements } = array;
  const inner = sizes.slice(axis + 1).reduce((product, size) => product * size, 1);
  const stride = inner * sizes[axis]!;
  const selected: VariableSymbol[] = [];
  for (let outer = 0; outer < elements.length; outer += stride) {
    for (const place of places) {
      const first = outer + place * inner;
      for (let i = first; i < first + inner; i++) selected.push(elements[i]!);
    }
  }
  const size = isIndex ? [] : [places.length];
  return {
    ...array,
    sizes: [...sizes.slice(0, axis), ...size, ...sizes.slice(axis + 1)],
    elements: selected,
  };
}
