/**
 * Layout of the shared memory of one batch run: a piece of the circuits, their results, and tables.
 */
import { type PauliSum, type PauliTerm, pauliMasks } from '../../circuit/observable.ts';
import type { BatchRequest } from '../batch-request.ts';
import { highestBit, pauliPhase } from '../pauli-phase.ts';
import { COMMAND_HEADER_WORDS, ScratchPlan } from './command.ts';
import { GROUP_BYTES, type Precision } from './precision.ts';

/** Target size of a piece: angles, matrices and results that are in shared memory at a time. */
const PIECE_BYTES = 8 * 2 ** 20;
/** Number of fields of a batch command after its header. */
const COMMAND_FIELDS = 20;
const OBSERVABLE_BYTES = 8;
const TERM_BYTES = 24;
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
  readonly counts: number;
}

/** Plans the block of a run. */
export function layOutBatch(
  sizes: CircuitSizes,
  request: BatchRequest,
  { lanes }: Precision,
): BatchLayout {
  const { numQubits, numBits, numAngles, numLaneEntries } = sizes;
  const { numCircuits, shots = 0, observables = [] } = request;
  const perCircuit = {
    angles: DOUBLE_BYTES * numAngles,
    matrices: (GROUP_BYTES / lanes) * numLaneEntries,
    seeds: shots > 0 ? 8 : 0,
    probabilities: request.probabilities === true ? DOUBLE_BYTES * 2 ** numBits : 0,
    statevectors: request.statevectors === true ? 2 * DOUBLE_BYTES * 2 ** numQubits : 0,
    expectations: DOUBLE_BYTES * observables.length,
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
    observables: plan.reserve(observablesBytes(observables)),
  };
  const pieces = {
    angles: each(perCircuit.angles),
    matrices: each(perCircuit.matrices),
    seeds: each(perCircuit.seeds),
    probabilities: each(perCircuit.probabilities),
    statevectors: each(perCircuit.statevectors),
    expectations: each(perCircuit.expectations),
    counts: each(perCircuit.counts),
  };
  return { bytes: plan.bytes, circuitsPerPiece, command, ...tables, ...pieces };
}

function observablesBytes(observables: readonly PauliSum[]): number {
  return observables.reduce((sum, terms) => sum + OBSERVABLE_BYTES + TERM_BYTES * terms.length, 0);
}

/** Writes observables in the format of assembly/batch-readout.ts. */
export function writeObservables(
  memory: SharedArrayBuffer,
  at: number,
  observables: readonly PauliSum[],
): void {
  const view = new DataView(memory, at, observablesBytes(observables));
  let to = 0;
  for (const terms of observables) {
    view.setUint32(to, terms.length, true);
    to += OBSERVABLE_BYTES;
    for (const term of terms) {
      writeTerm(view, to, term);
      to += TERM_BYTES;
    }
  }
}

function writeTerm(view: DataView, at: number, { coefficient, factors }: PauliTerm): void {
  const { flips, signs, numY } = pauliMasks(factors, (qubit) => GROUP_BYTES * 2 ** qubit);
  const { isImaginary, sign } = pauliPhase(numY);
  // The kernel visits one of each pair of basis states that the string exchanges.
  const pairBit = highestBit(flips);
  view.setUint32(at, flips, true);
  view.setUint32(at + 4, signs, true);
  view.setUint32(at + 8, isImaginary ? 1 : 0, true);
  view.setUint32(at + 12, pairBit, true);
  view.setFloat64(at + 16, coefficient * sign * (pairBit === 0 ? 1 : 2), true);
}
