/**
 * Counts of tasks as they are stored, a part of the job's result for each task, and as they are shown. A part is written
 * anew as its task goes on.
 */
import { setImmediate } from 'node:timers/promises';
import type { DecoderChoice } from '../../decoding/decoders.ts';
import { JobDamagedError } from '../../jobs/errors.ts';
import type { JobPart, JobPartPlace } from '../../jobs/job.ts';
import type { TaskCountsFields } from '../jobs/task-counts-schema.ts';
import { errorRate } from './error-rate.ts';
import type { FaultNumbers, StoredStrata } from './stratified-counts.ts';
import type { CountedChunks } from './task-counts.ts';

/** What is known of a task besides its counts. */
export interface TaskFacts {
  readonly decoder: DecoderChoice;
  readonly seed: number;
  readonly strongId: string;
  /** Any JSON value; absent where the request has none. */
  readonly metadata?: TaskCountsFields['metadata'];
}

/** A task with its counts, as it is stored. */
export interface StoredTask extends TaskFacts {
  readonly task: number;
  readonly counted: CountedChunks;
  /** Present where its shots are stratified by their faults. */
  readonly stratified?: StoredStrata;
  readonly faultNumbers?: FaultNumbers;
}

/** The part that keeps the counts of a task. */
export function partOfTask({ task, ...stored }: StoredTask): JobPart {
  const bytes = Buffer.from(JSON.stringify(stored));
  return { series: task, from: 0, to: stored.counted.numChunks, bytes };
}

/** Reads the parts of a job after one, or the first ones. */
export type ReadParts = (after?: JobPartPlace) => Promise<readonly JobPart[]>;

/**
 * The tasks whose counts are stored, in order.
 *
 * @throws {JobDamagedError} if a part is not one.
 */
export async function* storedTasks(
  readParts: ReadParts,
): AsyncGenerator<StoredTask, void, undefined> {
  let page = await readParts();
  while (page.length > 0) {
    for (const { series, bytes } of page) yield { ...parsed(bytes), task: series };
    // A page is some megabytes of JSON.
    await setImmediate();
    page = await readParts(page.at(-1));
  }
}

function parsed(bytes: Uint8Array): Omit<StoredTask, 'task'> {
  try {
    // The cast is safe: `partOfTask` wrote it.
    return JSON.parse(Buffer.from(bytes).toString()) as Omit<StoredTask, 'task'>;
  } catch {
    throw new JobDamagedError('the counts of a task are no JSON');
  }
}

/** A task as a record shows it. */
export function viewTask(stored: StoredTask): TaskCountsFields {
  const { task, counted, strongId, decoder, seed, metadata, stratified } = stored;
  const { shots, errors, discards, ms } = counted;
  const known = stratified === undefined ? errorRate(counted) : shots > 0 && stratified.rate;
  return {
    task,
    shots,
    errors,
    discards,
    seconds: secondsOf(ms),
    logical_error_rate: known ? known.rate : null,
    interval: known ? [known.low, known.high] : null,
    decoder,
    seed,
    strong_id: strongId,
    ...(metadata !== undefined && { metadata }),
    ...(stratified !== undefined && { sampling: viewStrata(stratified, stored.faultNumbers!) }),
  };
}

function viewStrata(
  { strata, omitted }: StoredStrata,
  { numFaults, mean, minFaults, probabilities }: FaultNumbers,
): NonNullable<TaskCountsFields['sampling']> {
  return {
    method: 'stratified',
    num_faults: numFaults,
    mean_faults: mean,
    min_faults: minFaults,
    omitted_probability: omitted,
    strata: strata.map(({ faults, shots, errors, enumerated }) => ({
      faults,
      probability: probabilities[faults]!,
      shots,
      errors,
      ...(enumerated !== undefined && {
        sets: enumerated.sets,
        error_probability: enumerated.errorProbability,
      }),
    })),
  };
}

/** Seconds, rounded to microseconds. */
const secondsOf = (ms: number): number => Math.round(1000 * ms) / 1e6;

/** Columns of Sinter's tables. */
export const CSV_HEADER =
  'shots,errors,discards,seconds,decoder,strong_id,json_metadata,custom_counts';

/** The row of a task in a table that `sinter.stats_from_csv_files` reads. */
export function csvRow({ counted, decoder, strongId, metadata = null }: StoredTask): string {
  const { shots, errors, discards, ms } = counted;
  const quoted = `"${JSON.stringify(metadata).replaceAll('"', '""')}"`;
  const seconds = (ms / 1000).toFixed(3);
  return `${shots},${errors},${discards},${seconds},${decoder},${strongId},${quoted},`;
}
