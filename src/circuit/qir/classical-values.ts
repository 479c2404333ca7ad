/**
 * Values of a program that may depend on measured bits: integers as rows of boolean functions of these bits, doubles
 * and addresses as lists of exclusive cases.
 */
import {
  ALWAYS,
  type BitFunction,
  type DecisionDiagrams,
  NEVER,
} from '../openqasm/decision-diagram.ts';
import {
  type Address,
  asDouble,
  compared,
  keyOf,
  knownResult,
  ValueTrouble,
} from './known-values.ts';

/** An integer, `bits[0]` least significant. */
export interface Row {
  readonly kind: 'row';
  readonly bits: readonly BitFunction[];
}

/** A value of which one of several holds. */
export interface Cases<T extends number | Address = number | Address> {
  readonly kind: 'cases';
  readonly cases: readonly { readonly holds: BitFunction; readonly value: T }[];
}

/** A value; `undefined` is one that may be anything. */
export type Value = Row | Cases | { readonly kind: 'undefined' };

/** A value that may be anything. */
export const UNDEFINED: Value = { kind: 'undefined' };

/** Most cases of a value. */
const MAX_CASES = 256;

/** The row of an integer. */
export const rowOf = (value: bigint, width: number): Row => ({
  kind: 'row',
  bits: Array.from({ length: width }, (_, i) => ((value >> BigInt(i)) & 1n ? ALWAYS : NEVER)),
});

/** The value of one case. */
export const always = <T extends number | Address>(value: T): Cases<T> => ({
  kind: 'cases',
  cases: [{ holds: ALWAYS, value }],
});

/** The integer that a row is, from 0; undefined if it depends on measured bits. */
export function knownRow({ bits }: Row): bigint | undefined {
  let value = 0n;
  for (let i = bits.length - 1; i >= 0; i--) {
    const bit = bits[i]!;
    if (bit.kind !== 'constant') return undefined;
    value = 2n * value + (bit.value ? 1n : 0n);
  }
  return value;
}

/** Computes with values. */
export class ClassicalArithmetic {
  readonly diagrams: DecisionDiagrams;
  /** Keeps a function small: assigns one that is large to a bit of its own. */
  readonly #settle: (f: BitFunction) => BitFunction;

  constructor(diagrams: DecisionDiagrams, settle: (f: BitFunction) => BitFunction) {
    this.diagrams = diagrams;
    this.#settle = settle;
  }

  /** One value where a function holds, else another. */
  choose(holds: BitFunction, whenTrue: Value, whenFalse: Value): Value {
    if (holds.kind === 'constant') return holds.value ? whenTrue : whenFalse;
    if (whenTrue === whenFalse || whenFalse.kind === 'undefined') return whenTrue;
    if (whenTrue.kind === 'undefined') return whenFalse;
    if (whenTrue.kind === 'row' && whenFalse.kind === 'row') {
      if (whenTrue.bits.length !== whenFalse.bits.length) throw otherTypes();
      return this.#chosen(holds, whenTrue, whenFalse);
    }
    if (whenTrue.kind === 'row' || whenFalse.kind === 'row') {
      throw otherTypes();
    }
    const otherwise = this.diagrams.not(holds);
    return this.#cases([
      ...whenTrue.cases.map((one) => ({ ...one, holds: this.diagrams.and(holds, one.holds) })),
      ...whenFalse.cases.map((one) => ({ ...one, holds: this.diagrams.and(otherwise, one.holds) })),
    ]);
  }

  /** A value as far as it matters where a function holds: what is certain there is a constant. */
  under(holds: BitFunction, value: Value): Value {
    if (holds === ALWAYS || value.kind === 'undefined') return value;
    if (value.kind === 'cases') {
      if (value.cases.length === 1) return value;
      const cases = value.cases.filter((one) => this.diagrams.and(holds, one.holds) !== NEVER);
      return { kind: 'cases', cases };
    }
    if (value.bits.every(({ kind }) => kind === 'constant')) return value;
    const bits = value.bits.map((bit) => {
      if (bit.kind === 'constant') return bit;
      const both = this.diagrams.and(holds, bit);
      if (both === NEVER) return NEVER;
      return both === holds ? ALWAYS : bit;
    });
    return { kind: 'row', bits };
  }

  /** A computation on the cases of values. */
  map<T extends number | Address>(
    values: readonly Cases[],
    compute: (given: readonly (number | Address)[]) => T,
  ): Cases<T> {
    // Checked: the computation gives the type.
    return this.#cases(
      this.combinations(values).map(({ holds, given }) => ({ holds, value: compute(given) })),
    ) as Cases<T>;
  }

  /** All combinations of cases, one of which holds. */
  combinations(
    values: readonly Cases[],
  ): readonly { readonly holds: BitFunction; readonly given: readonly (number | Address)[] }[] {
    let found: { holds: BitFunction; given: readonly (number | Address)[] }[] = [
      { holds: ALWAYS, given: [] },
    ];
    for (const { cases } of values) {
      found = found.flatMap(({ holds, given }) =>
        cases.flatMap((one) => {
          const both = this.diagrams.and(holds, one.holds);
          return both === NEVER ? [] : [{ holds: both, given: [...given, one.value] }];
        }),
      );
      if (found.length > MAX_CASES) throw tooManyCases();
    }
    return found;
  }

  /** Joins cases of the same value. */
  #cases(found: Cases['cases']): Cases {
    const joined = new Map<string, { holds: BitFunction; value: number | Address }>();
    for (const { holds, value } of found) {
      if (holds === NEVER) continue;
      const key = keyOf(value);
      const same = joined.get(key);
      const either = same === undefined ? holds : this.diagrams.or(same.holds, holds);
      joined.set(key, { holds: this.#settle(either), value });
    }
    if (joined.size > MAX_CASES) throw tooManyCases();
    return { kind: 'cases', cases: [...joined.values()] };
  }

  /** The doubles that an integer may be. */
  toDouble(row: Row, isSigned: boolean): Cases<number> {
    const width = row.bits.length;
    let found: { holds: BitFunction; value: bigint }[] = [{ holds: ALWAYS, value: 0n }];
    for (const [i, bit] of row.bits.entries()) {
      const place = i === width - 1 && isSigned ? -(1n << BigInt(i)) : 1n << BigInt(i);
      const none = this.diagrams.not(bit);
      found = found.flatMap(({ holds, value }) =>
        [
          { holds: this.diagrams.and(holds, none), value },
          { holds: this.diagrams.and(holds, bit), value: value + place },
        ].filter((one) => one.holds !== NEVER),
      );
      if (found.length > MAX_CASES) throw tooManyCases();
    }
    const cases = found.map(({ holds, value }) => ({ holds, value: Number(value) }));
    // Checked: they are doubles.
    return this.#cases(cases) as Cases<number>;
  }

  /** The bits that are those of a number in each case. */
  rowOfCases({ cases }: Cases, width: number, bitsOfNumber: (value: number) => bigint): Row {
    const bits = new Array<BitFunction>(width).fill(NEVER);
    for (const { holds, value } of cases) {
      const encoded = bitsOfNumber(asDouble(value));
      for (let i = 0; i < width; i++) {
        if ((encoded >> BigInt(i)) & 1n) bits[i] = this.diagrams.or(bits[i]!, holds);
      }
    }
    return { kind: 'row', bits: bits.map(this.#settle) };
  }

  /** Where a comparison of two doubles or addresses holds. */
  compareCases(operator: string, left: Cases, right: Cases): BitFunction {
    let holds: BitFunction = NEVER;
    for (const { holds: both, given } of this.combinations([left, right])) {
      if (compared(operator, given[0]!, given[1]!)) holds = this.diagrams.or(holds, both);
    }
    return this.#settle(holds);
  }

  /** Applies an operator of LLVM to integers. */
  binary(operator: string, left: Row, right: Row): Row {
    const known = [knownRow(left), knownRow(right)] as const;
    const width = left.bits.length;
    const [x, y] = known;
    if (x !== undefined && y !== undefined) return rowOf(knownResult(operator, x, y, width), width);
    const { diagrams } = this;
    const bitwise = (f: (a: BitFunction, b: BitFunction) => BitFunction): Row => ({
      kind: 'row',
      bits: left.bits.map((bit, i) => this.#settle(f(bit, right.bits[i]!))),
    });
    switch (operator) {
      case 'and':
        return bitwise((a, b) => diagrams.and(a, b));
      case 'or':
        return bitwise((a, b) => diagrams.or(a, b));
      case 'xor':
        return bitwise((a, b) => diagrams.xor(a, b));
      case 'add':
        return this.#sum(left, right, NEVER);
      case 'sub':
        return this.#sum(left, this.#inverted(right), ALWAYS);
      case 'mul': {
        let product: Row = rowOf(0n, width);
        const [by, of] = x === undefined ? [right, left] : [left, right];
        for (const [i, bit] of by.bits.entries()) {
          if (bit === NEVER) continue;
          const moved = shifted(of, i, NEVER).bits.map((each) => diagrams.and(bit, each));
          product = this.#sum(product, { kind: 'row', bits: moved }, NEVER);
        }
        return product;
      }
      case 'shl':
      case 'lshr':
      case 'ashr':
        return this.#shift(operator, left, right);
      default:
        return this.#division(operator, left, right);
    }
  }

  /** Divides bit by bit, from the highest one; what is divided by 0 has no meaning. */
  #division(operator: string, left: Row, right: Row): Row {
    const isSigned = operator.startsWith('s');
    const [numerator, divisor] = [left, right].map((row) =>
      isSigned ? this.#negatedWhere(row.bits.at(-1)!, row) : row,
    ) as [Row, Row];
    const width = left.bits.length;
    const known = knownRow(divisor);
    if (known !== undefined && known > 0n && (known & (known - 1n)) === 0n) {
      // A power of two, which most programs divide by.
      const places = rowOf(BigInt(known.toString(2).length - 1), width);
      const parts = operator.endsWith('div')
        ? this.binary('lshr', numerator, places)
        : this.binary('and', numerator, rowOf(known - 1n, width));
      return isSigned ? this.#signed(operator, parts, left, right) : parts;
    }
    const quotient = new Array<BitFunction>(width).fill(NEVER);
    let rest = rowOf(0n, width);
    for (let i = width - 1; i >= 0; i--) {
      // The remainder may need one bit more than the divisor has.
      const over = rest.bits.at(-1)!;
      rest = { kind: 'row', bits: [numerator.bits[i]!, ...rest.bits.slice(0, -1)] };
      const fits = this.diagrams.not(this.#isLess(rest, divisor, false));
      const takes = this.#settle(this.diagrams.or(over, fits));
      quotient[i] = takes;
      const less = this.binary('sub', rest, divisor);
      rest = this.#chosen(takes, less, rest);
    }
    const isQuotient = operator.endsWith('div');
    const result: Row = isQuotient ? { kind: 'row', bits: quotient } : rest;
    return isSigned ? this.#signed(operator, result, left, right) : result;
  }

  /** A quotient or a remainder of sizes with its sign. */
  #signed(operator: string, result: Row, left: Row, right: Row): Row {
    const [a, b] = [left.bits.at(-1)!, right.bits.at(-1)!];
    return this.#negatedWhere(operator === 'sdiv' ? this.diagrams.xor(a, b) : a, result);
  }

  #chosen(holds: BitFunction, whenTrue: Row, whenFalse: Row): Row {
    const bits = whenTrue.bits.map((bit, i) =>
      this.#settle(this.diagrams.ifThenElse(holds, bit, whenFalse.bits[i]!)),
    );
    return { kind: 'row', bits };
  }

  #negatedWhere(holds: BitFunction, row: Row): Row {
    if (holds === NEVER) return row;
    return this.#chosen(holds, this.binary('sub', rowOf(0n, row.bits.length), row), row);
  }

  #shift(operator: string, left: Row, right: Row): Row {
    const sign = operator === 'ashr' ? left.bits.at(-1)! : NEVER;
    let result = left;
    for (const [i, bit] of right.bits.entries()) {
      if (bit === NEVER) continue;
      const by = i < 8 ? 2 ** i : left.bits.length;
      result = this.#chosen(bit, shifted(result, operator === 'shl' ? by : -by, sign), result);
    }
    return result;
  }

  #inverted({ bits }: Row): Row {
    return { kind: 'row', bits: bits.map((bit) => this.diagrams.not(bit)) };
  }

  #sum(left: Row, right: Row, carryIn: BitFunction): Row {
    const { diagrams } = this;
    let carry = carryIn;
    const bits = left.bits.map((a, i) => {
      const b = right.bits[i]!;
      const half = diagrams.xor(a, b);
      const sum = this.#settle(diagrams.xor(half, carry));
      carry = this.#settle(diagrams.ifThenElse(half, carry, a));
      return sum;
    });
    return { kind: 'row', bits };
  }

  /** Where a comparison of integers holds. */
  compareRows(predicate: string, left: Row, right: Row): BitFunction {
    const { diagrams } = this;
    switch (predicate) {
      case 'eq':
      case 'ne': {
        let equal: BitFunction = ALWAYS;
        for (const [i, bit] of left.bits.entries()) {
          const same = diagrams.not(diagrams.xor(bit, right.bits[i]!));
          equal = this.#settle(diagrams.and(equal, same));
          if (equal === NEVER) break;
        }
        return predicate === 'eq' ? equal : diagrams.not(equal);
      }
      case 'ugt':
      case 'sgt':
        return this.#isLess(right, left, predicate === 'sgt');
      case 'ult':
      case 'slt':
        return this.#isLess(left, right, predicate === 'slt');
      case 'uge':
      case 'sge':
        return diagrams.not(this.#isLess(left, right, predicate === 'sge'));
      default:
        return diagrams.not(this.#isLess(right, left, predicate === 'sle'));
    }
  }

  #isLess(left: Row, right: Row, isSigned: boolean): BitFunction {
    const { diagrams } = this;
    let less: BitFunction = NEVER;
    for (const [i, a] of left.bits.entries()) {
      const b = right.bits[i]!;
      const isSign = isSigned && i === left.bits.length - 1;
      const differ = diagrams.xor(a, b);
      less = this.#settle(diagrams.ifThenElse(differ, isSign ? a : b, less));
    }
    return less;
  }
}

const otherTypes = () => new ValueTrouble('A value has different types where paths meet.');

const tooManyCases = () =>
  new ValueTrouble(`A double or an address has more than ${MAX_CASES} cases, by measured bits.`);

/** Whether a value depends on no measured bit. */
export const isKnown = (value: Value): boolean => {
  if (value.kind === 'undefined') return true;
  if (value.kind === 'cases') return value.cases.length === 1;
  return value.bits.every(({ kind }) => kind === 'constant');
};

/** Moves bits to higher places, or to lower ones if `by` is negative. */
function shifted({ bits }: Row, by: number, fill: BitFunction): Row {
  return { kind: 'row', bits: bits.map((_, i) => bits[i - by] ?? (i - by < 0 ? NEVER : fill)) };
}
