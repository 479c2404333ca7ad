/**
 * Layout of the shared memory of one batch run: a piece of the circuits, their results, and tables.
 */
import type { BatchRequest } from '../batch-request.ts';
import { COMMAND_HEADER_WORDS, ScratchPlan } from './command.ts';
import { GROUP_BYTES, type Precision } from './precision.ts';

/** Target size of a piece: angles, matrices and results that are in shared memory at a time. */
const PIECE_BYTES = 8 * 2 ** 20;
/** Number of fields of a batch command after its header. */
const COMMAND_FIELDS = 24;
const DOUBLE_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Sizes of one circuit. */
export interface CircuitSizes {
  readonly numQubits: number;
  readonly numBits: number;
  readonly numAngles: number;
  /** Entries of the matrices that differ between circuits. */
  readonly numLaneEntries: number;
}

/** Offsets within a run's block; 0 for results that are not requested. */
export interface BatchLayout {
  readonly bytes: number;
  /** Circuits that are in shared memory at a time; a multiple of the lanes. */
  readonly circuitsPerPiece: number;
  readonly command: number;
  readonly outcomes: number;
  readonly offsets: number;
  readonly observables: number;
  readonly angles: number;
  readonly matrices: number;
  readonly seeds: number;
  readonly probabilities: number;
  readonly statevectors: number;
  readonly expectations: number;
  readonly variances: number;
  readonly counts: number;
}

/**
 * Plans the block of a run.
 *
 * @param observableBytes - Room for the observables.
 */
export function layOutBatch(
  sizes: CircuitSizes,
  request: BatchRequest,
  { lanes }: Precision,
  observableBytes: number,
): BatchLayout {
  const { numQubits, numBits, numAngles, numLaneEntries } = sizes;
  const { numCircuits, shots = 0, observables = [] } = request;
  const perCircuit = {
    angles: DOUBLE_BYTES * numAngles,
    matrices: (GROUP_BYTES / lanes) * numLaneEntries,
    seeds: shots > 0 ? 8 : 0,
    probabilities: request.probabilities === true ? DOUBLE_BYTES * 2 ** numBits : 0,
    statevectors: request.statevector === true ? 2 * DOUBLE_BYTES * 2 ** numQubits : 0,
    expectations: DOUBLE_BYTES * observables.length,
    variances: request.variances === true ? DOUBLE_BYTES * observables.length : 0,
    counts: shots > 0 ? 4 * 2 ** numBits : 0,
  };
  const circuitBytes = Object.values(perCircuit).reduce((sum, bytes) => sum + bytes, 1);
  const most = Math.min(numCircuits, Math.max(1, Math.floor(PIECE_BYTES / circuitBytes)));
  // The last bundle may have lanes without a circuit, but results have room for all lanes.
  const circuitsPerPiece = Math.ceil(most / lanes) * lanes;
  const plan = new ScratchPlan();
  const each = (bytes: number) => (bytes === 0 ? 0 : plan.reserve(bytes * circuitsPerPiece));
  const command = plan.reserve(4 * (COMMAND_HEADER_WORDS + COMMAND_FIELDS));
  const tables = {
    outcomes: plan.reserve(4 * 2 ** numQubits),
    offsets: plan.reserve(4 * 2 ** numQubits),
    observables: plan.reserve(observableBytes),
  };
  const pieces = {
    angles: each(perCircuit.angles),
    matrices: each(perCircuit.matrices),
    seeds: each(perCircuit.seeds),
    probabilities: each(perCircuit.probabilities),
    statevectors: each(perCircuit.statevectors),
    expectations: each(perCircuit.expectations),
    variances: each(perCircuit.variances),
    counts: each(perCircuit.counts),
  };
  return { bytes: plan.bytes, circuitsPerPiece, command, ...tables, ...pieces };
}
