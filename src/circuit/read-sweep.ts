/**
 * Reads a circuit with inputs for many points at once.
 *
 * A circuit in JSON is read once. A program is read once for each combination of the values of its structural inputs,
 * those that decide more than angles: two points at which all of these agree take the same path through the program.
 * The set of structural inputs may itself depend on their values, so that it is known only after the reading.
 */
import { CodedError } from '../errors/coded-error.ts';
import { type AngleFormulas, Block, CONSTANT } from './angle-formulas.ts';
import { type Range, rangeOf } from './angle-operations.ts';
import { AngleTape } from './angle-tape.ts';
import { allOperations, type DynamicCircuit, numOperationsOf } from './circuit.ts';
import { type CircuitLimits, hasTooManySteps, tooManySteps } from './circuit-limits.ts';
import { InvalidInputsError, LIMIT_EXCEEDED } from './errors.ts';
import type { GateObject } from './gate-object.ts';
import { openCircuitFromGateObjects } from './gate-objects.ts';
import { type InputColumns, inputAt, inputPath, inputRows } from './input-columns.ts';
import { readOpenQasmAt } from './openqasm/parse-openqasm.ts';
import { NO_RESULTS, type ProgramResults } from './openqasm/results.ts';
import { type ProgramWarning, quoted } from './openqasm/token-stream.ts';
import { readQir } from './qir/read-qir.ts';
import { readStim } from './stim/read-stim.ts';

/** Combinations of values of structural inputs, each of which is a circuit of its own. */
export const MAX_COMBINATIONS = 1000;
/** Operations of the circuits of all combinations together, if one may not have more by itself. */
const MAX_OPERATIONS = 1_000_000;
/** Characters of a text whose reading takes about as long as a step of running it. */
const CHARACTERS_PER_STEP = 4;
/** Rows that are computed at a time to find angles that are not finite. */
const CHECKED_ROWS = 1024;

/** A circuit with inputs, in JSON or OpenQASM, or one without them in Stim's format or QIR. */
export type SweepSource =
  | { readonly circuit: readonly GateObject[]; readonly qubits?: number | undefined }
  | { readonly qasm: string }
  | { readonly stim: string }
  | { readonly qir: string };

/** Points whose circuits differ in their angles alone. */
export interface SweepGroup {
  /** The circuit at the first of the points. */
  readonly circuit: DynamicCircuit;
  readonly formulas: AngleFormulas;
  /** Numbers of the points, ascending; undefined for all points. */
  readonly points: Uint32Array | undefined;
  /** Results that an OpenQASM text requests. */
  readonly results: ProgramResults;
  /** Bound on the error of product formulas at one of the points; absent where there are none. */
  readonly errorBoundAt?: (point: number) => number;
}

/** An input without a derivative. */
export interface DerivativeFault {
  readonly input: number;
  /** `The input "n" decides which gates run (line 7).` */
  readonly message: string;
}

/** A circuit at all points of its inputs. */
export interface Sweep {
  readonly inputs: InputColumns;
  /** At least one; every point is in one of them. */
  readonly groups: readonly SweepGroup[];
  /** Parts of an OpenQASM text that were ignored. */
  readonly warnings: readonly ProgramWarning[];
  /** At most one for each input. */
  readonly derivativeFaults: readonly DerivativeFault[];
}

/** Outcome of one reading. */
interface Reading extends Omit<SweepGroup, 'points'> {
  readonly warnings: readonly ProgramWarning[];
  readonly structural: ReadonlySet<number>;
  readonly obstacles: ReadonlyMap<number, string>;
}

/** Reads a circuit at a point. */
type ReadAt = (point: number) => Reading;

/**
 * Reads a circuit at all points of its inputs. All angles are finite at all points.
 *
 * @param limits - `maxSteps` is the limit of all readings together.
 * @throws {InvalidInputsError} where the circuit at a point is invalid and the one at point 0 is not, naming the point;
 *   where there are too many combinations, naming the inputs.
 * @throws {InvalidCircuitError} for gate objects, as `circuitFromGateObjects`; with the path of each input that the
 *   circuit uses and that is not given, or that is given and not used.
 * @throws {OpenQasmError} and {OpenQasmInputError}, as `readOpenQasm`.
 * @throws {StimTextError} as `readStim`, and {QirError} as `readQir`.
 * @throws {StepsSpentError} if reading takes more than `limits.maxSteps` steps.
 */
export function readSweep(source: SweepSource, inputs: InputColumns, limits: CircuitLimits): Sweep {
  const readAt = namingPoints(
    'circuit' in source
      ? gateObjectReader(source, inputs, limits)
      : 'qasm' in source
        ? textReader(source.qasm, inputs, limits)
        : 'stim' in source
          ? fixedReader(() => readStim(source.stim, limits), "A text in Stim's format", inputs)
          : fixedReader(() => readQir(source.qir, limits), 'A program in QIR', inputs),
  );
  const { readings, points } = readAll(readAt, inputs, limits);
  const groups = readings.map(({ circuit, formulas, results, errorBoundAt }, i): SweepGroup => {
    const bound = errorBoundAt === undefined ? {} : { errorBoundAt };
    return { circuit, formulas, results, points: points[i], ...bound };
  });
  const ranges = rangesOf(inputs);
  for (const { formulas, points: ofGroup } of groups) {
    if (areFiniteWithin(formulas, ranges)) continue;
    const point = notFiniteAt(formulas, inputs, ofGroup);
    if (point === undefined) continue;
    readAt(point);
    throw new Error('unreachable: an angle that is finite only where its circuit is read');
  }
  return {
    inputs,
    groups,
    warnings: withoutRepeats(readings.flatMap(({ warnings }) => warnings)),
    derivativeFaults: derivativeFaults(readings, inputs),
  };
}

function gateObjectReader(
  { circuit: objects, qubits }: Extract<SweepSource, { circuit: unknown }>,
  inputs: InputColumns,
  limits: CircuitLimits,
): ReadAt {
  const options = { limits, ...(qubits === undefined ? {} : { numQubits: qubits }) };
  return (point) => {
    const read = openCircuitFromGateObjects(objects, options, inputs, point);
    return {
      ...read,
      results: NO_RESULTS,
      warnings: [],
      structural: new Set(read.obstacles.keys()),
    };
  };
}

/** @throws {InvalidInputsError} if there are inputs. */
function fixedReader(
  read: () => { circuit: DynamicCircuit; warnings?: readonly ProgramWarning[] },
  what: string,
  { names }: InputColumns,
): ReadAt {
  if (names.length > 0) {
    const message = `${what} has no inputs.`;
    throw new InvalidInputsError(names.map((name) => ({ path: inputPath(name), message })));
  }
  return () => {
    const { circuit, warnings = [] } = read();
    const angles = allOperations(circuit.operations).flatMap((operation) =>
      operation.kind === 'gate' ? operation.angles : [],
    );
    return {
      circuit,
      formulas: new AngleTape(0).formulas(
        angles.map(() => CONSTANT),
        angles,
      ),
      results: NO_RESULTS,
      warnings,
      structural: new Set(),
      obstacles: new Map(),
    };
  };
}

function textReader(text: string, inputs: InputColumns, limits: CircuitLimits): ReadAt {
  const work = limits.readingWork ?? { numSteps: 0, numGates: 0 };
  const { maxSteps = Number.POSITIVE_INFINITY } = limits;
  const fits = new Set<string>();
  const before = work.numSteps;
  return (point) => {
    // The length of a body limits the first reading of each program, but not the others.
    if (point > 0) work.numSteps += Math.ceil(text.length / CHARACTERS_PER_STEP);
    if (point > 0 && hasTooManySteps(work, limits.maxGates)) {
      const what =
        'Reading the program once for each combination of the inputs that decide which gates run';
      throw pastLimit('inputs', tooManySteps(what, work, limits.maxGates));
    }
    const left = { maxSteps: maxSteps - (work.numSteps - before), readingWork: work };
    return readOpenQasmAt(text, { ...limits, ...left }, inputs, point, fits);
  };
}

/** Names the point in the faults of all points but the first. */
function namingPoints(readAt: ReadAt): ReadAt {
  return (point) => {
    try {
      return readAt(point);
    } catch (error) {
      if (!(error instanceof CodedError) || point === 0) throw error;
      const { code } = error;
      const given = error.faults.length > 0 ? error.faults : [{ path: '', message: error.message }];
      const faults = given.map((fault) => ({
        code,
        ...fault,
        message: `${fault.message} (At point ${point} of the inputs.)`,
      }));
      throw new InvalidInputsError(faults, faults.length, { cause: error });
    }
  };
}

const pastLimit = (path: string, message: string): InvalidInputsError =>
  new InvalidInputsError([{ path, message, code: LIMIT_EXCEEDED }]);

/** Readings of a circuit, and for each the points that it stands for; undefined for all. */
interface Readings {
  readonly readings: readonly Reading[];
  readonly points: readonly (Uint32Array | undefined)[];
}

function readAll(readAt: ReadAt, inputs: InputColumns, { maxGates }: CircuitLimits): Readings {
  const first = readAt(0);
  const decisive = varying(first.structural, inputs);
  if (decisive.length === 0) return { readings: [first], points: [undefined] };
  // Whatever the values, the program comes to the first use of that kind.
  checkCombinations(
    distinctValues(inputs.columns[decisive[0]!]!.values),
    [decisive[0]!],
    first,
    inputs,
  );
  const readings: Reading[] = [];
  const numberOf = new Uint16Array(inputs.numPoints);
  const numPointsOf: number[] = [];
  /** Readings by the values of their structural inputs, for each set of these that was found. */
  const families = new Map<string, Family>();
  let numOperations = 0;
  for (let point = 0; point < inputs.numPoints; point++) {
    let reading = numberAmong(families, inputs, point);
    if (reading === undefined) {
      const read = point === 0 ? first : readAt(point);
      reading = readings.push(read) - 1;
      numPointsOf.push(0);
      const structural = varying(read.structural, inputs);
      checkCombinations(readings.length, structural, read, inputs);
      numOperations += numOperationsOf(read.circuit);
      checkOperations(numOperations, maxGates);
      const name = structural.join();
      const family = families.get(name) ?? { structural, readings: new Map() };
      family.readings.set(keyAt(inputs, structural, point), reading);
      families.set(name, family);
    }
    numberOf[point] = reading;
    numPointsOf[reading]!++;
  }
  if (readings.length === 1) return { readings, points: [undefined] };
  const points = numPointsOf.map((count) => new Uint32Array(count));
  const next = new Uint32Array(readings.length);
  for (const [point, reading] of numberOf.entries()) points[reading]![next[reading]!++] = point;
  return { readings, points };
}

/** Readings whose structural inputs are the same. */
interface Family {
  readonly structural: readonly number[];
  readonly readings: Map<string, number>;
}

function numberAmong(
  families: ReadonlyMap<string, Family>,
  inputs: InputColumns,
  point: number,
): number | undefined {
  for (const { structural, readings } of families.values()) {
    const reading = readings.get(keyAt(inputs, structural, point));
    if (reading !== undefined) return reading;
  }
  return undefined;
}

/** Those inputs that do not have one value for all points. */
const varying = (numbers: Iterable<number>, { columns }: InputColumns): readonly number[] =>
  [...numbers].filter((input) => columns[input]!.values.length > 1);

/** Text that is the same for the same values only. */
function keyAt(inputs: InputColumns, numbers: readonly number[], point: number): string {
  let key = '';
  for (const input of numbers) key += `${textOf(inputAt(inputs, input, point))} `;
  return key;
}

const textOf = (value: number): string => (Object.is(value, -0) ? '-0' : `${value}`);

/** Number of distinct values, counted up to one past the limit. */
function distinctValues(values: Float64Array): number {
  const distinct = new Set<number>();
  for (const value of values) {
    distinct.add(value);
    if (distinct.size > MAX_COMBINATIONS) break;
  }
  return distinct.size;
}

function checkCombinations(
  count: number,
  structural: readonly number[],
  { obstacles }: Reading,
  { names }: InputColumns,
): void {
  if (count <= MAX_COMBINATIONS) return;
  const problem = `so that the program is read once for each combination of such values. There are more than ${MAX_COMBINATIONS}, which is the limit.`;
  const faults = structural.map((input) => ({
    path: inputPath(names[input]!),
    message: `It ${obstacles.get(input)}, ${problem}`,
    code: LIMIT_EXCEEDED,
  }));
  throw new InvalidInputsError(faults);
}

function checkOperations(count: number, maxGates: number): void {
  const limit = Math.max(MAX_OPERATIONS, maxGates);
  if (count <= limit) return;
  const what = 'The circuits for all combinations of the inputs that decide which gates run';
  throw pastLimit(
    'inputs',
    `${what} have more than ${limit} operations together, which is the limit.`,
  );
}

/** Least and greatest value of each input. */
function rangesOf({ columns }: InputColumns): readonly Range[] {
  return columns.map(({ values }) => {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    return [low, high];
  });
}

/** First point at which an angle is not finite. */
function notFiniteAt(
  formulas: AngleFormulas,
  inputs: InputColumns,
  points: Uint32Array | undefined,
): number | undefined {
  const numPoints = points?.length ?? inputs.numPoints;
  for (let from = 0; from < numPoints; from += CHECKED_ROWS) {
    const to = Math.min(from + CHECKED_ROWS, numPoints);
    const row = firstNotFinite(formulas, inputRows(inputs, points, from, to), to - from);
    if (row !== undefined) return points?.[from + row] ?? from + row;
  }
  return undefined;
}

function withoutRepeats(warnings: readonly ProgramWarning[]): readonly ProgramWarning[] {
  return [...new Map(warnings.map((warning) => [warning.message, warning])).values()];
}

function derivativeFaults(
  readings: readonly Reading[],
  { names }: InputColumns,
): readonly DerivativeFault[] {
  const reasons = new Map<number, string>();
  for (const { obstacles } of readings) {
    for (const [input, reason] of obstacles) {
      if (!reasons.has(input)) reasons.set(input, reason);
    }
  }
  return [...reasons].map(([input, reason]) => ({
    input,
    message: `The input ${quoted(names[input]!)} ${reason}.`,
  }));
}

/**
 * First row at which an angle is not finite, or another value that has to be; undefined if there is none.
 *
 * @param rows - As for `evaluateAngles`.
 */
function firstNotFinite(
  formulas: AngleFormulas,
  rows: Float64Array,
  numRows: number,
): number | undefined {
  const checked = checkedValues(formulas);
  const block = new Block(formulas, checked, numRows);
  for (let row = 0; row < numRows; row += block.numRows) {
    const count = Math.min(block.numRows, numRows - row);
    block.compute(rows, row * formulas.numInputs, count);
    let first = count;
    for (const value of checked) {
      const at = value * block.numRows;
      for (let i = 0; i < first; i++) if (!Number.isFinite(block.values[at + i])) first = i;
    }
    if (first < count) return row + first;
  }
  return undefined;
}

const checkedValues = ({ results, finite }: AngleFormulas): ReadonlySet<number> =>
  new Set([...results, ...finite].filter((value) => value !== CONSTANT));

/**
 * Whether all angles are finite wherever the inputs are within bounds. False where that cannot be told from bounds
 * alone; `firstNotFinite` then tells for each row.
 *
 * @param inputs - Bounds of each input.
 */
export function areFiniteWithin(formulas: AngleFormulas, inputs: readonly Range[]): boolean {
  const { constants, operators, left, right } = formulas;
  const ranges: (Range | undefined)[] = [...inputs];
  for (const constant of constants) ranges.push([constant, constant]);
  for (let i = 0; i < operators.length; i++) {
    const [x, y] = [ranges[left[i]!], ranges[right[i]!]];
    const range = x && y && rangeOf(operators[i]!, x, y);
    ranges.push(range?.every(Number.isFinite) ? range : undefined);
  }
  for (const value of checkedValues(formulas)) if (ranges[value] === undefined) return false;
  return true;
}
