/** Batches whose circuits run in pieces: what each piece asks for, and the result of all of them. */
import type { Counts } from '../engine/engine.ts';
import { BatchPieces, RunSizes } from './batch-pieces.ts';
import type { BatchRunResult } from './processor.ts';
import {
  type Batch,
  type BatchRunOutputs,
  checkBatch,
  factsOfShape,
} from './workers/sent-batch.ts';

/**
 * Runs one piece of a batch.
 *
 * @param onStarted - To be called when its turn has come.
 */
export type RunPiece = (
  piece: Batch,
  onStarted: () => void,
  signal: AbortSignal,
) => Promise<Pick<BatchRunResult, 'batch' | 'timing'>>;

/** Cuts batches, and remembers how long the circuits of their shapes take. */
export class BatchCutter {
  readonly #sizes = new WeakMap<Batch['shape'], Map<string, RunSizes>>();

  /**
   * Runs a batch.
   *
   * @throws {InvalidBatchError | TooManyOutcomesError | OutputNeedsFinalStateError} as `Processor.runBatch`.
   * @throws what `run` throws; the signal's reason.
   */
  async run(batch: Batch, run: RunPiece, signal: AbortSignal): Promise<BatchRunOutputs> {
    checkBatch(batch);
    const { numCircuits } = batch.request;
    const sizes = this.#sizesOf(batch);
    const pieces = new BatchPieces();
    const results = new JoinedResults(numCircuits);
    await pieces.run(
      rangesOf(numCircuits, sizes),
      async ({ from, to }) => {
        const endWait = pieces.waits(sizes.expectedMs(to - from));
        try {
          const { batch: outputs, timing } = await run(
            pieceOf(batch, from, to),
            endWait,
            pieces.signal,
          );
          sizes.learn(to - from, timing.compileMs + timing.executionMs);
          results.set(from, to, outputs);
        } finally {
          endWait();
        }
      },
      signal,
    );
    return results.outputs;
  }

  #sizesOf(batch: Batch): RunSizes {
    const size = sizeOf(batch);
    const kind = `${size.numTerms} ${size.shots} ${size.numNumbers}`;
    const ofShape = this.#sizes.get(batch.shape) ?? new Map<string, RunSizes>();
    this.#sizes.set(batch.shape, ofShape);
    const sizes = ofShape.get(kind) ?? new RunSizes(size);
    ofShape.set(kind, sizes);
    return sizes;
  }
}

/** A batch without circuits is one piece, too: it has a result. */
function* rangesOf(numCircuits: number, sizes: RunSizes) {
  let from = 0;
  do {
    const to = Math.min(numCircuits, from + sizes.next());
    yield { from, to };
    from = to;
  } while (from < numCircuits);
}

function sizeOf({ shape, request }: Batch) {
  const { numQubits, numBits } = shape;
  const { observables = [], shots = 0, gradients = false, variances = false } = request;
  const { numAngles, work } = factsOfShape(shape);
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

function pieceOf({ shape, request }: Batch, from: number, to: number): Batch {
  const { numCircuits, angles, seed = 0, seeds } = request;
  if (from === 0 && to === numCircuits) return { shape, request };
  const perCircuit = angles.length / numCircuits;
  return {
    shape,
    request: {
      ...request,
      numCircuits: to - from,
      angles: angles.subarray(from * perCircuit, to * perCircuit),
      seed: seed + from,
      ...(seeds !== undefined && { seeds: Array.prototype.slice.call(seeds, from, to) }),
    },
  };
}

/** Outputs that are joined as they are; engines of a processor leave no circuit undecided. */
type Numbers = Exclude<keyof BatchRunOutputs, 'counts' | 'longCounts' | 'undecided'>;

const JOINED: { readonly [K in Numbers]: true } = {
  statevectors: true,
  probabilities: true,
  expectations: true,
  variances: true,
  gradients: true,
  standardErrors: true,
  truncationErrors: true,
  largestBonds: true,
};
// The cast is safe: these are its keys.
const NUMBERS = Object.keys(JOINED) as readonly Numbers[];

/** Results of pieces, put together. */
class JoinedResults {
  readonly #numCircuits: number;
  readonly #numbers = new Map<Numbers, Float64Array>();
  readonly #longCounts: Counts[] = [];
  #counts: Uint32Array | undefined;
  #whole: BatchRunOutputs | undefined;

  constructor(numCircuits: number) {
    this.#numCircuits = numCircuits;
  }

  /** Sets the results of circuits `from` … `to` − 1. */
  set(from: number, to: number, piece: BatchRunOutputs): void {
    if (from === 0 && to === this.#numCircuits) {
      this.#whole = piece;
      return;
    }
    const each = (length: number) => length / (to - from);
    for (const name of NUMBERS) {
      const numbers = piece[name];
      if (numbers === undefined) continue;
      const perCircuit = each(numbers.length);
      const all = this.#numbers.get(name) ?? new Float64Array(this.#numCircuits * perCircuit);
      this.#numbers.set(name, all);
      all.set(numbers, from * perCircuit);
    }
    const { counts, longCounts = [] } = piece;
    if (counts !== undefined) {
      const perCircuit = each(counts.length);
      this.#counts ??= new Uint32Array(this.#numCircuits * perCircuit);
      this.#counts.set(counts, from * perCircuit);
    }
    for (const [k, own] of longCounts.entries()) this.#longCounts[from + k] = own;
  }

  get outputs(): BatchRunOutputs {
    if (this.#whole !== undefined) return this.#whole;
    return {
      ...Object.fromEntries(this.#numbers),
      ...(this.#counts !== undefined && { counts: this.#counts }),
      ...(this.#longCounts.length > 0 && { longCounts: this.#longCounts }),
    };
  }
}
