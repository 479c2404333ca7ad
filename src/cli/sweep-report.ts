/** Results of sweeps for people: a chart or a table. */
import { givenValue, type InputColumns, inputAt, inputValueAt } from '../circuit/input-columns.ts';
import type { PauliSum } from '../circuit/observable.ts';
import type { Batch, BatchProgramResult, NumericArray } from '../client/client.ts';
import { type CommandIo, printable, table } from './command-io.ts';
import { type ChartAxis, type ChartLine, lineChart, MAX_LINES } from './line-chart.ts';
import { ranOn } from './run-report.ts';
import type { SweepOptions } from './sweep-options.ts';

/** Facts about a sweep besides its result. */
export interface SweepFacts {
  readonly processor: string;
  /** Seed of the first point. */
  readonly seed: number;
  readonly numQubits: number;
  /** Absent where all values are exact. */
  readonly shots?: number;
  readonly inputs: InputColumns;
  /** As `observableText` writes them. Observables that only the program's text requests may be missing. */
  readonly observables: readonly string[];
  /** Names of the inputs that gradients are taken by, in order. */
  readonly gradientInputs: readonly string[];
}

/** Result of a batch of one program. */
type SweepResult = Pick<Batch, 'executed_on' | 'timing'> & {
  readonly programs: readonly BatchProgramResult[];
};

/** Outcomes that have a column of the table. */
const MAX_OUTCOMES = 16;
/** Significant digits of numbers in the table. */
const DIGITS = 12;
/** Greatest length of an observable in a legend or heading. */
const MAX_LABEL = 32;

/** Lines that share a scale. */
interface Lines {
  readonly title: string;
  readonly lines: readonly ChartLine[];
}

/** Prints a sweep: the table with `table`, otherwise the report. */
export function writeSweep(
  facts: SweepFacts,
  result: SweepResult,
  { table: asTable }: Pick<SweepOptions, 'table'>,
  { out }: Pick<CommandIo, 'out'>,
): void {
  const write = asTable === true ? sweepTable : sweepReport;
  out.write(`${write(facts, result, out.columns ?? 80)}\n`);
}

/** Inputs and observables of a sweep, which are printed beside its result with --json. */
export function sweptFields({
  inputs,
  observables,
}: Pick<SweepFacts, 'inputs' | 'observables'>): object {
  return {
    inputs: Object.fromEntries(
      inputs.names.map((name, i) => {
        const column = inputs.columns[i]!;
        const all = Array.from(column.values, (_, place) => givenValue(column, place));
        return [name, all.length === 1 ? all[0] : all];
      }),
    ),
    ...(observables.length > 0 && { observables }),
  };
}

/** Formats a chart, or the table of a single point, below facts about the run. */
function sweepReport(facts: SweepFacts, result: SweepResult, columns: number): string {
  const axis = axisOf(facts);
  const parts = [factsText(facts, result)];
  if (axis === undefined) parts.push(sweepTable(facts, result));
  else {
    for (const { title, lines } of chartLines(facts, result.programs[0]!)) {
      const chart = lineChart(axis, lines.slice(0, MAX_LINES), columns);
      const left = lines.length - MAX_LINES;
      const more = left > 0 ? `; ${MAX_LINES} of ${lines.length}, --table has more` : '';
      parts.push(`${title}${noise(lines)}${more}:\n${chart}`);
    }
  }
  return parts.join('\n\n');
}

/** Formats a row for each point: values of the inputs that are swept, then results. */
function sweepTable(facts: SweepFacts, { programs }: SweepResult): string {
  const { inputs } = facts;
  const swept = sweptInputs(facts);
  const columns = [
    ...swept.map((input) => ({
      label: inputs.names[input]!,
      textAt: (point: number) => {
        const value = inputValueAt(inputs, input, point);
        return typeof value === 'number' ? inputText(value) : `${value}`;
      },
    })),
    ...tableLines(facts, programs[0]!).flatMap(({ lines }) =>
      lines.flatMap(({ label, values, errors }) => [
        { label, textAt: (point: number) => resultText(values[point]!) },
        ...(errors === undefined
          ? []
          : [{ label: '±', textAt: (point: number) => resultText(errors[point]!) }]),
      ]),
    ),
  ];
  const rows = Array.from({ length: inputs.numPoints }, (_, point) =>
    columns.map(({ textAt }) => textAt(point)),
  );
  return table(
    columns.map(({ label }) => label),
    rows,
  );
}

/** Text of an observable on the command line: `0.5*Z0 Z1 - X0`. */
export function observableText(observable: PauliSum): string {
  return observable
    .map(({ coefficient, factors }, i) => {
      const pauli = factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ') || 'I';
      const size = Math.abs(coefficient);
      const term = size === 1 ? pauli : `${size}*${pauli}`;
      if (i === 0) return coefficient < 0 ? `-${term}` : term;
      return `${coefficient < 0 ? '-' : '+'} ${term}`;
    })
    .join(' ');
}

function factsText(
  { processor, seed, numQubits, inputs, shots }: SweepFacts,
  { timing, executed_on: executedOn = [], programs: [program] }: SweepResult,
): string {
  const cut = program && cutText(program);
  const bounds = program?.error_bound;
  const how =
    shots === undefined ? (cut ?? 'exact') : `${plural(shots, 'shot')} a point, seed ${seed}`;
  const where = executedOn.map(({ backend }) => ranOn(backend));
  const times = timing && `compiled in ${timing.compile_ms} ms, ran in ${timing.execution_ms} ms`;
  return [
    `${processor}: ${plural(numQubits, 'qubit')}, ${plural(inputs.numPoints, 'point')}, ${how}`,
    [where.join(', '), times].filter(Boolean).join(': '),
    ...(cut !== undefined && shots !== undefined ? [cut] : []),
    ...(bounds === undefined ? [] : [`product formulas: error at most ${largest(bounds)}`]),
  ]
    .map(printable)
    .join('\n');
}

/** A sentence that says what matrix product states or Pauli propagation left out; undefined for other methods. */
function cutText({ truncation_error: cuts, largest_bond: bonds }: BatchProgramResult) {
  if (cuts === undefined) return undefined;
  const ofBonds = bonds === undefined ? '' : `largest bond ${largest(bonds)}, `;
  return `${ofBonds}truncation error up to ${largest(cuts)}`;
}

function largest({ data }: NumericArray): number {
  return data.reduce((most, number) => Math.max(most, number), 0);
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Values over the first swept input; undefined for a single point. */
function axisOf(facts: SweepFacts): ChartAxis | undefined {
  const { inputs } = facts;
  const swept = sweptInputs(facts);
  if (inputs.numPoints < 2) return undefined;
  const others =
    swept.length > 1
      ? ` (and ${swept
          .slice(1)
          .map((i) => inputs.names[i])
          .join(', ')})`
      : '';
  const [first = 0] = swept;
  return {
    name: `${inputs.names[first]}${others}`,
    values: Array.from({ length: inputs.numPoints }, (_, point) => inputAt(inputs, first, point)),
  };
}

/** Indices of the inputs that were given as lists. */
function sweptInputs({ inputs }: SweepFacts): readonly number[] {
  return [...inputs.names.keys()].filter((i) => inputs.columns[i]!.values.length > 1);
}

/** Values of observables, or shares of the outcomes of a program that has none. */
function chartLines(facts: SweepFacts, result: BatchProgramResult): readonly Lines[] {
  const ofObservables = observableLines(facts, result);
  if (ofObservables.length > 0) return ofObservables;
  const { shots = 1 } = facts;
  const lines = outcomeLines(result.counts ?? [], MAX_LINES).map(({ label, values }) => ({
    label,
    values: values.map((count) => count / shots),
  }));
  return [{ title: 'Share of the shots', lines }];
}

/** Values of observables, or counts of the outcomes of a program that has none. */
function tableLines(facts: SweepFacts, result: BatchProgramResult): readonly Lines[] {
  const ofObservables = observableLines(facts, result);
  if (ofObservables.length > 0) return ofObservables;
  return [{ title: 'Counts', lines: outcomeLines(result.counts ?? [], MAX_OUTCOMES) }];
}

function observableLines(
  { observables, gradientInputs }: SweepFacts,
  { expectation, standard_error: errors, gradient }: BatchProgramResult,
): readonly Lines[] {
  const labelOf = (observable: number) => {
    const text = observables[observable] ?? `observable ${observable + 1}`;
    return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1)}…`;
  };
  const lines: Lines[] = [];
  if (expectation !== undefined) {
    const ofErrors = errors === undefined ? [] : series(errors);
    const all = series(expectation).map((values, o) => ({
      label: labelOf(o),
      values,
      ...(ofErrors[o] !== undefined && { errors: ofErrors[o] }),
    }));
    lines.push({ title: 'Expectation', lines: all });
  }
  if (gradient !== undefined) {
    const numInputs = gradient.shape[2] ?? 1;
    const all = series(gradient).map((values, i) => {
      const input = gradientInputs[i % numInputs];
      return { label: `d(${labelOf(Math.floor(i / numInputs))})/d${input}`, values };
    });
    lines.push({ title: 'Derivatives', lines: all });
  }
  return lines;
}

/** Values over the points of each place in a row of an array; NaN where there is none, as for a derivative. */
function series({ shape: [numPoints = 0], data }: NumericArray): readonly (readonly number[])[] {
  const width = numPoints === 0 ? 0 : data.length / numPoints;
  return Array.from({ length: width }, (_, place) =>
    Array.from({ length: numPoints }, (_, point) => {
      const value = data[point * width + place]!;
      return Number.isFinite(value) ? value : Number.NaN;
    }),
  );
}

/**
 * Counts of outcomes over all points, sorted by label. Where there are too many, those that came most often are listed,
 * and the rest together.
 *
 * @param most - Greatest number of lines.
 */
function outcomeLines(
  counts: readonly Readonly<Record<string, number>>[],
  most: number,
): readonly ChartLine[] {
  const totals = new Map<string, number>();
  for (const point of counts) {
    for (const [outcome, count] of Object.entries(point)) {
      totals.set(outcome, (totals.get(outcome) ?? 0) + count);
    }
  }
  const byTotal = [...totals.keys()].sort((a, b) => totals.get(b)! - totals.get(a)!);
  const listed = (byTotal.length <= most ? byTotal : byTotal.slice(0, most - 1)).sort();
  const lines = listed.map((label) => ({
    label: printable(label),
    values: counts.map((point) => point[label] ?? 0),
  }));
  if (listed.length === byTotal.length) return lines;
  const others = counts.map(
    (point, k) =>
      Object.values(point).reduce((sum, count) => sum + count, 0) -
      lines.reduce((sum, { values }) => sum + values[k]!, 0),
  );
  return [...lines, { label: 'others', values: others }];
}

/** Clause about the standard errors of lines that have some. */
function noise(lines: readonly ChartLine[]): string {
  const all = lines.flatMap(({ errors = [] }) => errors);
  if (all.length === 0) return '';
  const most = all.reduce((a, b) => Math.max(a, b), 0);
  return `, standard errors up to ${Number(most.toPrecision(2))}`;
}

/** The value of an input. */
function inputText(value: number): string {
  return `${Number(value.toPrecision(DIGITS)) + 0}`;
}

/** A result, without the digits that are rounding: those of a sum of ones and of a zero. */
function resultText(value: number): string {
  if (Number.isNaN(value)) return 'none';
  return `${Number(Number(value.toPrecision(DIGITS)).toFixed(DIGITS)) + 0}`;
}
