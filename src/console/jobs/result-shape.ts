/** Kinds of parts of a result, recognized by their form, so that each kind has its own view. */
import { capitalized } from '../numbers.ts';

/** A JSON value. */
export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  | { readonly [name: string]: Value };
export type Fields = Readonly<Record<string, Value>>;

/** View of a value. */
export type Shape =
  | 'text'
  | 'counts'
  | 'numbers'
  | 'matrix'
  | 'table'
  | 'sections'
  | 'circuit'
  | 'program'
  | 'fields'
  | 'list';

const MAX_SECTIONS = 16;

/** View of the field of a name. */
export function shapeOf(name: string, value: Value): Shape {
  if (typeof value !== 'object' || value === null)
    return name === 'qasm' || name === 'stim' ? 'program' : 'text';
  if (Array.isArray(value)) {
    if (name === 'circuit') return 'circuit';
    if (value.length > 0 && isTable(value)) return hasCounts(value) ? 'sections' : 'table';
    if (value.every((each) => typeof each === 'number')) {
      return isCurve(name, value) ? 'numbers' : 'list';
    }
    return value.length > 0 && value.every(Array.isArray) ? 'matrix' : 'list';
  }
  return isCounts(value as Fields) ? 'counts' : 'fields';
}

/** Numbers that follow each other, such as energies by step. Classes, groups and qubits do not. */
function isCurve(name: string, values: readonly number[]): boolean {
  if (/history|curve|distribution/.test(name)) return values.length > 1;
  return values.length > 7 && !values.every(Number.isInteger);
}

/** Whether a value is a list of objects. */
export function isTable(value: Value): value is readonly Fields[] {
  return Array.isArray(value) && value.every(isFields);
}

/** Whether a value is an object. */
export function isFields(value: Value | undefined): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A few objects with counts are shown one after the other, each with its histogram. */
function hasCounts(rows: readonly Fields[]): boolean {
  return (
    rows.length <= MAX_SECTIONS &&
    rows.some((row) => Object.values(row).some((each) => isFields(each) && isCounts(each)))
  );
}

function isCounts(fields: Fields): boolean {
  const names = Object.keys(fields);
  return (
    names.length > 0 &&
    names.every((each) => /^([01]+|0x[0-9a-f]+)$/.test(each)) &&
    Object.values(fields).every((each) => typeof each === 'number')
  );
}

/** Words of field names that are written otherwise. */
const WORDS: Readonly<Record<string, string>> = {
  vqe: 'VQE',
  qaoa: 'QAOA',
  chsh: 'CHSH',
  qasm: 'OpenQASM',
  bb84: 'BB84',
  cpu: 'CPU',
  id: 'id',
  hartree_fock: 'Hartree–Fock',
  two_qubit: 'two-qubit',
  p_value: 'p-value',
};

/** Units at the end of field names, as they stand behind a value. */
const UNITS: Readonly<Record<string, string>> = {
  hartree: 'hartree',
  angstrom: 'Å',
  ms: 'ms',
  us: 'µs',
  ns: 'ns',
  seconds: 's',
  bytes: 'bytes',
};

/** A field's name without its unit, and the unit, if the name ends in one. */
function unitOf(name: string): readonly [name: string, unit: string | undefined] {
  const [, stem = name, end = ''] = /^(.+)_([a-z]+)$/.exec(name) ?? [];
  return Object.hasOwn(UNITS, end) ? [stem, UNITS[end]] : [name, undefined];
}

/** The name of a field as a person reads it: "Energy history", "Hartree–Fock energy". */
export function titleOf(name: string): string {
  let [words] = unitOf(name);
  for (const [word, written] of Object.entries(WORDS)) {
    words = words.replace(new RegExp(`(?<![a-z0-9])${word}(?![a-z0-9])`), written);
  }
  const interval = words.replace(/_interval_(\d+)$/, ', $1% interval');
  return capitalized(interval.replaceAll('_', ' '));
}

/** Whether a field is the unit of another one: `energy_unit`. */
export function isUnit(name: string, fields: Fields): boolean {
  return name.endsWith('_unit') && fields[name.slice(0, -5)] !== undefined;
}

/** The value of a field with its unit: "−1.117 hartree". Names of the service's own, as `below_tolerance`, are words. */
export function fieldInWords(name: string, value: Value, fields: Fields = {}): string {
  if (/seed/.test(name)) return String(value);
  const apart = fields[`${name}_unit`];
  const unit = typeof apart === 'string' ? apart : unitOf(name)[1];
  const isName = typeof value === 'string' && /^[a-z]+(_[a-z]+)+$/.test(value);
  const words = isName ? value.replaceAll('_', ' ') : inWords(value);
  return unit === undefined || value === null ? words : `${words} ${unit}`;
}

/** A value in a cell or a line: numbers to six digits, complex numbers as such, lists with commas. */
export function inWords(value: Value | undefined): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return numberInWords(value);
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(inWords).join(', ');
  return Object.entries(value)
    .map(([name, each]) => `${titleOf(name).toLowerCase()} ${inWords(each)}`)
    .join('; ');
}

function numberInWords(value: number): string {
  const text = Number.isInteger(value)
    ? value.toLocaleString('en-US', { useGrouping: Math.abs(value) < 1e15 })
    : String(Number(value.toPrecision(6)));
  return text.replaceAll('-', '−');
}

export function observableInWords(observable: unknown): string {
  if (Array.isArray(observable)) return observable.map(observableInWords).join(' + ');
  const { pauli, coefficient = 1 } = Object(observable) as {
    readonly pauli?: unknown;
    readonly coefficient?: unknown;
  };
  return coefficient === 1 ? String(pauli) : `${coefficient} ${pauli}`;
}
