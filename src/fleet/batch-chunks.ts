/**
 * Cuts the circuits of a batch into runs of a few hundredths of a second, and keeps only a few of them waiting.
 *
 * Short runs keep the turns of keys: a batch of a million circuits gets as much of the engines as the circuits of other
 * keys leave it. Few waiting runs keep the other work of the same key from waiting behind the whole batch.
 * `BatchCutter` does this for callers with a whole batch.
 */
import type { CircuitResult } from './processor.ts';
import { JoinedOutputs, type RunOutputs } from './run-outputs.ts';
import { type Batch, checkRun, factsOfShape } from './workers/sent-batch.ts';

/** Time that a run is meant to take, milliseconds. */
const RUN_MS = 20;
/** Runs of one batch that wait, and the time that they are meant to take together. */
const MAX_WAITING = 16;
const MAX_WAITING_MS = 60;
/** A run may have this many times as many circuits as the longest one before it. */
const MAX_FACTOR = 8;
/** Bytes of inputs and of results of one run, about. */
const MAX_RUN_BYTES = 4 * 2 ** 20;
/** First guess of the time of a circuit, nanoseconds; the first run corrects it. */
const NS_PER_AMPLITUDE = 1;
const NS_PER_OPERATION = 20;
const NS_PER_SHOT = 20;

/** Sizes of a circuit of a batch, known before it has run. */
export interface CircuitSize {
  readonly numQubits: number;
  readonly numOperations: number;
  /** Terms of all observables. */
  readonly numTerms: number;
  readonly shots: number;
  /** Numbers of its inputs and of its results. */
  readonly numNumbers: number;
}

/** Numbers of circuits that the next runs of a batch have. */
export class RunSizes {
  readonly #firstMs: number;
  readonly #most: number;
  /** Times of the runs so far. */
  #measured: { readonly msPerCircuit: number; readonly most: number } | undefined;

  constructor({ numQubits, numOperations, numTerms, shots, numNumbers }: CircuitSize) {
    const perTrip = NS_PER_OPERATION + NS_PER_AMPLITUDE * 2 ** numQubits;
    this.#firstMs = ((numOperations + numTerms + 1) * perTrip + NS_PER_SHOT * shots) / 1e6;
    this.#most = MAX_RUN_BYTES / (Float64Array.BYTES_PER_ELEMENT * Math.max(1, numNumbers));
  }

  /** Circuits of the next run, at least 1. */
  next(): number {
    const mostAfterLongest = MAX_FACTOR * (this.#measured?.most ?? Number.POSITIVE_INFINITY);
    return Math.max(
      1,
      Math.floor(Math.min(RUN_MS / this.#msPerCircuit, mostAfterLongest, this.#most)),
    );
  }

  /** Time that a run is expected to take, milliseconds. */
  expectedMs(numCircuits: number): number {
    return numCircuits * this.#msPerCircuit;
  }

  /** Learns from a run. One that is much shorter than others tells little of the time of a circuit. */
  learn(numCircuits: number, ms: number): void {
    const most = Math.max(numCircuits, this.#measured?.most ?? 0);
    if (numCircuits * MAX_FACTOR < most) return;
    this.#measured = { msPerCircuit: Math.max(ms, 1e-3) / numCircuits, most };
  }

  get #msPerCircuit(): number {
    return this.#measured?.msPerCircuit ?? this.#firstMs;
  }
}

/** Runs the chunks of one batch. */
export class BatchChunks {
  /** Aborts all chunks once one has failed. */
  readonly #controller = new AbortController();
  readonly #running = new Set<Promise<void>>();
  /** Expected milliseconds of the runs that wait, by number. */
  readonly #waiting = new Map<number, number>();
  #numRuns = 0;
  #onRoom: () => void = () => {};
  #failure: { readonly error: unknown } | undefined;

  /** Aborts when the batch's own signal does, or a chunk fails. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /**
   * Runs chunks in order, a few at a time.
   *
   * @param chunks - Taken one by one, when there is room for the next.
   * @param run - Runs a chunk; it says by `waits` that it waits.
   * @throws the error of the first chunk that failed, once all have ended; the signal's reason.
   */
  async run<T>(
    chunks: Iterable<T>,
    run: (chunk: T) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    signal.throwIfAborted();
    const onAbort = () => this.#controller.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      for (const chunk of chunks) {
        while (!this.#hasRoom && this.#failure === undefined) await this.#room();
        if (this.#failure !== undefined) break;
        this.#start(run(chunk));
      }
      while (this.#running.size > 0) await Promise.all(this.#running);
      if (this.#failure !== undefined) throw this.#failure.error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /**
   * Notes that a run waits for its turn.
   *
   * @returns To be called when the run has started or ended; calls after the first have no effect.
   */
  waits(expectedMs: number): () => void {
    const number = this.#numRuns++;
    this.#waiting.set(number, expectedMs);
    return () => {
      if (this.#waiting.delete(number)) this.#onRoom();
    };
  }

  get #hasRoom(): boolean {
    if (this.#waiting.size === 0) return true;
    let waitingMs = 0;
    for (const ms of this.#waiting.values()) waitingMs += ms;
    return this.#waiting.size < MAX_WAITING && waitingMs < MAX_WAITING_MS;
  }

  #room(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onRoom = resolve;
    return promise;
  }

  #start(chunk: Promise<void>): void {
    const run = chunk
      .catch((error: unknown) => {
        this.#failure ??= { error };
        this.#controller.abort(error);
      })
      .finally(() => {
        this.#running.delete(run);
        this.#onRoom();
      });
    this.#running.add(run);
  }
}

/**
 * Runs one chunk of a batch.
 *
 * @param onStarted - To be called when its turn has come.
 */
export type RunChunk = (
  chunk: Batch,
  onStarted: () => void,
  signal: AbortSignal,
) => Promise<Pick<CircuitResult, 'outputs' | 'timing'>>;

/** Cuts batches, and remembers how long the circuits of their shapes take. */
export class BatchCutter {
  readonly #sizes = new WeakMap<Batch['circuit'], Map<string, RunSizes>>();

  /**
   * Runs a batch.
   *
   * @throws {InvalidBatchError | TooManyOutcomesError | OutputNeedsFinalStateError} as `Processor.run`.
   * @throws what `run` throws; the signal's reason.
   */
  async run(batch: Batch, run: RunChunk, signal: AbortSignal): Promise<RunOutputs> {
    checkRun(batch);
    const { numCircuits } = batch.request;
    const sizes = this.#sizesOf(batch);
    const chunks = new BatchChunks();
    const joined = new JoinedOutputs(numCircuits);
    await chunks.run(
      rangesOf(numCircuits, sizes),
      async ({ from, to }) => {
        const endWait = chunks.waits(sizes.expectedMs(to - from));
        try {
          const chunk = chunkOf(batch, from, to);
          const { outputs, timing } = await run(chunk, endWait, chunks.signal);
          sizes.learn(to - from, timing.compileMs + timing.executionMs);
          joined.set(from, to, outputs);
        } finally {
          endWait();
        }
      },
      signal,
    );
    return joined.outputs;
  }

  #sizesOf(batch: Batch): RunSizes {
    const size = sizeOf(batch);
    const kind = `${size.numTerms} ${size.shots} ${size.numNumbers}`;
    const ofShape = this.#sizes.get(batch.circuit) ?? new Map<string, RunSizes>();
    this.#sizes.set(batch.circuit, ofShape);
    const sizes = ofShape.get(kind) ?? new RunSizes(size);
    ofShape.set(kind, sizes);
    return sizes;
  }
}

/** A batch without circuits is one chunk, too: it has a result. */
function* rangesOf(numCircuits: number, sizes: RunSizes) {
  let from = 0;
  do {
    const to = Math.min(numCircuits, from + sizes.next());
    yield { from, to };
    from = to;
  } while (from < numCircuits);
}

function sizeOf({ circuit, request }: Batch) {
  const { numQubits, numBits } = circuit;
  const { observables = [], shots = 0, gradients = false, variances = false } = request;
  const { numAngles, work } = factsOfShape(circuit);
  const numInputs = request.formulas?.numInputs ?? numAngles;
  const perObservable = 1 + Number(variances) + (gradients ? numInputs : 0);
  return {
    numQubits,
    numOperations: work.numOperations,
    numTerms: observables.reduce((sum, terms) => sum + terms.length, 0),
    shots,
    numNumbers:
      numInputs +
      observables.length * perObservable +
      (request.statevector === true ? 2 * 2 ** numQubits : 0) +
      (request.probabilities === true ? 2 ** numBits : 0) +
      Math.min(2 * shots, 2 ** numBits),
  };
}

function chunkOf({ circuit, request }: Batch, from: number, to: number): Batch {
  const { numCircuits, angles, seed = 0, seeds } = request;
  if (from === 0 && to === numCircuits) return { circuit, request };
  const perCircuit = angles.length / numCircuits;
  return {
    circuit,
    request: {
      ...request,
      numCircuits: to - from,
      angles: angles.subarray(from * perCircuit, to * perCircuit),
      seed: seed + from,
      ...(seeds !== undefined && { seeds: Array.prototype.slice.call(seeds, from, to) }),
    },
  };
}
