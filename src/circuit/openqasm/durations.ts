/**
 * Durations: `10ns`, `2 * a + durationof({ x q; })`.
 *
 * A duration is checked: its names must be declared, and its operators must combine durations and numbers correctly. It
 * has a value where it is known without the device: not in `dt`, with a `stretch`, or with the duration of gates.
 */

import { combinedParts, type DurationPart, UNITS } from './duration-arithmetic.ts';
import type { ExpressionParser } from './expression-parser.ts';
import { type OperandSyntax, withPlace } from './expressions.ts';
import type { TokenStream } from './token-stream.ts';

/** Code of a warning of delays that only a noise model with idle qubits gives an effect. */
export const DELAY_IGNORED = 'CIRCUIT_DURATION_IGNORED';
/** Code of a warning of delays that nothing gives an effect. */
export const DELAY_UNKNOWN = 'CIRCUIT_DELAY_IGNORED';

/** Code of a warning of durations of boxes and gates. */
export const TIMING_IGNORED = 'CIRCUIT_TIMING_IGNORED';

/** Pushes a part, or applies an operator to the top of the stack. */
type Instruction =
  | ({ readonly kind: 'part' } & DurationPart)
  | { readonly kind: 'sign' }
  | { readonly kind: 'name'; readonly operand: OperandSyntax }
  | { readonly kind: 'operator'; readonly operator: string; readonly offset: number };

/** A duration in postfix order. */
export interface DurationSyntax {
  readonly instructions: readonly Instruction[];
  readonly offset: number;
}

/** Nesting of parentheses and signs; deeper text is rejected before the stack overflows. */
const MAX_DEPTH = 256;

/** Parses durations. */
export class DurationParser {
  readonly #tokens: TokenStream;
  readonly #expressions: ExpressionParser;
  readonly #readBlock: () => void;
  #instructions: Instruction[] = [];
  #depth = 0;

  /** @param readBlock - Reads the block of statements in `durationof`, braces included. */
  constructor(tokens: TokenStream, expressions: ExpressionParser, readBlock: () => void) {
    this.#tokens = tokens;
    this.#expressions = expressions;
    this.#readBlock = readBlock;
  }

  /** Parses one duration. */
  parse(): DurationSyntax {
    const outer = this.#instructions;
    this.#instructions = [];
    const { offset } = this.#tokens.current;
    this.#sum();
    const instructions = this.#instructions;
    this.#instructions = outer;
    return { instructions, offset };
  }

  /** Parses a duration in brackets, if there is one. */
  inBrackets(): DurationSyntax | undefined {
    if (!this.#tokens.accept('[')) return undefined;
    const duration = this.parse();
    this.#tokens.expect(']');
    return duration;
  }

  #sum(): void {
    this.#chain(['+', '-'], () => this.#chain(['*', '/'], () => this.#factor()));
  }

  #chain(operators: readonly string[], operand: () => void): void {
    operand();
    for (;;) {
      const { kind, text: operator, offset } = this.#tokens.current;
      if (kind !== 'symbol' || !operators.includes(operator)) return;
      this.#tokens.next();
      operand();
      this.#instructions.push({ kind: 'operator', operator, offset });
    }
  }

  #factor(): void {
    const { kind, text, offset } = this.#tokens.current;
    if (++this.#depth > MAX_DEPTH) {
      throw this.#tokens.pastLimit(offset, `Durations nest at most ${MAX_DEPTH} deep.`);
    }
    if (kind === 'integer' || kind === 'real' || kind === 'based') {
      this.#number();
    } else if (this.#tokens.isWord('durationof')) {
      this.#tokens.next();
      this.#tokens.expect('(');
      this.#readBlock();
      this.#tokens.expect(')');
      this.#instructions.push({ kind: 'part', type: 'duration', value: undefined });
    } else if (kind === 'identifier') {
      this.#instructions.push({ kind: 'name', operand: this.#expressions.operand('a duration') });
    } else if (text === '-' && kind === 'symbol') {
      this.#tokens.next();
      this.#factor();
      this.#instructions.push({ kind: 'sign' });
    } else if (this.#tokens.accept('(')) {
      this.#sum();
      this.#tokens.expect(')');
    } else {
      throw this.#tokens.unexpected('a duration, such as 100ns');
    }
    this.#depth--;
  }

  #number(): void {
    const written = this.#tokens.next();
    const unit = this.#tokens.current;
    const isUnit = unit.kind === 'identifier' && this.#tokens.isBeside(written);
    if (isUnit && !UNITS.has(unit.text)) {
      throw this.#tokens.unexpected('a unit of time: ns, us, ms, s or dt');
    }
    const number = Number(written.text.replaceAll('_', ''));
    if (!isUnit) {
      this.#instructions.push({ kind: 'part', type: 'number', value: number });
      return;
    }
    this.#tokens.next();
    const scale = UNITS.get(unit.text);
    const value = scale === undefined ? undefined : number * scale;
    this.#instructions.push({ kind: 'part', type: 'duration', value });
  }
}

/**
 * Nanoseconds of a duration; undefined where they are not known.
 *
 * @param partOf - Meaning of a name; throws if it is not declared.
 * @throws {OpenQasmMeaningError} if it is a number, or an operator cannot combine its operands.
 */
export function valueOfDuration(
  { instructions, offset }: DurationSyntax,
  tokens: TokenStream,
  partOf: (operand: OperandSyntax) => DurationPart,
): number | undefined {
  const stack: DurationPart[] = [];
  for (const instruction of instructions) {
    switch (instruction.kind) {
      case 'part':
        stack.push(instruction);
        break;
      case 'name':
        stack.push(partOf(instruction.operand));
        break;
      case 'sign': {
        const { type, value } = stack.pop()!;
        stack.push({ type, value: value === undefined ? undefined : -value });
        break;
      }
      case 'operator': {
        const { operator, offset: at } = instruction;
        const [right, left] = [stack.pop()!, stack.pop()!];
        stack.push(withPlace(tokens, at, () => combinedParts(operator, left, right)));
      }
    }
  }
  const [{ type, value }] = stack as [DurationPart];
  if (type === 'duration') return value;
  throw tokens.invalid(offset, 'A duration has a unit: ns, us, ms, s or dt, as in 100ns.');
}
