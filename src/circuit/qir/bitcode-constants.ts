/** Constants in bitcode. */
import { BitcodeTrouble, type BitcodeType, numberIn, typeIn } from './bitcode-records.ts';
import { type BitBlock, recordsIn } from './bitstream.ts';
import { CASTS, type LlvmType, type Operand, type TypedOperand } from './llvm-module.ts';

/** Codes of records. Addresses of elements have had several. */
const CODES = {
  type: 1,
  null: 2,
  undefined: 3,
  integer: 4,
  float: 6,
  aggregate: 7,
  string: 8,
  cString: 9,
  cast: 11,
  oldElement: 12,
  inboundsElement: 20,
  data: 22,
  element: 24,
  poison: 26,
  newElement: 32,
} as const;

/** Most constants inside each other. */
const MAX_DEPTH = 64;

/**
 * Reads a block of constants, and adds them to the values.
 *
 * @throws {BitcodeTrouble}
 */
export function readConstants(
  block: BitBlock,
  types: readonly BitcodeType[],
  values: TypedOperand[],
): void {
  let type: LlvmType | undefined;
  const added: {
    readonly place: number;
    readonly code: number;
    readonly of: LlvmType;
    readonly numbers: readonly bigint[];
  }[] = [];
  for (const { code, values: numbers } of recordsIn(block)) {
    if (code === CODES.type) {
      const given = types[numberIn(numbers, 0)];
      type = given?.kind === 'function' ? { kind: 'other', name: 'a function' } : given;
      continue;
    }
    if (type === undefined) throw new BitcodeTrouble('a constant has no type.');
    added.push({ place: values.length, code, of: type, numbers });
    values.push({ type, operand: { kind: 'undefined' } });
  }
  // Constants refer to others before and after them.
  const byPlace = new Map(added.map((one) => [one.place, one]));
  const done = new Set<number>();
  const operandAt = (place: number, depth: number): TypedOperand => {
    if (depth > MAX_DEPTH) throw new BitcodeTrouble(`constants nest deeper than ${MAX_DEPTH}.`);
    const one = byPlace.get(place);
    if (one !== undefined && !done.has(place)) {
      const operand = operandOf(one.code, one.of, one.numbers, types, (other) =>
        operandAt(other, depth + 1),
      );
      values[place] = { type: one.of, operand };
      done.add(place);
    }
    const value = values[place];
    if (value === undefined) throw new BitcodeTrouble(`there is no value ${place}.`);
    return value;
  };
  for (const { place } of added) operandAt(place, 0);
}

function operandOf(
  code: number,
  type: LlvmType,
  numbers: readonly bigint[],
  types: readonly BitcodeType[],
  at: (place: number) => TypedOperand,
): Operand {
  switch (code) {
    case CODES.null:
      return { kind: 'zero' };
    case CODES.undefined:
    case CODES.poison:
      return { kind: 'undefined' };
    case CODES.integer:
      return { kind: 'int', value: signed(numbers[0] ?? 0n) };
    case CODES.float: {
      if (type.kind !== 'double') throw new BitcodeTrouble('a number is no double.');
      const view = new DataView(new ArrayBuffer(8));
      view.setBigUint64(0, numbers[0] ?? 0n);
      return { kind: 'double', value: view.getFloat64(0) };
    }
    case CODES.aggregate:
      return { kind: 'array', elements: numbers.map((_, i) => at(numberIn(numbers, i)).operand) };
    case CODES.string:
    case CODES.cString:
      return { kind: 'string', text: textOf(numbers) };
    case CODES.data:
      return dataOf(type, numbers);
    case CODES.cast: {
      const name = CASTS[numberIn(numbers, 0)];
      if (name !== 'inttoptr' && name !== 'ptrtoint' && name !== 'bitcast') {
        throw new BitcodeTrouble(`a constant is converted by ${name ?? 'an unknown operator'}.`);
      }
      return at(numberIn(numbers, 2)).operand;
    }
    case CODES.oldElement:
    case CODES.inboundsElement:
    case CODES.element:
    case CODES.newElement: {
      // The type of the array comes first, and flags, in later versions; pairs of types and values follow.
      const hasFlags = code === CODES.newElement || code === CODES.element;
      const numFirst = hasFlags ? 2 : numbers.length % 2;
      if (numFirst === 0) throw new BitcodeTrouble('an address has no type.');
      const [base, ...indices] = Array.from({ length: (numbers.length - numFirst) >> 1 }, (_, i) =>
        at(numberIn(numbers, numFirst + 2 * i + 1)),
      );
      if (base === undefined) throw new BitcodeTrouble('an address has no base.');
      const source = typeIn(types, numberIn(numbers, 0));
      return { kind: 'element', source, base: base.operand, indices };
    }
    default:
      throw new BitcodeTrouble(`a constant of the code ${code} is in no profile of QIR.`);
  }
}

function dataOf(type: LlvmType, numbers: readonly bigint[]): Operand {
  if (type.kind !== 'array') throw new BitcodeTrouble('data are no array.');
  const { of } = type;
  if (of.kind === 'int' && of.width === 8) {
    return { kind: 'string', text: textOf(numbers) };
  }
  const view = new DataView(new ArrayBuffer(8));
  return {
    kind: 'array',
    elements: numbers.map((value): Operand => {
      if (of.kind === 'int') return { kind: 'int', value };
      if (of.kind !== 'double') throw new BitcodeTrouble('data are neither integers nor doubles.');
      view.setBigUint64(0, value);
      return { kind: 'double', value: view.getFloat64(0) };
    }),
  };
}

const textOf = (numbers: readonly bigint[]): string =>
  Buffer.from(numbers.map(Number)).toString('latin1').replace(/\0$/, '');

/** A number whose lowest bit is its sign. */
export function signed(value: bigint): bigint {
  if ((value & 1n) === 0n) return value >> 1n;
  // Minus zero stands for the least number of 64 bits.
  return value === 1n ? -(1n << 63n) : -(value >> 1n);
}
