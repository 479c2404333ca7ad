/** Arithmetic of durations: units, and operators on durations and numbers. */
import { ValueProblem } from '../classical-types.ts';

/** Type of a part of a duration. */
type DurationType = 'duration' | 'number';

/** A number or a duration, in nanoseconds. */
export interface DurationPart {
  readonly type: DurationType;
  /** Undefined where it is not known. */
  readonly value: number | undefined;
}

/** Nanoseconds of each unit; how long `dt` is depends on the device. */
export const UNITS: ReadonlyMap<string, number | undefined> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['dt', undefined],
]);
/**
 * Applies an operator to durations and numbers.
 *
 * @throws {ValueProblem} if the operator cannot combine them.
 */
export function combinedParts(
  operator: string,
  left: DurationPart,
  right: DurationPart,
): DurationPart {
  const type = combined(operator, left.type, right.type);
  if (type !== undefined) return { type, value: computed(operator, left.value, right.value) };
  throw new ValueProblem(`"${operator}" cannot combine a ${left.type} and a ${right.type}.`);
}

function combined(
  operator: string,
  left: DurationType,
  right: DurationType,
): DurationType | undefined {
  switch (operator) {
    case '*':
      if (left === 'duration' && right === 'duration') return undefined;
      return left === right ? 'number' : 'duration';
    case '/':
      if (left === right) return 'number';
      return left === 'duration' ? 'duration' : undefined;
    case '+':
    case '-':
      return left === right ? left : undefined;
    default:
      return undefined;
  }
}

function computed(
  operator: string,
  left: number | undefined,
  right: number | undefined,
): number | undefined {
  if (left === undefined || right === undefined) return undefined;
  switch (operator) {
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '+':
      return left + right;
    default:
      return left - right;
  }
}
