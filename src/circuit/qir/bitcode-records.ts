/** What the readers of bitcode's parts share: numbers of blocks, types, and numbers of records. */
import type { BitRecord } from './bitstream.ts';
import type { LlvmType, TypedOperand } from './llvm-module.ts';

/** Numbers of blocks. */
export const BLOCKS = {
  module: 8,
  attributes: 9,
  attributeGroups: 10,
  constants: 11,
  function: 12,
  types: 17,
  names: 23,
} as const;

/** A type, or that of a function. */
export type BitcodeType =
  | LlvmType
  | {
      readonly kind: 'function';
      readonly result: LlvmType;
      readonly parameters: readonly LlvmType[];
    };

/** What the functions of a module refer to. */
export interface BitcodeModule {
  readonly types: readonly BitcodeType[];
  readonly values: readonly TypedOperand[];
  /** Types of functions by their names. */
  readonly signatures: ReadonlyMap<string, Extract<BitcodeType, { kind: 'function' }>>;
}

/** A record has other numbers than it should have. */
export class BitcodeTrouble extends Error {}

/** A number of a record that is small. */
export function numberIn(values: BitRecord['values'], i: number): number {
  const value = values[i];
  if (value === undefined) throw new BitcodeTrouble('a record has too few numbers.');
  if (value > 2 ** 32) throw new BitcodeTrouble('a number of a record is too large.');
  return Number(value);
}

/** The type of a number, which is no function's. */
export function typeIn(types: readonly BitcodeType[], i: number): LlvmType {
  const type = types[i];
  if (type === undefined || type.kind === 'function') {
    throw new BitcodeTrouble(`there is no type ${i} of a value.`);
  }
  return type;
}
