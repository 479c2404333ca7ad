/** Error correction: parities of measured bits that a request declares, their error model, and their values. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import { compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import {
  detectorErrorModel,
  expectedParities,
  type NoErrorModel,
  type Parities,
} from '../../compiler/clifford/error-model.ts';
import type { countsOfRow } from '../../fleet/run-outputs.ts';
import type { ErrorModelFields } from './circuit-schema.ts';
import { drawnShotOrder } from './outcome-labels.ts';

type Counts = ReturnType<typeof countsOfRow>;

/** Most characters of a detector error model in an answer. */
const MAX_ERROR_MODEL_LENGTH = 32 * 1024 * 1024;
/** Code of faults that depend on the circuit. */
const INVALID = 'CIRCUIT_INVALID';
/** Most bytes of the detection events of all shots. */
const MAX_EVENT_BYTES = 32 * 1024 * 1024;

/** Fields of a request that declare parities, and say how their error model is made. */
interface DeclaredParities {
  readonly detectors?: readonly (readonly number[])[] | undefined;
  readonly logical_observables?: readonly (readonly number[])[] | undefined;
  readonly detector_error_model?: ErrorModelFields | undefined;
}

/** Parities of a circuit that are the same in all its runs without errors. */
export interface Detection extends Parities {
  /** Parities in runs without errors: of the detectors, then of the logical observables. */
  readonly expected: Uint8Array;
  /** Present if the request asks for it. */
  readonly errorModel?: string;
}

const FIELDS = { detectors: 'detectors', logicalObservables: 'logical_observables' } as const;

/**
 * Reads the parities of a request; undefined if it declares none, or has faults.
 *
 * @param circuit - With its noise.
 */
export function readDetection(
  { detectors, logical_observables, detector_error_model: fields = {} }: DeclaredParities,
  circuit: DynamicCircuit,
  outputs: readonly string[],
  shots: number | undefined,
  faults: FaultList,
): Detection | undefined {
  if (detectors === undefined && logical_observables === undefined) return undefined;
  const parities = { detectors: detectors ?? [], logicalObservables: logical_observables ?? [] };
  const before = faults.count;
  for (const [list, field] of Object.entries(FIELDS)) {
    checkBits(field, parities[list as keyof Parities], circuit.numBits, faults);
  }
  const numBytes = (shots ?? 0) * bytesPerShot(parities);
  if (outputs.includes('detection_events') && numBytes > MAX_EVENT_BYTES) {
    const most = MAX_EVENT_BYTES.toLocaleString('en');
    const problem = `detection_events of ${numBytes.toLocaleString('en')} bytes; the limit for a JSON answer is ${most}.`;
    faults.add('return', problem, LIMIT_EXCEEDED);
  }
  if (faults.count > before) return undefined;
  const program = compileStabilizer(circuit);
  if ('kind' in program) {
    // Its place counts noise, too, which the caller may not have written.
    const problem = `Detectors need a circuit of Clifford gates with Pauli noise. ${program.operation} is neither.`;
    faults.add('detectors', problem, INVALID);
    return undefined;
  }
  const isWritten = outputs.includes('detector_error_model');
  const model = isWritten
    ? detectorErrorModel(program, parities, {
        decomposeErrors: fields.decompose_errors ?? true,
        approximateDisjointErrors: fields.approximate_disjoint_errors ?? false,
        ignoreDecompositionFailures: fields.ignore_decomposition_failures ?? true,
        blockDecompositionFromIntroducingRemnantEdges:
          fields.block_decomposition_from_introducing_remnant_edges ?? false,
      })
    : expectedParities(program, parities);
  if ('kind' in model) {
    const { field, problem } = faultOf(model);
    faults.add(field, problem, INVALID);
    return undefined;
  }
  const { expected, text } = model;
  if (text === undefined) return { ...parities, expected };
  if (text.length > MAX_ERROR_MODEL_LENGTH) {
    const most = MAX_ERROR_MODEL_LENGTH.toLocaleString('en');
    const problem = `detector_error_model of ${text.length.toLocaleString('en')} characters; the limit for a JSON answer is ${most}.`;
    faults.add('return', problem, LIMIT_EXCEEDED);
    return undefined;
  }
  return { ...parities, expected, errorModel: text };
}

function checkBits(
  field: string,
  parities: readonly (readonly number[])[],
  numBits: number,
  faults: FaultList,
): void {
  for (const [i, bits] of parities.entries()) {
    for (const [j, bit] of bits.entries()) {
      const path = `${field}[${i}][${j}]`;
      if (bit >= numBits) {
        const last = numBits === 1 ? 'bit 0' : `bits 0 to ${numBits - 1}`;
        faults.add(path, `The circuit has no bit ${bit}; it has ${last}.`, INVALID);
      } else if (bits.indexOf(bit) < j) faults.add(path, `Bit ${bit} is named twice.`, INVALID);
    }
  }
}

function faultOf(reason: NoErrorModel): { readonly field: string; readonly problem: string } {
  switch (reason.kind) {
    case 'operation':
      return {
        field: 'detectors',
        problem: `Detectors do not work with ${reason.what}: whether an error flips a detector then depends on the run.`,
      };
    case 'random':
      return {
        field: `${FIELDS[reason.list]}[${reason.index}]`,
        problem:
          'The parity of these bits differs between runs without errors: it depends on a random outcome of a measurement.',
      };
    case 'disjoint':
      return {
        field: 'detector_error_model.approximate_disjoint_errors',
        problem: `No independent errors have the probabilities of ${reason.what}. With true they are taken as independent errors of these probabilities, which is correct to first order.`,
      };
    case 'whole':
      return {
        field: 'detector_error_model.ignore_decomposition_failures',
        problem: `The error that flips ${reason.flipped} is no combination of errors that flip one or two detectors. With true it is kept whole.`,
      };
  }
}

function bytesPerShot({ detectors, logicalObservables }: Parities): number {
  return Math.ceil((detectors.length + logicalObservables.length) / 8);
}

/** Detection events of an answer. */
export interface DetectionEvents {
  readonly num_detectors: number;
  readonly num_logical_observables: number;
  readonly bytes_per_shot: number;
  /** Base64. */
  readonly data: string;
}

/**
 * Detection events and logical observable flips of each shot: a bit is 1 if a parity differs from that without errors.
 * Bits of a shot fill its bytes from the least significant bit on, as in Stim's format b8; shots come in the order of
 * `memory`.
 */
export function detectionEvents(
  counts: Counts,
  { detectors, logicalObservables, expected }: Detection,
  seed: number,
): DetectionEvents {
  const { outcomes, wordsPerOutcome, occurrences } = counts;
  const parities = [...detectors, ...logicalObservables];
  const width = bytesPerShot({ detectors, logicalObservables });
  const rows = new Uint8Array(occurrences.length * width);
  for (let i = 0; i < occurrences.length; i++) {
    const first = i * wordsPerOutcome;
    for (let at = 0; at < parities.length; at++) {
      let parity = expected[at]!;
      for (const bit of parities[at]!) parity ^= outcomes[first + (bit >>> 5)]! >>> (bit & 31);
      rows[i * width + (at >>> 3)]! |= (parity & 1) << (at & 7);
    }
  }
  const order = drawnShotOrder(occurrences, seed);
  const bytes = new Uint8Array(order.length * width);
  for (const [shot, i] of order.entries()) {
    bytes.set(rows.subarray(i * width, (i + 1) * width), shot * width);
  }
  return {
    num_detectors: detectors.length,
    num_logical_observables: logicalObservables.length,
    bytes_per_shot: width,
    data: Buffer.from(bytes.buffer).toString('base64'),
  };
}
