/**
 * Runs on their way to a worker: facts about the shapes of batches, and requests that nobody else changes.
 *
 * Callers of batches send the same shape again and again, so its facts are worked out once and kept as
 * long as the shape itself.
 */
import type { AngleFormulas } from '../../circuit/angle-formulas.ts';
import { type DynamicCircuit, numAnglesOf } from '../../circuit/circuit.ts';
import { needsOneState } from '../../circuit/outputs.ts';
import { anglesOf } from '../../compiler/shape.ts';
import { checkBatchRequest } from '../../engine/batch-request.ts';
import { OutputNeedsFinalStateError } from '../../engine/errors.ts';
import type { CircuitRun } from '../processor.ts';
import { MAX_LISTED_BITS } from '../run-outputs.ts';
import { type JointFacts, jointFactsOf } from '../run-together.ts';
import {
  type BatchRunRequest,
  type CircuitRequest,
  type CircuitWork,
  circuitWork,
  isBatch,
  methodOf,
  noteWork,
} from '../schedule/scheduled-run.ts';
import {
  circuitOf,
  inSharedMemory,
  type SerializedCircuit,
  serializeCircuit,
  sizeOfCircuit,
  type WrittenCircuit,
  writeCircuit,
} from './sent-circuit.ts';

/** Beyond this, memory that threads share costs less than a copy for each. */
const MIN_SHARED_BYTES = 16_384;

/** Circuits of one shape, and the outputs to compute of each. */
export interface Batch {
  readonly circuit: DynamicCircuit;
  readonly request: BatchRunRequest;
}

/** Facts about a shape. */
interface ShapeFacts extends JointFacts {
  readonly numAngles: number;
  /** Work of one circuit. */
  readonly work: CircuitWork;
  /** The shape in the form that is sent to a worker: text, unless it has a matrix, a loop or an assignment. */
  readonly sent: WrittenCircuit | DynamicCircuit | SerializedCircuit;
  /** Approximate bytes of memory. */
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

/** A circuit as plain data that costs next to nothing to clone, with its facts. */
export interface PackedCircuit {
  /** All but its operations. */
  readonly frame: Omit<DynamicCircuit, 'operations'>;
  readonly facts: Omit<ShapeFacts, 'sent'>;
  readonly sent: WrittenCircuit | SerializedCircuit;
  /** Its own angles, where `sent` is text. */
  readonly angles?: Float64Array;
}

const NO_ANGLES = new Float64Array();

/** What circuits were unpacked from: to read the operations of one, only to pack them again, would keep them in memory. */
const PACKED = new WeakMap<DynamicCircuit, PackedCircuit>();

/**
 * Packs a circuit, to cross from one process to another.
 *
 * @param asBytes - Packs as bytes, for a worker, and not as text.
 */
export function packCircuit(circuit: DynamicCircuit, asBytes = false): PackedCircuit {
  const known = asBytes ? undefined : PACKED.get(circuit);
  if (known !== undefined) return known;
  const { operations: _, ...frame } = circuit;
  if (asBytes) {
    const sent = serializeCircuit(circuit);
    const facts = { ...ownFacts(circuit), bytes: sent.bytes.byteLength };
    return { frame, facts, sent };
  }
  const { sent, ...facts } = factsOfShape(circuit);
  if ('shape' in sent) {
    return { frame, facts, sent, angles: Float64Array.from(anglesOf(circuit)) };
  }
  return { frame, facts, sent: 'bytes' in sent ? sent : serializeCircuit(sent) };
}

/** The packed circuit, whose operations are read on first use. */
export function unpackCircuit(packed: PackedCircuit): DynamicCircuit {
  const { frame, facts, angles = NO_ANGLES } = packed;
  const sent = 'bytes' in packed.sent ? sharedCircuit(packed.sent) : packed.sent;
  let operations: DynamicCircuit['operations'] | undefined;
  const circuit: DynamicCircuit = {
    ...frame,
    get operations() {
      operations ??= circuitOf(
        'shape' in sent ? { ...sent, angles: [...angles] } : sent,
      ).operations;
      return operations;
    },
  };
  KNOWN.set(circuit, { ...facts, sent });
  PACKED.set(circuit, { ...packed, sent });
  noteWork(circuit, facts.work);
  return circuit;
}

function sharedCircuit(sent: SerializedCircuit): SerializedCircuit {
  const [bytes, strengths] = [inSharedMemory(sent.bytes), inSharedMemory(sent.strengths)];
  return { ...sent, bytes, strengths };
}

/** The bytes of a circuit that was unpacked from them. */
export function bytesOfCircuit(circuit: DynamicCircuit): SerializedCircuit | undefined {
  const sent = KNOWN.get(circuit)?.sent;
  return sent !== undefined && 'bytes' in sent ? sent : undefined;
}

/**
 * Refuses a batch that no engine would run.
 *
 * @throws {InvalidBatchError} if the request does not fit the shape.
 * @throws {TooManyOutcomesError} if probabilities of more than 16 bits are asked for.
 * @throws {OutputNeedsFinalStateError} if more than counts are asked for and a measurement, reset or condition comes
 *   before the end.
 */
export function checkRun({ circuit, request }: Pick<CircuitRun, 'circuit' | 'request'>): void {
  if (!isBatch(request)) return;
  const { numAngles, work } = factsOfShape(circuit);
  const { numQubits, numBits } = circuit;
  const { formulas } = request;
  checkBatchRequest(
    { ...request, shots: numBits > MAX_LISTED_BITS ? 0 : (request.shots ?? 0) },
    { numQubits, numBits, numAngles: formulas?.numInputs ?? numAngles },
  );
  if (work.isBranching && needsOneState(request, methodOf(work, request))) {
    throw new OutputNeedsFinalStateError('More than counts of a batch');
  }
}

/**
 * The request with arrays of its own: the caller may use its own again at once, and a request that is
 * run a second time is unchanged. Large ones lie in memory that a worker thread reads without a copy.
 */
export function ownRequest(request: CircuitRequest): CircuitRequest {
  if (!isBatch(request)) return request;
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

/** Approximate bytes of memory of a run while it waits. */
export function sizeOfRun({
  circuit,
  request,
  partOf,
}: Pick<CircuitRun, 'circuit' | 'request' | 'partOf'>): number {
  // A circuit is in memory once, however many parts have some of its shots.
  if (!isBatch(request)) {
    if (partOf !== undefined) return 0;
    return KNOWN.get(circuit)?.bytes ?? sizeOfCircuit(circuit);
  }
  const { angles, seeds } = request;
  const numSeeds = seeds?.length ?? 0;
  return (
    factsOfShape(circuit).bytes + angles.byteLength + Float64Array.BYTES_PER_ELEMENT * numSeeds
  );
}

function readFacts(shape: DynamicCircuit): ShapeFacts {
  const written = writeCircuit(shape);
  return { ...ownFacts(shape), sent: written === undefined ? shape : { ...written, angles: [] } };
}

function ownFacts(circuit: DynamicCircuit): Omit<ShapeFacts, 'sent'> {
  return {
    work: circuitWork(circuit),
    bytes: sizeOfCircuit(circuit),
    ...jointFactsOf(circuit),
    numAngles: numAnglesOf(circuit),
  };
}

function copyOf(numbers: ArrayLike<number>): Float64Array {
  const bytes = Float64Array.BYTES_PER_ELEMENT * numbers.length;
  if (bytes < MIN_SHARED_BYTES) return new Float64Array(numbers);
  const copy = new Float64Array(new SharedArrayBuffer(bytes));
  copy.set(numbers);
  return copy;
}
