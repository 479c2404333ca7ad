/** Fields of a result by their form: text, tables of objects, histograms of counts, curves of numbers. */

import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Curve } from '../drawing/curve.tsx';
import { Histogram } from '../drawing/histogram.tsx';
import { grouped, numberOf } from '../numbers.ts';
import { FactList } from '../shell/facts.tsx';
import { Table } from '../shell/table.tsx';
import {
  type Fields,
  fieldInWords,
  inWords,
  isUnit,
  shapeOf,
  titleOf,
  type Value,
} from './result-shape.ts';

const NUM_ROWS = 500;
/** With more facts than this, */
const MANY_FACTS = 9;
/** so many are in sight. */
const NUM_FIRST = 6;

/** Shows all fields but those that are named. */
export function ResultFields({
  fields,
  without = [],
}: {
  readonly fields: Fields;
  readonly without?: readonly string[];
}) {
  const entries = Object.entries(fields).filter(
    ([name]) => !without.includes(name) && !isUnit(name, fields),
  );
  const isText = ([name, value]: readonly [string, Value]) =>
    ['text', 'list'].includes(shapeOf(name, value));
  const texts = entries.filter(isText);
  const others = entries.filter((entry) => !isText(entry));
  // What was asked for stands first in a result.
  const numFirst = texts.length > MANY_FACTS ? NUM_FIRST : texts.length;
  return (
    <>
      {texts.length > 0 && <FieldFacts of={fields} shown={texts.slice(0, numFirst)} />}
      {numFirst < texts.length && (
        <details>
          <summary>{texts.length - numFirst} more figures</summary>
          <FieldFacts of={fields} shown={texts.slice(numFirst)} />
        </details>
      )}
      {others.map(([name, value]) => (
        <Part key={name} name={name} value={value} />
      ))}
    </>
  );
}

function FieldFacts({
  of: all,
  shown,
}: {
  readonly of: Fields;
  readonly shown: readonly (readonly [string, Value])[];
}) {
  return (
    <FactList
      class="run-facts"
      facts={shown.map(([name, value]) => [titleOf(name), fieldInWords(name, value, all)])}
    />
  );
}

function Part({ name, value }: { readonly name: string; readonly value: Value }) {
  const title = titleOf(name);
  const shape = shapeOf(name, value);
  // The shape has decided what the value is.
  switch (shape) {
    case 'counts':
      return (
        <ResultPart title={title}>
          <Counts label={title} counts={value as Readonly<Record<string, number>>} />
        </ResultPart>
      );
    case 'numbers':
      return (
        <ResultPart title={title}>
          <Numbers name={name} values={value as readonly number[]} />
        </ResultPart>
      );
    case 'table':
      return (
        <ResultPart title={title}>
          <FieldsTable label={title} rows={value as readonly Fields[]} />
        </ResultPart>
      );
    case 'sections':
      return (
        <ResultPart title={title}>
          {(value as readonly Fields[]).map((fields, i) => (
            <ResultPart key={i} title={String(fields['name'] ?? i)}>
              <ResultFields fields={fields} without={['name']} />
            </ResultPart>
          ))}
        </ResultPart>
      );
    case 'matrix':
      return (
        <ResultPart title={title}>
          <Matrix label={title} rows={value as readonly (readonly Value[])[]} />
        </ResultPart>
      );
    case 'circuit':
      return (
        <p class="small">
          {title}: {grouped((value as readonly Value[]).length)} operations. They are in the
          download, and as OpenQASM below where the result has it.
        </p>
      );
    case 'program':
      return (
        <details>
          <summary>{PROGRAM_TITLES[name] ?? title}</summary>
          <pre
            class="scroll job-text"
            tabIndex={0}
            role="group"
            aria-label={PROGRAM_TITLES[name] ?? title}
          >
            {String(value)}
          </pre>
        </details>
      );
    case 'fields':
      return (
        <ResultPart title={title}>
          <ResultFields fields={value as Fields} />
        </ResultPart>
      );
    case 'text':
    case 'list':
      return null;
  }
}

const PROGRAM_TITLES: Readonly<Record<string, string>> = {
  qasm: 'OpenQASM',
  stim: 'Stim’s format',
};

/** A part of a result below its title. */
export function ResultPart({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  return (
    <div class="result-part">
      <h3>{title}</h3>
      {children}
    </div>
  );
}

function Counts({
  label,
  counts,
}: {
  readonly label: string;
  readonly counts: Readonly<Record<string, number>>;
}) {
  const map = useMemo(() => new Map(Object.entries(counts)), [counts]);
  return <Histogram label={label} counts={map} />;
}

function Numbers({ name, values }: { readonly name: string; readonly values: readonly number[] }) {
  const x = useMemo(
    () => ({ label: /history/.test(name) ? 'step' : 'index', values: values.map((_, i) => i) }),
    [values],
  );
  const series = useMemo(() => [{ label: titleOf(name), values }], [values]);
  return <Curve label={titleOf(name)} x={x} series={series} height={220} />;
}

/** Objects as rows, their fields as columns. */
export function FieldsTable({
  label,
  rows,
}: {
  readonly label: string;
  readonly rows: readonly Fields[];
}) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return (
    <Table
      label={label}
      class="result-table"
      columns={columns.map(titleOf)}
      rows={rows
        .slice(0, NUM_ROWS)
        .map((row) => columns.map((name) => cellInWords(name, row[name])))}
      isNamed={false}
    >
      <More total={rows.length} />
    </Table>
  );
}

function cellInWords(name: string, value: Value | undefined): string {
  if (name === 'circuit' && Array.isArray(value)) return `${grouped(value.length)} operations`;
  if (typeof value === 'string' && shapeOf(name, value) === 'program') {
    return numberOf(value.trim().split('\n').length, 'line');
  }
  return /seed/.test(name) ? String(value ?? 'none') : inWords(value);
}

function Matrix({
  label,
  rows,
}: {
  readonly label: string;
  readonly rows: readonly (readonly Value[])[];
}) {
  return (
    <Table
      label={label}
      class="result-table"
      rows={rows.slice(0, NUM_ROWS).map((row, i) => [i, ...row.map(inWords)])}
    >
      <More total={rows.length} />
    </Table>
  );
}

function More({ total }: { readonly total: number }) {
  return total <= NUM_ROWS ? null : (
    <p class="small">
      The first {NUM_ROWS} of {grouped(total)} rows. All are in the download.
    </p>
  );
}
