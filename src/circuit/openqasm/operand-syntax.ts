/** How a program names qubits, bits and values: `q`, `q[3]`, `q[0:2:6]`, `q[{0, 3}]`, `a ++ b`. */
import type { Expression } from './expressions.ts';

/** What stands in one pair of brackets after a name. */
export type Selector =
  | { readonly kind: 'index'; readonly index: Expression }
  | RangeSyntax
  | { readonly kind: 'set'; readonly indices: readonly Expression[] };

/** `a:b` or `a:step:b`, both ends included; in brackets either end may be left out. */
export interface RangeSyntax {
  readonly kind: 'range';
  readonly start: Expression | undefined;
  readonly step: Expression | undefined;
  readonly stop: Expression | undefined;
  readonly offset: number;
}

/** A name with what is selected of it. */
export interface OperandSyntax {
  readonly name: string;
  readonly selectors: readonly Selector[];
  readonly offset: number;
}
