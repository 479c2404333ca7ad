/** What an expression of a program comes to. */
import { ALWAYS, type BitFunction, NEVER } from './decision-diagram.ts';

/** Types of numbers. An angle is a float in radians here; its width in bits is not modelled. */
export type ScalarType = 'int' | 'uint' | 'float' | 'angle' | 'bool';

/** A number known while the program is read; of a bool 0 or 1. */
export interface Scalar {
  readonly kind: 'scalar';
  readonly type: ScalarType;
  readonly value: number;
}

/** A row of bits, least significant first, each a function of what measurements will read. */
export interface Bits {
  readonly kind: 'bits';
  readonly bits: readonly BitFunction[];
  /** A single bit, or the truth of a comparison, rather than a register of one. */
  readonly isScalar: boolean;
}

/** Either. */
export type Value = Scalar | Bits;

/** A number of that type. */
export const scalar = (type: ScalarType, value: number): Scalar => ({
  kind: 'scalar',
  type,
  value,
});

/** A bool known while the program is read. */
export const bool = (value: boolean): Scalar => scalar('bool', value ? 1 : 0);

/** The truth of something about measured bits; a known bool where nothing depends on them. */
export function truth(f: BitFunction): Value {
  if (f.kind === 'constant') return bool(f.value);
  return { kind: 'bits', bits: [f], isScalar: true };
}

/** The bits of a whole number, `width` of them. */
export function bitsOfInteger(value: number, width: number): readonly BitFunction[] {
  return Array.from({ length: width }, (_, i) =>
    Math.floor(value / 2 ** i) % 2 === 0 ? NEVER : ALWAYS,
  );
}

/** The number that bits are when none depends on a measurement; undefined otherwise. */
export function integerOf(bits: readonly BitFunction[]): number | undefined {
  let value = 0;
  for (const [i, f] of bits.entries()) {
    if (f.kind !== 'constant') return undefined;
    if (f.value) value += 2 ** i;
  }
  return value;
}

/** Whether a type holds whole numbers only; a bool counts as 0 or 1. */
export const isWhole = (type: ScalarType): boolean => type !== 'float' && type !== 'angle';
