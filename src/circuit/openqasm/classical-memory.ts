/**
 * Values of an OpenQASM program's variables that depend on measured bits.
 *
 * A variable holds its value as a function of the current bits. That needs no scratch bits, and a condition
 * on it stays a condition on measured bits. Before one of those bits is overwritten, and where a loop begins,
 * the value is assigned to scratch bits.
 */
import type { Condition } from '../circuit.ts';
import { convertedScalar, evaluateExpression } from '../classical-evaluation.ts';
import type { Bit } from '../classical-expression.ts';
import {
  type BitDiagram,
  type BitEncoding,
  bitsRead,
  type ClassicalExpression,
  FALSE_NODE,
  FLOAT_BITS,
  isWhole,
  scalar,
  sizeOf,
} from '../classical-expression.ts';
import { ValueProblem, valueType } from '../classical-types.ts';
import type { CircuitBuilder } from './circuit-builder.ts';
import type { ConditionFrames } from './condition-frames.ts';
import {
  ALWAYS,
  type BitFunction,
  bitsOf,
  type DecisionDiagrams,
  NEVER,
} from './decision-diagram.ts';
import type { ValueType } from './expressions.ts';
import { truthOf } from './operators.ts';
import type { VariableSymbol } from './scopes.ts';
import { type Bits, bitsFor, checkBits, expressionOf, type Value } from './values.ts';

/** Largest expression that a variable holds; a larger one is assigned to scratch bits at once. */
const MAX_SIZE = 256;
/** Most bits of a condition that is tabulated; one of more bits is assigned to a scratch bit. */
const MAX_TABULATED_BITS = 8;
/** Most bits that a conditional value may depend on to be held as functions of bits. */
const MAX_CHOSEN_BITS = 16;

const NO_BITS: ReadonlySet<Bit> = new Set();

/** Number of bits that hold a value of a type while the circuit runs. */
export function widthOf({ base, width }: ValueType): number {
  if (base === 'bit') return width ?? 1;
  return base === 'bool' ? 1 : (valueType({ base, width }).width ?? FLOAT_BITS);
}

/** Value of a variable of a type before it is given one. */
export function unset(type: ValueType): Value {
  const { base, width } = type;
  if (base === 'bit') return ofType(type, new Array(widthOf(type)).fill(NEVER));
  return convertedScalar({ base, width }, scalar('int', 0), false);
}

/** Whether a value of a type is a single bit rather than a row of them. */
const isSingle = ({ base, width }: ValueType): boolean =>
  base === 'bool' || (base === 'bit' && width === undefined);

/** Assigns classical bits, and saves the values that depend on them. */
export class ClassicalMemory {
  readonly #builder: CircuitBuilder;
  readonly #diagrams: DecisionDiagrams;
  readonly #frames: ConditionFrames;
  /** Variables whose value is a function of bits. */
  readonly #dynamic = new Set<VariableSymbol>();
  /** Cache of the bits that a value depends on. */
  readonly #bitsOf = new WeakMap<Value, ReadonlySet<Bit>>();

  constructor(builder: CircuitBuilder, diagrams: DecisionDiagrams, frames: ConditionFrames) {
    this.#builder = builder;
    this.#diagrams = diagrams;
    this.#frames = frames;
  }

  /** Whether no variable holds a function of bits. */
  get isEmpty(): boolean {
    return this.#dynamic.size === 0;
  }

  /** Forgets the variables of a block that has ended. */
  forget(symbols: Iterable<{ readonly kind: string }>): void {
    // Checked: only variables were added.
    for (const symbol of symbols) this.#dynamic.delete(symbol as VariableSymbol);
  }

  /**
   * Prepares writing bits: saves the values that are computed from them.
   *
   * @param reads - Bits that the value to be written is computed from. They keep what they hold.
   */
  prepareWrite(bits: readonly Bit[], offset: number, reads: ReadonlySet<Bit> = NO_BITS): void {
    this.#builder.takeSteps(this.#dynamic.size, offset);
    for (const symbol of this.#dynamic) {
      // Writing into a variable's own bits changes the variable.
      const isOwner = this.#isInMemory(symbol) && bits.every((bit) => symbol.memory.includes(bit));
      if (!isOwner && this.#readsAny(symbol.value, bits)) this.#spill(symbol, offset, reads);
    }
  }

  /** Assigns a value to bits under the conditions of the statement at `offset`. */
  write(bits: readonly Bit[], value: ClassicalExpression, offset: number): void {
    this.prepareWrite(bits, offset, bitsRead(value));
    for (const condition of this.#frames.singleConditionToWrite(bits, offset)) {
      this.#assign(bits, value, condition, offset);
    }
  }

  /** Sets a variable to a value of its type under the conditions of the statement at `offset`. */
  set(symbol: VariableSymbol, value: Value, offset: number): void {
    const { level, depth } = this.#frames;
    const isConditional = symbol.level < level ? depth > 0 : depth > symbol.depth;
    symbol.value = isConditional ? this.#chosen(this.#frames.holds(offset), value, symbol) : value;
    this.#follow(symbol, offset);
  }

  /** Scratch bits that hold the variable's value from now on; they may be written. */
  bitsOfVariable(symbol: VariableSymbol, offset: number): readonly Bit[] {
    return this.#isInMemory(symbol) ? symbol.memory : this.#spill(symbol, offset);
  }

  #isInMemory(
    symbol: VariableSymbol,
  ): symbol is VariableSymbol & { readonly memory: readonly Bit[] } {
    const { value, memory } = symbol;
    return memory !== undefined && value !== undefined && isReadOf(expressionOf(value), memory);
  }

  /** Converts a value to a condition, which may use a new scratch bit. */
  truth(value: Value, offset: number): BitFunction {
    if (value.kind !== 'dynamic') return truthOf(this.#diagrams, value);
    const { expression } = value;
    const bits = [...bitsRead(expression)];
    const table = bits.length <= MAX_TABULATED_BITS ? this.#tabulated(expression, bits) : undefined;
    if (table !== undefined) return table;
    const [bit] = this.#scratch(
      1,
      { kind: 'apply', operator: '!=', operands: [expression, scalar('int', 0)] },
      offset,
    );
    return this.#diagrams.bit(bit!);
  }

  /**
   * Converts a value to a row of `width` bits, which may be new scratch bits.
   *
   * @throws {ValueProblem} if the value has no such bits.
   */
  row(value: Value, width: number, offset: number): Bits {
    if (value.kind !== 'dynamic') {
      return { kind: 'bits', bits: bitsFor(value, width), isScalar: false };
    }
    checkBits(value, width);
    const { expression } = value;
    if (expression.kind === 'read' && expression.encoding !== 'float') {
      const read = expression.bits.map((diagram) => this.#functionOf(diagram));
      const rest = expression.encoding === 'int' ? (read.at(-1) ?? NEVER) : NEVER;
      const bits = Array.from({ length: width }, (_, i) => read[i] ?? rest);
      return { kind: 'bits', bits, isScalar: false };
    }
    const bits = this.#scratch(width, expression, offset);
    return { kind: 'bits', bits: bits.map((bit) => this.#diagrams.bit(bit)), isScalar: false };
  }

  /**
   * Prepares the body of a loop. Variables that the body assigns to get bits that hold them at the start of
   * every round; other values that depend on measured bits are saved in bits that nothing else writes.
   *
   * @returns A function to call at the end of the body.
   */
  carry(symbols: readonly VariableSymbol[], offset: number): () => void {
    for (const symbol of [...this.#dynamic]) this.bitsOfVariable(symbol, offset);
    const carried = symbols.map((symbol) => {
      return { symbol, bits: this.bitsOfVariable(symbol, offset) };
    });
    return () => this.#carryBack(carried, offset);
  }

  /** Copies the variables at the end of a round to the bits where the next round expects them. */
  #carryBack(
    carried: readonly { readonly symbol: VariableSymbol; readonly bits: readonly Bit[] }[],
    offset: number,
  ): void {
    const moved = carried.filter(
      ({ symbol, bits }) => !isReadOf(expressionOf(symbol.value!), bits),
    );
    const homes = new Set(moved.flatMap(({ bits }) => bits));
    // A new value may be computed from another variable's old one, so all are read before any is written.
    const values = moved.map(({ symbol, bits }) => {
      const value = expressionOf(symbol.value!);
      if (![...bitsRead(value)].some((bit) => homes.has(bit))) return value;
      const kept = this.#scratch(bits.length, value, offset);
      return { kind: 'read', bits: kept, encoding: 'uint', type: 'uint' } as const;
    });
    for (const [i, { symbol, bits }] of moved.entries()) {
      this.#frames.noteWrite(bits);
      this.#assign(bits, values[i]!, undefined, offset);
      symbol.memory = bits;
    }
    for (const { symbol, bits } of carried) {
      symbol.value = this.#read(symbol.type, bits);
      symbol.memory = bits;
      this.#dynamic.add(symbol);
    }
  }

  #readsAny(value: Value | undefined, bits: readonly Bit[]): boolean {
    if (value === undefined || value.kind === 'scalar') return false;
    let read = this.#bitsOf.get(value);
    if (read === undefined) {
      read = bitsRead(expressionOf(value));
      this.#bitsOf.set(value, read);
    }
    return bits.some((bit) => read.has(bit));
  }

  /** Tracks a variable that depends on bits, and saves a value that is too large. */
  #follow(symbol: VariableSymbol, offset: number): void {
    const { value } = symbol;
    if (value === undefined || value.kind === 'scalar') {
      this.#dynamic.delete(symbol);
      return;
    }
    this.#dynamic.add(symbol);
    if (sizeOf(expressionOf(value)) > MAX_SIZE) this.#spill(symbol, offset);
  }

  /** Saves the variable's value in scratch bits of its own, which are none of those that are still to be read. */
  #spill(
    symbol: VariableSymbol,
    offset: number,
    reads: ReadonlySet<Bit> = NO_BITS,
  ): readonly Bit[] {
    const { type, value = unset(type), memory = [] } = symbol;
    this.#builder.takeSteps(this.#dynamic.size, offset);
    const isOthers = [...this.#dynamic].some(
      (other) => other !== symbol && this.#readsAny(other.value, memory),
    );
    const isFree = memory.length > 0 && !isOthers && !memory.some((bit) => reads.has(bit));
    const bits = isFree ? memory : this.#newBits(widthOf(type), offset);
    this.#frames.noteWrite(bits);
    // Assigned without a condition, because the value is the same either way; but where the variable is declared under
    // one, the value exists only there.
    const { level, depth } = this.#frames;
    const isLocal = depth > 0 && symbol.level === level && symbol.depth === depth;
    const conditions = isLocal ? this.#frames.singleConditionToWrite(bits, offset) : [undefined];
    for (const condition of conditions) {
      this.#assign(bits, expressionOf(value), condition, offset);
    }
    symbol.memory = bits;
    symbol.value = this.#read(type, bits);
    this.#dynamic.add(symbol);
    return bits;
  }

  /** Value of bits that hold a number of a type. */
  #read(type: ValueType, bits: readonly Bit[]): Value {
    const { base } = type;
    if (base === 'bit' || isWhole(base)) {
      return ofType(
        type,
        bits.map((bit) => this.#diagrams.bit(bit)),
      );
    }
    const { width } = valueType({ base, width: type.width });
    const encoding: BitEncoding = width === undefined ? 'float' : 'uint';
    const expression = { kind: 'read', bits, encoding, type: base } as const;
    return { kind: 'dynamic', type: base, width, expression };
  }

  /** The new value where a condition holds, else the variable's old value. */
  #chosen(holds: BitFunction, value: Value, { value: old, type }: VariableSymbol): Value {
    const before = old ?? unset(type);
    if (holds.kind === 'constant') return holds.value ? value : before;
    const isOfBits = type.base === 'bit' || isWhole(type.base);
    if (isOfBits && value.kind !== 'dynamic' && before.kind !== 'dynamic') {
      const [whenTrue, whenFalse] = [value, before].map((one) => bitsFor(one, widthOf(type)));
      const bits = whenTrue!.map((f, i) => this.#diagrams.ifThenElse(holds, f, whenFalse![i]!));
      const numBits = new Set(bits.flatMap((f) => [...bitsOf(f)])).size;
      if (numBits <= MAX_CHOSEN_BITS) return ofType(type, bits);
    }
    const expression = {
      kind: 'select',
      test: expressionOf({ kind: 'bits', bits: [holds], isScalar: true }),
      whenTrue: expressionOf(value),
      whenFalse: expressionOf(before),
    } as const;
    const ofBits = isSingle(type) ? 'bool' : 'uint';
    const { base, width } = valueType({
      base: type.base === 'bit' ? ofBits : type.base,
      width: type.width,
    });
    return { kind: 'dynamic', type: base, width, expression };
  }

  #scratch(width: number, value: ClassicalExpression, offset: number): readonly Bit[] {
    const bits = this.#newBits(width, offset);
    // Under the conditions of the statement: where they do not hold, the value may not exist.
    for (const condition of this.#frames.singleConditionToWrite(bits, offset)) {
      this.#assign(bits, value, condition, offset);
    }
    return bits;
  }

  #newBits(width: number, offset: number): readonly Bit[] {
    const first = this.#builder.declareScratch(width, offset);
    return Array.from({ length: width }, (_, i) => first + i);
  }

  #assign(
    bits: readonly Bit[],
    value: ClassicalExpression,
    condition: Condition | undefined,
    offset: number,
  ): void {
    const assignment = { kind: 'assign', bits, value } as const;
    this.#builder.add(condition === undefined ? assignment : { ...assignment, condition }, offset);
  }

  /**
   * Tabulates a value of few bits as a condition; undefined where it does not exist for some of their values.
   */
  #tabulated(expression: ClassicalExpression, bits: readonly Bit[]): BitFunction | undefined {
    const ones = new Set<Bit>();
    const follow = (i: number): BitFunction => {
      const bit = bits[i];
      if (bit === undefined) {
        const { value } = evaluateExpression(expression, (one) => ones.has(one));
        return value === 0 ? NEVER : ALWAYS;
      }
      const low = follow(i + 1);
      ones.add(bit);
      const high = follow(i + 1);
      ones.delete(bit);
      return this.#diagrams.ifThenElse(this.#diagrams.bit(bit), high, low);
    };
    try {
      return follow(0);
    } catch (error) {
      // Shots in which the value does not exist may never get here.
      if (error instanceof ValueProblem) return undefined;
      throw error;
    }
  }

  #functionOf(diagram: BitDiagram): BitFunction {
    if (typeof diagram === 'boolean') return diagram ? ALWAYS : NEVER;
    if (typeof diagram === 'number') return this.#diagrams.bit(diagram);
    const functions: BitFunction[] = [];
    const at = (place: number) => {
      if (place >= 0) return functions[place]!;
      return place === FALSE_NODE ? NEVER : ALWAYS;
    };
    for (const [bit, low, high] of diagram.nodes) {
      functions.push(this.#diagrams.ifThenElse(this.#diagrams.bit(bit), at(high), at(low)));
    }
    return functions.at(-1)!;
  }
}

/** Whether an expression reads exactly those bits. */
function isReadOf(expression: ClassicalExpression, bits: readonly Bit[]): boolean {
  return (
    expression.kind === 'read' &&
    expression.bits.length === bits.length &&
    expression.bits.every((diagram, i) => diagram === bits[i])
  );
}

/** Value of a bit, register, bool, int or uint that has these bits. */
function ofType(type: ValueType, bits: readonly BitFunction[]): Bits {
  const { base } = type;
  const row: Bits = { kind: 'bits', bits, isScalar: isSingle(type) };
  return base === 'int' || base === 'uint' ? { ...row, number: base } : row;
}
