/**
 * Values of an OpenQASM program's variables that depend on measured bits.
 *
 * A variable holds its value as a function of the current bits. That needs no scratch bits, and a condition
 * on it stays a condition on measured bits. Before one of those bits is overwritten, and where a loop begins,
 * the value is assigned to scratch bits.
 */
import type { Condition } from '../circuit.ts';
import {
  bitsToWrite,
  evaluateExpression,
  MAX_WIDTH,
  ValueProblem,
} from '../classical-evaluation.ts';
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
import { type Bits, bitsOfInteger, expressionOf, type Value } from './values.ts';

/** Width in bits of an int or uint without a declared width, once it depends on measured bits. */
const DEFAULT_WIDTH = 32;
/** Largest expression that a variable holds; a larger one is assigned to scratch bits at once. */
const MAX_SIZE = 256;
/** Most bits of a condition that is tabulated; one of more bits is assigned to a scratch bit. */
const MAX_TABULATED_BITS = 8;
/** Most bits that a conditional value may depend on to be held as functions of bits. */
const MAX_CHOSEN_BITS = 16;

/** Number of bits that hold a value of a type while the circuit runs. */
export function widthOf({ base, width }: ValueType): number {
  switch (base) {
    case 'bit':
      return width ?? 1;
    case 'bool':
      return 1;
    case 'int':
    case 'uint':
      return width ?? DEFAULT_WIDTH;
    case 'angle':
      return width !== undefined && width < MAX_WIDTH ? width : FLOAT_BITS;
    case 'float':
      return FLOAT_BITS;
  }
}

/** Value of a variable of a type before it is given one. */
export function unset(type: ValueType): Value {
  if (type.base !== 'bit') return scalar(type.base, 0);
  return { kind: 'bits', bits: new Array(widthOf(type)).fill(NEVER), isScalar: isSingle(type) };
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

  /** Prepares writing bits: saves the values that are computed from them. */
  prepareWrite(bits: readonly Bit[], offset: number): void {
    this.#builder.takeSteps(this.#dynamic.size, offset);
    for (const symbol of this.#dynamic) {
      // Writing into a variable's own bits changes the variable.
      const isOwner = this.#isInMemory(symbol) && bits.every((bit) => symbol.memory.includes(bit));
      if (!isOwner && this.#readsAny(symbol.value, bits)) this.#spill(symbol, offset);
    }
  }

  /** Assigns a value to bits under the conditions of the statement at `offset`. */
  write(bits: readonly Bit[], value: ClassicalExpression, offset: number): void {
    this.prepareWrite(bits, offset);
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

  /** Converts a value to a row of `width` bits, which may be new scratch bits. */
  row(value: Value, width: number, offset: number): Bits {
    if (value.kind === 'scalar') {
      const bits = bitsToWrite(value, width, () => false);
      return { kind: 'bits', bits: bits.map((bit) => (bit ? ALWAYS : NEVER)), isScalar: false };
    }
    if (value.kind === 'bits') {
      const bits = Array.from({ length: width }, (_, i) => value.bits[i] ?? NEVER);
      return { kind: 'bits', bits, isScalar: false };
    }
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

  /** Saves the variable's value in scratch bits of its own. */
  #spill(symbol: VariableSymbol, offset: number): readonly Bit[] {
    const { type, value = unset(type), memory = [] } = symbol;
    this.#builder.takeSteps(this.#dynamic.size, offset);
    const isOthers = [...this.#dynamic].some(
      (other) => other !== symbol && this.#readsAny(other.value, memory),
    );
    const isFree = memory.length > 0 && !isOthers;
    const bits = isFree ? memory : this.#newBits(widthOf(type), offset);
    this.#frames.noteWrite(bits);
    // Assigned without a condition, because the value is the same either way.
    this.#assign(bits, expressionOf(value), undefined, offset);
    symbol.memory = bits;
    symbol.value = this.#read(type, bits);
    this.#dynamic.add(symbol);
    return bits;
  }

  /** Value of bits that hold a number of a type. */
  #read(type: ValueType, bits: readonly Bit[]): Value {
    const { base } = type;
    if (base === 'bit' || base === 'bool' || base === 'uint') {
      const functions = bits.map((bit) => this.#diagrams.bit(bit));
      return { kind: 'bits', bits: functions, isScalar: isSingle(type) };
    }
    const isFloat = !isWhole(base) && bits.length === FLOAT_BITS;
    const encoding: BitEncoding = isFloat ? 'float' : base === 'int' ? 'int' : 'uint';
    return {
      kind: 'dynamic',
      type: base,
      expression: { kind: 'read', bits, encoding, type: base },
    };
  }

  /** The new value where a condition holds, else the variable's old value. */
  #chosen(holds: BitFunction, value: Value, { value: old, type }: VariableSymbol): Value {
    const before = old ?? unset(type);
    if (holds.kind === 'constant') return holds.value ? value : before;
    const rows = [value, before].map(asRow);
    const [whenTrue, whenFalse] = rows;
    if (whenTrue !== undefined && whenFalse !== undefined) {
      const width = Math.max(whenTrue.length, whenFalse.length);
      const bits = Array.from({ length: width }, (_, i) =>
        this.#diagrams.ifThenElse(holds, whenTrue[i] ?? NEVER, whenFalse[i] ?? NEVER),
      );
      const numBits = new Set(bits.flatMap((f) => [...bitsOf(f)])).size;
      if (numBits <= MAX_CHOSEN_BITS) return { kind: 'bits', bits, isScalar: isSingle(type) };
    }
    const expression = {
      kind: 'select',
      test: expressionOf({ kind: 'bits', bits: [holds], isScalar: true }),
      whenTrue: expressionOf(value),
      whenFalse: expressionOf(before),
    } as const;
    return { kind: 'dynamic', type: type.base === 'bit' ? 'uint' : type.base, expression };
  }

  #scratch(width: number, value: ClassicalExpression, offset: number): readonly Bit[] {
    const bits = this.#newBits(width, offset);
    this.#assign(bits, value, undefined, offset);
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

/** Row of unsigned bits that equals a value; undefined where there is none. */
function asRow(value: Value): readonly BitFunction[] | undefined {
  if (value.kind === 'bits') return value.bits;
  if (value.kind === 'dynamic' || !isWhole(value.type) || value.value < 0) return undefined;
  return bitsOfInteger(value.value, Math.max(1, Math.ceil(Math.log2(value.value + 1))));
}
