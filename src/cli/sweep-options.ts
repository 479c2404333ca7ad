/** Options of `qcs run` and `qcs submit` that ask for expectation values, at one point or over a sweep of inputs. */

import { type Command, InvalidArgumentError } from 'commander';
import type { InputValue } from '../circuit/input-columns.ts';
import { inputValue } from './option-parsers.ts';

/** Most points of a range; more are refused when the sweep is checked, too. */
const MAX_POINTS = 1_000_000;

/** Values of swept inputs by name, one for each point. */
type SweptValues = Readonly<Record<string, readonly InputValue[]>>;

/** A term of an observable, in the form of a request. */
interface Term {
  readonly pauli: string;
  readonly coefficient: number;
}

/** Options that make a run a sweep, which may have a single point. */
export interface SweepOptions {
  readonly sweep?: SweptValues;
  /** Sums of Pauli strings. */
  readonly observable?: readonly (readonly Term[])[];
  readonly gradient?: boolean;
  readonly table?: boolean;
}

/** Whether an option asks for a sweep. */
export function isSweep({ sweep, observable, gradient, table }: SweepOptions): boolean {
  return [sweep, observable, gradient, table].some((option) => option !== undefined);
}

/** Adds the options. */
export function withSweep(command: Command): Command {
  return command
    .option(
      '--sweep <name=values>',
      'run at many values of an input: from:to:points with both ends, such as a=0:2pi:101, or a list, a=0,0.5,1; if repeated, the inputs change together',
      addSweep,
    )
    .option(
      '--observable <sum>',
      'expectation value of Pauli strings, such as "Z0 Z1" or "0.5*Z0 - X0 X1"; exact without --shots; may be repeated',
      addObservable,
    )
    .option('--gradient', 'derivatives of the observables by the inputs, too')
    .option('--table', 'print a sweep as a table, not as a chart');
}

function addSweep(text: string, earlier: SweptValues = {}): SweptValues {
  const [name = '', values = ''] = text.split(/=(.*)/s, 2).map((part) => part.trim());
  if (name === '' || values === '') {
    throw new InvalidArgumentError('Write it as name=from:to:points or as name=value,value,….');
  }
  if (Object.hasOwn(earlier, name)) {
    throw new InvalidArgumentError(`The input ${name} is swept twice.`);
  }
  const points = values.includes(':') ? range(values) : values.split(',').map(sweptValue);
  return { ...earlier, [name]: points };
}

/** The points of `from:to:points`, evenly spaced, with both ends. */
function range(text: string): readonly number[] {
  const parts = text.split(':');
  if (parts.length !== 3) {
    throw new InvalidArgumentError('A range is from:to:points, such as 0:6.28:100.');
  }
  const [from, to] = parts.slice(0, 2).map(sweptValue);
  if (typeof from !== 'number' || typeof to !== 'number') {
    throw new InvalidArgumentError('The ends of a range are numbers.');
  }
  const numPoints = /^\d+$/.test(parts[2]!.trim()) ? Number(parts[2]) : Number.NaN;
  if (!(numPoints >= 2 && numPoints <= MAX_POINTS)) {
    throw new InvalidArgumentError(
      `A range has from 2 to ${MAX_POINTS} points, its ends included; "${parts[2]}" is not such a number.`,
    );
  }
  const last = numPoints - 1;
  return Array.from({ length: numPoints }, (_, i) =>
    i === last ? to : from + ((to - from) * i) / last,
  );
}

function sweptValue(text: string): InputValue {
  const value = inputValue(text);
  if (value !== undefined) return value;
  throw new InvalidArgumentError(`"${text}" is not a number such as 0.5 or 3*pi/4.`);
}

/** Sign, coefficient, and factors of the next term. */
const TERM =
  /\s*([+-]?)\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)(?:\s*\*)?)?\s*((?:(?:[XYZ]\d+|I\d*)(?:\s*\*\s*|\s*))*)/iy;

function addObservable(
  text: string,
  earlier: readonly (readonly Term[])[] = [],
): readonly (readonly Term[])[] {
  const terms: Term[] = [];
  const term = new RegExp(TERM);
  for (let at = 0; at < text.length; at = term.lastIndex) {
    term.lastIndex = at;
    const [all = '', sign = '', number, factors = ''] = term.exec(text) ?? [];
    const isTerm = (number !== undefined || factors !== '') && !/\*\s*$/.test(all);
    // Terms after the first begin with their sign.
    if (!isTerm || (at > 0 && sign === '')) {
      const place = text.slice(at).trim();
      const rest = place === '' ? '' : ` "${place}" is not understood.`;
      throw new InvalidArgumentError(
        `Write a sum of Pauli strings in which each Pauli has its qubit, such as "Z0 Z1" or "0.5*Z0 - X0 X1".${rest}`,
      );
    }
    const pauli = factors.match(/[IXYZ]\d*/gi)?.join(' ') ?? 'I';
    terms.push({ pauli, coefficient: Number(`${sign}${number ?? 1}`) });
  }
  if (terms.length === 0) throw new InvalidArgumentError('Write for example "Z0 Z1".');
  return [...earlier, terms];
}
