/**
 * Curves of logical error rates from the tasks of an experiment. One field of the metadata is the axis, others tell the
 * curves apart. Each task is one point: counts of several tasks are never added.
 */
import type { TaskCounts } from '../../client/api-types.ts';
import { type Axis, boundsOf, type Series } from '../drawing/plot-data.ts';
import { listed, rounded } from '../numbers.ts';

/** What is drawn. */
export interface PlotChoice {
  /** Field of the metadata that is the axis. */
  readonly x: string;
  /** Fields whose values tell the curves apart. */
  readonly curves: readonly string[];
}

/** Fields that tasks have, besides the decoder. */
export interface PlotFields {
  /** Fields with numbers: they can be the axis. */
  readonly numbers: readonly string[];
  /** Fields that can tell curves apart: with texts, numbers or truth values, and the decoder. */
  readonly all: readonly string[];
}

/** A plot. */
export interface ThresholdPlot {
  readonly x: Axis;
  readonly series: readonly Series[];
  /** Tasks that lack a number for the axis. */
  readonly numWithoutX: number;
  /** Whether several tasks of one curve have the same place on the axis, so that some are curves of their own. */
  readonly hasTwins: boolean;
  /** Curves that are not drawn, because there are too many. */
  readonly numHidden: number;
}

const DECODER = 'decoder';
const PHYSICAL = ['p', 'physical_error_rate', 'error_rate', 'noise', 'probability'];
const DISTANCES = ['d', 'distance', 'diameter'];
/** Curves that differ by their colour or their dashes. */
const MAX_CURVES = 11;

/** Fields by which the tasks can be drawn. */
export function plotFields(tasks: readonly TaskCounts[]): PlotFields {
  const names = [...new Set(tasks.flatMap(({ metadata }) => Object.keys(fieldsOf(metadata))))];
  const has = (name: string, types: readonly string[]) =>
    tasks.some((task) => types.includes(typeof scalarOf(task, name)));
  return {
    numbers: names.filter((name) => has(name, ['number'])),
    all: [
      ...names.filter((name) => name !== DECODER && has(name, ['number', 'string', 'boolean'])),
      DECODER,
    ],
  };
}

/**
 * A choice to begin with: a field that is called like an error rate as the axis, or the first one that has several
 * numbers; curves by distance, and by as many further fields as it takes to tell all tasks apart. Undefined if no task
 * has a number in its metadata.
 */
export function usualChoice(tasks: readonly TaskCounts[]): PlotChoice | undefined {
  const { numbers, all } = plotFields(tasks);
  const candidates = numbers.filter((name) => !DISTANCES.includes(name));
  const varied = candidates.filter((name) => numDistinct(tasks, [name]) > 1);
  const x =
    PHYSICAL.find((name) => numbers.includes(name)) ?? varied[0] ?? candidates[0] ?? numbers[0];
  if (x === undefined) return undefined;
  const others = all.filter((name) => name !== x && numDistinct(tasks, [name]) > 1);
  const distances = others.filter((name) => DISTANCES.includes(name)).slice(0, 1);
  const rest = others.filter((name) => !distances.includes(name));
  let curves: readonly string[] = distances;
  for (const name of rest) {
    if (numDistinct(tasks, [x, ...curves]) === tasks.length) break;
    const next = [...curves, name];
    if (numDistinct(tasks, [x, ...next]) > numDistinct(tasks, [x, ...curves])) curves = next;
  }
  return { x, curves };
}

/** Curves of the logical error rate of the tasks, by ascending values of the fields that tell them apart. */
export function thresholdPlot(
  tasks: readonly TaskCounts[],
  choice: PlotChoice,
  isLogarithmic: boolean,
): ThresholdPlot {
  const placed = tasks.flatMap((task) => {
    const at = scalarOf(task, choice.x);
    return typeof at === 'number' && Number.isFinite(at) ? [{ task, at }] : [];
  });
  const values = [...new Set(placed.map(({ at }) => at))].toSorted((a, b) => a - b);
  const curves = new Map<string, Curve>();
  // Tasks at each place of a curve so far.
  const numAt = new Map<string, number>();
  for (const { task, at } of placed) {
    const label = labelOf(task, choice.curves);
    const twin = (numAt.get(`${at} ${label}`) ?? 0) + 1;
    numAt.set(`${at} ${label}`, twin);
    const name = twin === 1 ? label : `${label} (${twin})`;
    const curve = curves.get(name) ?? { task, twin, points: new Map<number, TaskCounts>() };
    curve.points.set(at, task);
    curves.set(name, curve);
  }
  const ordered = [...curves].toSorted(([, a], [, b]) => byFields(a, b, choice.curves));
  const isPositive = values.every((value) => value > 0);
  return {
    x: { label: choice.x, values, isLogarithmic: isLogarithmic && isPositive },
    series: ordered
      .slice(0, MAX_CURVES)
      .map(([label, { points }]) => seriesOf(label, values, points)),
    numWithoutX: tasks.length - placed.length,
    hasTwins: ordered.some(([, { twin }]) => twin > 1),
    numHidden: Math.max(0, ordered.length - MAX_CURVES),
  };
}

/**
 * Where curves cross that follow each other: "d = 3 and d = 5 cross between p = 0.05 and p = 0.2." At one of the points
 * the interval of the later curve lies below that of the earlier one, at the next one whose intervals are apart above it.
 */
export function crossingsInWords({ x, series }: ThresholdPlot): readonly string[] {
  return series.slice(1).flatMap((later, i) => {
    const earlier = series[i];
    if (earlier === undefined) return [];
    let below: number | undefined;
    for (let at = 0; at < x.values.length; at += 1) {
      const order = orderOf(earlier, later, at);
      if (order === 'below') below = at;
      if (order === 'above' && below !== undefined) {
        const ends = [below, at].map((each) => `${x.label} = ${rounded(Number(x.values[each]))}`);
        return [`${listed([earlier.label, later.label])} cross between ${listed(ends)}.`];
      }
    }
    return [];
  });
}

/** Whether the later curve is below or above the earlier one; undefined where their intervals overlap or are missing. */
function orderOf(earlier: Series, later: Series, at: number): 'below' | 'above' | undefined {
  const [one, other] = [boundsOf(earlier, at), boundsOf(later, at)];
  if (one === undefined || other === undefined) return undefined;
  if (other[1] < one[0]) return 'below';
  return other[0] > one[1] ? 'above' : undefined;
}

interface Curve {
  /** The first task of the curve. */
  readonly task: TaskCounts;
  /** 1, or more for tasks at places that are taken. */
  readonly twin: number;
  readonly points: Map<number, TaskCounts>;
}

function seriesOf(
  label: string,
  values: readonly number[],
  points: ReadonlyMap<number, TaskCounts>,
): Series {
  const tasks = values.map((value) => points.get(value));
  return {
    label,
    values: tasks.map((task) => task?.logical_error_rate ?? Number.NaN),
    intervals: {
      low: tasks.map((task) => task?.interval?.[0] ?? Number.NaN),
      high: tasks.map((task) => task?.interval?.[1] ?? Number.NaN),
    },
  };
}

/** Label of a curve: "d = 3, union_find". */
function labelOf(task: TaskCounts, names: readonly string[]): string {
  const parts = names.map((name) => {
    const value = scalarOf(task, name);
    return name === DECODER ? task.decoder : `${name} = ${value === undefined ? 'none' : value}`;
  });
  return parts.length === 0 ? 'Logical error rate' : parts.join(', ');
}

function byFields(a: Curve, b: Curve, names: readonly string[]): number {
  for (const name of names) {
    const [one, other] = [scalarOf(a.task, name), scalarOf(b.task, name)];
    if (one === other) continue;
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    return String(one) < String(other) ? -1 : 1;
  }
  return a.twin - b.twin;
}

/** Distinct combinations of the values of some fields. */
function numDistinct(tasks: readonly TaskCounts[], names: readonly string[]): number {
  return new Set(
    tasks.map((task) => JSON.stringify(names.map((name) => scalarOf(task, name) ?? null))),
  ).size;
}

/** A field of a task; undefined if it has none, or one that is a list or an object. */
function scalarOf(task: TaskCounts, name: string): number | string | boolean | undefined {
  if (name === DECODER) return task.decoder;
  const value: unknown = fieldsOf(task.metadata)[name];
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
    ? value
    : undefined;
}

function fieldsOf(metadata: unknown): Readonly<Record<string, unknown>> {
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  // The values are looked at one by one.
  return isObject ? (metadata as Readonly<Record<string, unknown>>) : {};
}
