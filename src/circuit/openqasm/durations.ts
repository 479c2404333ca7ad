/**
 * Durations: `10ns`, `2 * a + durationof({ x q; })`.
 *
 * Without noise nothing happens while qubits wait, so a duration is only checked: its names must be declared,
 * and its operators must combine durations and numbers correctly.
 */
import type { ExpressionParser } from './expression-parser.ts';
import type { OperandSyntax } from './expressions.ts';
import type { TokenStream } from './token-stream.ts';

/** Type of a part of a duration. */
type DurationType = 'duration' | 'number';

/** Pushes a type, or applies an operator to the top of the stack. */
type Instruction =
  | { readonly kind: 'type'; readonly type: DurationType }
  | { readonly kind: 'name'; readonly operand: OperandSyntax }
  | { readonly kind: 'operator'; readonly operator: string; readonly offset: number };

/** A duration in postfix order. */
export interface DurationSyntax {
  readonly instructions: readonly Instruction[];
  readonly offset: number;
}

const UNITS: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'μs', 'ms', 's', 'dt']);
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
    if (kind === 'integer' || kind === 'real') {
      this.#number();
    } else if (this.#tokens.isWord('durationof')) {
      this.#tokens.next();
      this.#tokens.expect('(');
      this.#readBlock();
      this.#tokens.expect(')');
      this.#instructions.push({ kind: 'type', type: 'duration' });
    } else if (kind === 'identifier') {
      this.#instructions.push({ kind: 'name', operand: this.#expressions.operand('a duration') });
    } else if (text === '-' && kind === 'symbol') {
      this.#tokens.next();
      this.#factor();
    } else if (this.#tokens.accept('(')) {
      this.#sum();
      this.#tokens.expect(')');
    } else {
      throw this.#tokens.unexpected('a duration, such as 100ns');
    }
    this.#depth--;
  }

  #number(): void {
    const { text, offset } = this.#tokens.next();
    const unit = this.#tokens.current;
    const isUnit = unit.kind === 'identifier' && unit.offset === offset + text.length;
    if (isUnit && !UNITS.has(unit.text)) {
      throw this.#tokens.unexpected('a unit of time: ns, us, ms, s or dt');
    }
    if (isUnit) this.#tokens.next();
    this.#instructions.push({ kind: 'type', type: isUnit ? 'duration' : 'number' });
  }
}

/**
 * Checks that an expression is a duration.
 *
 * @param typeOf - Type of a name; throws if it is not declared.
 * @throws {OpenQasmMeaningError} if it is a number, or an operator cannot combine its operands.
 */
export function checkDuration(
  { instructions, offset }: DurationSyntax,
  tokens: TokenStream,
  typeOf: (operand: OperandSyntax) => DurationType,
): void {
  const stack: (DurationType | undefined)[] = [];
  for (const instruction of instructions) {
    if (instruction.kind === 'type') stack.push(instruction.type);
    else if (instruction.kind === 'name') stack.push(typeOf(instruction.operand));
    else {
      const [right, left] = [stack.pop(), stack.pop()];
      const type = combined(instruction.operator, left, right);
      if (type === undefined) {
        const problem = `"${instruction.operator}" cannot combine a ${left} and a ${right}.`;
        throw tokens.invalid(instruction.offset, problem);
      }
      stack.push(type);
    }
  }
  if (stack[0] === 'duration') return;
  throw tokens.invalid(offset, 'A duration has a unit: ns, us, ms, s or dt, as in 100ns.');
}

function combined(
  operator: string,
  left: DurationType | undefined,
  right: DurationType | undefined,
): DurationType | undefined {
  switch (operator) {
    case '*':
      if (left === 'duration' && right === 'duration') return undefined;
      return left === right ? 'number' : 'duration';
    case '/':
      if (left === right) return 'number';
      return left === 'duration' ? 'duration' : undefined;
    default:
      return left === right ? left : undefined;
  }
}
