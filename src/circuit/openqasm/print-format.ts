/** Pieces of OpenQASM text that both versions share. */
import type { Circuit, Condition, GateOperation, UnitaryOperation } from '../circuit.ts';

/** A gate or unitary of a circuit. */
export type UnitaryLike = GateOperation | UnitaryOperation;

/** What differs between the versions. */
export interface Dialect {
  /** The registers' declarations. */
  declarations(): readonly string[];
  /** Statements for a gate, without its condition; definitions it needs go to `define`. */
  gate(operation: UnitaryLike): readonly string[];
  /** Statements under a condition. */
  underCondition(
    condition: Condition,
    statements: readonly string[],
    index: number,
  ): readonly string[];
  /** Statements that measure. */
  measure(
    operation: Extract<Circuit['operations'][number], { kind: 'measure' }>,
    index: number,
  ): readonly string[];
}

/** Gate definitions, each once, in the order of their first use. */
export class Definitions {
  readonly #names = new Map<string, string>();
  readonly lines: string[] = [];

  /** The name of the definition with that key, made at its first use. */
  define(key: string, name: (count: number) => string, lines: (name: string) => readonly string[]) {
    let known = this.#names.get(key);
    if (known === undefined) {
      known = name(this.#names.size);
      this.#names.set(key, known);
      this.lines.push(...lines(known));
    }
    return known;
  }
}

/** A number as both versions read it; exact. */
export function number(value: number): string {
  const text = `${value}`;
  // Version 2 has no exponent without a point.
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** `rx(0.5) q[0];` */
export function call(name: string, angles: readonly number[], operands: readonly string[]): string {
  const inParentheses = angles.length === 0 ? '' : `(${angles.map(number).join(', ')})`;
  const after = operands.length === 0 ? '' : ` ${operands.join(', ')}`;
  return `${name}${inParentheses}${after};`;
}

/** `q[3]` */
export const qubit = (index: number): string => `q[${index}]`;
