/** Statements of OpenQASM 3 as trees, so that the body of a loop can run again, and analyses of them. */
import type { DurationSyntax } from './durations.ts';
import type { Expression, OperandSyntax, RangeSyntax, WrittenType } from './expressions.ts';
import type { NoisePragma } from './noise-pragmas.ts';
import type { ResultPragma, UnitaryPragma } from './pragmas.ts';

/** `ctrl(2) @`, `inv @`, `pow(0.5) @` before a gate's name. */
export interface Modifier {
  readonly kind: 'ctrl' | 'negctrl' | 'inv' | 'pow';
  /** Number of controls (1 where none is written), or the exponent. */
  readonly argument: Expression | undefined;
  readonly offset: number;
}

/** `inv @ rx(pi) q[0];` */
export interface GateCall {
  readonly kind: 'call';
  readonly modifiers: readonly Modifier[];
  readonly name: string;
  readonly nameOffset: number;
  readonly angles: readonly Expression[];
  /** Duration of the gate, as in `rx(1)[20ns] q;`. */
  readonly duration: DurationSyntax | undefined;
  readonly operands: readonly OperandSyntax[];
  readonly offset: number;
}

/**
 * `for int i in [0:3] { … }`. The values are a range, a set, the elements of an array, or bits.
 */
export interface ForLoop {
  readonly kind: 'for';
  readonly type: WrittenType;
  readonly variable: string;
  readonly variableOffset: number;
  readonly values:
    | RangeSyntax
    | { readonly kind: 'set'; readonly members: readonly Expression[] }
    | { readonly kind: 'elements'; readonly of: Expression };
  readonly body: readonly Statement[];
  readonly offset: number;
}

/** `gate g(a) q { … }` */
export interface GateDefinitionSyntax {
  readonly kind: 'gate';
  readonly name: string;
  readonly parameters: ReadonlyMap<string, number>;
  readonly qubits: ReadonlyMap<string, number>;
  readonly body: readonly Statement[];
  readonly offset: number;
}

/** `opaque g(a) q;` */
interface OpaqueDeclaration {
  readonly kind: 'opaque';
  readonly name: string;
  readonly numParameters: number;
  readonly numQubits: number;
  readonly offset: number;
}

/** `if (c == 1) { … } else { … }` */
export interface Conditional {
  readonly kind: 'if';
  readonly condition: Expression;
  readonly whenTrue: readonly Statement[];
  readonly whenFalse: readonly Statement[];
  readonly offset: number;
}

/** `switch (c) { case 0, 1 { … } default { … } }` */
export interface Switch {
  readonly kind: 'switch';
  readonly subject: Expression;
  readonly cases: readonly {
    readonly labels: readonly Expression[];
    readonly body: readonly Statement[];
  }[];
  readonly otherwise: readonly Statement[];
  readonly offset: number;
}

/** `qubit[4] q;`, `bit c;`, `bit[4] c = measure q;`, `bit[2] c = "00";`, `output bit[2] c;` */
export interface RegisterDeclaration {
  readonly kind: 'register';
  readonly role: 'output' | 'plain';
  readonly of: 'qubit' | 'bit';
  readonly name: string;
  /** Undefined for a single qubit or bit. */
  readonly size: Expression | undefined;
  readonly measured: OperandSyntax | undefined;
  readonly value: Expression | undefined;
  readonly offset: number;
}

/** `const int n = 3;`, `float x;`, `input angle theta;`, `const bit[2] c = "01";` */
export interface VariableDeclaration {
  readonly kind: 'variable';
  readonly role: 'const' | 'input' | 'output' | 'plain';
  readonly type: WrittenType;
  readonly name: string;
  readonly value: Expression | undefined;
  readonly offset: number;
}

/** Values for the elements of an array; lists of lists for several dimensions. */
export type ArrayValues = Expression | { readonly list: readonly ArrayValues[] };

/** `array[int[8], 2, 3] a = {{1, 2, 3}, {4, 5, 6}};` */
export interface ArrayDeclaration {
  readonly kind: 'array';
  readonly type: WrittenType;
  readonly sizes: readonly Expression[];
  readonly name: string;
  readonly values: ArrayValues | undefined;
  readonly offset: number;
}

/** Array parameter of a subroutine: `mutable array[int[8], 2, 3] a` or `readonly array[int[8], #dim = 2] a`. */
export interface ArrayParameter {
  readonly isMutable: boolean;
  /** Expected sizes, or their number. */
  readonly sizes: readonly Expression[] | { readonly count: Expression };
}

/** A parameter of a subroutine: a number, bits, qubits, or an array of the caller's. */
export interface SubroutineParameter {
  readonly name: string;
  readonly of: 'qubit' | 'bit' | 'number' | 'array';
  /** Type of a number or of an array's elements; for a register, its size as a width. */
  readonly type: WrittenType;
  /** Given for an array. */
  readonly array?: ArrayParameter;
  readonly offset: number;
}

/** `def f(qubit[2] q, int n) -> bit { … }` */
export interface SubroutineDefinition {
  readonly kind: 'def';
  readonly name: string;
  readonly parameters: readonly SubroutineParameter[];
  /** Type of the returned value; undefined for nothing. */
  readonly returns: WrittenType | undefined;
  readonly body: readonly Statement[];
  readonly offset: number;
}

/**
 * Completion of a statement: control continues with the next one, or leaves a round of a loop, a loop, a
 * subroutine or the program.
 */
export type Completion = 'next' | 'break' | 'continue' | 'return' | 'end';

/** One statement. */
export type Statement =
  | GateCall
  | ForLoop
  | GateDefinitionSyntax
  | OpaqueDeclaration
  | UnitaryPragma
  | NoisePragma
  | ResultPragma
  | Conditional
  | Switch
  | RegisterDeclaration
  | VariableDeclaration
  | ArrayDeclaration
  | SubroutineDefinition
  | {
      readonly kind: 'return';
      readonly value: Expression | undefined;
      readonly offset: number;
    }
  | {
      readonly kind: 'measure';
      readonly from: OperandSyntax;
      readonly to: OperandSyntax | undefined;
      readonly offset: number;
    }
  | { readonly kind: 'reset'; readonly operand: OperandSyntax; readonly offset: number }
  | {
      readonly kind: 'barrier';
      readonly operands: readonly OperandSyntax[];
      readonly offset: number;
    }
  | {
      readonly kind: 'while';
      readonly condition: Expression;
      readonly body: readonly Statement[];
      readonly offset: number;
    }
  | {
      readonly kind: 'assign';
      readonly target: OperandSyntax;
      /** Undefined for `=`; `+` for `+=`. */
      readonly operator: string | undefined;
      readonly value: Expression;
      readonly offset: number;
    }
  | {
      readonly kind: 'alias';
      readonly name: string;
      readonly value: Expression;
      readonly offset: number;
    }
  /** `{ … }`, `box { … }` or `box[1us] { … }`. */
  | {
      readonly kind: 'block';
      readonly duration: DurationSyntax | undefined;
      /** Whether it is a box after `#pragma braket verbatim`. */
      readonly isVerbatim: boolean;
      readonly body: readonly Statement[];
      readonly offset: number;
    }
  /** `delay[100ns] q;`, or `nop q;`, which has no duration. */
  | {
      readonly kind: 'delay';
      readonly duration: DurationSyntax | undefined;
      readonly operands: readonly OperandSyntax[];
      readonly offset: number;
    }
  /** `duration d = 10ns;` or `stretch s;` */
  | {
      readonly kind: 'duration';
      readonly name: string;
      readonly value: DurationSyntax | undefined;
      readonly offset: number;
    }
  | { readonly kind: 'break' | 'continue' | 'end'; readonly offset: number };

/** Makes the expression of one operand. */
export const expressionOfOperand = (operand: OperandSyntax): Expression => ({
  instructions: [{ kind: 'operand', operand }],
  offset: operand.offset,
});

/** Returns the operand that an expression consists of; undefined for any other expression. */
export function operandOf({ instructions }: Expression): OperandSyntax | undefined {
  const [only] = instructions;
  return instructions.length === 1 && only?.kind === 'operand' ? only.operand : undefined;
}

/** Returns the operands that an expression joins by `++`, or consists of; undefined for any other expression. */
export function joinedOperands({ instructions }: Expression): readonly OperandSyntax[] | undefined {
  const operands: OperandSyntax[] = [];
  for (const instruction of instructions) {
    if (instruction.kind === 'operand') operands.push(instruction.operand);
    else if (instruction.kind !== 'binary' || instruction.operator !== '++') return undefined;
  }
  return operands;
}

/** Names that statements may assign to, including arrays passed to subroutines. */
export function namesWritten(statements: readonly Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  const addArguments = (expressions: readonly Expression[]): void => {
    for (const { instructions } of expressions) {
      for (const instruction of instructions) {
        if (instruction.kind === 'operand') names.add(instruction.operand.name);
        if (instruction.kind === 'invoke') addArguments(instruction.args);
      }
    }
  };
  const addInvoked = (expression: Expression | undefined): void => {
    for (const instruction of expression?.instructions ?? []) {
      if (instruction.kind === 'invoke') addArguments(instruction.args);
    }
  };
  const walk = (statement: Statement): void => {
    switch (statement.kind) {
      case 'assign':
        names.add(statement.target.name);
        addInvoked(statement.value);
        return;
      case 'measure':
        if (statement.to !== undefined) names.add(statement.to.name);
        return;
      case 'call':
        addArguments([...statement.angles, ...statement.operands.map(expressionOfOperand)]);
        return;
      case 'if':
        addInvoked(statement.condition);
        statement.whenTrue.forEach(walk);
        statement.whenFalse.forEach(walk);
        return;
      case 'switch':
        for (const { body } of statement.cases) body.forEach(walk);
        statement.otherwise.forEach(walk);
        return;
      case 'while':
        addInvoked(statement.condition);
        statement.body.forEach(walk);
        return;
      case 'for':
      case 'block':
        statement.body.forEach(walk);
        return;
      case 'variable':
      case 'register':
      case 'return':
        addInvoked(statement.value);
        return;
      case 'alias':
        // Statements may assign to the parts by the other name.
        addArguments([statement.value]);
        return;
      default:
    }
  };
  statements.forEach(walk);
  return names;
}

/** Whether any of the statements, or a statement inside them, may leave a loop or skip part of a round. */
export function mayLeave(statements: readonly Statement[]): boolean {
  return statements.some((statement) => {
    switch (statement.kind) {
      case 'break':
      case 'continue':
      case 'return':
      case 'end':
        return true;
      case 'if':
        return mayLeave(statement.whenTrue) || mayLeave(statement.whenFalse);
      case 'switch':
        return mayLeave(statement.otherwise) || statement.cases.some(({ body }) => mayLeave(body));
      case 'for':
      case 'while':
      case 'block':
        return mayLeave(statement.body);
      default:
        return false;
    }
  });
}
