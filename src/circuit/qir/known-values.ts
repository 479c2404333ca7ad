/** Results of LLVM's operators on numbers and addresses that are known. */

/** What a pointer points to: number `index` of `base`, which is empty for the numbers of qubits and results. */
export interface Address {
  readonly base: string;
  readonly index: number;
}

/** A problem of values, which gets a place where they are used. */
export class ValueTrouble extends Error {}

/** What tells values apart; doubles by their bits, but for those of NaN. */
export const keyOf = (value: number | Address): string =>
  typeof value === 'number'
    ? Object.is(value, -0)
      ? '-0'
      : String(value)
    : `${value.base}+${value.index}`;

/** A case that has to be a double. */
export function asDouble(value: number | Address): number {
  if (typeof value !== 'number') throw new ValueTrouble('A double is needed here, not a pointer.');
  return value;
}

/** A case that has to be an address. */
export function asAddress(value: number | Address): Address {
  if (typeof value === 'number') throw new ValueTrouble('A pointer is needed here, not a double.');
  return value;
}

/** Applies an operator to integers, of which the result has the lowest bits. */
export function knownResult(operator: string, x: bigint, y: bigint, width: number): bigint {
  const signed = (value: bigint) => BigInt.asIntN(width, value);
  const isDivision = operator.endsWith('div') || operator.endsWith('rem');
  if (isDivision && y === 0n) throw new ValueTrouble('An integer is divided by zero.');
  const isShift = operator === 'shl' || operator === 'lshr' || operator === 'ashr';
  if (isShift && y >= BigInt(width)) {
    throw new ValueTrouble(`An integer of ${width} bits is shifted by ${y}.`);
  }
  switch (operator) {
    case 'add':
      return x + y;
    case 'sub':
      return x - y;
    case 'mul':
      return x * y;
    case 'udiv':
      return x / y;
    case 'sdiv':
      return signed(x) / signed(y);
    case 'urem':
      return x % y;
    case 'srem':
      return signed(x) % signed(y);
    case 'shl':
      return x << y;
    case 'lshr':
      return x >> y;
    case 'ashr':
      return signed(x) >> y;
    case 'and':
      return x & y;
    case 'or':
      return x | y;
    case 'xor':
      return x ^ y;
    default:
      throw new ValueTrouble(`${operator} of integers is not supported.`);
  }
}

/** Applies an operator of LLVM to doubles. */
export function floatResult(operator: string, x: number, y: number): number {
  switch (operator) {
    case 'fadd':
      return x + y;
    case 'fsub':
      return x - y;
    case 'fmul':
      return x * y;
    case 'fdiv':
      return x / y;
    case 'frem':
      return x % y;
    default:
      throw new ValueTrouble(`${operator} of doubles is not supported.`);
  }
}

/** Compares two doubles by a predicate of LLVM such as `olt`, or two addresses by `eq` or `ne`. */
export function compared(
  predicate: string,
  left: number | Address,
  right: number | Address,
): boolean {
  if (typeof left !== 'number' || typeof right !== 'number') {
    if (predicate !== 'eq' && predicate !== 'ne') {
      throw new ValueTrouble('Pointers are compared by eq and ne alone.');
    }
    return (keyOf(asAddress(left)) === keyOf(asAddress(right))) === (predicate === 'eq');
  }
  if (predicate === 'true' || predicate === 'false') return predicate === 'true';
  const isUnordered = Number.isNaN(left) || Number.isNaN(right);
  if (predicate === 'ord' || predicate === 'uno') return isUnordered === (predicate === 'uno');
  if (isUnordered) return predicate.startsWith('u');
  switch (predicate.slice(1)) {
    case 'eq':
      return left === right;
    case 'ne':
      return left !== right;
    case 'gt':
      return left > right;
    case 'ge':
      return left >= right;
    case 'lt':
      return left < right;
    default:
      return left <= right;
  }
}
