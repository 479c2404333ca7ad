/** Files of a job's result. */
import { batchResultOf } from '../../client/batch-result.ts';
import type { Job, JobRow } from './job-row.ts';
import { isTable, type Value } from './result-shape.ts';

/** Name of a file: "circ_1-counts.csv". */
export function downloadName({ id }: JobRow, ending: 'json' | 'csv'): string {
  return `${id}.${ending}`;
}

/** The result as CSV: counts, the points of a batch, or the longest table of a result; undefined if there is none. */
export function csvOf(job: Job): string | undefined {
  if ('circuit_id' in job) {
    if (job.counts !== undefined) return countsCsv(job.counts);
    return job.expectation === undefined
      ? undefined
      : csv(
          ['observable', 'value'],
          job.expectation.values.map((value, i) => [i, value]),
        );
  }
  if ('batch_id' in job) return job.programs === undefined ? undefined : batchCsv(job);
  const { result } = job;
  if (result === undefined) return undefined;
  const { counts } = result;
  if (typeof counts === 'object' && counts !== null && !Array.isArray(counts)) {
    return countsCsv(counts as Readonly<Record<string, number>>);
  }
  const tables = Object.values(result as Readonly<Record<string, Value>>).filter(isTable);
  const [longest] = tables.toSorted((a, b) => b.length - a.length);
  if (longest !== undefined) {
    const columns = [...new Set(longest.flatMap((row) => Object.keys(row)))];
    return csv(
      columns,
      longest.map((row) => columns.map((name) => cell(row[name]))),
    );
  }
  return csv(
    ['field', 'value'],
    Object.entries(result).map(([name, value]) => [name, cell(value)]),
  );
}

function countsCsv(counts: Readonly<Record<string, number>>): string {
  return csv(['outcome', 'count'], Object.entries(counts));
}

function batchCsv(job: Extract<Job, { readonly batch_id: string }>): string {
  const rows = batchResultOf(job).programs.flatMap((program, p) => {
    const values = program.expectation;
    const width = values?.shape[1] ?? 0;
    return Array.from({ length: program.points }, (_, point) => [
      program.name ?? p,
      point,
      ...(values === undefined
        ? [JSON.stringify(program.counts?.[point] ?? '')]
        : values.data.slice(point * width, (point + 1) * width)),
    ]);
  });
  const most = rows.reduce((longest, row) => Math.max(longest, row.length), 0);
  const names = Array.from({ length: Math.max(0, most - 2) }, (_, i) => `value_${i}`);
  return csv(['program', 'point', ...names], rows);
}

function cell(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}

/** Rows as CSV (RFC 4180). */
function csv(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [columns, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}

function field(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
