/**
 * Invariants of every correct result, checked before anybody sees a result: counts sum to the shots and stay within the
 * register, probabilities and traces sum to 1, expectation values lie within the norm of their observable, and all
 * numbers are finite. A result that breaks one of these comes from a fault of the service or of its hardware.
 *
 * The checks take one pass over the numbers of a result, which costs less than writing them as text.
 */
import { AngleDerivatives } from '../circuit/angle-formulas.ts';
import { type DynamicCircuit, type SaveOperation, savesOf } from '../circuit/circuit.ts';
import type { PauliSum } from '../circuit/observable.ts';
import { wordsFor } from '../engine/classical-bits.ts';
import type { Counts } from '../engine/engine.ts';
import { InvariantError } from '../engine/errors.ts';
import { requestOfSave } from '../engine/run-plan.ts';
import type { CodedError } from '../errors/coded-error.ts';
import { chunksOf, TALLY_LENGTH, tallyOf } from './error-counting.ts';
import type { CircuitResult, CircuitRun, DeviceResult, DeviceRun } from './processor.ts';
import type { RunOutputs } from './run-outputs.ts';
import { type CircuitRequest, circuitWork, isBatch } from './schedule/scheduled-run.ts';

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

/** Limits for the results of one run. */
interface Expected extends Pick<DynamicCircuit, 'numQubits' | 'numBits'> {
  readonly shots: number;
  /** Deviation that rounding can leave. */
  readonly tolerance: number;
  /** For each observable, the sum of the sizes of its coefficients. */
  readonly norms: readonly number[];
  readonly saves: readonly SaveOperation[];
}

/** The error with which a run fails whose result cannot be right. */
export function invariantError(fault: string): CodedError {
  return new InvariantError(fault);
}

/** Why the result of a run cannot be right. */
export function faultOfRun(
  { circuit, request }: Pick<CircuitRun, 'circuit' | 'request'>,
  { outputs, backend }: Pick<CircuitResult, 'outputs' | 'backend'>,
): Fault {
  const { observables, shots = 0, shotRange, errorCounting, strata } = request;
  if (errorCounting !== undefined && shotRange !== undefined) {
    return faultOfTallies(outputs.tallies, chunksOf(shotRange, strata));
  }
  const { numQubits, numBits } = circuit;
  const tolerance = toleranceOf(backend.precision, circuitWork(circuit).numOperations);
  const saves = savesOf(circuit);
  const expected = { numQubits, numBits, shots, tolerance, norms: normsOf(observables), saves };
  if (!isBatch(request)) return faultOfRow(request, outputs, { k: 0, numCircuits: 1 }, expected);
  const { numCircuits } = request;
  for (let k = 0; k < numCircuits; k++) {
    const fault = faultOfRow(request, outputs, { k, numCircuits }, expected);
    if (fault !== undefined) return `in circuit ${k + 1} of ${numCircuits}, ${fault}`;
  }
  return undefined;
}

/** Why the outputs of circuit k cannot be right. */
function faultOfRow(
  request: CircuitRequest,
  outputs: RunOutputs,
  { k, numCircuits }: { readonly k: number; readonly numCircuits: number },
  expected: Expected,
): Fault {
  const { tolerance, numQubits } = expected;
  const { amplitudes } = request;
  // Of matrix product states it is a weight, of Pauli propagation a bound on values.
  const most = request.method === 'pauli_propagation' ? Number.POSITIVE_INFINITY : 1;
  const rowOf = (numbers: ArrayLike<number> | undefined): Slice | undefined => {
    const length = (numbers?.length ?? 0) / numCircuits;
    return numbers && { numbers, from: k * length, length };
  };
  return (
    (outputs.countsFinish && 'its counts are not those of the whole run') ??
    outside('its truncation error', outputs.truncationErrors?.[k], 0, most, tolerance) ??
    faultOfRowCounts(rowOf(outputs.counts), outputs.countsByRow?.[k], expected) ??
    missing('state vector', request.statevector, outputs.statevectors) ??
    missing('amplitudes', amplitudes !== undefined, outputs.amplitudes) ??
    missing('density matrix', request.densityMatrix, outputs.densityMatrices) ??
    missing('purity', request.purity, outputs.purities) ??
    missing('reference sample', request.referenceSample, outputs.referenceSamples) ??
    missing('gradient', request.gradients, outputs.gradients) ??
    faultOfReadouts(
      request,
      {
        statevector: rowOf(outputs.statevectors),
        probabilities: rowOf(outputs.probabilities),
        expectations: rowOf(outputs.expectations),
        variances: rowOf(outputs.variances),
        standardErrors: rowOf(outputs.standardErrors),
      },
      expected,
    ) ??
    faultOfAmplitudes(rowOf(outputs.amplitudes), amplitudes?.length ?? 0, tolerance) ??
    faultOfDensityMatrix(rowOf(outputs.densityMatrices), numQubits, tolerance) ??
    outside('its purity', outputs.purities?.[k], 0, 1, tolerance) ??
    faultOfSaves(outputs.saved, rowOf, expected) ??
    faultOfGradients(request, rowOf(outputs.gradients), k)
  );
}

/** Why the snapshots of a circuit cannot be right: each has the outputs of a state. */
function faultOfSaves(
  saved: RunOutputs['saved'],
  rowOf: (numbers: ArrayLike<number> | undefined) => Slice | undefined,
  { saves, ...expected }: Expected,
): Fault {
  if (saves.length !== (saved?.length ?? 0)) return 'it does not have the snapshots of its circuit';
  for (const [i, { label, output }] of saves.entries()) {
    const columns = saved![i]!;
    const request = requestOfSave(output);
    const numBits = output.what === 'probabilities' ? output.of.length : 0;
    const ofState = { ...expected, numBits, norms: normsOf(request.observables), saves: [] };
    const numAmplitudes = request.amplitudes?.length ?? 0;
    const fault =
      missing('state vector', request.statevector, columns.statevectors) ??
      missing('amplitudes', request.amplitudes !== undefined, columns.amplitudes) ??
      missing('density matrix', request.densityMatrix, columns.densityMatrices) ??
      faultOfReadouts(
        request,
        {
          statevector: rowOf(columns.statevectors),
          probabilities: rowOf(columns.probabilities),
          expectations: rowOf(columns.expectations),
          variances: undefined,
          standardErrors: rowOf(columns.standardErrors),
        },
        ofState,
      ) ??
      faultOfAmplitudes(rowOf(columns.amplitudes), numAmplitudes, expected.tolerance) ??
      faultOfDensityMatrix(rowOf(columns.densityMatrices), expected.numQubits, expected.tolerance);
    if (fault !== undefined) return `in the snapshot "${label}", ${fault}`;
  }
  return undefined;
}

function faultOfTallies(
  tallies: Float64Array | undefined,
  chunks: ReturnType<typeof chunksOf>,
): Fault {
  if (tallies?.length !== TALLY_LENGTH * chunks.length) return 'there is no tally of each chunk';
  for (const [k, chunk] of chunks.entries()) {
    const { shots, errors, discards, errorProbability: p, ms } = tallyOf(tallies, k);
    const isRight =
      shots === chunk.shots && errors >= 0 && discards >= 0 && ms >= 0 && p >= 0 && p <= 1 + 1e-9;
    if (!isRight || !(errors + discards <= shots)) {
      return `chunk ${chunk.index} of ${chunk.shots} shots has ${errors} errors and ${discards} discards in ${shots}`;
    }
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

/** Counts of a circuit, which are those of it alone or, in a batch, listed by their values. */
function faultOfRowCounts(
  listed: Slice | undefined,
  own: Counts | undefined,
  { numBits, shots }: Expected,
): Fault {
  if (own !== undefined) return faultOfCounts(own, { numBits, shots });
  if (listed === undefined) return shots === 0 ? undefined : 'there are no counts';
  const fault = faultOfLength('a list of counts', listed, 2 ** numBits);
  if (fault !== undefined) return fault;
  let sum = 0;
  const { numbers, from, length } = listed;
  for (let i = from; i < from + length; i++) sum += numbers[i]!;
  return sum === shots ? undefined : `its counts sum to ${sum} instead of ${shots}`;
}

/** Outputs of one circuit. */
interface Readouts {
  readonly statevector: Slice | undefined;
  readonly probabilities: Slice | undefined;
  readonly expectations: Slice | undefined;
  readonly variances: Slice | undefined;
  readonly standardErrors: Slice | undefined;
}

function faultOfReadouts(
  request: CircuitRequest,
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

function faultOfAmplitudes(amplitudes: Slice | undefined, count: number, tolerance: number): Fault {
  if (amplitudes === undefined) return undefined;
  const { numbers, from, length } = amplitudes;
  if (length !== 2 * count) return `${count} amplitudes have ${length} numbers`;
  for (let at = from; at < from + length; at += 2) {
    const share = numbers[at]! ** 2 + numbers[at + 1]! ** 2;
    if (!(share <= 1 + tolerance)) return `the probability of an amplitude is ${share}`;
  }
  return undefined;
}

function faultOfDensityMatrix(
  entries: Slice | undefined,
  numQubits: number,
  tolerance: number,
): Fault {
  if (entries === undefined) return undefined;
  const { numbers, from, length } = entries;
  const size = 2 ** numQubits;
  if (length !== 2 * size * size) return `its density matrix has ${length} numbers`;
  // An entry that is not finite makes the sum so.
  const purity = sumOfSquares(entries);
  let trace = 0;
  for (let i = 0; i < size; i++) trace += numbers[from + 2 * i * (size + 1)]!;
  return (
    notOne('its density matrix has the trace', trace, tolerance) ??
    outside('the purity of its density matrix', purity, 0, 1, 2 * tolerance)
  );
}

/** A derivative that is not finite is right only where a formula of the caller has none. */
function faultOfGradients(
  { formulas, angles, observables = [] }: CircuitRequest,
  gradients: Slice | undefined,
  k: number,
): Fault {
  if (gradients === undefined) return undefined;
  const { numbers, from, length } = gradients;
  let existing: Float64Array | undefined;
  for (let i = 0; i < length; i++) {
    if (Number.isFinite(numbers[from + i])) continue;
    const numInputs = length / observables.length;
    if (formulas !== undefined && angles !== undefined && existing === undefined) {
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
