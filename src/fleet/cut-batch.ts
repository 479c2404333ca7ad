/** Batches whose circuits run in pieces: what each piece asks for, and the result of all of them. */
import { BatchPieces, RunSizes } from './batch-pieces.ts';
import type { CircuitResult } from './processor.ts';
import { JoinedOutputs, type RunOutputs } from './run-outputs.ts';
import { type Batch, checkRun, factsOfShape } from './workers/sent-batch.ts';

/**
 * Runs one piece of a batch.
 *
 * @param onStarted - To be called when its turn has come.
 */
export type RunPiece = (
  piece: Batch,
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
  async run(batch: Batch, run: RunPiece, signal: AbortSignal): Promise<RunOutputs> {
    checkRun(batch);
    const { numCircuits } = batch.request;
    const sizes = this.#sizesOf(batch);
    const pieces = new BatchPieces();
    const joined = new JoinedOutputs(numCircuits);
    await pieces.run(
      rangesOf(numCircuits, sizes),
      async ({ from, to }) => {
        const endWait = pieces.waits(sizes.expectedMs(to - from));
        try {
          const piece = pieceOf(batch, from, to);
          const { outputs, timing } = await run(piece, endWait, pieces.signal);
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

/** A batch without circuits is one piece, too: it has a result. */
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

function pieceOf({ circuit, request }: Batch, from: number, to: number): Batch {
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
