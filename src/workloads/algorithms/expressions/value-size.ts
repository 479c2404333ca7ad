/** Sizes of values, and the check against the limits of expressions. */
import { isBigNumber, isFraction, isMatrix } from '../mathjs.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';

const { max_elements, max_text_length, max_integer_bits } = EXPRESSION_LIMITS;
const LARGEST_INTEGER = 2n ** BigInt(max_integer_bits);

/** An expression exceeded a limit. Becomes a fault of the input. */
export class ExpressionLimitError extends Error {
  override readonly name = 'ExpressionLimitError';
}

/** Whether a value is an object of fields, which mathjs's classes are not. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Rows, columns and so on; empty for a value that is neither matrix nor list. */
export function sizeOf(value: unknown): readonly number[] {
  if (isMatrix(value)) return value.size();
  const sizes: number[] = [];
  for (let inner = value; Array.isArray(inner); inner = inner[0]) {
    sizes.push(inner.length);
    if (inner.length === 0) break;
  }
  return sizes;
}

/** Whether a value has a size. */
export function isCollection(value: unknown): boolean {
  return Array.isArray(value) || isMatrix(value);
}

/**
 * @throws {ExpressionLimitError} if there are more elements than a matrix may have.
 */
export function checkElementCount(count: number): void {
  // Written so that NaN is refused too.
  if (count <= max_elements) return;
  throw new ExpressionLimitError(
    `${count} elements are asked for; the limit max_elements is ${max_elements}.`,
  );
}

/**
 * Checks that every number, text and list in a value is within its limit.
 *
 * @throws {ExpressionLimitError} naming the limit.
 */
export function checkValue(value: unknown): void {
  visit(value, { left: max_elements });
}

function visit(value: unknown, budget: { left: number }): void {
  switch (typeof value) {
    case 'string':
      checkText(value);
      break;
    case 'bigint':
      checkInteger(value);
      break;
    case 'object':
      visitObject(value, budget);
      break;
    // Values of fixed width, or values that cannot be written out.
    default:
      break;
  }
}

function visitObject(value: object | null, budget: { left: number }): void {
  if (value === null || isBigNumber(value)) return;
  if (isFraction(value)) {
    checkInteger(BigInt(value.n));
    checkInteger(BigInt(value.d));
    return;
  }
  if (isMatrix(value)) {
    checkElementCount(value.size().reduce((count, length) => count * length, 1));
    visitObject(value.valueOf(), budget);
    return;
  }
  const entries = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
  for (const entry of entries) {
    if (budget.left-- <= 0) checkElementCount(max_elements + 1);
    visit(entry, budget);
  }
}

function checkText(text: string): void {
  if (text.length <= max_text_length) return;
  throw new ExpressionLimitError(
    `A text of ${text.length} characters; the limit max_text_length is ${max_text_length}.`,
  );
}

function checkInteger(value: bigint): void {
  if (value <= LARGEST_INTEGER && value >= -LARGEST_INTEGER) return;
  throw new ExpressionLimitError(
    `An integer takes more than ${max_integer_bits} bits, which is the limit max_integer_bits.`,
  );
}

/** Number of bits of an integer, within four. */
export function bitsOf(value: bigint): number {
  return 4 * (value < 0n ? -value : value).toString(16).length;
}
