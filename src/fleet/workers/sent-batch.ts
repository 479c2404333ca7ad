/**
 * Batches on their way to a worker: facts about their shapes, and requests that nobody else changes.
 *
 * Callers of batches send the same shape again and again, so its facts are worked out once and kept as
 * long as the shape itself.
 */
import type { AngleFormulas } from '../../circuit/angle-formulas.ts';
import {
  type Circuit,
  type DynamicCircuit,
  hasMidCircuitMeasurement,
  isStatic,
  measuredQubits,
} from '../../circuit/circuit.ts';
import { needsOneState, type RequestedOutputs } from '../../circuit/outputs.ts';
import { anglesOf } from '../../compiler/shape.ts';
import {
  type BatchRequest,
  type BatchResult,
  checkBatchRequest,
} from '../../engine/batch-request.ts';
import { MAX_BATCH_QUBITS } from '../../engine/batch-shape.ts';
import type { Counts } from '../../engine/engine.ts';
import { OutputNeedsFinalStateError } from '../../engine/errors.ts';
import {
  type CircuitWork,
  circuitWork,
  type MethodRequest,
  methodOf,
  type RunMethod,
  widthOfRun,
} from '../schedule/scheduled-run.ts';
import {
  circuitOf,
  inSharedMemory,
  type SerializedCircuit,
  serializeCircuit,
  sizeOfCircuit,
  type WrittenShape,
  writeCircuit,
} from './sent-circuit.ts';

/** Beyond this, memory that threads share costs less than a copy for each. */
const MIN_SHARED_BYTES = 16_384;

/** Request of a batch run, whose shape may be any circuit. */
export interface BatchRunRequest
  extends BatchRequest,
    Pick<RequestedOutputs, 'gradients'>,
    MethodRequest {
  /** How the angles of a circuit follow from its row of `angles`; without it, the row is the angles. */
  readonly formulas?: AngleFormulas;
  /** Places in a row of the numbers that derivatives are wanted by; all unless given. Those by others are no derivatives. */
  readonly gradientInputs?: readonly number[];
  /**
   * Requests the counts that each circuit has when it is run by itself with its seed, also where not all qubits are
   * measured.
   */
  readonly countsOfSingles?: boolean;
}

/** Result of a batch run. */
export interface BatchRunOutputs extends BatchResult {
  /** For each circuit and observable, the derivative by each number of its row. */
  readonly gradients?: Float64Array;
  /** For each circuit and observable, the standard error of a value that is a mean over trajectories. */
  readonly standardErrors?: Float64Array;
  /** For each circuit, the weight that was cut of its matrix product state. */
  readonly truncationErrors?: Float64Array;
  /** For each circuit, the largest bond of its matrix product state. */
  readonly largestBonds?: Float64Array;
  /** Replaces `counts` where the register has more than 12 bits: those of each circuit. */
  readonly longCounts?: readonly Counts[];
}

/** The counts of circuit k of a batch run. */
export function countsOfRow(
  { counts, longCounts }: BatchRunOutputs,
  k: number,
  numBits: number,
): Counts {
  const long = longCounts?.[k];
  const size = 2 ** numBits;
  return long ?? countsOfValues(counts!.subarray(k * size, (k + 1) * size), numBits);
}

/**
 * Counts from the number of shots of each value of the register.
 *
 * @param shots - Number of all shots; the values after the last of them are not looked at.
 */
export function countsOfValues(
  values: Uint32Array,
  numBits: number,
  shots: number = Number.POSITIVE_INFINITY,
): Counts {
  const outcomes: number[] = [];
  const occurrences: number[] = [];
  let left = shots;
  for (let value = 0; value < values.length && left > 0; value++) {
    const times = values[value]!;
    if (times === 0) continue;
    outcomes.push(value);
    occurrences.push(times);
    left -= times;
  }
  return {
    numBits,
    wordsPerOutcome: 1,
    outcomes: Uint32Array.from(outcomes),
    occurrences: Uint32Array.from(occurrences),
  };
}

/** Bits of a register whose counts are listed for each of its values. */
export const MAX_LISTED_BITS = 12;

/** Circuits of one shape, and what to compute of each. */
export interface Batch {
  readonly shape: DynamicCircuit;
  readonly request: BatchRunRequest;
}

/** How circuits of a shape may run. */
interface JointFacts {
  /** Whether they may run together, by an engine's batches. */
  readonly mayRunTogether: boolean;
  readonly measuresAllQubits: boolean;
}

/** Facts about a shape. */
interface ShapeFacts extends JointFacts {
  readonly numAngles: number;
  /** Work of one circuit. */
  readonly work: CircuitWork;
  /** The shape in the form that is sent to a worker: text, unless it has a matrix, a loop or an assignment. */
  readonly sent: WrittenShape | DynamicCircuit | SerializedCircuit;
  /** About what it takes in memory, bytes. */
  readonly bytes: number;
}

const KNOWN = new WeakMap<DynamicCircuit, ShapeFacts>();

/** Facts about a shape, computed once. */
export function factsOfShape(shape: DynamicCircuit): ShapeFacts {
  let facts = KNOWN.get(shape);
  if (facts === undefined) {
    facts = readFacts(shape);
    KNOWN.set(shape, facts);
  }
  return facts;
}

/** A shape as plain data that costs next to nothing to clone, with its facts. */
export interface PackedShape {
  /** All but its operations. */
  readonly frame: Omit<DynamicCircuit, 'operations'>;
  readonly facts: Omit<ShapeFacts, 'sent'>;
  readonly sent: WrittenShape | SerializedCircuit;
  /** Its own angles, where `sent` has none. */
  readonly angles?: Float64Array;
}

const NO_ANGLES = new Float64Array();

/** Packs a shape. */
export function packShape(shape: DynamicCircuit): PackedShape {
  const { operations: _, ...frame } = shape;
  const { sent, ...facts } = factsOfShape(shape);
  if ('shape' in sent) return { frame, facts, sent, angles: Float64Array.from(anglesOf(shape)) };
  return { frame, facts, sent: 'bytes' in sent ? sent : serializeCircuit(sent) };
}

/** The packed shape as a circuit whose operations are read when somebody asks for them. */
export function unpackShape({
  frame,
  facts,
  sent: packed,
  angles = NO_ANGLES,
}: PackedShape): DynamicCircuit {
  const sent = 'bytes' in packed ? { ...packed, bytes: inSharedMemory(packed.bytes) } : packed;
  let operations: DynamicCircuit['operations'] | undefined;
  const shape: DynamicCircuit = {
    ...frame,
    get operations() {
      operations ??= circuitOf(
        'shape' in sent ? { ...sent, angles: [...angles] } : sent,
      ).operations;
      return operations;
    },
  };
  KNOWN.set(shape, { ...facts, sent });
  return shape;
}

/** Method of the circuits of a batch. */
export function methodOfBatch({ shape, request }: Batch): RunMethod {
  return methodOf(factsOfShape(shape).work, request);
}

/**
 * Refuses what no engine would run.
 *
 * @throws {InvalidBatchError} if the request does not fit the shape.
 * @throws {TooManyOutcomesError} if probabilities of more than 16 bits are asked for.
 * @throws {OutputNeedsFinalStateError} if more than counts are asked for and a measurement, reset or condition comes
 *   before the end.
 */
export function checkBatch({ shape, request }: Batch): void {
  const { numAngles, work } = factsOfShape(shape);
  const { numQubits, numBits } = shape;
  const { formulas } = request;
  checkBatchRequest(
    { ...request, shots: numBits > MAX_LISTED_BITS ? 0 : (request.shots ?? 0) },
    { numQubits, numBits, numAngles: formulas?.numInputs ?? numAngles },
  );
  if (work.isBranching && needsOneState(request, methodOfBatch({ shape, request }))) {
    throw new OutputNeedsFinalStateError('More than counts of a batch');
  }
}

/**
 * Qubits of the states that a batch run holds. A gradient holds two states as one of one qubit more; that of a density
 * matrix follows from shifted circuits.
 */
export function widthOfBatch({ shape, request }: Batch): number {
  const holdsTwo =
    request.gradients === true && methodOfBatch({ shape, request }) === 'statevector';
  return widthOfRun(factsOfShape(shape).work, request) + (holdsTwo ? 1 : 0);
}

/** Whether the circuits of a shape may run together, by an engine's batches. */
export function mayRunTogether(shape: DynamicCircuit): shape is Circuit {
  const { numQubits, numBits } = shape;
  if (numQubits > MAX_BATCH_QUBITS || numBits > MAX_LISTED_BITS) return false;
  return isStatic(shape) && !hasMidCircuitMeasurement(shape);
}

/**
 * Whether all qubits are measured. Of other circuits, the compiler may drop gates that no measurement shows, which
 * keeps the distribution but gives a seed another sample of it.
 */
export function measuresAllQubits(shape: Circuit): boolean {
  const read = new Set(measuredQubits(shape));
  read.delete(null);
  return read.size === shape.numQubits;
}

/** Whether an engine's batches give what the request asks for of the circuits of a shape. */
export function isRunTogether(shape: DynamicCircuit, request: BatchRunRequest): shape is Circuit {
  return runsTogether(jointFactsOf(shape), request);
}

/** As `isRunTogether`, by the facts about the shape. */
export function runsTogether(
  shape: JointFacts,
  { shots = 0, countsOfSingles, gradients = false, method = 'statevector' }: BatchRunRequest,
): boolean {
  if (gradients || method !== 'statevector' || !shape.mayRunTogether) return false;
  return shots === 0 || countsOfSingles !== true || shape.measuresAllQubits;
}

function jointFactsOf(shape: DynamicCircuit): JointFacts {
  const isJoint = mayRunTogether(shape);
  return { mayRunTogether: isJoint, measuresAllQubits: isJoint && measuresAllQubits(shape) };
}

/**
 * The request with arrays of its own: the caller may use its own again at once, and a request that is
 * run a second time is what it was. Large ones lie in memory that a worker thread reads without a copy.
 */
export function ownRequest(request: BatchRunRequest): BatchRunRequest {
  const { angles, seeds, formulas } = request;
  return {
    ...request,
    angles: copyOf(angles),
    ...(seeds !== undefined && { seeds: copyOf(seeds) }),
    ...(formulas !== undefined && { formulas: ownFormulas(formulas) }),
  };
}

/** Formulas with arrays of their own. Those that came from another process are views of the whole message. */
function ownFormulas(formulas: AngleFormulas): AngleFormulas {
  const { constants, operators, left, right, results, angles, finite } = formulas;
  return {
    ...formulas,
    constants: constants.slice(),
    operators: operators.slice(),
    left: left.slice(),
    right: right.slice(),
    results: results.slice(),
    angles: angles.slice(),
    finite: finite.slice(),
  };
}

/** About what a batch takes in memory while it waits, bytes. */
export function sizeOfBatch({ shape, request: { angles, seeds } }: Batch): number {
  const numSeeds = seeds?.length ?? 0;
  return factsOfShape(shape).bytes + angles.byteLength + Float64Array.BYTES_PER_ELEMENT * numSeeds;
}

function readFacts(shape: DynamicCircuit): ShapeFacts {
  const facts = {
    work: circuitWork(shape),
    bytes: sizeOfCircuit(shape),
    ...jointFactsOf(shape),
  };
  const written = writeCircuit(shape);
  if (written === undefined) {
    return { ...facts, numAngles: anglesOf(shape).length, sent: shape };
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
