/**
 * Noisy results of a circuit by stochastic Pauli errors: each trajectory is the circuit with some errors
 * inserted, whose distribution is computed exactly; the result of a level is their average.
 *
 * @see Dalibard, Castin, Mølmer, "Wave-function approach to dissipative processes" (1992).
 */
import { type Circuit, measuredQubits } from '../../../circuit/circuit.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { MAX_BATCH_QUBITS } from '../../../engine/batch-shape.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { runCircuits } from '../run-circuits.ts';
import { drawErrors, type ErrorModel, errorModel } from './draw-errors.ts';
import type { NoiseLevel } from './noise-levels.ts';
import { type NoisyCircuit, noisyCircuit } from './pauli-slots.ts';

/** Circuit, noise levels and observables of a scan. */
export interface NoiseScan {
  /** Gates on one or two qubits, then measurements. */
  readonly circuit: Circuit;
  readonly levels: readonly NoiseLevel[];
  readonly observables: readonly PauliSum[];
  /** Number of trajectories per level. */
  readonly numTrajectories: number;
  readonly seed: number;
}

/** Result without noise. */
export interface IdealResult {
  readonly probabilities: Float64Array;
  readonly expectations: readonly number[];
}

/** An average over trajectories and its standard error. */
export interface Estimate {
  readonly value: number;
  readonly standardError: number;
}

/** Result at one noise level. */
export interface NoisyResult {
  readonly level: NoiseLevel;
  /** Exact. */
  readonly noErrorProbability: number;
  /** Number of trajectories run; 0 if no error is possible. */
  readonly numTrajectories: number;
  readonly probabilities: Float64Array;
  /** The largest standard error of any of the probabilities. */
  readonly largestStandardError: number;
  readonly totalVariationDistance: number;
  readonly classicalFidelity: number;
  readonly expectations: readonly Estimate[];
}

/**
 * Runs all levels, in order.
 *
 * @param onProgress - Called with the number of levels done, fractions included.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
export async function runNoiseScan(
  given: NoiseScan,
  context: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  onProgress: (levelsDone: number) => void = () => {},
): Promise<{ readonly ideal: IdealResult; readonly levels: readonly NoisyResult[] }> {
  const scan = { ...given, classes: weightClasses(given.observables) };
  const { circuit, levels, numTrajectories } = scan;
  const mayFail = (numQubits: number) =>
    levels.some((level) => (numQubits === 1 ? level.oneQubitError : level.twoQubitError) > 0);
  const noisy = noisyCircuit(circuit, mayFail);
  const plain = await averaged(scan, context, 1, () => circuit, 0);
  const results: NoisyResult[] = [];
  for (const [number, level] of levels.entries()) {
    const model = errorModel(noisy.sites, level);
    const count = model.anyError > 0 ? numTrajectories : 0;
    const erroneous = await averaged(
      scan,
      context,
      count,
      trajectoryCircuit(scan, noisy, model, number),
      level.readoutError,
      (done) => onProgress(number + done / count),
    );
    results.push(levelResult(scan, level, model.anyError, plain, erroneous));
    onProgress(number + 1);
  }
  return {
    ideal: {
      probabilities: plain.probabilities,
      expectations: valuesOf(scan, plain.classMeans, 0),
    },
    levels: results,
  };
}

/** A scan whose observables are split by weight. */
type PreparedScan = NoiseScan & { readonly classes: readonly WeightClass[] };

function trajectoryCircuit(
  { circuit, seed }: NoiseScan,
  noisy: NoisyCircuit,
  model: ErrorModel,
  stream: number,
): (trajectory: number) => Circuit {
  const hasRoom = circuit.numQubits <= MAX_BATCH_QUBITS;
  return (trajectory) => noisy.withErrors(drawErrors(model, seed, trajectory, stream), hasRoom);
}

/** Averages over circuits. Readout errors are included in the variances of the observables only. */
interface Average {
  readonly count: number;
  readonly probabilities: Float64Array;
  /** Variance of each probability's mean. */
  readonly variances: Float64Array;
  /** Means of the observables' parts by weight, as `weightClasses` lists them. */
  readonly classMeans: Float64Array;
  /** Variance of each observable's mean, readout errors included. */
  readonly valueVariances: Float64Array;
}

async function averaged(
  scan: PreparedScan,
  context: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  count: number,
  circuitAt: (index: number) => Circuit,
  readoutError: number,
  onProgress: (done: number) => void = () => {},
): Promise<Average> {
  const { classes } = scan;
  const probabilities = new Moments(2 ** scan.circuit.numBits);
  const parts = new Moments(classes.length);
  const values = new Moments(scan.observables.length);
  await runCircuits(
    { numCircuits: count, circuitAt },
    {
      seed: scan.seed,
      probabilities: true,
      ...(classes.length > 0 && { observables: classes.map(({ part }) => part) }),
    },
    context,
    (_, outcome) => {
      probabilities.add(outcome.probabilities ?? []);
      const ofParts = outcome.expectations ?? [];
      parts.add(ofParts);
      values.add(valuesOf(scan, ofParts, readoutError));
    },
    onProgress,
  );
  return {
    count,
    probabilities: probabilities.means(),
    variances: probabilities.variancesOfMeans(),
    classMeans: parts.means(),
    valueVariances: values.variancesOfMeans(),
  };
}

function levelResult(
  scan: PreparedScan,
  level: NoiseLevel,
  anyError: number,
  plain: Average,
  erroneous: Average,
): NoisyResult {
  const { readoutError } = level;
  const mixed = (ideal: Float64Array, noisy: Float64Array) =>
    ideal.map((value, i) => (1 - anyError) * value + (anyError > 0 ? anyError * noisy[i]! : 0));
  const bits = measuredQubits(scan.circuit).flatMap((qubit, bit) => (qubit === null ? [] : [bit]));
  const before = mixed(plain.probabilities, erroneous.probabilities);
  const probabilities = misread(before, bits, readoutError);
  const parts = mixed(plain.classMeans, erroneous.classMeans);
  const values = valuesOf(scan, parts, readoutError);
  return {
    level,
    noErrorProbability: 1 - anyError,
    numTrajectories: erroneous.count,
    probabilities,
    largestStandardError: anyError * Math.sqrt(Math.max(0, ...erroneous.variances)),
    totalVariationDistance: totalVariationDistance(plain.probabilities, probabilities),
    classicalFidelity: classicalFidelity(plain.probabilities, probabilities),
    expectations: values.map((value, i) => ({
      value,
      standardError: anyError * Math.sqrt(erroneous.valueVariances[i]!),
    })),
  };
}

/** Terms of one observable that act on this many qubits. */
interface WeightClass {
  readonly observable: number;
  readonly weight: number;
  readonly part: PauliSum;
}

/**
 * Attenuation of a term by readout errors: a misread bit flips the sign of each term that reads it, so
 * terms fade with their weight.
 */
function weightClasses(observables: readonly PauliSum[]): readonly WeightClass[] {
  return observables.flatMap((sum, observable) => {
    const weights = [...new Set(sum.map(({ factors }) => factors.length))];
    return weights.map((weight) => ({
      observable,
      weight,
      part: sum.filter(({ factors }) => factors.length === weight),
    }));
  });
}

/** Values of the observables with readout errors, from those of their parts. */
function valuesOf(
  { observables, classes }: PreparedScan,
  parts: ArrayLike<number>,
  readoutError: number,
): readonly number[] {
  const values = observables.map(() => 0);
  for (const [i, { observable, weight }] of classes.entries()) {
    values[observable]! += (1 - 2 * readoutError) ** weight * parts[i]!;
  }
  return values;
}

/** Running means and variances of several numbers. */
class Moments {
  readonly #means: Float64Array;
  readonly #squares: Float64Array;
  #count = 0;

  constructor(size: number) {
    this.#means = new Float64Array(size);
    this.#squares = new Float64Array(size);
  }

  /** By Welford's update, which loses nothing where the spread is small. */
  add(values: ArrayLike<number>): void {
    this.#count++;
    for (let i = 0; i < values.length; i++) {
      const before = values[i]! - this.#means[i]!;
      this.#means[i]! += before / this.#count;
      this.#squares[i]! += before * (values[i]! - this.#means[i]!);
    }
  }

  means(): Float64Array {
    return this.#means;
  }

  variancesOfMeans(): Float64Array {
    const divisor = Math.max(1, this.#count - 1) * Math.max(1, this.#count);
    return this.#squares.map((sum) => sum / divisor);
  }
}

/**
 * The exact distribution after each of `bits` is flipped with a probability.
 *
 * @param probabilities - Length a power of two.
 */
function misread(probabilities: Float64Array, bits: readonly number[], flip: number): Float64Array {
  let before = probabilities;
  for (const bit of bits) {
    const after = new Float64Array(before.length);
    for (let value = 0; value < before.length; value++) {
      after[value] = (1 - flip) * before[value]! + flip * before[value ^ (1 << bit)]!;
    }
    before = after;
  }
  return before;
}

/** Total variation distance: 0 for equal distributions, 1 for disjoint ones. */
function totalVariationDistance(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.abs(p[i]! - q[i]!);
  return sum / 2;
}

/** Classical fidelity (Σ √(p·q))²: 1 for equal distributions, 0 for disjoint ones. */
function classicalFidelity(p: Float64Array, q: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < p.length; i++) sum += Math.sqrt(Math.max(0, p[i]! * q[i]!));
  // Rounding must not exceed 1.
  return Math.min(1, sum ** 2);
}
