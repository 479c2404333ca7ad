/** Turns gate calls and definitions of OpenQASM 3 into gate meanings, resolving modifiers and loops. */

import type { Scalar } from '../classical-expression.ts';
import { DELAY_UNKNOWN } from './durations.ts';
import type { OperandSyntax } from './expressions.ts';
import { bindParameters, type Expression, type Parameters } from './expressions.ts';
import type { Gates, NamedGate } from './gate-definitions.ts';
import {
  type BodyStatement,
  controlled,
  definedGate,
  type GateMeaning,
  power,
} from './gate-meaning.ts';
import type {
  Completion,
  ForLoop,
  GateCall,
  GateDefinitionSyntax,
  Modifier,
  Statement,
} from './syntax-tree.ts';
import { quoted, type TokenStream } from './token-stream.ts';
import type { Value } from './values.ts';

/** Most controls of a modifier: more than any register has qubits. */
const MAX_CONTROLS = 1024;

/** Instructions that cannot stand in a gate's body, because the body is stored and expanded later. */
const RUN_IN_PLACE: ReadonlySet<string> = new Set(['invoke', 'measured', 'sizeof']);

/** Interpreter functions that elaboration needs. */
export interface Elaborating {
  readonly tokens: TokenStream;
  readonly gates: Gates;
  /** Value of a constant. */
  constant(operand: OperandSyntax): Value;
  scalar(expression: Expression): Scalar;
  whole(expression: Expression): number;
  takeSteps(count: number, offset: number): void;
  /** Runs a callback once for each value of a loop, until it completes otherwise. */
  loop(loop: ForLoop, run: () => Completion): Completion;
}

/** Returns the gate that a call applies, with its modifiers. */
export function calledGate(context: Elaborating, call: GateCall): NamedGate {
  const { tokens, gates } = context;
  const { name, nameOffset, angles, modifiers } = call;
  const called = gates.named(name, nameOffset);
  gates.checkNumAngles(called, angles.length);
  // The modifier next to the name acts first.
  const gate = modifiers.reduceRight(
    (inner, modifier) => modified(context, inner, modifier, tokens),
    called.gate,
  );
  return { name, gate, offset: nameOffset };
}

function modified(
  context: Elaborating,
  gate: GateMeaning,
  { kind, argument, offset }: Modifier,
  tokens: TokenStream,
): GateMeaning {
  switch (kind) {
    case 'inv':
      return power(gate, -1);
    case 'pow': {
      if (argument === undefined) throw new Error('unreachable: pow without an exponent');
      const exponent = context.scalar(argument).value;
      if (Number.isFinite(exponent)) return power(gate, exponent);
      throw tokens.invalid(argument.offset, `A power is finite; here it is ${exponent}.`);
    }
    case 'ctrl':
    case 'negctrl': {
      const count = argument === undefined ? 1 : context.whole(argument);
      if (count < 1 || count > MAX_CONTROLS) {
        const allowed = `${kind} takes 1 to ${MAX_CONTROLS} controls`;
        throw tokens.invalid(offset, `${allowed}, not ${count}.`);
      }
      return controlled(gate, new Array<0 | 1>(count).fill(kind === 'ctrl' ? 1 : 0));
    }
  }
}

/** Returns the meaning of a gate definition. */
export function definedMeaning(
  context: Elaborating,
  definition: GateDefinitionSyntax,
): GateMeaning {
  const { parameters, qubits, body } = definition;
  const statements: BodyStatement[] = [];
  const elaborate = (statement: Statement): void => {
    context.takeSteps(1, statement.offset);
    switch (statement.kind) {
      case 'call':
        statements.push(bodyCall(context, statement, parameters, qubits));
        return;
      case 'barrier': {
        const named = bodyQubits(context, statement.operands, qubits);
        const barred = named.length === 0 ? [...qubits.values()] : named;
        context.tokens.hold(1 + barred.length, statement.offset);
        statements.push({ kind: 'barrier', qubits: barred });
        return;
      }
      case 'delay':
        bodyQubits(context, statement.operands, qubits);
        if (statement.duration !== undefined) {
          const why = 'A delay in the body of a gate has no effect.';
          context.tokens.warn(DELAY_UNKNOWN, statement.offset, why, true);
        }
        return;
      case 'reset': {
        const operand = bodyQubits(context, [statement.operand], qubits);
        statements.push({ kind: 'reset', qubits: operand });
        return;
      }
      case 'for':
        if (parameters.has(statement.variable)) {
          const problem = `${quoted(statement.variable)} is named twice.`;
          throw context.tokens.invalid(statement.variableOffset, problem);
        }
        context.loop(statement, () => {
          for (const inner of statement.body) elaborate(inner);
          return 'next';
        });
        return;
      default: {
        const construct = `${quoted(statement.kind)} in the body of a gate`;
        throw context.tokens.unsupported(statement.offset, construct);
      }
    }
  };
  for (const statement of body) elaborate(statement);
  return definedGate(parameters.size, qubits.size, statements);
}

function bodyCall(
  context: Elaborating,
  call: GateCall,
  parameters: Parameters,
  qubits: ReadonlyMap<string, number>,
): BodyStatement {
  const called = calledGate(context, call);
  const angles = call.angles.map((angle) => {
    context.takeSteps(angle.instructions.length, angle.offset);
    const isComputed = angle.instructions.some(({ kind }) => RUN_IN_PLACE.has(kind));
    if (isComputed) {
      throw context.tokens.unsupported(angle.offset, 'A subroutine or measurement in a gate body');
    }
    return bindParameters(angle, parameters, (operand) => context.constant(operand));
  });
  const named = bodyQubits(context, call.operands, qubits);
  const acting = context.gates.actingOperands(called, named);
  // A loop makes many calls from few words, and the definition stores them all.
  const numParts = angles.reduce((sum, { instructions }) => sum + instructions.length, 0);
  context.tokens.hold(1 + numParts + acting.length, call.offset);
  return { kind: 'call', name: called.name, gate: called.gate, angles, qubits: acting };
}

/** Positions of the named qubits in the definition's list. */
function bodyQubits(
  { tokens }: Elaborating,
  operands: readonly OperandSyntax[],
  qubits: ReadonlyMap<string, number>,
): readonly number[] {
  const named = new Set<number>();
  for (const { name, selectors, offset } of operands) {
    const position = qubits.get(name);
    if (position === undefined || selectors.length > 0) {
      throw tokens.invalid(offset, `${quoted(name)} is not a qubit of this gate.`);
    }
    if (named.has(position)) throw tokens.invalid(offset, `${quoted(name)} is named twice.`);
    named.add(position);
  }
  return [...named];
}
