/**
 * Writes a processor's result as the JSON text that is stored and answered, with the results that a program requests by
 * `#pragma braket result` in the order of the pragmas.
 *
 * Counts and amplitudes are written straight from their typed arrays: objects with a million labels would
 * cost several times the memory and time of the text itself.
 */

import type { Bit } from '../../circuit/classical-expression.ts';
import { rowsFromMatrix } from '../../circuit/matrix-rows.ts';
import type { ProgramResult } from '../../circuit/openqasm/results.ts';
import { nameOfMethod } from '../../fleet/method-limits.ts';
import type { CircuitResult, DeviceResult } from '../../fleet/processor.ts';
import { type countsOfRow, runResultOf } from '../../fleet/run-outputs.ts';
import { basisLabel } from '../../math/basis-index.ts';
import {
  milliseconds,
  viewBackend,
  viewCompilation,
  viewDeviceBackend,
  viewFitting,
  viewTiming,
} from './backend-view.ts';
import type { CheckedCircuit } from './check-circuit.ts';
import type { CircuitResultFields, Output } from './circuit-schema.ts';
import { detectionEvents, packedMeasurements } from './detection-events.ts';
import { type FurtherNumbers, NO_NUMBERS } from './further-runs.ts';
import {
  type AskedLabelFormat,
  amplitudesByLabel,
  drawnShotOrder,
  labelFormatOf,
  labelLengthOf,
  labelOfOutcome,
  numOutcomeBits,
  writeDigits,
  writeHexLabel,
} from './outcome-labels.ts';
import { flattened, savedJson } from './saved-outputs.ts';
import {
  amplitudesJson,
  expectationJson,
  matrixJson,
  probabilitiesJson,
  reducedDensity,
} from './state-json.ts';

type Counts = ReturnType<typeof countsOfRow>;

/** Fields of a circuit that determine the layout of its result. */
export interface ResultLayout
  extends Pick<
    CheckedCircuit,
    | 'numBits'
    | 'lossMarks'
    | 'measuredQubits'
    | 'outputs'
    | 'labelFormat'
    | 'shotFormat'
    | 'numRequested'
    | 'results'
    | 'warnings'
    | 'method'
    | 'methodReason'
    | 'fitting'
    | 'basisStates'
    | 'keepsState'
    | 'saves'
    | 'detection'
    | 'errorBound'
    | 'recorded'
  > {
  /** Seed of the shots. */
  readonly seed: number;
}

const [QUOTE, COMMA, ZERO, COLON] = [34, 44, 48, 58] as const;
const [OPENING_BRACE, CLOSING_BRACE] = [123, 125] as const;
/** Bytes of an entry of counts without its label: quotes, colon, comma, and ten digits of 32 bits. */
const MAX_ENTRY_BYTES = 14;

/** Writes the result fields of the record as one JSON object. */
export function circuitResultJson(
  layout: ResultLayout,
  result: CircuitResult,
  further: FurtherNumbers = NO_NUMBERS,
): string {
  const { backend, compilation, reused, timing } = result;
  if (compilation === undefined || reused === undefined) {
    throw new Error('unreachable: a circuit that did not come by itself');
  }
  const run = runResultOf(result, { numBits: numOutcomeBits(layout), numCircuits: 1 });
  const { numBits, measuredQubits, outputs, labelFormat, numRequested, results, warnings } = layout;
  const parts: string[] = [];
  const names = Object.keys(WRITERS) as Output[];
  for (const name of names) {
    if (name === 'statevector' && layout.keepsState === true) continue;
    if (outputs.includes(name)) parts.push(`"${name}":${WRITERS[name](layout, run, further)}`);
  }
  if (layout.saves !== undefined) {
    const columns = result.outputs.saved ?? [];
    parts.push(`"saved":${savedJson(layout.saves, flattened(columns, layout.saves, 1))}`);
  }
  if (results.length > 0) {
    const numBasisStates = layout.basisStates.length;
    const numbers = { numRequested, numBasisStates, run, further };
    const hasState = results.some(({ type }) => type === 'state_vector');
    const statevectorJson = hasState ? amplitudesJson(run.statevector!) : '';
    const source = { results, ...numbers, statevectorJson };
    parts.push(`"results":${resultsJson(source)}`);
  }
  const hasLabels = outputs.includes('counts') || outputs.includes('memory');
  const rest: CircuitResultFields = {
    ...(hasLabels && { label_format: labelFormatOf(numBits, labelFormat, layout.lossMarks) }),
    method: nameOfMethod(layout.method),
    method_reason: layout.methodReason,
    ...(run.trajectories !== undefined && { trajectories: run.trajectories }),
    ...errorBoundField(layout),
    ...(run.truncationError !== undefined && { truncation_error: run.truncationError }),
    ...(run.largestBond !== undefined && { largest_bond: run.largestBond }),
    backend: viewBackend(backend),
    ...(layout.fitting && { fitting: viewFitting(layout.fitting) }),
    compilation: { ...viewCompilation(compilation), state_passes: run.statePasses, reused },
    timing: { ...viewTiming(timing), sampling_ms: milliseconds(timing.samplingMs ?? 0) },
    bit_order: 'little-endian',
    measured_qubits: [...measuredQubits],
    ...recordedField(layout),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
  parts.push(JSON.stringify(rest).slice(1, -1));
  return `{${parts.join(',')}}`;
}

/** Writers of the outputs, in the order of an answer. */
const WRITERS: Readonly<
  Record<
    Output,
    (layout: ResultLayout, run: ReturnType<typeof runResultOf>, further: FurtherNumbers) => string
  >
> = {
  counts: ({ labelFormat, lossMarks }, { counts }) => countsJson(counts, labelFormat, lossMarks),
  memory: (layout, { counts }) => memoryJson(counts, layout),
  measurements: ({ numBits, seed, shotFormat }, { counts }) =>
    JSON.stringify(packedMeasurements(counts, numBits, seed, shotFormat)),
  reference_sample: ({ numBits, seed, shotFormat }, { referenceSample }) => {
    const outcomes = referenceSample!;
    const counts = { outcomes, wordsPerOutcome: outcomes.length, occurrences: Uint32Array.of(1) };
    return JSON.stringify(packedMeasurements(counts, numBits, seed, shotFormat));
  },
  probabilities: ({ numBits }, { probabilities }) => probabilitiesJson(probabilities!, numBits),
  statevector: (_, { statevector }) => amplitudesJson(statevector!),
  amplitudes: ({ basisStates }, { amplitudes }) => amplitudesByLabel(basisStates, amplitudes!, 0),
  expectation: ({ numRequested, results }, { expectations, standardErrors }) => {
    const values = expectationsOf(expectations!, numRequested, results);
    const errors = standardErrors && expectationsOf(standardErrors, numRequested, results);
    return expectationJson(values, errors);
  },
  density_matrix: (_, { densityMatrix }) => matrixJson(densityMatrix!),
  purity: (_, { purity }) => `${purity!}`,
  unitary: (_, __, { unitary }) => matrixJson(unitary!),
  detection_events: ({ detection, seed, shotFormat }, { counts }) =>
    JSON.stringify(detectionEvents(counts, detection!, seed, shotFormat)),
  detector_error_model: ({ detection }) => JSON.stringify(detection!.errorModel),
};

/** Values for the observables of the request, and for those of the program's results of this type. */
function expectationsOf(
  values: readonly number[],
  numRequested: number,
  results: ResultLayout['results'],
): readonly number[] {
  const ofProgram = results.flatMap((result) => {
    if (result.type !== 'expectation') return [];
    const first = numRequested + result.first;
    return values.slice(first, first + result.count);
  });
  return [...values.slice(0, numRequested), ...ofProgram];
}

/** Fields of a layout that the result of hardware has. Results of earlier versions have no form of labels. */
export type DeviceLayout = Pick<ResultLayout, 'measuredQubits' | 'warnings'> &
  Partial<Pick<ResultLayout, 'labelFormat' | 'errorBound' | 'recorded'>>;

/** The field of an answer that lists what a program in QIR records. */
const recordedField = ({ recorded = [] }: Pick<DeviceLayout, 'recorded'>) =>
  recorded.length === 0 ? {} : { recorded_outputs: [...recorded] };

/** The field of an answer that bounds the error of product formulas. */
export const errorBoundField = ({ errorBound }: { readonly errorBound?: number | undefined }) =>
  errorBound === undefined ? {} : { error_bound: errorBound };

/** Writes the result fields of a circuit that hardware ran as one JSON object. */
export function deviceResultJson(
  { measuredQubits, warnings, labelFormat = 'automatic', errorBound, recorded }: DeviceLayout,
  { counts, fitting, backend, timing }: DeviceResult,
): string {
  const { queueMs, vendorQueueMs, fitMs, executionMs } = timing;
  const [own] = counts;
  if (own === undefined) throw new Error('unreachable: a result without counts');
  const rest: CircuitResultFields = {
    label_format: labelFormatOf(own.numBits, labelFormat),
    ...errorBoundField({ errorBound }),
    backend: viewDeviceBackend(backend),
    compilation: viewFitting(fitting),
    timing: {
      queue_ms: milliseconds(queueMs),
      ...(vendorQueueMs !== undefined && { vendor_queue_ms: milliseconds(vendorQueueMs) }),
      compile_ms: milliseconds(fitMs),
      ...(executionMs !== undefined && { execution_ms: milliseconds(executionMs) }),
    },
    bit_order: 'little-endian',
    measured_qubits: [...measuredQubits],
    ...recordedField(recorded === undefined ? {} : { recorded }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
  };
  return `{"counts":${countsJson(own, labelFormat)},${JSON.stringify(rest).slice(1)}`;
}

/**
 * Writes `{"01":3,"10":4}`, or the same with hexadecimal labels, byte by byte, because a string for each outcome takes
 * longer than all that a small circuit's sampling takes.
 *
 * @param lossMarks - Bits that have a mark after those of the label, if qubits may be lost.
 */
export function countsJson(
  counts: Counts,
  asked: AskedLabelFormat,
  lossMarks?: readonly Bit[],
): string {
  const { wordsPerOutcome, outcomes, occurrences } = counts;
  const numBits = counts.numBits - (lossMarks?.length ?? 0);
  const isHex = labelFormatOf(numBits, asked, lossMarks) === 'hex';
  const labelLength = labelLengthOf(numBits, asked, lossMarks);
  const bytes = Buffer.allocUnsafe(2 + occurrences.length * (labelLength + MAX_ENTRY_BYTES));
  let at = 0;
  bytes[at++] = OPENING_BRACE;
  for (let i = 0; i < occurrences.length; i++) {
    if (i > 0) bytes[at++] = COMMA;
    bytes[at++] = QUOTE;
    const word = i * wordsPerOutcome;
    if (isHex) at = writeHexLabel(bytes, at, outcomes, word, numBits);
    else at = writeDigits(bytes, at, outcomes, word, numBits, lossMarks);
    bytes[at++] = QUOTE;
    bytes[at++] = COLON;
    at = writeWhole(bytes, at, occurrences[i]!);
  }
  bytes[at++] = CLOSING_BRACE;
  return bytes.toString('latin1', 0, at);
}

/** Writes the label of each shot. */
function memoryJson(
  counts: Counts,
  { numBits, lossMarks, seed, labelFormat }: ResultLayout,
): string {
  const { wordsPerOutcome, outcomes, occurrences } = counts;
  const labels = Array.from(occurrences, (_, i) => {
    const word = i * wordsPerOutcome;
    return labelOfOutcome(outcomes, word, wordsPerOutcome, numBits, labelFormat, lossMarks);
  });
  const order = drawnShotOrder(occurrences, seed);
  return JSON.stringify(Array.from(order, (i) => labels[i]!));
}

/** Writes a whole number in decimal; returns the place after it. */
function writeWhole(bytes: Uint8Array, at: number, value: number): number {
  let end = at + 1;
  for (let power = 10; value >= power; power *= 10) end++;
  let rest = value;
  for (let place = end - 1; place >= at; place--) {
    bytes[place] = ZERO + (rest % 10);
    rest = Math.floor(rest / 10);
  }
  return end;
}

/** Numbers that the results of a program are read off. */
export interface ResultSource {
  readonly results: readonly ProgramResult[];
  /** Number of observables before those of the program. */
  readonly numRequested: number;
  /** Number of amplitudes before those of the program. */
  readonly numBasisStates: number;
  readonly run: ReturnType<typeof runResultOf>;
  readonly further: FurtherNumbers;
  /** The state vector as JSON text; empty if it is not asked for. */
  readonly statevectorJson: string;
}

/** JSON text of the results. */
function resultsJson(source: ResultSource): string {
  let numSamples = 0;
  let numAmplitudes = source.numBasisStates;
  const entries = source.results.map((result) => {
    if (result.type === 'state_vector') {
      return `{"type":"state_vector","value":${source.statevectorJson}}`;
    }
    if (result.type === 'amplitude') {
      const first = numAmplitudes;
      numAmplitudes += result.states.length;
      const value = amplitudesByLabel(result.states, source.run.amplitudes!, first);
      return `{"type":"amplitude","value":${value}}`;
    }
    const first = numSamples;
    if (result.type === 'sample') numSamples += result.observables.length;
    return `{"type":"${result.type}","value":${valueJson(result, source, first)}}`;
  });
  return `[${entries.join(',')}]`;
}

/** @param firstSample - Number of the first of the result's samples. */
function valueJson(
  result: Exclude<ProgramResult, { type: 'state_vector' | 'amplitude' }>,
  { run, numRequested, further }: ResultSource,
  firstSample: number,
): string {
  switch (result.type) {
    case 'probability':
      return labelled(marginal(run.probabilities!, result.qubits));
    case 'density_matrix':
      return JSON.stringify(rowsFromMatrix(reducedDensity(run.densityMatrix!, result.qubits)));
    case 'expectation':
    case 'variance': {
      const { type, first, count, isList } = result;
      const values = (type === 'variance' ? run.variances : run.expectations)!;
      const own = values.slice(numRequested + first, numRequested + first + count);
      return JSON.stringify(isList ? own : own[0]);
    }
    case 'sample': {
      const { observables, isList } = result;
      const own = further.samples.slice(firstSample, firstSample + observables.length);
      const values = own.map((sample) => [...sample]);
      return JSON.stringify(isList ? values : values[0]);
    }
    case 'adjoint_gradient':
      return JSON.stringify(further.gradient);
  }
}

/** An object as JSON text in the order of its entries; JavaScript would put the label "10" before "01". */
function labelled(entries: ReadonlyMap<string, number>): string {
  return `{${[...entries].map(([label, value]) => `"${label}":${value}`).join(',')}}`;
}

/** Probabilities of the outcomes of some qubits by label, `qubits[0]` rightmost; those of zero are left out. */
function marginal(
  probabilities: Float64Array,
  qubits: readonly number[] | undefined,
): ReadonlyMap<string, number> {
  const numQubits = Math.log2(probabilities.length);
  const read = qubits ?? Array.from({ length: numQubits }, (_, qubit) => qubit);
  const sums = new Float64Array(2 ** read.length);
  for (const [index, probability] of probabilities.entries()) {
    let outcome = 0;
    for (const [bit, qubit] of read.entries()) outcome |= ((index >> qubit) & 1) << bit;
    sums[outcome]! += probability;
  }
  const entries = new Map<string, number>();
  for (const [outcome, sum] of sums.entries()) {
    if (sum > 0) entries.set(basisLabel(outcome, read.length), sum);
  }
  return entries;
}
