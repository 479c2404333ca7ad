/** Results of `qcs run --sweep` for people: a chart or a table. */
import { inputAt } from '../circuit/input-columns.ts';
import type { PauliSum } from '../circuit/observable.ts';
import type { CheckedProgram } from '../service/batches/read-batch.ts';
import type { BatchResultFields, ProgramResultFields } from '../service/schemas/batches.ts';
import { table } from './command-io.ts';
import { type ChartAxis, type ChartLine, lineChart, MAX_LINES } from './line-chart.ts';

/** What ran, and where. */
export interface SweepFacts {
  readonly processor: string;
  /** Seed of the first point. */
  readonly seed: number;
  readonly program: CheckedProgram;
}

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

/** Formats a chart, or the table of a single point, below facts about the run. */
export function sweepReport(facts: SweepFacts, result: BatchResultFields, columns: number): string {
  const axis = axisOf(facts.program);
  const parts = [factsText(facts, result)];
  if (axis === undefined) parts.push(sweepTable(facts, result));
  else {
    for (const { title, lines } of chartLines(facts.program, result.programs[0]!)) {
      const chart = lineChart(axis, lines.slice(0, MAX_LINES), columns);
      const left = lines.length - MAX_LINES;
      const more = left > 0 ? `; ${MAX_LINES} of ${lines.length}, --table has more` : '';
      parts.push(`${title}${noise(lines)}${more}:\n${chart}`);
    }
  }
  return parts.join('\n\n');
}

/** Formats a row for each point: values of the inputs that are swept, then results. */
export function sweepTable({ program }: SweepFacts, { programs }: BatchResultFields): string {
  const { inputs } = program;
  const swept = sweptInputs(program);
  const columns = [
    ...swept.map((input) => ({
      label: inputs.names[input]!,
      textAt: (point: number) => {
        const value = inputAt(inputs, input, point);
        return inputs.columns[input]!.isBoolean ? `${value !== 0}` : inputText(value);
      },
    })),
    ...tableLines(program, programs[0]!).flatMap(({ lines }) =>
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

/** An observable as it is written on the command line: `0.5*Z0 Z1 - X0`. */
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
  { processor, seed, program }: SweepFacts,
  { timing, executed_on: executedOn }: BatchResultFields,
): string {
  const { numQubits, inputs, shots } = program;
  const how = shots === undefined ? 'exact' : `${plural(shots, 'shot')} a point, seed ${seed}`;
  const where = executedOn.map(
    ({ backend: { engine, precision, hardware } }) =>
      `${engine} engine (${precision}) on ${hardware}`,
  );
  return [
    `${processor}: ${plural(numQubits, 'qubit')}, ${plural(inputs.numPoints, 'point')}, ${how}`,
    `${where.join(', ')}: compiled in ${timing.compile_ms} ms, ran in ${timing.execution_ms} ms`,
  ].join('\n');
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Values over the first swept input; undefined for a single point. */
function axisOf(program: CheckedProgram): ChartAxis | undefined {
  const { inputs } = program;
  const swept = sweptInputs(program);
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
function sweptInputs({ inputs }: CheckedProgram): readonly number[] {
  return [...inputs.names.keys()].filter((i) => inputs.columns[i]!.values.length > 1);
}

/** Values of observables, or shares of the outcomes of a program that has none. */
function chartLines(program: CheckedProgram, result: ProgramResultFields): readonly Lines[] {
  const ofObservables = observableLines(program, result);
  if (ofObservables.length > 0) return ofObservables;
  const { shots = 1 } = program;
  const lines = outcomeLines(result.counts ?? [], MAX_LINES).map(({ label, values }) => ({
    label,
    values: values.map((count) => count / shots),
  }));
  return [{ title: 'Share of the shots', lines }];
}

/** Values of observables, or counts of the outcomes of a program that has none. */
function tableLines(program: CheckedProgram, result: ProgramResultFields): readonly Lines[] {
  const ofObservables = observableLines(program, result);
  if (ofObservables.length > 0) return ofObservables;
  return [{ title: 'Counts', lines: outcomeLines(result.counts ?? [], MAX_OUTCOMES) }];
}

function observableLines(program: CheckedProgram, result: ProgramResultFields): readonly Lines[] {
  const { inputs, observables, gradientInputs } = program;
  const { expectation, standard_error: errors, gradient } = result;
  const labels = observables.map((observable) => {
    const text = observableText(observable);
    return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1)}…`;
  });
  const lines: Lines[] = [];
  // Arrays are nested as they are asked for, not packed.
  if (expectation !== undefined) {
    const [values, ofValues] = [expectation as number[][], errors as number[][] | undefined];
    lines.push({
      title: 'Expectation',
      lines: labels.map((label, o) => ({
        label,
        values: values.map((row) => row[o]!),
        ...(ofValues !== undefined && { errors: ofValues.map((row) => row[o]!) }),
      })),
    });
  }
  if (gradient !== undefined) {
    const values = gradient as (number | null)[][][];
    lines.push({
      title: 'Derivatives',
      lines: labels.flatMap((label, o) =>
        gradientInputs.map((input, i) => ({
          label: `d(${label})/d${inputs.names[input]}`,
          values: values.map((point) => point[o]![i] ?? Number.NaN),
        })),
      ),
    });
  }
  return lines;
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
    label,
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
