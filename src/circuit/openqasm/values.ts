/** Values of expressions. */
import { bool } from '../classical-evaluation.ts';
import {
  type BitDiagram,
  type ClassicalExpression,
  FALSE_NODE,
  type Scalar,
  type ScalarType,
  scalar,
  TRUE_NODE,
} from '../classical-expression.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';
import { openOf } from './open-inputs.ts';

/** A row of bits, least significant first, each a function of measured bits. */
export interface Bits {
  readonly kind: 'bits';
  readonly bits: readonly BitFunction[];
  /** Whether it is a single bit, or the truth of a comparison, rather than a register of one. */
  readonly isScalar: boolean;
}

/** A number that is computed while the circuit runs. */
export interface Dynamic {
  readonly kind: 'dynamic';
  readonly type: ScalarType;
  readonly expression: ClassicalExpression;
}

/** A number known while the program is read, or a value that depends on measured bits. */
export type Value = Scalar | Bits | Dynamic;

/** Makes a boolean value of a function; a known bool if it is constant. */
export function truth(f: BitFunction): Value {
  if (f.kind === 'constant') return bool(f.value);
  return { kind: 'bits', bits: [f], isScalar: true };
}

/** Bits of a whole number in two's complement, `width` of them. */
export function bitsOfInteger(value: number, width: number): readonly BitFunction[] {
  return Array.from({ length: width }, (_, i) =>
    // Beyond 2^53 all bits are those of the sign.
    ((Math.floor(value / 2 ** Math.min(i, 1000)) % 2) + 2) % 2 === 0 ? NEVER : ALWAYS,
  );
}

/** Number that constant bits have; undefined if any depends on a measurement. */
export function integerOf(bits: readonly BitFunction[]): number | undefined {
  let value = 0;
  for (const [i, f] of bits.entries()) {
    if (f.kind !== 'constant') return undefined;
    if (f.value) value += 2 ** i;
  }
  return value;
}

/** Converts a value to an expression. Bits are read as an unsigned number, a single one as a bool. */
export function expressionOf(value: Value): ClassicalExpression {
  switch (value.kind) {
    case 'scalar':
      // Part of the circuit from here on, so its value is read for good.
      return openOf(value) === undefined ? value : scalar(value.type, value.value);
    case 'dynamic':
      return value.expression;
    case 'bits':
      return {
        kind: 'read',
        bits: value.bits.map(diagramOf),
        encoding: 'uint',
        type: value.isScalar ? 'bool' : 'uint',
      };
  }
}

/** Converts a function to plain data. */
export function diagramOf(f: BitFunction): BitDiagram {
  if (f.kind === 'constant') return f.value;
  if (f.low === NEVER && f.high === ALWAYS) return f.bit;
  const nodes: [bit: number, low: number, high: number][] = [];
  const places = new Map<BitFunction, number>();
  const place = (node: BitFunction): number => {
    if (node.kind === 'constant') return node.value ? TRUE_NODE : FALSE_NODE;
    const known = places.get(node);
    if (known !== undefined) return known;
    const [low, high] = [place(node.low), place(node.high)];
    const at = nodes.push([node.bit, low, high]) - 1;
    places.set(node, at);
    return at;
  };
  place(f);
  return { nodes };
}
