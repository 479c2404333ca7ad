/** Values of a program's inputs at all points of a sweep. */
import { insteadOf } from '../errors/wrong-values.ts';
import { FaultList, InvalidInputsError, LIMIT_EXCEEDED } from './errors.ts';

/** Values of one input. */
export interface InputColumn {
  /** One value for each point, or one for all points; booleans are 0 and 1, labels their places in `labels`. */
  readonly values: Float64Array;
  /** Labels of bits, such as "011", are the values of `input bit[n]`. */
  readonly kind: 'number' | 'boolean' | 'label';
  /** Distinct labels; empty for other kinds. */
  readonly labels: readonly string[];
}

/** A value of an input, as requests give it. */
export type InputValue = number | boolean | string;

/** The value at a place of a column, as it was given. */
export function givenValue({ values, kind, labels }: InputColumn, place: number): InputValue {
  const value = values[place]!;
  if (kind === 'number') return value;
  return kind === 'boolean' ? value !== 0 : labels[value]!;
}

/** Values of all inputs, numbered in the order in which they are given. */
export interface InputColumns {
  /** 1 if no input is given as an array. */
  readonly numPoints: number;
  readonly names: readonly string[];
  readonly columns: readonly InputColumn[];
}

/** Inputs of one program. Each is a row of the angle formulas' scratch memory. */
const MAX_INPUTS = 10_000;

/** Longest name of an input that a fault quotes in full. */
const MAX_SHOWN = 100;

/** Path of an input in a fault. */
export const inputPath = (name: string): string => `inputs.${name.slice(0, MAX_SHOWN)}`;

/**
 * Reads the inputs of a request: numbers, booleans, labels of bits, or arrays of one of them, with one value for each
 * point.
 *
 * @throws {InvalidInputsError} for arrays that are empty, mixed or of different lengths, and for numbers that are not
 *   finite; with the path of each.
 */
export function inputColumns(inputs: Readonly<Record<string, unknown>>): InputColumns {
  const faults = new FaultList();
  const names = Object.keys(inputs);
  if (names.length > MAX_INPUTS) {
    const problem = `There are ${names.length} inputs; the limit is ${MAX_INPUTS}.`;
    throw new InvalidInputsError([{ path: 'inputs', message: problem, code: LIMIT_EXCEEDED }]);
  }
  /** The first array, whose length all others have. */
  let first: { readonly name: string; readonly length: number } | undefined;
  const columns = names.map((name): InputColumn => {
    const given = inputs[name];
    const isList = Array.isArray(given) || given instanceof Float64Array;
    if (!isList) return column([given], () => inputPath(name), faults);
    const values: ArrayLike<unknown> = given;
    if (values.length === 0) {
      faults.add(
        inputPath(name),
        'An array of inputs has at least one value, for the first point.',
      );
    } else if (first !== undefined && values.length !== first.length) {
      const lengths = `${values.length} values, and ${first.name.slice(0, MAX_SHOWN)} has ${first.length}`;
      faults.add(inputPath(name), `This array has ${lengths}; all have one for each point.`);
    } else {
      first ??= { name, length: values.length };
    }
    return column(values, (i) => `${inputPath(name)}[${i}]`, faults);
  });
  if (faults.count > 0) throw new InvalidInputsError(faults.kept, faults.count);
  return { numPoints: first?.length ?? 1, names, columns };
}

function column(
  given: ArrayLike<unknown>,
  path: (i: number) => string,
  faults: FaultList,
): InputColumn {
  const kind = kindOf(given[0]) ?? 'number';
  const values = new Float64Array(given.length);
  const places = new Map<string, number>();
  for (let i = 0; i < given.length; i++) {
    const value = given[i];
    if (kindOf(value) !== kind) {
      if (faults.isFull) faults.add('', '');
      else faults.add(path(i), problemOf(value, kind));
    } else if (typeof value === 'string') {
      const place = places.get(value) ?? places.size;
      values[i] = place;
      if (place === places.size) places.set(value, place);
    } else values[i] = Number(value);
  }
  return { values, kind, labels: [...places.keys()] };
}

/** A label of bits, the last one of index 0. */
const LABEL = /^[01]+$/;

function kindOf(value: unknown): InputColumn['kind'] | undefined {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return LABEL.test(value) ? 'label' : undefined;
  return Number.isFinite(value) ? 'number' : undefined;
}

function problemOf(value: unknown, kind: InputColumn['kind']): string {
  if (typeof value === 'number' && kind === 'number') {
    return `${value} is no input; it must be finite.`;
  }
  if (kind !== 'number' || kindOf(value) !== undefined) {
    return `The first value of this array is a ${kind}, so all have to be.`;
  }
  return `An input is a number, a boolean or a label of bits such as "011", or an array of one of them${insteadOf(value, 'a number')}.`;
}

/** The value of an input at a point, as a number. */
export function inputAt({ columns }: InputColumns, input: number, point: number): number {
  const { values } = columns[input]!;
  return values[values.length === 1 ? 0 : point]!;
}

/** The inputs at one point, by name, as a request for a single circuit gives them. */
export function inputsAt(inputs: InputColumns, point: number): Record<string, InputValue> {
  return Object.fromEntries(inputs.names.map((name, i) => [name, inputValueAt(inputs, i, point)]));
}

/** The value of an input at a point, as it was given. */
export function inputValueAt({ columns }: InputColumns, input: number, point: number): InputValue {
  const column = columns[input]!;
  return givenValue(column, column.values.length === 1 ? 0 : point);
}

/**
 * Rows of inputs of some points, one after the other, for `evaluateAngles`.
 *
 * @param points - Numbers of the points; all points in order unless given.
 * @param from - Position in `points` of the first row; `to` is one past the last.
 * @param out - Written and returned if given.
 * @returns Length (to − from) · number of inputs.
 */
export function inputRows(
  { columns }: InputColumns,
  points: Uint32Array | undefined,
  from: number,
  to: number,
  out: Float64Array = new Float64Array((to - from) * columns.length),
): Float64Array {
  const stride = columns.length;
  for (const [input, { values }] of columns.entries()) {
    if (values.length === 1) {
      const value = values[0]!;
      for (let i = from, at = input; i < to; i++, at += stride) out[at] = value;
    } else if (points === undefined) {
      for (let i = from, at = input; i < to; i++, at += stride) out[at] = values[i]!;
    } else {
      for (let i = from, at = input; i < to; i++, at += stride) out[at] = values[points[i]!]!;
    }
  }
  return out;
}
