/**
 * A chunk of a batch on hardware: its ranges request circuits, and circuits that are requested at the same time are cut
 * into jobs of the vendor together. So a large number of small programs becomes few jobs.
 *
 * Jobs are numbered in the order of the ranges, and the state of each is stored, so that another process finds the
 * vendor's job for the same circuits.
 */
import { createHash } from 'node:crypto';
import { evaluateAngles } from '../../circuit/angle-formulas.ts';
import type { BatchChunks } from '../../fleet/batch-chunks.ts';
import type { DeviceResult, DeviceRun, FittedProgram, SavedRun } from '../../fleet/processor.ts';
import type { RunOutputs } from '../../fleet/run-outputs.ts';
import { type Batch, factsOfShape, packCircuit } from '../../fleet/workers/sent-batch.ts';
import type { FitRequest } from '../circuits/fitted-circuit.ts';
import type { Chunk, ChunkContext, Range, RangeRuns } from './circuit-runs.ts';

/** Stored state of a chunk. */
export interface SavedChunk {
  /** Number of the chunk within the batch. */
  readonly number: number;
  readonly ranges: readonly Range[];
  /** Most circuits of one job. */
  readonly maxCircuits: number;
  /** By the number of the job; null for one that was not begun. */
  readonly jobs: readonly (SavedRun | null)[];
}

/** Dependencies that the chunks of a batch share. */
export interface ChunkDeps {
  /** Fields of all runs. */
  readonly common: Omit<DeviceRun, 'id' | 'tag' | 'shots' | 'fit' | 'memory'> & {
    readonly partOf: string;
  };
  readonly nextRunId: () => string;
  readonly fit: (shapes: FitRequest['shapes']) => Promise<FittedProgram>;
  readonly save: (chunk: SavedChunk) => Promise<void>;
  readonly run: (
    run: DeviceRun,
    onStarted: () => void,
    signal: AbortSignal,
  ) => Promise<DeviceResult>;
}

/** Circuits that a range waits for. */
interface Asked {
  /** Index of the range in the chunk. */
  readonly range: number;
  readonly requests: readonly Batch[];
  readonly resolve: (outputs: readonly RunOutputs[]) => void;
  readonly reject: (error: unknown) => void;
}

/** A chunk on hardware. */
export class DeviceChunk implements Chunk {
  readonly ranges: readonly Range[];
  readonly #saved: SavedChunk;
  readonly #jobs: (SavedRun | null)[];
  readonly #deps: ChunkDeps;
  #isStarted = false;
  /** Ranges that may ask for circuits. */
  #numActive: number;
  #asked: Asked[] = [];
  #numJobs = 0;

  constructor(saved: SavedChunk, deps: ChunkDeps) {
    this.ranges = saved.ranges;
    this.#saved = saved;
    this.#jobs = [...saved.jobs];
    this.#numActive = saved.ranges.length;
    this.#deps = deps;
  }

  start(context: ChunkContext): readonly RangeRuns[] {
    this.#isStarted = true;
    return this.ranges.map((_, range) => ({
      run: (requests) =>
        new Promise((resolve, reject) => {
          this.#asked.push({ range, requests, resolve, reject });
          this.#runIfAllAsked(context);
        }),
      end: () => {
        this.#numActive--;
        this.#runIfAllAsked(context);
      },
    }));
  }

  /** Cancels the vendor's jobs of a chunk that was not started again. */
  abandon(signal: AbortSignal): void {
    if (this.#isStarted) return;
    for (const [number, saved] of this.#jobs.entries()) {
      if (saved === null) continue;
      const fit = () => Promise.reject(new Error('unreachable: an abandoned job is not submitted'));
      const run = this.#deviceRun(number, 0, fit);
      void this.#deps.run(run, () => {}, signal).catch(() => {});
    }
  }

  #runIfAllAsked(context: ChunkContext): void {
    if (this.#asked.length === 0 || this.#asked.length < this.#numActive) return;
    const asked = this.#asked.sort((a, b) => a.range - b.range);
    this.#asked = [];
    this.#runAll(
      asked.flatMap(({ requests }) => requests),
      context,
    ).then(
      (outputs) => {
        let from = 0;
        for (const { requests, resolve } of asked) {
          resolve(outputs.slice(from, from + requests.length));
          from += requests.length;
        }
      },
      (error: unknown) => {
        for (const { reject } of asked) reject(error);
      },
    );
  }

  async #runAll(requests: readonly Batch[], context: ChunkContext): Promise<readonly RunOutputs[]> {
    const jobs = plannedJobs(requests, this.#saved);
    const first = this.#numJobs;
    this.#numJobs += jobs.length;
    const results = await Promise.all(
      jobs.map((job, i) => this.#run(first + i, job, requests, context)),
    );
    const counts = requests.map((): DeviceResult['counts'][number][] => []);
    for (const [i, { rows }] of jobs.entries()) {
      let at = 0;
      for (const { request, from, to } of rows) {
        counts[request]!.push(...results[i]!.slice(at, at + to - from));
        at += to - from;
      }
    }
    return counts.map((countsByRow) => ({ countsByRow }));
  }

  async #run(
    number: number,
    { shots, rows }: PlannedJob,
    requests: readonly Batch[],
    { chunks, onStarted }: ChunkContext,
  ): Promise<DeviceResult['counts']> {
    const fit = () =>
      this.#deps.fit(
        rows.map((own) => {
          const asked = requests[own.request]!;
          return {
            shape: packCircuit(asked.circuit),
            rows: anglesOfRows(asked, own),
            numCircuits: own.to - own.from,
          };
        }),
      );
    return await waitingAmong(chunks, onStarted, async (begin) => {
      const run = this.#deviceRun(number, shots, fit);
      return (await this.#deps.run(run, begin, chunks.signal)).counts;
    });
  }

  #deviceRun(number: number, shots: number, fit: DeviceRun['fit']): DeviceRun {
    const { common, nextRunId, save } = this.#deps;
    return {
      ...common,
      id: nextRunId(),
      tag: tagOf(common.partOf, this.#saved.number, number),
      shots,
      fit,
      memory: {
        load: async () => this.#jobs[number] ?? undefined,
        save: (saved) => {
          while (this.#jobs.length <= number) this.#jobs.push(null);
          this.#jobs[number] = saved;
          return save({ ...this.#saved, jobs: this.#jobs });
        },
      },
    };
  }
}

/** Runs something that waits for its turn among the chunks of a batch until it begins. */
async function waitingAmong<T>(
  chunks: BatchChunks,
  onStarted: () => void,
  run: (begin: () => void) => Promise<T>,
): Promise<T> {
  // Nobody knows how long the vendor takes; the number of waiting jobs is limited.
  const endWait = chunks.waits(0);
  const begin = () => {
    endWait();
    onStarted();
  };
  try {
    return await run(begin);
  } finally {
    endWait();
  }
}

/** Tag of a job: the same in each process, and short enough for all vendors. */
function tagOf(batch: string, chunk: number, job: number): string {
  const digest = createHash('sha256').update(`${batch}/${chunk}/${job}`).digest('hex');
  return `qcs_${digest.slice(0, 32)}`;
}

/** Circuits of one shape within a job. */
interface JobRows {
  /** Index of the request that they are from, and their rows in it. */
  readonly request: number;
  readonly from: number;
  readonly to: number;
}

/** A job of a vendor. */
export interface PlannedJob {
  readonly shots: number;
  readonly rows: readonly JobRows[];
}

/** Circuits that a job may have. Fewer than a vendor takes bring the first results sooner. */
interface JobLimits {
  readonly maxCircuits: number;
}

/** Operations of the circuits of one job: as many as one circuit may have, because fitting these takes seconds. */
const MAX_OPERATIONS = 10_000;
/** Bytes of the counts of one job, as JSON, which the vendor's answer must not exceed. */
const MAX_COUNTS_BYTES = 32 * 2 ** 20;
/** Bytes of an entry of counts without its label. */
const ENTRY_BYTES = 14;

/** The jobs for the circuits of some requests, in order. The same requests give the same jobs. */
export function plannedJobs(
  requests: readonly Batch[],
  { maxCircuits }: JobLimits,
): readonly PlannedJob[] {
  const jobs: { readonly shots: number; readonly rows: JobRows[] }[] = [];
  let left = { circuits: 0, operations: 0, bytes: 0 };
  for (const [request, { circuit, request: asked }] of requests.entries()) {
    const { shots = 0, numCircuits } = asked;
    const operations = 1 + factsOfShape(circuit).work.numOperations;
    const bytes = Math.min(shots, 2 ** circuit.numBits) * (circuit.numBits + ENTRY_BYTES);
    for (let from = 0; from < numCircuits; ) {
      const room = Math.floor(
        Math.min(left.circuits, left.operations / operations, left.bytes / bytes),
      );
      const last = jobs.at(-1);
      if (last === undefined || last.shots !== shots || room < 1) {
        jobs.push({ shots, rows: [] });
        left = {
          circuits: maxCircuits,
          operations: Math.max(MAX_OPERATIONS, operations),
          bytes: Math.max(MAX_COUNTS_BYTES, bytes),
        };
        continue;
      }
      const to = Math.min(numCircuits, from + room);
      last.rows.push({ request, from, to });
      const number = to - from;
      left = {
        circuits: left.circuits - number,
        operations: left.operations - number * operations,
        bytes: left.bytes - number * bytes,
      };
      from = to;
    }
  }
  return jobs;
}

/** Angles of the circuits of some rows of a request, row after row. */
function anglesOfRows({ request }: Batch, { from, to }: JobRows): Float64Array {
  const { angles, formulas, numCircuits } = request;
  const width = angles.length / numCircuits;
  const rows = Float64Array.from(angles.subarray(from * width, to * width));
  return formulas === undefined ? rows : evaluateAngles(formulas, rows, to - from);
}
