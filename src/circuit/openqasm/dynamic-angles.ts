/** Gates whose angles depend on measured bits, as gates with known angles under conditions. */

import type { StatementRole } from '../circuit.ts';
import { evaluateExpression } from '../classical-evaluation.ts';
import type { Bit } from '../classical-expression.ts';
import { bitsRead, type ClassicalExpression } from '../classical-expression.ts';
import {
  fits,
  isCounted,
  type NumberType,
  type Operand,
  operandOf,
  signatureOf,
  valueType,
} from '../classical-types.ts';
import { ALWAYS, type BitFunction, type DecisionDiagrams, NEVER } from './decision-diagram.ts';

/** Most bits that an angle may depend on to be expanded into one gate for each value. */
export const MAX_LISTED_BITS = 10;

/** Angles of a gate, the condition under which it is applied, and its part in the gate that the caller wrote. */
interface AngleCase {
  readonly angles: readonly number[];
  readonly holds: BitFunction;
  readonly role?: StatementRole;
}

/**
 * Returns gates with known angles that together equal a gate with angles that depend on bits.
 *
 * @param addsAngles - Whether the gate has one angle, and two such gates equal one with the sum.
 * @returns Undefined where there would be too many gates.
 * @throws {ValueProblem} where an angle does not exist.
 */
export function angleCases(
  diagrams: DecisionDiagrams,
  angles: readonly ClassicalExpression[],
  addsAngles: boolean,
): readonly AngleCase[] | undefined {
  const bits = [...new Set(angles.flatMap((angle) => [...bitsRead(angle)]))].sort((a, b) => a - b);
  const [only] = angles;
  if (addsAngles && only !== undefined) {
    const sum = affineForm(only);
    if (sum !== undefined) return summands(diagrams, sum);
  }
  return bits.length > MAX_LISTED_BITS ? undefined : listed(diagrams, angles, bits);
}

/** A constant plus a term for each bit that reads 1. */
interface Affine {
  readonly constant: number;
  readonly parts: ReadonlyMap<Bit, number>;
}

/** One gate for each bit, and last one that always acts, even by the angle 0: it has the noise and the duration. */
function summands(diagrams: DecisionDiagrams, { constant, parts }: Affine): readonly AngleCase[] {
  const cases: AngleCase[] = [];
  for (const [bit, part] of parts) {
    if (part !== 0) cases.push({ angles: [part], holds: diagrams.bit(bit), role: 'opening' });
  }
  return [...cases, { angles: [constant], holds: ALWAYS }];
}

/** One gate for each tuple of angles that the bits can give. */
function listed(
  diagrams: DecisionDiagrams,
  angles: readonly ClassicalExpression[],
  bits: readonly Bit[],
): readonly AngleCase[] {
  const cases = new Map<string, AngleCase>();
  const ones = new Set<Bit>();
  const follow = (i: number, holds: BitFunction): void => {
    const bit = bits[i];
    if (bit === undefined) {
      const values = angles.map((angle) => evaluateExpression(angle, (b) => ones.has(b)).value);
      const key = values.join();
      const before = cases.get(key)?.holds ?? NEVER;
      cases.set(key, { angles: values, holds: diagrams.or(before, holds) });
      return;
    }
    const reads = diagrams.bit(bit);
    follow(i + 1, diagrams.and(holds, diagrams.not(reads)));
    ones.add(bit);
    follow(i + 1, diagrams.and(holds, reads));
    ones.delete(bit);
  };
  follow(0, ALWAYS);
  const all = [...cases.values()];
  return all.map((each, i) => (i < all.length - 1 ? { ...each, role: 'choice' } : each));
}

/** Writes an expression as a sum over bits; undefined where it is not one. */
function affineForm(expression: ClassicalExpression): Affine | undefined {
  switch (expression.kind) {
    case 'scalar':
      return { constant: expression.value, parts: new Map() };
    case 'read':
      return affineRead(expression);
    case 'convert': {
      const form = affineForm(expression.operand);
      const { type: base, width } = expression;
      return form && holds(valueType({ base, width }), form) ? form : undefined;
    }
    case 'select':
      return undefined;
    case 'apply': {
      const [left, right] = expression.operands.map(affineForm);
      if (left === undefined) return undefined;
      const types = signatureOf(
        expression.operator,
        typeOf(expression.operands[0]!),
        expression.operands[1] && typeOf(expression.operands[1]),
      );
      const form = combined(expression, left, right);
      // Sums of numbers that wrap, or are divided as whole ones, are no sums over bits.
      const isSum =
        form !== undefined &&
        holds(types.left, left) &&
        holds(types.right, right ?? left) &&
        holds(types.result, form);
      return isSum ? form : undefined;
    }
  }
}

function affineRead({
  bits,
  encoding,
  type,
}: Extract<ClassicalExpression, { kind: 'read' }>): Affine | undefined {
  if (encoding === 'float') return undefined;
  const unit = type === 'angle' ? (2 * Math.PI) / 2 ** bits.length : 1;
  const parts = new Map<Bit, number>();
  let constant = 0;
  for (const [i, diagram] of bits.entries()) {
    const part = (encoding === 'int' && i === bits.length - 1 ? -unit : unit) * 2 ** i;
    if (typeof diagram === 'object') return undefined;
    if (typeof diagram === 'boolean') constant += diagram ? part : 0;
    else parts.set(diagram, part + (parts.get(diagram) ?? 0));
  }
  return { constant, parts };
}

function combined(
  { operator, operands }: Extract<ClassicalExpression, { kind: 'apply' }>,
  left: Affine,
  right: Affine | undefined,
): Affine | undefined {
  if (right === undefined) {
    return operator === '-' && operands.length === 1 ? scaled(left, -1) : undefined;
  }
  switch (operator) {
    case '+':
      return sum(left, right);
    case '-':
      return sum(left, scaled(right, -1));
    case '*':
      if (right.parts.size === 0) return scaled(left, right.constant);
      return left.parts.size === 0 ? scaled(right, left.constant) : undefined;
    case '/':
      // Division of whole numbers drops the fraction.
      if (right.parts.size > 0 || operands.every((part) => isCounted(typeOf(part))))
        return undefined;
      return scaled(left, 1 / right.constant);
    default:
      return undefined;
  }
}

/** Whether a type holds all values of a sum unchanged. */
function holds(type: NumberType, { constant, parts }: Affine): boolean {
  if (type.base === 'float' || (type.base === 'angle' && type.width === undefined)) return true;
  if (type.base === 'angle' || type.base === 'bool') return false;
  const of = (sign: number) =>
    [...parts.values()].reduce((end, part) => end + Math.max(0, sign * part), sign * constant);
  return (
    fits(type, of(1)) &&
    fits(type, -of(-1)) &&
    [constant, ...parts.values()].every(Number.isInteger)
  );
}

/** Type of the value of an expression. */
function typeOf(expression: ClassicalExpression): Operand {
  switch (expression.kind) {
    case 'scalar':
      return operandOf(expression);
    case 'read': {
      const { bits, encoding, type: base } = expression;
      const isCount = encoding !== 'float' && base !== 'bool';
      return { base, width: isCount ? bits.length : undefined };
    }
    case 'apply': {
      const [left, right] = expression.operands.map(typeOf);
      return signatureOf(expression.operator, left!, right).result;
    }
    case 'select':
      return typeOf(expression.whenTrue);
    case 'convert':
      return valueType({ base: expression.type, width: expression.width });
  }
}

const scaled = ({ constant, parts }: Affine, factor: number): Affine => ({
  constant: constant * factor,
  parts: new Map([...parts].map(([bit, part]) => [bit, part * factor])),
});

function sum(left: Affine, right: Affine): Affine {
  const parts = new Map(left.parts);
  for (const [bit, part] of right.parts) parts.set(bit, (parts.get(bit) ?? 0) + part);
  return { constant: left.constant + right.constant, parts };
}
