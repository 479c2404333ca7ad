/** Counts of experiments in a table of Sinter's: rows that are read, and appended as counts come. */
import { appendFileSync, existsSync } from 'node:fs';
import type { TaskCounts } from '../client/client.ts';
import type { ErrorRate, ShotCounts } from '../service/experiments/error-rate.ts';
import { CSV_HEADER, csvRow } from '../service/experiments/stored-task.ts';
import { readText } from './circuit-file.ts';
import { FileUnreadableError, FileUnwritableError } from './errors.ts';
import type { NamedTask } from './experiment-tasks.ts';

/** Counts of a task, under the names of Sinter's columns. */
export interface Counts extends ShotCounts {
  readonly seconds: number;
  /** Where shots are stratified: it is not errors by shots. */
  readonly rate?: ErrorRate;
}

/** Counts of a task without shots. */
export const NONE: Counts = { shots: 0, errors: 0, discards: 0, seconds: 0 };

/**
 * Counts of a table by strong id, added up over its rows; none if there is no such file.
 *
 * @throws {FileUnreadableError}
 */
export async function readCounts(file: string): Promise<Map<string, Counts>> {
  const counted = new Map<string, Counts>();
  if (!existsSync(file)) return counted;
  for (const [i, line] of (await readText(file)).split('\n').entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('shots')) continue;
    // Text of any kind comes after these columns.
    const [shots, errors, discards, seconds, , strongId] = line
      .split(',', 6)
      .map((part) => part.trim());
    const row = {
      shots: Number(shots),
      errors: Number(errors),
      discards: Number(discards),
      seconds: Number(seconds),
    };
    if (strongId === undefined || Object.values(row).some((value) => !(value >= 0))) {
      throw new FileUnreadableError(file, `line ${i + 1} is no row of Sinter's`);
    }
    counted.set(strongId, sumOf(counted.get(strongId), row));
  }
  return counted;
}

function sumOf(a: Counts = NONE, b: Counts): Counts {
  return {
    shots: a.shots + b.shots,
    errors: a.errors + b.errors,
    discards: a.discards + b.discards,
    seconds: a.seconds + b.seconds,
  };
}

/** Counts as they come, added to what is known of their tasks, and appended to a table. */
export class NewCounts {
  readonly #tasks: readonly NamedTask[];
  readonly #counted: Map<string, Counts>;
  readonly #file: string | undefined;
  readonly #last = new Map<number, Counts>();

  /**
   * @param counted - By strong id; is added to.
   * @throws {FileUnwritableError}
   */
  constructor(tasks: readonly NamedTask[], counted: Map<string, Counts>, file: string | undefined) {
    this.#tasks = tasks;
    this.#counted = counted;
    this.#file = file;
    if (file !== undefined) append(file, existsSync(file) ? '' : `${CSV_HEADER}\n`);
  }

  /**
   * @param counts - All that tasks have so far.
   * @throws {FileUnwritableError}
   */
  add(counts: readonly TaskCounts[]): void {
    for (const { task, ...now } of counts) {
      const last = this.#last.get(task) ?? NONE;
      // A service that restarts goes on from what it had stored, and takes the same shots again.
      if (now.shots <= last.shots) continue;
      this.#last.set(task, now);
      const more = {
        shots: now.shots - last.shots,
        errors: now.errors - last.errors,
        discards: now.discards - last.discards,
        seconds: Math.max(0, now.seconds - last.seconds),
      };
      const named = this.#tasks[task]!;
      const { sampling, logical_error_rate: rate, interval } = now;
      const ofStrata = sampling && rate !== null && interval !== null;
      this.#counted.set(named.strongId, {
        ...sumOf(this.#counted.get(named.strongId), more),
        ...(ofStrata && { rate: { rate, low: interval[0], high: interval[1] } }),
      });
      if (this.#file !== undefined) append(this.#file, `${rowOf(named, more)}\n`);
    }
  }
}

/** @throws {FileUnwritableError} */
function append(file: string, text: string): void {
  try {
    appendFileSync(file, text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new FileUnwritableError(file, why, { cause: error });
  }
}

/** A row of a table of Sinter's. */
export function rowOf({ body, strongId }: NamedTask, { seconds, ...counts }: Counts): string {
  const counted = { ...counts, ms: 1000 * seconds, numChunks: 0 };
  return csvRow({ ...body, task: 0, seed: 0, strongId, counted });
}
