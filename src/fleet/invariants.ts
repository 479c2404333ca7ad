/**
 * What holds for every right result, checked before anybody sees a result: counts sum to the shots and stay within the
 * register, probabilities and traces sum to 1, expectation values lie within the norm of their observable, and all
 * numbers are finite. A result that breaks one of these comes from a fault of the service or of its hardware.
 *
 * The checks take one pass over the numbers of a result, which costs less than writing them as text.
 */
import { AngleDerivatives } from '../circuit/angle-derivatives.ts';
import type { DynamicCircuit } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import { wordsFor } from '../engine/classical-bits.ts';
import type { Counts } from '../engine/engine.ts';
import { InvariantError } from '../engine/errors.ts';
import type { CodedError } from '../errors/coded-error.ts';
import type {
  BatchRun,
  BatchRunResult,
  CircuitResult,
  CircuitRun,
  DeviceResult,
  DeviceRun,
} from './processor.ts';
import { factsOfShape } from './workers/sent-batch.ts';
import { workOfCircuit } from './workers/sent-circuit.ts';

/** Deviation from 1 that rounding can leave of a sum, and what each operation can add to it. */
const ROUNDING = {
  f64: { least: 1e-7, perOperation: 1e-10 },
  f32: { least: 1e-4, perOperation: 1e-6 },
} as const;
/** A variance that is estimated from two trajectories may be twice the largest that an observable has. */
const ESTIMATED = 2;

/** Why a result cannot be right; undefined where nothing speaks against it. */
type Fault = string | undefined;

/** Numbers of one circuit of a run: `length` ones of `numbers`, from `from` on. */
interface Slice {
  readonly numbers: ArrayLike<number>;
  readonly from: number;
  readonly length: number;
}

/** What the results of one run are held to. */
interface Expected extends Pick<DynamicCircuit, 'numQubits' | 'numBits'> {
  readonly shots: number;
  /** Deviation that rounding can leave. */
  readonly tolerance: number;
  /** For each observable, the sum of the sizes of its coefficients. */
  readonly norms: readonly number[];
}

/** The error with which a run fails whose result cannot be right. */
export function invariantError(fault: string): CodedError {
  return new InvariantError(fault);
}

/** Why the result of a circuit cannot be right. */
export function faultOfCircuit(
  { circuit, request }: Pick<CircuitRun, 'circuit' | 'request'>,
  { run, backend }: Pick<CircuitResult, 'run' | 'backend'>,
): Fault {
  const { observables, amplitudes } = request;
  const { numQubits, numBits } = circuit;
  const { numOperations } = workOfCircuit(circuit);
  const expected: Expected = {
    numQubits,
    numBits,
    shots: request.shots,
    tolerance: toleranceOf(backend.precision, numOperations),
    norms: normsOf(observables),
  };
  const whole = (numbers: ArrayLike<number> | undefined): Slice | undefined =>
    numbers && { numbers, from: 0, length: numbers.length };
  return (
    (run.countsFinish && 'its counts are not those of the whole run') ??
    outside('its truncation error', run.truncationError, 0, 1, expected.tolerance) ??
    faultOfCounts(run.counts, expected) ??
    missing('state vector', request.statevector, run.statevector) ??
    missing('amplitudes', amplitudes !== undefined, run.amplitudes) ??
    missing('density matrix', request.densityMatrix, run.densityMatrix) ??
    missing('purity', request.purity, run.purity) ??
    faultOfReadouts(
      request,
      {
        statevector: whole(run.statevector),
        probabilities: whole(run.probabilities),
        expectations: whole(run.expectations),
        variances: whole(run.variances),
        standardErrors: whole(run.standardErrors),
      },
      expected,
    ) ??
    faultOfAmplitudes(run.amplitudes, amplitudes?.length ?? 0, expected) ??
    faultOfDensityMatrix(run.densityMatrix, expected) ??
    outside('its purity', run.purity, 0, 1, expected.tolerance)
  );
}

/** Why the result of a batch run cannot be right. */
export function faultOfBatch(
  { shape, request }: Pick<BatchRun, 'shape' | 'request'>,
  { batch, backend }: Pick<BatchRunResult, 'batch' | 'backend'>,
): Fault {
  const { numQubits, numBits } = shape;
  const { numCircuits, shots = 0, observables } = request;
  const norms = normsOf(observables);
  const { numOperations } = factsOfShape(shape).work;
  const rowOf = (numbers: ArrayLike<number> | undefined, k: number): Slice | undefined => {
    const length = (numbers?.length ?? 0) / numCircuits;
    return numbers && { numbers, from: k * length, length };
  };
  for (let k = 0; k < numCircuits; k++) {
    const tolerance = toleranceOf(backend.precision, numOperations);
    const expected: Expected = { numQubits, numBits, shots, tolerance, norms };
    const fault =
      outside('its truncation error', batch.truncationErrors?.[k], 0, 1, expected.tolerance) ??
      (shots > 0
        ? faultOfRow(rowOf(batch.counts, k), batch.longCounts?.[k], expected)
        : undefined) ??
      missing('state vector', request.statevector, batch.statevectors) ??
      missing('gradient', request.gradients, batch.gradients) ??
      faultOfReadouts(
        request,
        {
          statevector: rowOf(batch.statevectors, k),
          probabilities: rowOf(batch.probabilities, k),
          expectations: rowOf(batch.expectations, k),
          variances: rowOf(batch.variances, k),
          standardErrors: rowOf(batch.standardErrors, k),
        },
        expected,
      ) ??
      faultOfGradients(request, rowOf(batch.gradients, k), k);
    if (fault !== undefined) return `in circuit ${k + 1} of ${numCircuits}, ${fault}`;
  }
  return undefined;
}

/** Why the result of a run on hardware cannot be right. */
export function faultOfDevice(
  { shots }: Pick<DeviceRun, 'shots'>,
  { counts }: DeviceResult,
): Fault {
  for (const [k, each] of counts.entries()) {
    const fault = faultOfCounts(each, { numBits: each.numBits, shots });
    if (fault !== undefined) return `in circuit ${k + 1} of ${counts.length}, ${fault}`;
  }
  return undefined;
}

function toleranceOf(precision: keyof typeof ROUNDING, numOperations: number): number {
  const { least, perOperation } = ROUNDING[precision];
  return least + perOperation * numOperations;
}

function normsOf(observables: readonly PauliSum[] = []): readonly number[] {
  return observables.map((terms) => {
    let norm = 0;
    for (const { coefficient } of terms) norm += Math.abs(coefficient);
    return norm;
  });
}

function missing(what: string, isAsked: boolean | undefined, found: unknown): Fault {
  return isAsked === true && found === undefined ? `there is no ${what}` : undefined;
}

/** NaN is outside of any bounds. */
function outside(
  what: string,
  value: number | undefined,
  least: number,
  most: number,
  tolerance: number,
): Fault {
  if (value === undefined || (value >= least - tolerance && value <= most + tolerance)) {
    return undefined;
  }
  return `${what} is ${value}`;
}

function faultOfCounts(
  { numBits, wordsPerOutcome, outcomes, occurrences }: Counts,
  expected: Pick<Expected, 'numBits' | 'shots'>,
): Fault {
  if (numBits !== expected.numBits) {
    return `its outcomes have ${numBits} bits instead of ${expected.numBits}`;
  }
  if (
    outcomes.length !== wordsPerOutcome * occurrences.length ||
    (occurrences.length > 0 && wordsPerOutcome !== wordsFor(numBits))
  ) {
    return `${occurrences.length} outcomes of ${numBits} bits are written in ${outcomes.length} words`;
  }
  let shots = 0;
  for (let i = 0; i < occurrences.length; i++) shots += occurrences[i]!;
  if (shots !== expected.shots) return `its counts sum to ${shots} instead of ${expected.shots}`;
  // The other words are full.
  const most = 2 ** (numBits - 32 * (wordsPerOutcome - 1));
  for (let at = wordsPerOutcome - 1; at < outcomes.length; at += wordsPerOutcome) {
    if (outcomes[at]! >= most) return `an outcome has bits beyond the ${numBits} of the register`;
  }
  return undefined;
}

/** Counts of a circuit of a batch, which are listed by their values or, for long registers, as those of a circuit. */
function faultOfRow(
  listed: Slice | undefined,
  long: Counts | undefined,
  { numBits, shots }: Expected,
): Fault {
  if (listed === undefined) {
    return long === undefined ? 'there are no counts' : faultOfCounts(long, { numBits, shots });
  }
  const fault = faultOfLength('a list of counts', listed, 2 ** numBits);
  if (fault !== undefined) return fault;
  let sum = 0;
  const { numbers, from, length } = listed;
  for (let i = from; i < from + length; i++) sum += numbers[i]!;
  return sum === shots ? undefined : `its counts sum to ${sum} instead of ${shots}`;
}

/** Outputs that circuits have alone and in batches. */
interface Readouts {
  readonly statevector: Slice | undefined;
  readonly probabilities: Slice | undefined;
  readonly expectations: Slice | undefined;
  readonly variances: Slice | undefined;
  readonly standardErrors: Slice | undefined;
}

function faultOfReadouts(
  request: Pick<CircuitRun['request'], 'probabilities' | 'observables' | 'variances'>,
  { statevector, probabilities, expectations, variances, standardErrors }: Readouts,
  expected: Expected,
): Fault {
  const { numQubits, numBits, norms, shots, tolerance } = expected;
  const { observables } = request;
  const hasVariances = request.variances === true && observables !== undefined;
  return (
    missing('distribution', request.probabilities, probabilities) ??
    missing('expectation value', observables !== undefined, expectations) ??
    missing('variance', hasVariances, variances) ??
    faultOfLength('a state vector', statevector, 2 * 2 ** numQubits) ??
    faultOfLength('a distribution', probabilities, 2 ** numBits) ??
    faultOfLength('expectation values', expectations, norms.length) ??
    faultOfLength('variances', variances, norms.length) ??
    notOne('its state has the norm', statevector && sumOfSquares(statevector), tolerance) ??
    faultOfShares(probabilities, tolerance) ??
    faultOfValues('an expectation value', expectations, tolerance, (i) => [
      -norms[i]!,
      norms[i]!,
    ]) ??
    faultOfValues('a variance', variances, tolerance, (i) => [0, ESTIMATED * norms[i]! ** 2]) ??
    // One shot has no standard error.
    (shots === 1
      ? undefined
      : faultOfValues('a standard error', standardErrors, 0, () => [0, Number.MAX_VALUE]))
  );
}

function faultOfLength(what: string, found: Slice | undefined, length: number): Fault {
  if (found === undefined || found.length === length) return undefined;
  return `${what} has ${found.length} numbers instead of ${length}`;
}

function notOne(what: string, sum: number | undefined, tolerance: number): Fault {
  if (sum === undefined || Math.abs(sum - 1) <= tolerance) return undefined;
  return `${what} ${sum}`;
}

function sumOfSquares({ numbers, from, length }: Slice): number {
  let sum = 0;
  for (let i = from; i < from + length; i++) sum += numbers[i]! * numbers[i]!;
  return sum;
}

function faultOfShares(shares: Slice | undefined, tolerance: number): Fault {
  if (shares === undefined) return undefined;
  const { numbers, from, length } = shares;
  let sum = 0;
  let least = 0;
  for (let i = from; i < from + length; i++) {
    const share = numbers[i]!;
    sum += share;
    if (share < least) least = share;
  }
  if (least < -tolerance) return `a probability is ${least}`;
  return notOne('its probabilities sum to', sum, tolerance);
}

function faultOfValues(
  what: string,
  values: Slice | undefined,
  tolerance: number,
  boundsOf: (index: number) => readonly [number, number],
): Fault {
  if (values === undefined) return undefined;
  for (let i = 0; i < values.length; i++) {
    const [least, most] = boundsOf(i);
    const value = values.numbers[values.from + i]!;
    const slack = tolerance * (1 + most);
    if (!(value >= least - slack && value <= most + slack)) {
      return `${what} is ${value}, where it lies between ${least} and ${most}`;
    }
  }
  return undefined;
}

function faultOfAmplitudes(
  amplitudes: Float64Array | undefined,
  count: number,
  { tolerance }: Expected,
): Fault {
  if (amplitudes === undefined) return undefined;
  if (amplitudes.length !== 2 * count)
    return `${count} amplitudes have ${amplitudes.length} numbers`;
  for (let i = 0; i < count; i++) {
    const share = amplitudes[2 * i]! ** 2 + amplitudes[2 * i + 1]! ** 2;
    if (!(share <= 1 + tolerance)) return `the probability of an amplitude is ${share}`;
  }
  return undefined;
}

function faultOfDensityMatrix(
  entries: Float64Array | undefined,
  { numQubits, tolerance }: Expected,
): Fault {
  if (entries === undefined) return undefined;
  const size = 2 ** numQubits;
  if (entries.length !== 2 * size * size) return `its density matrix has ${entries.length} numbers`;
  // An entry that is not finite makes the sum so.
  let purity = 0;
  for (let i = 0; i < entries.length; i++) purity += entries[i]! * entries[i]!;
  let trace = 0;
  for (let i = 0; i < size; i++) trace += entries[2 * i * (size + 1)]!;
  return (
    notOne('its density matrix has the trace', trace, tolerance) ??
    outside('the purity of its density matrix', purity, 0, 1, 2 * tolerance)
  );
}

/** A derivative that is not finite is right only where a formula of the caller has none. */
function faultOfGradients(
  { formulas, angles, observables = [] }: BatchRun['request'],
  gradients: Slice | undefined,
  k: number,
): Fault {
  if (gradients === undefined) return undefined;
  const { numbers, from, length } = gradients;
  let existing: Float64Array | undefined;
  for (let i = 0; i < length; i++) {
    if (Number.isFinite(numbers[from + i])) continue;
    const numInputs = length / observables.length;
    if (formulas !== undefined && existing === undefined) {
      const derivatives = new AngleDerivatives(formulas);
      derivatives.setRow(angles, k * numInputs);
      existing = derivatives.toInputs(new Float64Array(formulas.numAngles).fill(1));
    }
    if (existing === undefined || Number.isFinite(existing[i % numInputs])) {
      return `a derivative is ${numbers[from + i]}`;
    }
  }
  return undefined;
}
