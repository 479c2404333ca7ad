/**
 * The classical values of a program that depend on measured bits.
 *
 * A variable holds its value as a function of bits as they are now. That needs no bits of its own, and a
 * condition on it stays a condition on what was measured. Before one of those bits is written, or where
 * a loop begins, the value is assigned to scratch bits.
 */
import type { Condition } from '../circuit.ts';
import {
  bitsToWrite,
  evaluateExpression,
  MAX_WIDTH,
  type NumberType,
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
import { truthOf } from './operators.ts';
import type { VariableSymbol } from './scopes.ts';
import { type Bits, bitsOfInteger, expressionOf, type Value } from './values.ts';

/** Bits of an int or uint that is declared without a width, once it depends on measured bits. */
const DEFAULT_WIDTH = 32;
/** A value that takes more operators than this is worked out at once. */
const MAX_SIZE = 256;
/** Functions of so few bits are tabulated rather than worked out into a scratch bit. */
const MAX_TABULATED_BITS = 8;
/** Rows of bits that are chosen between are kept as functions of no more bits than this. */
const MAX_CHOSEN_BITS = 16;

/** Bits that hold a number of that type while the circuit runs. */
export function widthOf({ base, width }: NumberType): number {
  switch (base) {
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

function encodingOf(type: NumberType): BitEncoding {
  if (!isWhole(type.base) && widthOf(type) === FLOAT_BITS) return 'float';
  return type.base === 'int' ? 'int' : 'uint';
}

/** Writes bits, and keeps what depends on them. */
export class ClassicalMemory {
  readonly #builder: CircuitBuilder;
  readonly #diagrams: DecisionDiagrams;
  readonly #frames: ConditionFrames;
  /** Variables whose value is a function of bits. */
  readonly #dynamic = new Set<VariableSymbol>();
  /** The bits that values depend on, which are asked for again and again. */
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

  /** Forgets variables whose block has ended. */
  forget(symbols: Iterable<{ readonly kind: string }>): void {
    // Checked: only variables were ever added.
    for (const symbol of symbols) this.#dynamic.delete(symbol as VariableSymbol);
  }

  /** Takes note that bits are about to be written: values computed from them are kept first. */
  prepareWrite(bits: readonly Bit[], offset: number): void {
    this.#builder.takeSteps(this.#dynamic.size, offset);
    for (const symbol of this.#dynamic) {
      // What is written into a variable's own bits is written into the variable.
      const isOwner = this.#isInMemory(symbol) && bits.every((bit) => symbol.memory.includes(bit));
      if (!isOwner && this.#readsAny(symbol.value, bits)) this.#spill(symbol, offset);
    }
  }

  /** Assigns a value to bits, where the statement at `offset` is to run. */
  write(bits: readonly Bit[], value: ClassicalExpression, offset: number): void {
    this.prepareWrite(bits, offset);
    for (const condition of this.#frames.singleConditionToWrite(bits, offset)) {
      this.#assign(bits, value, condition, offset);
    }
  }

  /** Gives a variable a value that its type holds, where the statement at `offset` is to run. */
  set(symbol: VariableSymbol, value: Value, offset: number): void {
    const { level, depth } = this.#frames;
    const isConditional = symbol.level < level ? depth > 0 : depth > symbol.depth;
    symbol.value = isConditional ? this.#chosen(this.#frames.holds(offset), value, symbol) : value;
    this.#follow(symbol, offset);
  }

  /** Scratch bits that hold the variable's value from here on; they may be written. */
  bitsOfVariable(symbol: VariableSymbol, offset: number): readonly Bit[] {
    return this.#isInMemory(symbol) ? symbol.memory : this.#spill(symbol, offset);
  }

  #isInMemory(
    symbol: VariableSymbol,
  ): symbol is VariableSymbol & { readonly memory: readonly Bit[] } {
    const { value, memory } = symbol;
    return memory !== undefined && value !== undefined && isReadOf(expressionOf(value), memory);
  }

  /** The truth of a value as a function of bits, which may be a scratch bit made for it. */
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

  /** A value as so many bits, which may be scratch bits made for it. */
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
   * Puts variables that a loop's body gives values to into bits that they have at the start of every
   * round, and all others that depend on measured bits into bits that nothing else writes.
   *
   * @returns What is to be called at the end of the body.
   */
  carry(symbols: readonly VariableSymbol[], offset: number): () => void {
    for (const symbol of [...this.#dynamic]) this.bitsOfVariable(symbol, offset);
    const carried = symbols.map((symbol) => {
      return { symbol, bits: this.bitsOfVariable(symbol, offset) };
    });
    return () => this.#carryBack(carried, offset);
  }

  /** Writes what a round has made of the variables where the next one looks for them. */
  #carryBack(
    carried: readonly { readonly symbol: VariableSymbol; readonly bits: readonly Bit[] }[],
    offset: number,
  ): void {
    const moved = carried.filter(
      ({ symbol, bits }) => !isReadOf(expressionOf(symbol.value!), bits),
    );
    const homes = new Set(moved.flatMap(({ bits }) => bits));
    // One variable's new value may be computed from another's old one: all are read before any is written.
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

  /** Notes a variable that depends on bits, and works a large value out. */
  #follow(symbol: VariableSymbol, offset: number): void {
    const { value } = symbol;
    if (value === undefined || value.kind === 'scalar') {
      this.#dynamic.delete(symbol);
      return;
    }
    this.#dynamic.add(symbol);
    if (sizeOf(expressionOf(value)) > MAX_SIZE) this.#spill(symbol, offset);
  }

  /** Assigns the variable's value to scratch bits of its own. */
  #spill(symbol: VariableSymbol, offset: number): readonly Bit[] {
    const { type, value = scalar(type.base, 0), memory = [] } = symbol;
    this.#builder.takeSteps(this.#dynamic.size, offset);
    const isOthers = [...this.#dynamic].some(
      (other) => other !== symbol && this.#readsAny(other.value, memory),
    );
    const isFree = memory.length > 0 && !isOthers;
    const bits = isFree ? memory : this.#newBits(widthOf(type), offset);
    this.#frames.noteWrite(bits);
    // Also where the statement runs under a condition: the value is what it is either way.
    this.#assign(bits, expressionOf(value), undefined, offset);
    symbol.memory = bits;
    symbol.value = this.#read(type, bits);
    this.#dynamic.add(symbol);
    return bits;
  }

  /** What bits that hold a number of that type read. */
  #read(type: NumberType, bits: readonly Bit[]): Value {
    if (type.base === 'bool' || type.base === 'uint') {
      const functions = bits.map((bit) => this.#diagrams.bit(bit));
      return { kind: 'bits', bits: functions, isScalar: type.base === 'bool' };
    }
    const expression = { kind: 'read', bits, encoding: encodingOf(type), type: type.base } as const;
    return { kind: 'dynamic', type: type.base, expression };
  }

  /** The new value where a function holds, else the variable's old one. */
  #chosen(holds: BitFunction, value: Value, { value: old, type }: VariableSymbol): Value {
    if (holds.kind === 'constant') return holds.value ? value : (old ?? scalar(type.base, 0));
    const before = old ?? scalar(type.base, 0);
    const rows = [value, before].map(asRow);
    const [whenTrue, whenFalse] = rows;
    if (whenTrue !== undefined && whenFalse !== undefined) {
      const width = Math.max(whenTrue.length, whenFalse.length);
      const bits = Array.from({ length: width }, (_, i) =>
        this.#diagrams.ifThenElse(holds, whenTrue[i] ?? NEVER, whenFalse[i] ?? NEVER),
      );
      const numBits = new Set(bits.flatMap((f) => [...bitsOf(f)])).size;
      if (numBits <= MAX_CHOSEN_BITS) return { kind: 'bits', bits, isScalar: type.base === 'bool' };
    }
    const expression = {
      kind: 'select',
      test: expressionOf({ kind: 'bits', bits: [holds], isScalar: true }),
      whenTrue: expressionOf(value),
      whenFalse: expressionOf(before),
    } as const;
    return { kind: 'dynamic', type: type.base, expression };
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

  /** A value of few bits, for each of what they may read; undefined where it does not exist for some. */
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
      // Shots for which it does not exist may never come here.
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

/** Whether an expression is what those bits read, and nothing else. */
function isReadOf(expression: ClassicalExpression, bits: readonly Bit[]): boolean {
  return (
    expression.kind === 'read' &&
    expression.bits.length === bits.length &&
    expression.bits.every((diagram, i) => diagram === bits[i])
  );
}

/** Bits that read as the number, unsigned; undefined for what is no such row. */
function asRow(value: Value): readonly BitFunction[] | undefined {
  if (value.kind === 'bits') return value.bits;
  if (value.kind === 'dynamic' || !isWhole(value.type) || value.value < 0) return undefined;
  return bitsOfInteger(value.value, Math.max(1, Math.ceil(Math.log2(value.value + 1))));
}
