/** A sweep: the visitor's entries, the points that follow from them, and the batches that compute them in turn. */
import type {
  BatchProgramResult,
  BatchResult,
  BatchSubmission,
  QcsClient,
} from '../../client/client.ts';
import { readAngle } from '../composer/angle-text.ts';
import type { Axis, Series } from '../drawing/plot-data.ts';
import { csvText } from '../shell/csv.ts';
import { type Fault, FieldError } from '../shell/faults.ts';
import {
  type CircuitFields,
  circuitOfText,
  inputsOf,
  type Observable,
  observablesOf,
} from './program-text.ts';

/** Points that the page draws; the service takes more. */
const MAX_POINTS = 10_000;

/** Entered fields of an input. Numbers are texts such as `0.5`, `pi` and `-pi/2`. */
export interface InputDraft {
  readonly varies: boolean;
  readonly from: string;
  readonly to: string;
  readonly points: string;
  /** Value of an input that does not vary. */
  readonly value: string;
}

/** Entered fields of a sweep. */
export interface SweepDraft {
  /** Name in the list of jobs; without one it says what is swept. */
  readonly name?: string;
  /** The circuit, as JSON or OpenQASM. */
  readonly text: string;
  /** By the names of inputs. Those that are missing have the usual values. */
  readonly inputs: Readonly<Record<string, InputDraft>>;
  readonly asks: 'observables' | 'outcome';
  readonly observables: string;
  /** Bits of the outcome whose probability is asked for, classical bit 0 rightmost. */
  readonly outcome: string;
  readonly hasGradient: boolean;
  readonly processor: string;
  /** Shots of each point; empty for exact values. */
  readonly shots: string;
  /** Name of a noise model; empty without noise. */
  readonly noise: string;
}

/** A sweep that can run. */
export interface SweepPlan {
  /** One axis or two. Point i + j·(number of points of the first) is i on the first and j on the second. */
  readonly axes: readonly Axis[];
  readonly numPoints: number;
  /** Names of the curves. */
  readonly labels: readonly string[];
  /** The batch of some points, from the first on. */
  readonly batchOf: (first: number, count: number) => BatchSubmission;
  /** Values of one point of a result of such a batch. */
  readonly valuesOf: (result: BatchProgramResult, point: number) => PointValues;
  readonly hasGradient: boolean;
}

/** For each curve: value, standard error (NaN without one), derivative by the first input (NaN without one). */
export type PointValues = readonly {
  readonly value: number;
  readonly error: number;
  readonly slope: number;
}[];

/** Default fields of an input: the first one varies. */
export function usualInput(index: number): InputDraft {
  return { varies: index === 0, from: '0', to: '2*pi', points: '41', value: '0' };
}

/** Inputs of the circuit with their entered fields. */
export function inputDrafts(draft: SweepDraft): readonly (readonly [string, InputDraft])[] {
  return inputsOf(draft.text).map((name, i) => [name, draft.inputs[name] ?? usualInput(i)]);
}

/**
 * Plans a sweep.
 *
 * @param seed - Seed of the first point, if shots are drawn.
 * @throws {FieldError} with the path of each field that is wrong, named as in the request.
 */
export function planSweep(draft: SweepDraft, seed: number): SweepPlan {
  const faults: Fault[] = [];
  const read = <T>(path: string, value: () => T): T | undefined => {
    try {
      return value();
    } catch (error) {
      faults.push({ path, message: error instanceof Error ? error.message : String(error) });
      return undefined;
    }
  };
  const circuit = read('programs[0].circuit', () => circuitOfText(draft.text));
  const inputs = inputDrafts(draft);
  const varied = inputs.filter(([, { varies }]) => varies);
  if (circuit !== undefined && (varied.length === 0 || varied.length > 2)) {
    const message =
      inputs.length === 0
        ? 'The circuit has no inputs. An input is {"input": "a"} in place of an angle, or "input float a;" in OpenQASM 3.'
        : 'Let one input vary, or two.';
    faults.push({ path: 'programs[0].inputs', message });
  }
  const axes = varied.map(([name, input]) => ({
    label: name,
    values: read(`programs[0].inputs.${name}`, () => rangeOf(input)) ?? [],
  }));
  const numPoints = axes.reduce((product, { values }) => product * values.length, 1);
  if (numPoints > MAX_POINTS) {
    const message = `These are ${numPoints} points; a sweep of this page has ${MAX_POINTS} at most.`;
    faults.push({ path: `programs[0].inputs.${axes.at(-1)?.label}`, message });
  }
  const fixed = Object.fromEntries(
    inputs
      .filter(([, { varies }]) => !varies)
      .map(([name, { value }]) => [
        name,
        read(`programs[0].inputs.${name}`, () => needed(value)) ?? 0,
      ]),
  );
  const shots = read('shots', () => shotsOf(draft.shots));
  const observables =
    draft.asks === 'observables'
      ? read('programs[0].observables', () => someObservables(draft.observables))
      : undefined;
  const outcome =
    draft.asks === 'outcome' ? read('outcome', () => outcomeOf(draft.outcome)) : undefined;
  if (faults.length > 0 || circuit === undefined) throw new FieldError(faults);

  const hasGradient = observables !== undefined && draft.hasGradient && axes.length === 1;
  const questions =
    observables === undefined
      ? { return: [shots === undefined ? ('probabilities' as const) : ('counts' as const)] }
      : {
          observables: observables.map(writtenTerms),
          return: hasGradient ? (['expectation', 'gradient'] as const) : (['expectation'] as const),
          ...(hasGradient && { gradient_inputs: axes.map(({ label }) => label) }),
        };
  const batchOf = (first: number, count: number): BatchSubmission => ({
    target_processor: draft.processor,
    programs: [
      {
        ...(circuit satisfies CircuitFields),
        inputs: { ...fixed, ...pointInputs(axes, first, count) },
        ...questions,
      },
    ],
    ...(shots !== undefined && { shots, seed: seed + first }),
    ...(draft.noise !== '' && { noise: { model: draft.noise } }),
  });
  return {
    axes,
    numPoints,
    labels: observables?.map(({ label }) => label) ?? [`P(${outcome})`],
    batchOf,
    valuesOf:
      outcome === undefined
        ? observableValues
        : (result, point) => [outcomeValue(result, point, outcome)],
    hasGradient,
  };
}

function rangeOf({ from, to, points }: InputDraft): readonly number[] {
  const [first, last] = [needed(from), needed(to)];
  const count = /^\d+$/.test(points.trim()) ? Number(points) : 0;
  if (count < 2 || count > MAX_POINTS) {
    throw new RangeError(`The number of points is a whole number from 2 to ${MAX_POINTS}.`);
  }
  if (first === last) throw new RangeError('The range begins where it ends.');
  return Array.from({ length: count }, (_, i) => first + ((last - first) * i) / (count - 1));
}

function needed(text: string): number {
  const value = readAngle(text);
  if (value === undefined) throw new RangeError(`"${text}" is no number, such as 0.5 or -pi/2.`);
  return value;
}

function shotsOf(text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const shots = /^\d+$/.test(text.trim()) ? Number(text) : 0;
  if (shots < 1)
    throw new RangeError('Shots are a whole number from 1 on; empty for exact values.');
  return shots;
}

function someObservables(text: string): readonly Observable[] {
  const observables = observablesOf(text);
  if (observables.length === 0) throw new RangeError('Name an observable, such as "Z0 Z1".');
  return observables;
}

function outcomeOf(text: string): string {
  if (/^[01]{1,1024}$/.test(text.trim())) return text.trim();
  throw new RangeError(
    'An outcome is written as bits, such as 01, with classical bit 0 rightmost.',
  );
}

/** A term or a list of terms, as short as the request allows. */
function writtenTerms({ terms }: Observable) {
  const written = terms.map(({ pauli, coefficient }) => ({
    pauli,
    ...(coefficient !== 1 && { coefficient }),
  }));
  const [first] = written;
  return first !== undefined && written.length === 1 ? first : written;
}

/** Values of the varied inputs at some points. */
function pointInputs(axes: readonly Axis[], first: number, count: number) {
  const [x, y] = axes;
  const values = (axis: Axis, indexOf: (point: number) => number) =>
    Array.from({ length: count }, (_, i) => Number(axis.values[indexOf(first + i)]));
  const width = x?.values.length ?? 1;
  return {
    ...(x !== undefined && { [x.label]: values(x, (point) => point % width) }),
    ...(y !== undefined && { [y.label]: values(y, (point) => Math.floor(point / width)) }),
  };
}

function outcomeValue(result: BatchProgramResult, point: number, outcome: string) {
  const { counts, probabilities } = result;
  if (counts !== undefined) {
    const own = counts[point] ?? {};
    const shots = Object.values(own).reduce((sum, times) => sum + times, 0);
    const value = (own[outcome] ?? 0) / shots;
    return { value, error: Math.sqrt((value * (1 - value)) / shots), slope: NaN };
  }
  const numOutcomes = probabilities?.shape[1] ?? 0;
  // An outcome of other bits than the circuit has is never seen.
  const isOne = 2 ** outcome.length === numOutcomes;
  const value = isOne
    ? Number(probabilities?.data[point * numOutcomes + Number.parseInt(outcome, 2)])
    : NaN;
  return { value, error: NaN, slope: NaN };
}

function observableValues(
  { expectation, standard_error: errors, gradient }: BatchProgramResult,
  point: number,
): PointValues {
  const numObservables = expectation?.shape[1] ?? 0;
  return Array.from({ length: numObservables }, (_, k) => {
    const at = point * numObservables + k;
    return {
      value: expectation?.data[at] ?? NaN,
      error: errors?.data[at] ?? NaN,
      slope: gradient?.data[at] ?? NaN,
    };
  });
}

/** Values of a sweep that have arrived. */
export interface SweepValues {
  readonly plan: SweepPlan;
  readonly numDone: number;
  /** One for each label. */
  readonly series: readonly Series[];
  /** Derivatives by the first input; empty without them. */
  readonly slopes: readonly Series[];
}

/** A sweep before its first point. */
export function noValues(plan: SweepPlan): SweepValues {
  const blank = () => new Float64Array(plan.numPoints).fill(NaN);
  const [x] = plan.axes;
  return {
    plan,
    numDone: 0,
    series: plan.labels.map((label) => ({ label, values: blank(), errors: blank() })),
    slopes: plan.hasGradient
      ? plan.labels.map((label) => ({ label: `d ${label} / d ${x?.label}`, values: blank() }))
      : [],
  };
}

/** The values with those of a batch. */
export function withBatch(
  before: SweepValues,
  first: number,
  result: BatchProgramResult,
): SweepValues {
  const { plan } = before;
  const series = before.series.map(({ label, values, errors = [] }) => ({
    label,
    values: Float64Array.from(values),
    errors: Float64Array.from(errors),
  }));
  const slopes = before.slopes.map(({ label, values }) => ({
    label,
    values: Float64Array.from(values),
  }));
  for (let point = 0; point < result.points; point += 1) {
    for (const [k, { value, error, slope }] of plan.valuesOf(result, point).entries()) {
      series[k]?.values.fill(value, first + point, first + point + 1);
      series[k]?.errors.fill(error, first + point, first + point + 1);
      slopes[k]?.values.fill(slope, first + point, first + point + 1);
    }
  }
  return { plan, numDone: before.numDone + result.points, series, slopes };
}

/** Columns of the values: inputs, then each curve with its errors and derivatives, if it has them. */
function columnsOf({ plan, series, slopes }: SweepValues) {
  const width = plan.axes[0]?.values.length ?? 1;
  const inputs = plan.axes.map(({ label, values }, k) => ({
    label,
    at: (point: number) => Number(values[k === 0 ? point % width : Math.floor(point / width)]),
  }));
  const curves = series.flatMap(({ label, values, errors }) => [
    { label, at: (point: number) => Number(values[point]) },
    ...(errors !== undefined && Array.from(errors).some(Number.isFinite)
      ? [{ label: `error of ${label}`, at: (point: number) => Number(errors[point]) }]
      : []),
  ]);
  const derivatives = slopes.map(({ label, values }) => ({
    label,
    at: (point: number) => Number(values[point]),
  }));
  return [...inputs, ...curves, ...derivatives];
}

/** The values as CSV, one line a point; values that have not arrived are empty. */
export function csvOf(values: SweepValues): string {
  const columns = columnsOf(values);
  const rows = Array.from({ length: values.plan.numPoints }, (_, point) =>
    columns.map(({ at }) => (Number.isFinite(at(point)) ? at(point) : '')),
  );
  return csvText(
    columns.map(({ label }) => label),
    rows,
  );
}

/** The values as JSON: an array of numbers for each column, with null for what has not arrived. */
export function jsonOf(values: SweepValues): string {
  const points = Array.from({ length: values.plan.numPoints }, (_, i) => i);
  const columns = columnsOf(values).map(({ label, at }) => [label, points.map(at)]);
  // JSON.stringify writes NaN as null.
  return JSON.stringify(Object.fromEntries(columns), null, 1);
}

/** Processor and method of the points, in the words of the service. */
export interface Provenance {
  readonly processor: string;
  readonly method: string | undefined;
  /** Hardware of the runs, and whether the values are measured, modelled, emulated or simulated. */
  readonly basis: readonly string[];
}

/** A sweep that runs or ran. */
export interface SweepRun {
  readonly values: SweepValues;
  readonly provenance: Provenance | undefined;
  /** `incomplete`: one that was opened again, of which batches are missing. */
  readonly state: 'running' | 'completed' | 'failed' | 'cancelled' | 'incomplete';
}

/** A batch costs three requests of the key, so batches grow while they are this fast, */
const FAST_MS = 500;
/** and shrink when they are this slow, so that points arrive. */
const SLOW_MS = 3000;
/** The first batch has this part of the points. */
const FIRST_PART = 1 / 16;

/**
 * Runs all batches of a sweep.
 *
 * @param labelsOf - Further fields of the batch that begins with a point.
 * @param signal - Cancels the batch that runs, and begins no other.
 * @param now - Milliseconds of a clock.
 * @param onValues - Receives the values so far, first without any point.
 * @throws {QcsError} of the first batch that fails, and the reason of the signal.
 */
export async function runSweep(
  plan: SweepPlan,
  batches: QcsClient['batches'],
  labelsOf: (first: number) => Partial<BatchSubmission>,
  signal: AbortSignal,
  now: () => number,
  onValues: (values: SweepValues, provenance: Provenance | undefined) => void,
): Promise<void> {
  let values = noValues(plan);
  onValues(values, undefined);
  let size = Math.ceil(plan.numPoints * FIRST_PART);
  for (let first = 0; first < plan.numPoints; ) {
    const count = Math.min(size, plan.numPoints - first);
    const startedAt = now();
    const batch = { ...plan.batchOf(first, count), ...labelsOf(first) };
    const result = await batches.run(batch, { signal, cancelOnAbort: true });
    const tookMs = now() - startedAt;
    const [program] = result.programs;
    if (program === undefined)
      throw new Error('unreachable: a batch of one program has one result');
    values = withBatch(values, first, program);
    first += count;
    if (tookMs < FAST_MS) size *= 2;
    if (tookMs > SLOW_MS) size = Math.ceil(size / 2);
    onValues(values, provenanceOf(result));
  }
}

/** Processor and method of a batch. */
export function provenanceOf({
  processor,
  programs,
  executed_on: executed = [],
}: Pick<BatchResult, 'processor' | 'programs' | 'executed_on'>): Provenance {
  return {
    processor,
    method: programs[0]?.method,
    basis: [...new Set(executed.map(basisOf))],
  };
}

type ExecutedOn = NonNullable<BatchResult['executed_on']>[number];

function basisOf({ backend }: ExecutedOn): string {
  if ('vendor' in backend) return `${backend.basis} on ${backend.device} of ${backend.vendor}`;
  const { emulates, hardware } = backend;
  const what = emulates === undefined ? 'simulated' : `emulated (${emulates})`;
  return `${what} on ${hardware}`;
}
