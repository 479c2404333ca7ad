/** Error correction: parities of measured bits that a request declares, their error model, and their values. */
import type { DynamicCircuit } from '../../circuit/circuit.ts';
import type { Bit } from '../../circuit/classical-expression.ts';
import { type FaultList, LIMIT_EXCEEDED } from '../../circuit/errors.ts';
import type { ProgramWarning } from '../../circuit/openqasm/token-stream.ts';
import { type RepeatedParities, runsOf } from '../../circuit/stim/repeated-parities.ts';
import {
  encodeShots,
  GROUP_SHOTS,
  isTextFormat,
  mostBytes,
  type ShotFormat,
  type ShotTable,
} from '../../circuit/stim/shot-formats.ts';
import { compileAsWritten, compileStabilizer } from '../../compiler/clifford/compile-stabilizer.ts';
import { detectorErrorModel, expectedParities } from '../../compiler/clifford/error-model.ts';
import { type NoErrorModel, type Parities, sizesOf } from '../../compiler/clifford/error-walk.ts';
import { printErrorModel } from '../../compiler/clifford/print-error-model.ts';
import { type NoiselessParities, noiselessParities } from '../../fleet/noiseless-parities.ts';
import type { countsOfRow } from '../../fleet/run-outputs.ts';
import {
  GrowingLists,
  type ParityLists,
  parityLists,
  tableOfColumns,
  writeParities,
} from '../../math/bit-matrix.ts';
import type { ErrorModelFields } from './circuit-schema.ts';
import { drawnShotOrder } from './outcome-labels.ts';

type Counts = ReturnType<typeof countsOfRow>;

/** Most characters of a detector error model in an answer. */
const MAX_ERROR_MODEL_LENGTH = 32 * 1024 * 1024;
/** Code of faults that depend on the circuit. */
const INVALID = 'CIRCUIT_INVALID';
/** Most bytes of the detection events, or of the measurements, of all shots. */
const MAX_SHOT_BYTES = 32 * 1024 * 1024;
/** Work of a walk for parities, in some 10 ms. */
const MAX_QUICK_WORK = 1_000_000;
/** Form of shots unless a request asks for another. */
export const DEFAULT_SHOT_FORMAT: ShotFormat = 'b8';

/** Parities of a circuit that are the same in all its runs without errors. */
export interface Detection extends Parities {
  /** Parities in runs without errors: of the detectors, then of the logical observables. */
  readonly expected: Uint8Array;
  /** Present if the request asks for it. */
  readonly errorModel?: string;
  /** That parities differ between runs without errors. */
  readonly warnings?: readonly ProgramWarning[];
}

const FIELDS = { detectors: 'detectors', logicalObservables: 'logical_observables' } as const;

/** Parities that are read for a circuit. */
interface DeclaredParities extends Parities {
  /** The fields of the request that declare them; absent for those of a text. */
  readonly fields?: typeof FIELDS;
}

/** Parities that a request declares in its fields; undefined if it declares none. */
export function declaredParities({
  detectors,
  logical_observables: logicalObservables,
}: {
  readonly detectors?: readonly (readonly number[])[] | undefined;
  readonly logical_observables?: readonly (readonly number[])[] | undefined;
}): DeclaredParities | undefined {
  if (detectors === undefined && logicalObservables === undefined) return undefined;
  return {
    detectors: detectors ?? [],
    logicalObservables: logicalObservables ?? [],
    fields: FIELDS,
  };
}

/** A circuit with its noise, and what is asked of its shots. */
interface AskedCircuit {
  /** Without losses. */
  readonly circuit: DynamicCircuit;
  /** Whether qubits may be lost in the circuit that runs. */
  readonly losesQubits: boolean;
  readonly outputs: readonly string[];
  /** Whether reading may take longer than a few milliseconds. */
  readonly mayTakeLong: boolean;
}

/**
 * Reads the parities of a circuit for what is asked of them; undefined if nothing is, or they have faults.
 *
 * @throws {StepsSpentError} if that takes long, and must not.
 */
export function readDetection(
  { fields, ...parities }: DeclaredParities,
  options: ErrorModelFields = {},
  { circuit, losesQubits, outputs, mayTakeLong }: AskedCircuit,
  faults: FaultList,
): Detection | undefined {
  const before = faults.count;
  const isWritten = outputs.includes('detector_error_model');
  const isDrawn = outputs.includes('detection_events');
  const { numDetectors, numObservables } = sizesOf(parities);
  if (fields !== undefined) {
    checkBits(fields.detectors, parities.detectors, circuit.numBits, faults);
    checkBits(fields.logicalObservables, parities.logicalObservables, circuit.numBits, faults);
  } else if (!isWritten && !isDrawn) return undefined;
  else if (numDetectors + numObservables === 0) {
    faults.add('stim', 'The text has no DETECTOR and no OBSERVABLE_INCLUDE.', INVALID);
  }
  if (isWritten && losesQubits) {
    const problem =
      'A detector error model has no loss of qubits: which errors flip a detector then depends on the qubits that are lost. Ask for detection_events.';
    faults.add('return', problem, INVALID);
  }
  if (faults.count > before) return undefined;
  if (parities.repeated !== undefined && options.allow_gauge_detectors === true) {
    const field = 'detector_error_model.allow_gauge_detectors';
    faults.add(field, 'Not taken with a text whose REPEAT blocks are kept as loops.', INVALID);
    return undefined;
  }
  const allowGaugeDetectors = isWritten && options.allow_gauge_detectors === true;
  const program = allowGaugeDetectors ? compileAsWritten(circuit) : compileStabilizer(circuit);
  // The text of the model has the coordinates.
  const { coordinates, ...kept } = parities;
  if ('kind' in program) {
    const path = fields?.detectors ?? 'stim';
    if (isWritten) {
      // Its place counts noise, too, which the caller may not have written.
      const problem = `A detector error model needs a circuit of Clifford gates with Pauli noise. ${program.operation} is neither.`;
      faults.add(path, problem, INVALID);
      return undefined;
    }
    const all = [...parities.detectors, ...parities.logicalObservables];
    const noiseless = noiselessParities(circuit, all, mayTakeLong);
    if (typeof noiseless === 'string') {
      faults.add(path, noiseless, INVALID);
      return undefined;
    }
    const { expected, varying } = noiseless;
    return { ...kept, expected, warnings: warningsOfVarying(varying, parities) };
  }
  const modelOptions = {
    decomposeErrors: options.decompose_errors ?? true,
    approximateDisjointErrors: options.approximate_disjoint_errors ?? false,
    ignoreDecompositionFailures: options.ignore_decomposition_failures ?? true,
    blockDecompositionFromIntroducingRemnantEdges:
      options.block_decomposition_from_introducing_remnant_edges ?? false,
    allowGaugeDetectors,
  };
  const mostWork = mayTakeLong ? undefined : MAX_QUICK_WORK;
  const model = isWritten
    ? detectorErrorModel(program, parities, modelOptions, mostWork)
    : expectedParities(program, parities, mostWork);
  if ('kind' in model) {
    const { field, problem } = faultOf(model, fields);
    faults.add(field, problem, INVALID);
    return undefined;
  }
  const { expected } = model;
  if (model.parts === undefined) return { ...kept, expected };
  const text = printErrorModel(model, coordinates);
  if (text.length > MAX_ERROR_MODEL_LENGTH) {
    const most = MAX_ERROR_MODEL_LENGTH.toLocaleString('en');
    const problem = `detector_error_model of ${text.length.toLocaleString('en')} characters; the limit for a JSON answer is ${most}.`;
    faults.add('return', problem, LIMIT_EXCEEDED);
    return undefined;
  }
  return { ...kept, expected, errorModel: text };
}

/**
 * Adds faults if shots do not fit their format, or are more than an answer takes.
 *
 * @param widths - Bits of a shot, by output that is asked for.
 */
export function checkShotFormat(
  format: ShotFormat,
  shots: number,
  widths: Readonly<Record<string, number>>,
  faults: FaultList,
): void {
  if (format === 'ptb64' && shots % GROUP_SHOTS !== 0) {
    faults.add('shot_format', `ptb64 takes a multiple of ${GROUP_SHOTS} shots, and not ${shots}.`);
  }
  for (const [output, width] of Object.entries(widths)) {
    const numBytes = mostBytes(format, shots, width);
    if (numBytes <= MAX_SHOT_BYTES) continue;
    const [found, most] = [numBytes, MAX_SHOT_BYTES].map((bytes) => bytes.toLocaleString('en'));
    const bound = format === DEFAULT_SHOT_FORMAT ? '' : ' at most, if all bits are 1';
    const problem = `${output} of ${found} bytes${bound}; the limit for a JSON answer is ${most}.`;
    faults.add('return', problem, LIMIT_EXCEEDED);
  }
}

/** Most parities that a warning names. */
const MAX_NAMED = 10;

function warningsOfVarying(
  varying: NoiselessParities['varying'],
  { detectors }: Parities,
): readonly ProgramWarning[] {
  if (varying.length === 0) return [];
  const named = varying.slice(0, MAX_NAMED).map(({ parity, ones }) => {
    const isDetector = parity < detectors.length;
    const name = isDetector ? `D${parity}` : `L${parity - detectors.length}`;
    return `${name} (1 in ${Math.round(100 * ones)} %)`;
  });
  const rest = varying.length - named.length;
  const list = `${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
  const message = `These parities differ between runs without errors: ${list}. Their events are differences from the value that at least three in four of these runs have, or else from 0.`;
  return [{ code: 'CIRCUIT_PARITY_VARIES', message }];
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

function faultOf(
  reason: NoErrorModel,
  fields: DeclaredParities['fields'],
): { readonly field: string; readonly problem: string } {
  switch (reason.kind) {
    case 'operation':
      return {
        field: fields?.detectors ?? 'stim',
        problem: `Detectors do not work with ${reason.what}: whether an error flips a detector then depends on the run.`,
      };
    case 'random': {
      const { list, index } = reason;
      const name = `${list === 'detectors' ? 'D' : 'L'}${index}`;
      return {
        field: fields === undefined ? 'stim' : `${fields[list]}[${index}]`,
        problem: `The parity of ${fields === undefined ? name : 'these bits'} differs between runs without errors: it depends on a random outcome of a measurement.${list === 'detectors' ? ' An error model has random detectors with the option allow_gauge_detectors.' : ''}`,
      };
    }
    case 'long':
      return {
        field: 'stim',
        problem:
          'The rounds of a REPEAT block are not alike, because an error in one flips detectors in many others. Detectors of such blocks are read where they are short enough to be unrolled.',
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

function bytesPerShot(parities: Parities): number {
  const { numDetectors, numObservables } = sizesOf(parities);
  return Math.ceil((numDetectors + numObservables) / 8);
}

/** Shots as fields of an answer. */
interface PackedShots {
  readonly shots: number;
  /** Of `b8` alone. */
  readonly bytes_per_shot?: number;
  readonly format: ShotFormat;
  /** Text, or base64 of bytes. */
  readonly data: string;
}

/**
 * Detection events and logical observable flips of each shot: a bit is 1 if a parity differs from that without errors.
 * Shots come in the order of `memory`.
 */
export function detectionEvents(
  counts: Counts,
  detection: Detection,
  seed: number,
  format: ShotFormat,
) {
  const { numDetectors, numObservables } = sizesOf(detection);
  const width = bytesPerShot(detection);
  const rows = parityRows(counts, detection, width);
  const columns = [
    { letter: 'D', first: 0, count: numDetectors },
    { letter: 'L', first: numDetectors, count: numObservables },
  ] as const;
  return {
    num_detectors: numDetectors,
    num_logical_observables: numObservables,
    ...packedShots(counts, seed, { bytesPerShot: width, rows, columns }, format),
  };
}

/** Detectors that are written out at a time, of a circuit with loops; a multiple of 8. */
const DETECTORS_AT_ONCE = 2 ** 15;

/** All parities as lists of bits, with the number of the first: all at once unless the circuit has loops. */
function* chunksOfParities({
  detectors,
  logicalObservables,
  repeated,
  expected,
}: Detection): Generator<{ readonly first: number; readonly lists: ParityLists }> {
  if (repeated === undefined) {
    yield { first: 0, lists: parityLists([...detectors, ...logicalObservables], expected) };
    return;
  }
  let first = 0;
  const some = new GrowingLists();
  for (const { bits, shift } of eachParity(repeated)) {
    some.add(bits, shift);
    if (some.length < DETECTORS_AT_ONCE) continue;
    yield { first, lists: some.take(expected.subarray(first, first + DETECTORS_AT_ONCE)) };
    first += DETECTORS_AT_ONCE;
  }
  yield { first, lists: some.take(expected.subarray(first)) };
}

/** The bits of each detector of a circuit with loops, then of each observable; they are so much higher. */
function* eachParity(
  repeated: RepeatedParities,
): Generator<{ readonly bits: readonly Bit[]; readonly shift: number }> {
  const observables = Array.from({ length: repeated.numObservables }, (): Bit[] => []);
  for (const { run, shift } of runsOf(repeated)) {
    for (const { bits } of run.detectors) yield { bits, shift };
    for (const { index, bits } of run.observables) {
      for (const bit of bits) observables[index]!.push(bit + shift);
    }
  }
  for (const bits of observables) yield { bits, shift: 0 };
}

/** All detectors, and all observables, as lists of bits. */
export function allParityLists(detection: Detection): {
  readonly detectors: ParityLists;
  readonly observables: ParityLists;
} {
  const { detectors, logicalObservables, repeated, expected } = detection;
  const { numDetectors } = sizesOf(detection);
  const [ofDetectors, ofObservables] = [
    expected.subarray(0, numDetectors),
    expected.subarray(numDetectors),
  ];
  if (repeated === undefined) {
    return {
      detectors: parityLists(detectors, ofDetectors),
      observables: parityLists(logicalObservables, ofObservables),
    };
  }
  const [all, rest] = [new GrowingLists(), new GrowingLists()];
  for (const { bits, shift } of eachParity(repeated)) {
    (all.length < numDetectors ? all : rest).add(bits, shift);
  }
  return { detectors: all.take(ofDetectors), observables: rest.take(ofObservables) };
}

/** Outcomes that are worked on at a time. */
const OUTCOMES_AT_ONCE = 1024;

/** Rows of parities for all outcomes, `width` bytes each. */
function parityRows(
  { outcomes, wordsPerOutcome, occurrences }: Counts,
  detection: Detection,
  width: number,
): Uint8Array {
  const numOutcomes = occurrences.length;
  const rows = new Uint8Array(numOutcomes * width);
  for (let from = 0; from < numOutcomes; from += OUTCOMES_AT_ONCE) {
    const to = Math.min(numOutcomes, from + OUTCOMES_AT_ONCE);
    const some = outcomes.subarray(from * wordsPerOutcome, to * wordsPerOutcome);
    const out = rows.subarray(from * width, to * width);
    const table = tableOfColumns(some, wordsPerOutcome);
    for (const { first, lists } of chunksOfParities(detection)) {
      writeParities(table, lists, to - from, out, width, first / 8);
    }
  }
  return rows;
}

/** The first `numBits` classical bits of each shot, in the same order. */
export function packedMeasurements(
  counts: Omit<Counts, 'numBits'>,
  numBits: number,
  seed: number,
  format: ShotFormat,
) {
  const { outcomes, wordsPerOutcome, occurrences } = counts;
  const width = Math.ceil(numBits / 8);
  const last = 0xff >>> (8 * width - numBits);
  const rows = new Uint8Array(occurrences.length * width);
  for (let i = 0; i < occurrences.length; i++) {
    for (let at = 0; at < width; at++) {
      rows[i * width + at] = outcomes[i * wordsPerOutcome + (at >>> 2)]! >>> (8 * (at & 3));
    }
    rows[(i + 1) * width - 1]! &= last;
  }
  const columns = [{ letter: 'M', first: 0, count: numBits }] as const;
  const packed = packedShots(counts, seed, { bytesPerShot: width, rows, columns }, format);
  return { num_bits: numBits, ...packed };
}

/** The rows of all shots, from one row for each outcome. */
function packedShots(
  { occurrences }: Pick<Counts, 'occurrences'>,
  seed: number,
  { bytesPerShot: width, rows, columns }: Omit<ShotTable, 'numShots'>,
  format: ShotFormat,
): PackedShots {
  const order = drawnShotOrder(occurrences, seed);
  const all = new Uint8Array(order.length * width);
  for (const [shot, i] of order.entries()) {
    all.set(rows.subarray(i * width, (i + 1) * width), shot * width);
  }
  const numShots = order.length;
  const bytes = Buffer.from(
    encodeShots({ numShots, bytesPerShot: width, rows: all, columns }, format),
  );
  return {
    shots: numShots,
    ...(format === 'b8' && { bytes_per_shot: width }),
    format,
    data: bytes.toString(isTextFormat(format) ? 'latin1' : 'base64'),
  };
}
