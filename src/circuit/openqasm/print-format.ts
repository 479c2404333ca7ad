/** Parts of printing OpenQASM that both versions share. */
import type {
  Condition,
  DynamicCircuit,
  GateOperation,
  MeasureOperation,
  MisreadOperation,
  NoiseOperation,
  Operation,
  UnitaryOperation,
} from '../circuit.ts';

/** A circuit without classical computation. */
export interface PrintableCircuit extends Pick<DynamicCircuit, 'numQubits' | 'numBits'> {
  readonly operations: readonly (Operation | NoiseOperation | MisreadOperation)[];
  /** Inputs that version 3 declares; version 2 has none and prints the angles as numbers. */
  readonly inputs?: PrintedInputs;
}

/** Inputs of a circuit, and the angles that depend on them. */
export interface PrintedInputs {
  /** Names, which are identifiers. */
  readonly names: readonly string[];
  /** Text of each angle of a gate; undefined for an angle that is its number. */
  readonly angles: ReadonlyMap<GateOperation, readonly (string | undefined)[]>;
}

/** A gate or unitary of a circuit. */
export type UnitaryLike = GateOperation | UnitaryOperation;

/** Printing that differs between the versions. */
export interface Dialect {
  /** Text of a qubit as an operand. */
  qubit(index: number): string;
  /** Declarations of the registers. */
  declarations(): readonly string[];
  /** Statements of a gate, without its condition. Adds the definitions that it needs. */
  gate(operation: UnitaryLike): readonly string[];
  /** Statements under a condition. */
  underCondition(
    condition: Condition,
    statements: readonly string[],
    index: number,
  ): readonly string[];
  /** Statements of a measurement. */
  measure(operation: MeasureOperation, index: number): readonly string[];
  /**
   * The statement of a noise channel.
   *
   * @throws {OpenQasmUnprintableError} where the version has none for it.
   */
  noise(operation: NoiseOperation, index: number): string;
}

/** Gate definitions, each once, in the order of first use. */
export class Definitions {
  readonly #names = new Map<string, string>();
  readonly lines: string[] = [];

  /** Returns the name of the definition with a key, which is made at its first use. */
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

/** Prints a number exactly, as both versions read it. */
export function number(value: number): string {
  const text = `${value}`;
  // Version 2 requires a decimal point before an exponent.
  return text.includes('e') && !text.includes('.') ? text.replace('e', '.0e') : text;
}

/** Prints `rx(0.5) q[0];`. Angles that are texts stay as they are. */
export function call(
  name: string,
  angles: readonly (number | string)[],
  operands: readonly string[],
): string {
  const texts = angles.map((angle) => (typeof angle === 'string' ? angle : number(angle)));
  const inParentheses = angles.length === 0 ? '' : `(${texts.join(', ')})`;
  const after = operands.length === 0 ? '' : ` ${operands.join(', ')}`;
  return `${name}${inParentheses}${after};`;
}

/** Prints `q[3]`. */
export const qubit = (index: number): string => `q[${index}]`;
