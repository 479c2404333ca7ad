/** Submissions and results of batches, with their arrays as Float64Array. */
import type { Batch, BatchProgramInput, BatchSubmissionInput, PackedArray } from './api-types.ts';
import {
  countsByPoint,
  type NestedNumbers,
  type NumericArray,
  numericArray,
  type PointCounts,
} from './packed-array.ts';

type InputValues = NonNullable<BatchProgramInput['inputs']>[string];

/** A program of a batch; inputs may be given as Float64Array. */
export type BatchProgram = Omit<BatchProgramInput, 'inputs'> & {
  readonly inputs?: Readonly<Record<string, InputValues | Float64Array>>;
};

/** A batch to submit. Arrays of the answer are sent in base64 unless `array_format` says otherwise. */
export type BatchSubmission = Omit<BatchSubmissionInput, 'programs'> & {
  readonly programs: readonly BatchProgram[];
};

type ProgramRecord = NonNullable<Batch['programs']>[number];
type ArrayField = {
  [Name in keyof ProgramRecord]-?: PackedArray extends ProgramRecord[Name] ? Name : never;
}[keyof ProgramRecord];

/** Result of one program. The outer index of an array is the point, as documented for the record. */
export type BatchProgramResult = Omit<ProgramRecord, ArrayField | 'counts'> & {
  readonly [Name in ArrayField]?: NumericArray;
} & { readonly counts?: readonly PointCounts[] };

/** Record of a completed batch. */
export type BatchResult = Omit<Batch, 'programs'> & {
  readonly programs: readonly BatchProgramResult[];
};

/** Fields of a program that hold arrays of numbers. */
const ARRAY_FIELDS: Readonly<Record<ArrayField, true>> = {
  probabilities: true,
  expectation: true,
  standard_error: true,
  variance: true,
  gradient: true,
  statevector: true,
  error_bound: true,
  truncation_error: true,
  largest_bond: true,
};

/** Reads the arrays and counts of a completed batch, of whose record some fields may be missing. */
export function batchResultOf<Fields extends Pick<Batch, 'programs'>>(
  batch: Fields,
): Omit<Fields, 'programs'> & Pick<BatchResult, 'programs'> {
  const programs = (batch.programs ?? []).map((program): BatchProgramResult => {
    const arrays = Object.entries(program).flatMap(([name, value]) => {
      const isArray = Object.hasOwn(ARRAY_FIELDS, name) && typeof value === 'object';
      return isArray ? [[name, numericArray(value as PackedArray | NestedNumbers)] as const] : [];
    });
    const { counts, ...others } = program as Omit<ProgramRecord, ArrayField>;
    const read = counts === undefined ? {} : { counts: countsByPoint(counts) };
    return { ...others, ...Object.fromEntries(arrays), ...read };
  });
  return { ...batch, programs };
}
