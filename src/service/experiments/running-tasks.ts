/** The tasks of an experiment that runs: which chunks are to be run next, and how far all of them are. */
import { RunSizes } from '../../fleet/batch-chunks.ts';
import { CHUNK_SHOTS, TALLY_LENGTH, type Tally } from '../../fleet/error-counting.ts';
import { widthOfRun } from '../../fleet/schedule/scheduled-run.ts';
import { factsOfShape } from '../../fleet/workers/sent-batch.ts';
import { addToSeed } from '../../math/philox.ts';
import { methodRequestOf } from '../circuits/check-method.ts';
import type { CheckedTask } from './check-task.ts';
import type { StoredTask } from './stored-task.ts';
import { StratifiedCounts } from './stratified-counts.ts';
import { TaskCounts } from './task-counts.ts';

/** Chunks of a task that are run together. */
export interface ChunkRange {
  readonly task: RunningTask;
  readonly from: number;
  readonly to: number;
}

/** A task that runs. */
export class RunningTask {
  readonly index: number;
  readonly checked: CheckedTask;
  readonly seed: number;
  readonly counts: TaskCounts | StratifiedCounts;
  readonly #sizes: RunSizes;
  #isTimed = false;
  /** The first chunk that was not given out. */
  nextChunk: number;
  /** Aborts runs that are not needed any more. */
  readonly ended = new AbortController();

  constructor(index: number, checked: CheckedTask, seed: number, stored: StoredTask | undefined) {
    this.index = index;
    this.checked = checked;
    this.seed = seed;
    const { stopRule, faultNumbers } = checked;
    this.counts =
      faultNumbers === undefined
        ? new TaskCounts(stopRule, stored?.counted)
        : new StratifiedCounts(stopRule, faultNumbers, stored?.counted, stored?.stratified);
    this.#sizes = runSizesOf(checked);
    this.nextChunk = this.counts.counted.numChunks;
  }

  /** The task as it is stored. */
  get stored(): StoredTask {
    const { decoder, strongId, metadata, faultNumbers } = this.checked;
    return {
      task: this.index,
      decoder,
      seed: this.seed,
      strongId,
      ...(metadata !== undefined && { metadata }),
      ...(faultNumbers !== undefined && { faultNumbers }),
      counted: this.counts.counted,
      ...(this.counts instanceof StratifiedCounts && { stratified: this.counts.stored }),
    };
  }

  /**
   * Gives out the next chunks, as many as make a run of good length, and `most` at most. How long decoding takes is known
   * only once a chunk has run.
   *
   * @param msPerOperation - Of a chunk of earlier tasks, where there were any.
   */
  take(most: number, msPerOperation: number | undefined): ChunkRange {
    if (!this.#isTimed && msPerOperation !== undefined) {
      this.learn(1, msPerOperation * this.numOperations);
    }
    const from = this.nextChunk;
    this.nextChunk += this.#isTimed ? Math.min(this.#sizes.next(), most) : 1;
    return { task: this, from, to: this.nextChunk };
  }

  get numOperations(): number {
    return 1 + factsOfShape(this.checked.groups[0]!.circuit).work.numOperations;
  }

  /** Milliseconds that a run of so many chunks is expected to take. */
  expectedMs(numChunks: number): number {
    return this.#sizes.expectedMs(numChunks);
  }

  /** Learns from a run how long chunks take. */
  learn(numChunks: number, ms: number): void {
    this.#isTimed = true;
    this.#sizes.learn(numChunks, ms);
  }
}

/** Numbers of chunks that the next runs of a task have. */
function runSizesOf({ groups, ...task }: CheckedTask): RunSizes {
  const { circuit } = groups[0]!;
  return new RunSizes({
    numQubits: widthOfRun(circuit, methodRequestOf(task)),
    numOperations: factsOfShape(circuit).work.numOperations,
    numTerms: 0,
    shots: CHUNK_SHOTS,
    numNumbers: TALLY_LENGTH,
  });
}

/** All tasks of an experiment. */
export class RunningTasks {
  readonly all: readonly RunningTask[];
  /** Those that have not ended, in order. */
  #open: RunningTask[];
  #fractions: number;
  #shots: number;
  #errors: number;
  /** Milliseconds of a chunk, for each operation of its circuit, in the last run. */
  #msPerOperation: number | undefined;
  /** Those whose counts changed since they were stored. */
  readonly #changed = new Set<RunningTask>();

  /** @param stored - Tasks with counts from before a restart. */
  constructor(checked: readonly CheckedTask[], seed: number, stored: readonly StoredTask[]) {
    const known = new Map(stored.map((each) => [each.task, each]));
    this.all = checked.map(
      (task, i) => new RunningTask(i, task, task.seed ?? addToSeed(seed, i), known.get(i)),
    );
    this.#open = this.all.filter(({ counts }) => !counts.isDone);
    const sum = (of: (task: RunningTask) => number) =>
      this.all.reduce((total, task) => total + of(task), 0);
    this.#fractions = sum(({ counts }) => counts.fraction);
    this.#shots = sum(({ counts }) => counts.counted.shots);
    this.#errors = sum(({ counts }) => counts.counted.errors);
  }

  /** Whether a task has not ended: one of strata may have more chunks once those that were given out are counted. */
  get areOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Shots that are counted. */
  get shots(): number {
    return this.#shots;
  }

  /** Part of the work that is done, in [0, 1]. */
  get fraction(): number {
    return Math.min(1, this.#fractions / this.all.length);
  }

  /** How far the tasks are, for people. */
  get message(): string {
    const ended = this.all.length - this.#open.length;
    const [shots, errors] = [this.#shots, this.#errors].map((each) => each.toLocaleString('en'));
    return `${ended} of ${this.all.length} tasks ended, ${shots} shots, ${errors} errors`;
  }

  /**
   * Chunks to run, made lazily: of the first task that is expected to need more than it was given. Where all have what
   * they are expected to need, chunks that may turn out not to be needed keep the engines busy.
   */
  *ranges(): Generator<ChunkRange, void, undefined> {
    for (let range = this.#next(); range !== undefined; range = this.#next()) yield range;
  }

  #next(): ChunkRange | undefined {
    let [least, leastGiven] = [undefined as RunningTask | undefined, Number.POSITIVE_INFINITY];
    for (const task of this.#open) {
      const { nextChunk, counts } = task;
      if (nextChunk >= counts.mostChunks) continue;
      const expected = counts.expectedChunks;
      if (nextChunk < expected) return task.take(expected - nextChunk, this.#msPerOperation);
      if (nextChunk / expected >= leastGiven) continue;
      [least, leastGiven] = [task, nextChunk / expected];
    }
    return least?.take(least.counts.mostChunks - least.nextChunk, this.#msPerOperation);
  }

  /** Counts the chunks of a range. */
  add({ task, from }: ChunkRange, tallies: readonly Tally[]): void {
    const { fraction, counted, isDone } = task.counts;
    const ms = tallies.reduce((sum, tally) => sum + tally.ms, 0) / tallies.length;
    this.#msPerOperation = ms / task.numOperations;
    if (isDone) return;
    for (const [k, tally] of tallies.entries()) task.counts.add(from + k, tally);
    const now = task.counts;
    if (now.counted === counted) return;
    this.#fractions += now.fraction - fraction;
    this.#shots += now.counted.shots - counted.shots;
    this.#errors += now.counted.errors - counted.errors;
    this.#changed.add(task);
    if (!now.isDone) return;
    this.#open = this.#open.filter((each) => each !== task);
    task.ended.abort();
  }

  /** Takes the tasks whose counts changed since the last call. */
  takeChanged(): readonly RunningTask[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Ends the runs of all tasks. */
  abort(reason: unknown): void {
    for (const { ended } of this.#open) ended.abort(reason);
  }
}
