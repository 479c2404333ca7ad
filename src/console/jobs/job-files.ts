/** Files of a job's result. */
import type { TaskCounts } from '../../client/api-types.ts';
import { batchResultOf } from '../../client/batch-result.ts';
import { byOutcome } from '../drawing/histogram-data.ts';
import { csvText } from '../shell/csv.ts';
import type { Job, JobRow } from './job-row.ts';
import { isTable, type Value } from './result-shape.ts';

/** Name of a file: "circ_1.csv". */
export function downloadName({ id }: JobRow, ending: 'json' | 'csv'): string {
  return `${id}.${ending}`;
}

/** The result as CSV: counts, the points of a batch, or the longest table of a result; undefined if there is none. */
export function csvOf(job: Job): string | undefined {
  if ('circuit_id' in job) {
    if (job.counts !== undefined) return countsCsv(job.counts);
    return job.expectation === undefined
      ? undefined
      : csvText(
          ['observable', 'value'],
          job.expectation.values.map((value, i) => [i, value]),
        );
  }
  if ('batch_id' in job) return job.programs === undefined ? undefined : batchCsv(job);
  if ('experiment_id' in job) return job.tasks === undefined ? undefined : experimentCsv(job.tasks);
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
    return csvText(
      columns,
      longest.map((row) => columns.map((name) => cell(row[name]))),
    );
  }
  return csvText(
    ['field', 'value'],
    Object.entries(result).map(([name, value]) => [name, cell(value)]),
  );
}

function countsCsv(counts: Readonly<Record<string, number>>): string {
  return csvText(
    ['outcome', 'count'],
    // The names of an object that are whole numbers come first.
    Object.entries(counts).sort(([a], [b]) => byOutcome(a, b)),
  );
}

/** Sinter's table. */
function experimentCsv(tasks: readonly TaskCounts[]): string {
  return csvText(
    [
      ...['shots', 'errors', 'discards', 'seconds', 'decoder', 'strong_id'],
      ...['json_metadata', 'custom_counts'],
    ],
    tasks.map(({ shots, errors, discards, seconds, decoder, strong_id, metadata = null }) => [
      ...[shots, errors, discards, seconds, decoder, strong_id],
      ...[JSON.stringify(metadata), ''],
    ]),
  );
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
  return csvText(['program', 'point', ...names], rows);
}

function cell(value: unknown): string | number {
  if (typeof value === 'number' || typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
