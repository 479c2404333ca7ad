/**
 * Expressions of an OpenQASM program: postfix instructions and their evaluation.
 *
 * Postfix rather than a tree: the body of a loop or gate is evaluated again and again, and a flat list needs
 * no recursion. Constants are folded while parsing, so most angles become one number. One parser serves both
 * versions; OpenQASM 2 has fewer operators, and floats only.
 */
import { type Scalar, type ScalarType, scalar } from '../classical-expression.ts';
import { DEFAULT_WIDTH, ValueProblem } from '../classical-types.ts';
import { DecisionDiagrams } from './decision-diagram.ts';
import { type OpenAngles, type OpenNumber, openOf, openScalar } from './open-inputs.ts';
import { asScalar, binary, call, unary } from './operators.ts';
import type { TokenStream } from './token-stream.ts';
import type { Value } from './values.ts';

/** One pair of brackets after a name. */
export type Selector =
  | { readonly kind: 'index'; readonly index: Expression }
  | RangeSyntax
  | { readonly kind: 'set'; readonly indices: readonly Expression[] }
  /** `[0:1, 2]`, one selector for each dimension of an array. */
  | { readonly kind: 'dimensions'; readonly each: readonly Selector[]; readonly offset: number };

/** `a:b` or `a:step:b`, both ends included; in brackets either end may be left out. */
export interface RangeSyntax {
  readonly kind: 'range';
  readonly start: Expression | undefined;
  readonly step: Expression | undefined;
  readonly stop: Expression | undefined;
  readonly offset: number;
}

/** A name with its selectors. */
export interface OperandSyntax {
  readonly name: string;
  readonly selectors: readonly Selector[];
  readonly offset: number;
}

/** Pushes a value, or applies an operation to the top of the stack. */
export type Instruction =
  | { readonly kind: 'value'; readonly value: Value }
  /** Pushes the value of a name, which only the scope of the evaluation knows. */
  | { readonly kind: 'operand'; readonly operand: OperandSyntax }
  /** Pushes an angle of the gate whose body this is. */
  | { readonly kind: 'parameter'; readonly index: number; readonly offset: number }
  | { readonly kind: 'unary'; readonly operator: string; readonly offset: number }
  | { readonly kind: 'binary'; readonly operator: string; readonly offset: number }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly arity: number;
      readonly offset: number;
    }
  /** Calls a subroutine. */
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
  | { readonly kind: 'cast'; readonly type: WrittenType; readonly offset: number }
  /** Selects bits of a value that has no name: `uint[8](x)[1:3]`. */
  | { readonly kind: 'select'; readonly selectors: readonly Selector[]; readonly offset: number };

/** Type of a value in a declaration or a cast. `bit` keeps bits; the others are numbers. */
export interface ValueType {
  readonly base: ScalarType | 'bit';
  readonly width: number | undefined;
}

/** A type as written: its width may be an expression. */
export interface WrittenType {
  readonly base: ValueType['base'];
  readonly width: Expression | undefined;
}

/** An expression in postfix order. */
export interface Expression {
  readonly instructions: readonly Instruction[];
  /** Offset of its beginning in the text. */
  readonly offset: number;
}

/** Names and calls that an expression can use where it is evaluated. */
export interface Scope {
  readonly tokens: TokenStream;
  readonly diagrams: DecisionDiagrams;
  /** Value of a name, with its indices applied. */
  read(operand: OperandSyntax): Value;
  /** Converts a value to a type. */
  cast(type: WrittenType, value: Value): Value;
  /** Selects bits of a value. */
  select(value: Value, selectors: readonly Selector[], offset: number): Value;
  /** Calls a subroutine and returns its value. */
  invoke(name: string, args: readonly Expression[], offset: number): Value;
  /** Measures qubits and returns the outcomes. */
  measured(from: OperandSyntax, offset: number): Value;
  /** Number of elements of a register or an array. */
  sizeOf(operand: OperandSyntax, dimension: Expression | undefined): number;
}

/** Instructions of small whole numbers, such as indices. */
const SMALL_NUMBERS: readonly (readonly Instruction[])[] = Array.from({ length: 64 }, (_, i) => [
  { kind: 'value', value: scalar('int', i) },
]);

/** Makes the expression of one value. */
export function literal(value: Value, offset: number): Expression {
  const small =
    value.kind === 'scalar' && value.type === 'int' ? SMALL_NUMBERS[value.value] : undefined;
  return { instructions: small ?? [{ kind: 'value', value }], offset };
}

/**
 * Evaluates an expression without parameters.
 *
 * @throws {OpenQasmError} where it has no value.
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
        stack.push(
          scalar('uint', scope.sizeOf(instruction.operand, instruction.dimension), DEFAULT_WIDTH),
        );
        break;
      default:
        applyTo(stack, instruction, scope, []);
    }
  }
  return popped(stack);
}

/**
 * Evaluates an angle in a gate's body.
 *
 * @param angles - Values of the gate's parameters.
 * @param open - Those that follow from inputs.
 * @returns An open number if the angle follows from inputs.
 */
export function evaluateAngle(
  expression: Expression,
  angles: readonly number[],
  tokens: TokenStream,
  open?: OpenAngles,
): number | OpenNumber {
  const { instructions } = expression;
  const only = instructions.length === 1 ? instructions[0] : undefined;
  if (only?.kind === 'value') return numberOrOpen(asScalar(only.value));
  if (only?.kind === 'parameter') return open?.[only.index] ?? angles[only.index] ?? Number.NaN;
  const stack: Value[] = [];
  const scope = { tokens, diagrams: NO_DIAGRAMS };
  for (const instruction of instructions) {
    const parameter = instruction.kind === 'parameter' ? open?.[instruction.index] : undefined;
    if (parameter === undefined) applyTo(stack, instruction, scope, angles);
    else stack.push(openScalar('angle', parameter));
  }
  return numberOrOpen(asScalar(popped(stack)));
}

const numberOrOpen = (number: Scalar): number | OpenNumber => openOf(number) ?? number.value;

/** Angles of gates never depend on measured bits, so no diagram is made. */
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
  instruction: Extract<Instruction, { kind: 'unary' | 'binary' | 'call' | 'cast' | 'select' }>,
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
      return call(scope.diagrams, instruction.name, stack.splice(-instruction.arity));
    case 'cast': {
      const value = popped(stack);
      if (scope.cast === undefined) throw new ValueProblem('A cast of an angle', true);
      return scope.cast(instruction.type, value);
    }
    case 'select': {
      const value = popped(stack);
      if (scope.select === undefined) throw new ValueProblem('A bit of an angle', true);
      return scope.select(value, instruction.selectors, instruction.offset);
    }
  }
}

/** Turns a ValueProblem into an error with a place in the text. */
export function withPlace<T>(tokens: TokenStream, offset: number, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error;
    throw error.isUnsupported
      ? tokens.unsupported(offset, error.message)
      : tokens.invalid(offset, error.message);
  }
}

/** Evaluates an expression to a number that is known while reading. */
export function evaluateScalar(expression: Expression, scope: Scope): Scalar {
  return withPlace(scope.tokens, expression.offset, () => asScalar(evaluate(expression, scope)));
}

/** Positions of a gate's parameters, by name. */
export type Parameters = ReadonlyMap<string, number>;

/** Parameters outside gate definitions. */
export const NO_PARAMETERS: Parameters = new Map();

/**
 * Prepares an expression of a gate's body for `evaluateAngle`: parameters become positions, and `read` gives
 * the values of other names for good.
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
