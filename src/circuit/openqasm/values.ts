/** What an expression of a program comes to. */
import { bool } from '../classical-evaluation.ts';
import {
  type BitDiagram,
  type ClassicalExpression,
  FALSE_NODE,
  type Scalar,
  type ScalarType,
  TRUE_NODE,
} from '../classical-expression.ts';
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';

/** A row of bits, least significant first, each a function of what measurements will read. */
export interface Bits {
  readonly kind: 'bits';
  readonly bits: readonly BitFunction[];
  /** A single bit, or the truth of a comparison, rather than a register of one. */
  readonly isScalar: boolean;
}

/** A number that is computed while the circuit runs. */
export interface Dynamic {
  readonly kind: 'dynamic';
  readonly type: ScalarType;
  readonly expression: ClassicalExpression;
}

/** A number known while the program is read, or one of the two that depend on measured bits. */
export type Value = Scalar | Bits | Dynamic;

/** The truth of something about measured bits; a known bool where nothing depends on them. */
export function truth(f: BitFunction): Value {
  if (f.kind === 'constant') return bool(f.value);
  return { kind: 'bits', bits: [f], isScalar: true };
}

/** The bits of a whole number in two's complement, `width` of them. */
export function bitsOfInteger(value: number, width: number): readonly BitFunction[] {
  return Array.from({ length: width }, (_, i) =>
    ((Math.floor(value / 2 ** i) % 2) + 2) % 2 === 0 ? NEVER : ALWAYS,
  );
}

/** The number that bits are when none depends on a measurement; undefined otherwise. */
export function integerOf(bits: readonly BitFunction[]): number | undefined {
  let value = 0;
  for (const [i, f] of bits.entries()) {
    if (f.kind !== 'constant') return undefined;
    if (f.value) value += 2 ** i;
  }
  return value;
}

/** A value as what a circuit computes; bits are read as an unsigned number, a single one as a bool. */
export function expressionOf(value: Value): ClassicalExpression {
  switch (value.kind) {
    case 'scalar':
      return value;
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

/** A function as plain data. */
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
