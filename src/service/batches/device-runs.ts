/**
 * Circuits of a batch on hardware, as jobs of the vendor. The state of each job is stored beside the results, so that
 * another process follows those that are at the vendor.
 */
import type { DeviceBackend, DeviceResult, Processor } from '../../fleet/processor.ts';
import type { Job, JobPart, JobPartPlace } from '../../jobs/job.ts';
import type { JobHooks } from '../../jobs/job-handler.ts';
import { milliseconds } from '../circuits/backend-view.ts';
import type { FitRequest } from '../circuits/fitted-circuit.ts';
import type { CheckedProgram } from './batch-program.ts';
import { seriesOf } from './batch-result.ts';
import { MAX_PROGRAMS } from './batch-schema.ts';
import { type Chunk, type CircuitRuns, type Range, rangesLeft } from './circuit-runs.ts';
import { type ChunkDeps, DeviceChunk, type SavedChunk } from './device-chunk.ts';
import { batchFactsOf } from './read-batch.ts';

/** Number of the series of parts that holds the states of chunks; after those of all results. */
const STATES = seriesOf(MAX_PROGRAMS, 'counts');

/** Dependencies of runs on hardware. */
interface DeviceRunsDeps {
  readonly processor: Pick<Processor, 'spec' | 'runOnDevice'>;
  readonly hooks: Pick<JobHooks, 'storeParts' | 'readmitted'>;
  readonly readParts: (after: JobPartPlace) => Promise<readonly JobPart[]>;
  /** Fits circuits in a reader's process. */
  readonly fit: (request: FitRequest) => ReturnType<ChunkDeps['fit']>;
  /** Whether an abort with this reason ends the batch for good. */
  readonly isCancelled: (reason: unknown) => boolean;
}

/** Jobs of the vendor that one of its devices ran. */
interface VendorJobs {
  readonly backend: Omit<DeviceBackend, 'vendorJobId'>;
  readonly ids: string[];
  circuits: number;
  executionMs: number;
}

/** Runs on hardware. */
export class DeviceRuns implements CircuitRuns {
  readonly areSimulated = false;
  readonly #programs: readonly CheckedProgram[];
  readonly #deps: DeviceRunsDeps;
  readonly #chunkDeps: ChunkDeps;
  /** Chunks that an earlier process began. */
  readonly #saved: readonly SavedChunk[];
  #begun: readonly DeviceChunk[] = [];
  readonly #ran = new Map<string, VendorJobs>();
  #numRuns = 0;
  #fitMs = 0;

  private constructor(
    job: Job,
    programs: readonly CheckedProgram[],
    deps: DeviceRunsDeps,
    saved: readonly SavedChunk[],
  ) {
    const { id, keyId, priority, request } = job;
    const { tier, seed } = batchFactsOf(request);
    this.#programs = programs;
    this.#deps = deps;
    this.#saved = saved;
    this.#chunkDeps = {
      common: { partOf: id, keyId, priority, tier, isCancelled: deps.isCancelled },
      nextRunId: () => this.#nextRunId(id),
      fit: (shapes) => deps.fit({ device: this.#device, seed, shapes }),
      save: (chunk) => deps.hooks.storeParts([partOf(chunk)]),
      run: (run, onStarted, signal) => this.#run(run, onStarted, signal),
    };
  }

  /** Reads the chunks that an earlier process stored. */
  static async open(
    job: Job,
    programs: readonly CheckedProgram[],
    deps: DeviceRunsDeps,
  ): Promise<DeviceRuns> {
    const saved: SavedChunk[] = [];
    let after: JobPartPlace = { series: STATES, from: -1, to: 0 };
    for (;;) {
      const parts = await deps.readParts(after);
      const last = parts.at(-1);
      if (last === undefined) return new DeviceRuns(job, programs, deps, saved);
      // The cast is safe: `partOf` made it.
      saved.push(
        ...parts.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()) as SavedChunk),
      );
      after = last;
    }
  }

  *chunks(covered: readonly Range[]): Iterable<Chunk> {
    const hasResults = ({ ranges: [first] }: SavedChunk) =>
      covered.some(({ program, from }) => program === first?.program && from === first.from);
    const begun = this.#saved.filter((chunk) => !hasResults(chunk));
    this.#begun = begun.map((chunk) => new DeviceChunk(chunk, this.#chunkDeps));
    yield* this.#begun;
    const taken = [...covered, ...begun.flatMap(({ ranges }) => ranges)].sort(
      (a, b) => a.program - b.program || a.from - b.from,
    );
    const { maxCircuits = 1 } = this.#device;
    let number = this.#saved.reduce((most, chunk) => Math.max(most, chunk.number + 1), 0);
    for (const ranges of together(
      rangesLeft(this.#programs, taken, () => maxCircuits),
      maxCircuits,
    )) {
      yield new DeviceChunk({ number: number++, ranges, maxCircuits, jobs: [] }, this.#chunkDeps);
    }
  }

  abandon(signal: AbortSignal): void {
    if (signal.aborted) for (const chunk of this.#begun) chunk.abandon(signal);
  }

  get facts(): CircuitRuns['facts'] {
    const ran = [...this.#ran.values()];
    return {
      executedOn: ran.map(({ backend, ids, circuits, executionMs }) => ({
        backend: { ...backend, vendor_job_ids: ids },
        circuits,
        execution_ms: milliseconds(executionMs),
      })),
      compileMs: this.#fitMs,
      executionMs: ran.reduce((sum, { executionMs }) => sum + executionMs, 0),
    };
  }

  #nextRunId(batch: string): string {
    return `${batch}/${this.#numRuns++}`;
  }

  get #device() {
    const { device } = this.#deps.processor.spec;
    if (device === undefined) throw new Error('unreachable: hardware without a device');
    return device;
  }

  async #run(...[run, onStarted, signal]: Parameters<ChunkDeps['run']>): Promise<DeviceResult> {
    const { processor, hooks } = this.#deps;
    const result = await processor.runOnDevice?.(
      run,
      { onStarted, readmitted: hooks.readmitted },
      signal,
    );
    if (result === undefined) throw new Error('unreachable: a processor that is no hardware');
    this.#note(result);
    return result;
  }

  #note({ backend: { vendorJobId, ...backend }, counts, timing }: DeviceResult): void {
    const { vendor, device, basis } = backend;
    const name = JSON.stringify([vendor, device, basis]);
    const ran = this.#ran.get(name) ?? { backend, ids: [], circuits: 0, executionMs: 0 };
    this.#ran.set(name, ran);
    ran.ids.push(vendorJobId);
    ran.circuits += counts.length;
    ran.executionMs += timing.executionMs ?? 0;
    this.#fitMs += timing.fitMs;
  }
}

/** Groups consecutive ranges into lists of at most `numPoints` points; a larger range is alone. */
function* together(ranges: Iterable<Range>, numPoints: number): Iterable<readonly Range[]> {
  let some: Range[] = [];
  let left = numPoints;
  for (const range of ranges) {
    const points = range.to - range.from;
    if (points > left && some.length > 0) {
      yield some;
      [some, left] = [[], numPoints];
    }
    some.push(range);
    left -= points;
  }
  if (some.length > 0) yield some;
}

function partOf(chunk: SavedChunk): JobPart {
  const bytes = Buffer.from(JSON.stringify(chunk));
  return { series: STATES, from: chunk.number, to: chunk.number + 1, bytes };
}
