/** Gates whose angles depend on measured bits, as gates with known angles under conditions. */

import type { PieceOfStatement } from '../circuit.ts';
import { evaluateExpression } from '../classical-evaluation.ts';
import type { Bit } from '../classical-expression.ts';
import { bitsRead, type ClassicalExpression } from '../classical-expression.ts';
import { ALWAYS, type BitFunction, type DecisionDiagrams, NEVER } from './decision-diagram.ts';

/** Most bits that an angle may depend on to be expanded into one gate for each value. */
export const MAX_LISTED_BITS = 10;

/** Angles of a gate, the condition under which it is applied, and what it is to the gate that the caller wrote. */
interface AngleCase {
  readonly angles: readonly number[];
  readonly holds: BitFunction;
  readonly piece?: PieceOfStatement;
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
    if (part !== 0) cases.push({ angles: [part], holds: diagrams.bit(bit), piece: 'opening' });
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
  return all.map((each, i) => (i < all.length - 1 ? { ...each, piece: 'choice' } : each));
}

/** Writes an expression as a sum over bits; undefined where it is not one. */
function affineForm(expression: ClassicalExpression): Affine | undefined {
  switch (expression.kind) {
    case 'scalar':
      return { constant: expression.value, parts: new Map() };
    case 'read':
      return affineRead(expression);
    case 'convert': {
      // A float, or an angle without a width, holds any number unchanged.
      const isPlain =
        (expression.type === 'angle' || expression.type === 'float') &&
        expression.width === undefined;
      return isPlain ? affineForm(expression.operand) : undefined;
    }
    case 'select':
      return undefined;
    case 'apply': {
      const [left, right] = expression.operands.map(affineForm);
      if (left === undefined) return undefined;
      if (expression.operands.length === 1) {
        return expression.operator === '-' ? scaled(left, -1) : undefined;
      }
      return right === undefined ? undefined : combined(expression, left, right);
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
  for (const [i, diagram] of bits.entries()) {
    if (typeof diagram === 'boolean') return undefined;
    if (typeof diagram !== 'number' || parts.has(diagram)) return undefined;
    const isSign = encoding === 'int' && i === bits.length - 1;
    parts.set(diagram, (isSign ? -unit : unit) * 2 ** i);
  }
  return { constant: 0, parts };
}

function combined(
  { operator, operands }: Extract<ClassicalExpression, { kind: 'apply' }>,
  left: Affine,
  right: Affine,
): Affine | undefined {
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
      if (right.parts.size > 0 || operands.every(isWholeNumber)) return undefined;
      return scaled(left, 1 / right.constant);
    default:
      return undefined;
  }
}

/** Whether an operand may be a whole number, judging by its form. */
function isWholeNumber(expression: ClassicalExpression): boolean {
  switch (expression.kind) {
    case 'scalar':
    case 'read':
    case 'convert':
      return expression.type !== 'float' && expression.type !== 'angle';
    case 'apply':
      return expression.operands.every(isWholeNumber);
    case 'select':
      return true;
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
