/** Actions of `qcs jobs show` and `qcs jobs cancel`, and the printing of a job's result. */
import { fieldsOf } from '../../client/json.ts';
import { type CommandIo, printableJson, table, writeEither, writeJson } from '../command-io.ts';
import { histogram } from '../histogram.ts';
import {
  errorText,
  type JobRecord,
  nameText,
  progressText,
  readRecord,
  resultOf,
  runText,
  tagsText,
  targetText,
} from './job-record.ts';
import { type AddressOptions, serviceClient } from './service-client.ts';

/** Options of the commands that take one job. */
export interface JobOptions extends AddressOptions {
  readonly json?: boolean;
}

/** Prints a job's record. */
export async function showJob(id: string, options: JobOptions, io: CommandIo): Promise<void> {
  const jobs = (await serviceClient(options, io)).jobsOf(id);
  const record = readRecord(await jobs.get(id), jobs);
  if (options.json !== true) io.out.write(`${summaryText(record, io.now())}\n`);
  if (options.json === true || record.status === 'completed') writeResult(record, options, io);
}

/** Cancels a job; a job that has ended does not change. */
export async function cancelJob(id: string, options: JobOptions, io: CommandIo): Promise<void> {
  const jobs = (await serviceClient(options, io)).jobsOf(id);
  const record = readRecord(await jobs.cancel(id), jobs);
  writeEither(io, options, record.fields, `${record.id} is ${record.status}.`);
}

/**
 * Prints a job's result: counts as a histogram, anything else as JSON. With `json` it prints the whole
 * record.
 */
export function writeResult(record: JobRecord, { json }: JobOptions, io: CommandIo): void {
  if (json === true) {
    writeJson(io, record.fields);
    return;
  }
  const { counts: given, ...others } = resultOf(record);
  const counts = record.resource.kind === 'circuit' ? countsOf(given) : undefined;
  if (counts === undefined) {
    io.out.write(`${printableJson(resultOf(record))}\n`);
    return;
  }
  io.out.write(`${histogram(counts, io.out.columns ?? 80)}\n`);
  const asked = Object.entries(others).filter(([name]) => OUTPUTS.has(name));
  if (asked.length > 0) io.out.write(`\n${printableJson(Object.fromEntries(asked))}\n`);
}

/** Outputs that a circuit may request beside its counts. */
const OUTPUTS = new Set(['probabilities', 'statevector', 'amplitudes', 'expectation']);

function countsOf(value: unknown): Readonly<Record<string, number>> | undefined {
  const entries = Object.entries(fieldsOf(value) ?? {});
  const counts = entries.flatMap(([label, count]): [string, number][] =>
    /^[01]+$/.test(label) && typeof count === 'number' ? [[label, count]] : [],
  );
  const isCounts = counts.length > 0 && counts.length === entries.length;
  return isCounts ? Object.fromEntries(counts) : undefined;
}

function summaryText(record: JobRecord, now: number): string {
  const { id, resource, status } = record;
  const rows = [
    ['kind', resource.kind],
    ['name', nameText(record)],
    ['tags', tagsText(record)],
    ['target', targetText(record)],
    ['status', [status, progressText(record)].filter((text) => text !== '').join(', ')],
    ['created', new Date(record.createdAt).toISOString()],
    ['duration', runText(record, now)],
    ['error', errorText(record)],
  ];
  return table(
    [id, ''],
    rows.filter(([, text]) => text !== ''),
  );
}
