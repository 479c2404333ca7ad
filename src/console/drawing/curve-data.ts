/** What a curve shows, apart from its drawing: the order of its points, its range, and its values in words. */
import { listed, rounded } from '../numbers.ts';

/** Numbers along one axis. */
export interface Axis {
  readonly label: string;
  readonly values: ArrayLike<number>;
}

/** Values at the points of the axis. NaN stands for a value that has not arrived or does not exist. */
export interface Series {
  readonly label: string;
  readonly values: ArrayLike<number>;
  /** Standard errors of the values. */
  readonly errors?: ArrayLike<number> | undefined;
}

/** Indices of the points by ascending x. */
export function ascending({ values }: Axis): readonly number[] {
  return Array.from(values, (_, i) => i).sort((a, b) => Number(values[a]) - Number(values[b]));
}

/** Values in a given order, with null for those that are not finite. */
export function inOrder(values: ArrayLike<number>, order: readonly number[]): (number | null)[] {
  return order.map((i) => {
    const value = values[i];
    return value !== undefined && Number.isFinite(value) ? value : null;
  });
}

/** Least and greatest value of all series, their errors included; undefined without any value. */
export function rangeOf(series: readonly Series[]): readonly [number, number] | undefined {
  let least = Infinity;
  let greatest = -Infinity;
  for (const { values, errors } of series) {
    for (let i = 0; i < values.length; i += 1) {
      const value = Number(values[i]);
      if (!Number.isFinite(value)) continue;
      const error = errors?.[i] ?? 0;
      const margin = Number.isFinite(error) ? error : 0;
      least = Math.min(least, value - margin);
      greatest = Math.max(greatest, value + margin);
    }
  }
  return least <= greatest ? [least, greatest] : undefined;
}

/** One point in words: "a = 0.5: Z0 = 0.8776". */
export function pointInWords(x: Axis, series: readonly Series[], index: number): string {
  const values = series.map((each) => `${each.label} = ${valueInWords(each, index)}`);
  return `${x.label} = ${rounded(Number(x.values[index]))}: ${values.join(', ')}`;
}

/** A value with its error: "0.88 ± 0.02"; "none" if there is none. */
export function valueInWords({ values, errors }: Series, index: number): string {
  const value = Number(values[index]);
  if (!Number.isFinite(value)) return 'none';
  const error = errors?.[index];
  return error === undefined || !Number.isFinite(error)
    ? rounded(value)
    : `${rounded(value)} ± ${rounded(error)}`;
}

/** The curves in words: least, greatest and last value of each. */
export function curvesInWords(x: Axis, series: readonly Series[]): string {
  return series.map((each) => curveInWords(x, each)).join(' ');
}

function curveInWords(x: Axis, { label, values }: Series): string {
  const present = Array.from(values, (_, i) => i).filter((i) => Number.isFinite(values[i]));
  const [first] = present;
  const last = present.at(-1);
  if (first === undefined || last === undefined) return `${label} has no values yet.`;
  let [least, greatest] = [first, first];
  for (const i of present) {
    if (Number(values[i]) < Number(values[least])) least = i;
    if (Number(values[i]) > Number(values[greatest])) greatest = i;
  }
  const at = (i: number) => `${rounded(Number(values[i]))} at ${rounded(Number(x.values[i]))}`;
  const some =
    present.length === values.length
      ? ''
      : ` ${present.length} of ${values.length} values are there.`;
  return `${label} by ${x.label}: ${listed([
    `minimum ${at(least)}`,
    `maximum ${at(greatest)}`,
    `last value ${rounded(Number(values[last]))}`,
  ])}.${some}`;
}
