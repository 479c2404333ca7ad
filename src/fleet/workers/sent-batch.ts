/**
 * Batches on their way to a worker: facts about their shapes, and requests that nobody else changes.
 *
 * Callers of batches send the same shape again and again, so its facts are worked out once and kept as
 * long as the shape itself.
 */
import { type Circuit, numAnglesOf } from '../../circuit/circuit.ts';
import { type BatchRequest, checkBatchRequest } from '../../engine/batch-request.ts';
import { checkBatchShape } from '../../engine/batch-shape.ts';
import { type CircuitWork, circuitWork } from '../schedule/scheduled-run.ts';
import { sizeOfCircuit, type WrittenShape, writeCircuit } from './sent-circuit.ts';

/** Beyond this, memory that threads share costs less than a copy for each. */
const MIN_SHARED_BYTES = 16_384;

/** Circuits of one shape, and what to compute of each. */
export interface Batch {
  readonly shape: Circuit;
  readonly request: BatchRequest;
}

/** Facts about a shape. */
interface ShapeFacts {
  readonly numAngles: number;
  /** Work of one circuit. */
  readonly work: CircuitWork;
  /** The shape in the form that is sent to a worker. */
  readonly sent: WrittenShape | Circuit;
  /** About what it takes in memory, bytes. */
  readonly bytes: number;
}

const KNOWN = new WeakMap<Circuit, ShapeFacts>();

/**
 * Facts about a shape, computed once.
 *
 * @throws {ProgramTooWideError} if it has more than 12 qubits.
 * @throws {OutputNeedsFinalStateError} if a measurement, reset or condition comes before the end.
 */
export function factsOfShape(shape: Circuit): ShapeFacts {
  let facts = KNOWN.get(shape);
  if (facts === undefined) {
    checkBatchShape(shape, 'batch');
    facts = readFacts(shape);
    KNOWN.set(shape, facts);
  }
  return facts;
}

/**
 * Refuses what no engine would run.
 *
 * @throws {InvalidBatchError} if the request does not fit the shape.
 * @throws {TooManyOutcomesError} if counts or probabilities of more than 16 bits are asked for.
 * @throws as `factsOfShape`.
 */
export function checkBatch({ shape, request }: Batch): void {
  const { numAngles } = factsOfShape(shape);
  const { numQubits, numBits } = shape;
  checkBatchRequest(request, { numQubits, numBits, numAngles });
}

/**
 * The request with arrays of its own: the caller may use its own again at once, and a request that is
 * run a second time is what it was. Large ones lie in memory that a worker thread reads without a copy.
 */
export function ownRequest(request: BatchRequest): BatchRequest {
  const { angles, seeds } = request;
  const own = { ...request, angles: copyOf(angles) };
  return seeds === undefined ? own : { ...own, seeds: copyOf(seeds) };
}

/** About what a batch takes in memory while it waits, bytes. */
export function sizeOfBatch({ shape, request: { angles, seeds } }: Batch): number {
  const numSeeds = seeds?.length ?? 0;
  return factsOfShape(shape).bytes + angles.byteLength + Float64Array.BYTES_PER_ELEMENT * numSeeds;
}

function readFacts(shape: Circuit): ShapeFacts {
  const facts = { work: circuitWork(shape), bytes: sizeOfCircuit(shape) };
  const written = writeCircuit(shape);
  if (written === undefined) {
    return { ...facts, numAngles: numAnglesOf(shape), sent: shape };
  }
  const { angles, ...rest } = written;
  const numAngles = angles.length;
  return { ...facts, numAngles, sent: { ...rest, numAngles } };
}

function copyOf(numbers: ArrayLike<number>): Float64Array {
  const bytes = Float64Array.BYTES_PER_ELEMENT * numbers.length;
  if (bytes < MIN_SHARED_BYTES) return new Float64Array(numbers);
  const copy = new Float64Array(new SharedArrayBuffer(bytes));
  copy.set(numbers);
  return copy;
}
