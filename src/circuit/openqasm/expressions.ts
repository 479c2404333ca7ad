/**
 * Expressions of a program: text → postfix instructions → a value.
 *
 * Postfix rather than a tree: a loop's or gate's body is evaluated again and again, and a flat list
 * needs no recursion there. What is constant is folded while parsing, so of most angles one number
 * is left. One parser serves both versions; OpenQASM 2 has fewer operators, and floats only.
 */
import { ValueProblem } from '../classical-evaluation.ts';
import { type Scalar, type ScalarType, scalar } from '../classical-expression.ts';
import { DecisionDiagrams } from './decision-diagram.ts';
import { asScalar, binary, call, unary } from './operators.ts';
import type { TokenStream } from './token-stream.ts';
import type { Value } from './values.ts';

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

/** Pushes a value, or applies something to the top of the stack. */
export type Instruction =
  | { readonly kind: 'value'; readonly value: Value }
  /** A name, perhaps with indices; only the scope it is evaluated in knows what it is. */
  | { readonly kind: 'operand'; readonly operand: OperandSyntax }
  /** An angle of the gate whose body this is. */
  | { readonly kind: 'parameter'; readonly index: number; readonly offset: number }
  | { readonly kind: 'unary'; readonly operator: string; readonly offset: number }
  | { readonly kind: 'binary'; readonly operator: string; readonly offset: number }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly arity: number;
      readonly offset: number;
    }
  /** A call of a subroutine. */
  | {
      readonly kind: 'invoke';
      readonly name: string;
      readonly args: readonly Expression[];
      readonly offset: number;
    }
  /** `measure q` inside an expression. */
  | { readonly kind: 'measured'; readonly from: OperandSyntax; readonly offset: number }
  | {
      readonly kind: 'sizeof';
      readonly operand: OperandSyntax;
      readonly dimension: Expression | undefined;
      readonly offset: number;
    }
  | { readonly kind: 'cast'; readonly type: WrittenType; readonly offset: number };

/** A type in a cast or a declaration; `bit` keeps its bits, the others make a number. */
export interface CastType {
  readonly base: ScalarType | 'bit';
  readonly width: number | undefined;
}

/** A type as it is written: its width may be computed from constants. */
export interface WrittenType {
  readonly base: CastType['base'];
  readonly width: Expression | undefined;
}

/** An expression in postfix order. */
export interface Expression {
  readonly instructions: readonly Instruction[];
  /** Where it begins. */
  readonly offset: number;
}

/** What an expression may refer to where it is evaluated. */
export interface Scope {
  readonly tokens: TokenStream;
  readonly diagrams: DecisionDiagrams;
  /** The value a name has, with its indices applied. */
  read(operand: OperandSyntax): Value;
  /** A value as a type, other than through a number. */
  cast(type: WrittenType, value: Value): Value;
  /** What a subroutine returns. */
  invoke(name: string, args: readonly Expression[], offset: number): Value;
  /** The outcomes of a measurement that stands in an expression. */
  measured(from: OperandSyntax, offset: number): Value;
  /** How many elements a register or an array has. */
  sizeOf(operand: OperandSyntax, dimension: Expression | undefined): number;
}

/** The expression that is one number. */
export function literal(value: Value, offset: number): Expression {
  return { instructions: [{ kind: 'value', value }], offset };
}

/**
 * The value of an expression without parameters.
 *
 * @throws {OpenQasmError} where it has none.
 */
export function evaluate(expression: Expression, scope: Scope): Value {
  const only = expression.instructions[0];
  if (expression.instructions.length === 1 && only?.kind === 'value') return only.value;
  const stack: Value[] = [];
  for (const instruction of expression.instructions) {
    switch (instruction.kind) {
      case 'operand':
        stack.push(scope.read(instruction.operand));
        break;
      case 'invoke':
        stack.push(scope.invoke(instruction.name, instruction.args, instruction.offset));
        break;
      case 'measured':
        stack.push(scope.measured(instruction.from, instruction.offset));
        break;
      case 'sizeof':
        stack.push(scalar('uint', scope.sizeOf(instruction.operand, instruction.dimension)));
        break;
      default:
        applyTo(stack, instruction, scope, []);
    }
  }
  return popped(stack);
}

/** The value of an expression whose operands are all parameters; `angles` are theirs. */
export function evaluateAngle(
  expression: Expression,
  angles: readonly number[],
  tokens: TokenStream,
): number {
  const only = expression.instructions[0];
  if (expression.instructions.length === 1 && only?.kind === 'value') {
    return asScalar(only.value).value;
  }
  const stack: Value[] = [];
  for (const instruction of expression.instructions) {
    applyTo(stack, instruction, { tokens, diagrams: NO_DIAGRAMS }, angles);
  }
  return asScalar(popped(stack)).value;
}

/** Angles of gates never depend on measured bits, so nothing is ever made here. */
const NO_DIAGRAMS = new DecisionDiagrams();

function popped(stack: Value[]): Value {
  const value = stack.pop();
  if (value === undefined) throw new Error('unreachable: an operator without operands');
  return value;
}

function applyTo(
  stack: Value[],
  instruction: Instruction,
  scope: Pick<Scope, 'tokens' | 'diagrams'> & Partial<Scope>,
  angles: readonly number[],
): void {
  switch (instruction.kind) {
    case 'value':
      stack.push(instruction.value);
      return;
    case 'parameter':
      stack.push(scalar('angle', angles[instruction.index] ?? Number.NaN));
      return;
    case 'operand':
      throw new Error('unreachable: a name in a gate body that was not resolved');
    case 'invoke':
    case 'measured':
    case 'sizeof':
      throw new Error('unreachable: a call in a gate body');
    default:
      withPlace(scope.tokens, instruction.offset, () => {
        stack.push(applied(stack, instruction, scope));
      });
  }
}

function applied(
  stack: Value[],
  instruction: Extract<Instruction, { kind: 'unary' | 'binary' | 'call' | 'cast' }>,
  scope: Pick<Scope, 'diagrams'> & Partial<Scope>,
): Value {
  switch (instruction.kind) {
    case 'unary':
      return unary(scope.diagrams, instruction.operator, popped(stack));
    case 'binary': {
      const right = popped(stack);
      return binary(scope.diagrams, instruction.operator, popped(stack), right);
    }
    case 'call':
      return call(instruction.name, stack.splice(-instruction.arity));
    case 'cast': {
      const value = popped(stack);
      if (scope.cast === undefined) throw new ValueProblem('A cast of an angle', true);
      return scope.cast(instruction.type, value);
    }
  }
}

/** Runs what may throw a ValueProblem, and gives the problem its place. */
export function withPlace<T>(tokens: TokenStream, offset: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    throw error.isUnsupported
      ? tokens.unsupported(offset, error.message)
      : tokens.meaningless(offset, error.message);
  }
}

/** The value of an expression that must be a number known while reading. */
export function evaluateScalar(expression: Expression, scope: Scope): Scalar {
  return withPlace(scope.tokens, expression.offset, () => asScalar(evaluate(expression, scope)));
}

/** Parameters of a gate, by name, with their positions. */
export type Parameters = ReadonlyMap<string, number>;

/** Outside gate definitions. */
export const NO_PARAMETERS: Parameters = new Map();

/**
 * An expression of a gate's body, fit for `evaluateAngle`: parameters become positions, and
 * `read` gives the other names their values for good.
 */
export function bindParameters(
  expression: Expression,
  parameters: Parameters,
  read: (operand: OperandSyntax) => Value,
): Expression {
  if (expression.instructions.every(({ kind }) => kind === 'value')) return expression;
  const instructions = expression.instructions.map((instruction): Instruction => {
    if (instruction.kind !== 'operand') return instruction;
    const { name, selectors, offset } = instruction.operand;
    const index = selectors.length === 0 ? parameters.get(name) : undefined;
    if (index !== undefined) return { kind: 'parameter', index, offset };
    return { kind: 'value', value: read(instruction.operand) };
  });
  return { instructions, offset: expression.offset };
}
