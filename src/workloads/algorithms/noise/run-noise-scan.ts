/**
 * Results of a circuit under several noise models: exact by density matrices, or for wide circuits means over
 * trajectories.
 */
import type { Circuit, DynamicCircuit, Qubit } from '../../../circuit/circuit.ts';
import type { ExpectationEstimate } from '../../../circuit/expectation-estimates.ts';
import { readoutErrorsOf } from '../../../circuit/noise/apply-noise.ts';
import { noErrorProbability } from '../../../circuit/noise/noise-facts.ts';
import type { NoiseModel } from '../../../circuit/noise/read-noise-model.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import type { RunOutputs } from '../../../fleet/run-outputs.ts';
import { withNoise } from '../../procedures/noise-fields.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { Chance } from '../chance.ts';
import { inTurns } from '../run-points.ts';
import { misreadObservable, readingMap } from './misread-observable.ts';

/** Circuit, noise levels and observables of a scan. */
export interface NoiseScan {
  /** With its final measurements; nothing comes after them. */
  readonly circuit: Circuit;
  readonly levels: readonly NoiseModel[];
  readonly observables: readonly PauliSum[];
  /** Erroneous trajectories of a level, about, where it has no density matrix. */
  readonly numTrajectories: number;
  readonly seed: number;
}

/** Result without noise. */
export interface IdealResult {
  readonly probabilities: Float64Array;
  readonly expectations: readonly number[];
}

/** Result at one noise level. */
export interface NoisyResult {
  /** Probability that no channel errs; misread bits are not counted. */
  readonly noErrorProbability: number;
  /** Different trajectories; 0 if the values are exact. */
  readonly numTrajectories: number;
  readonly probabilities: Float64Array;
  /** Upper bound of the standard error of any of the probabilities. */
  readonly largestStandardError: number;
  readonly totalVariationDistance: number;
  readonly classicalFidelity: number;
  /** Standard errors are 0 for exact values. */
  readonly expectations: readonly ExpectationEstimate[];
}

/** Qubits up to which a density matrix takes less time than hundreds of trajectories, whatever the circuit. */
const ALWAYS_DENSITY = 8;
/** Most work on a density matrix for which exact values are preferred, relative to that of the trajectories. */
const WORTH_EXACTNESS = 4;
/** Passes through a density matrix for each gate: rows, columns, and the channel. */
const DENSITY_PASSES = 3;
/**
 * Erroneous trajectories that are drawn for each one asked for. With twice as many, the error that shots without errors
 * add is made up for.
 */
const OVERSAMPLING = 2;
const MAX_SHOTS = 1_000_000;

/** Updates of amplitudes for each operation of a level. */
export function updatesPerOperation(
  numQubits: number,
  numTrajectories: number,
  maxNoisyQubits: number,
): number {
  return takesDensity(numQubits, numTrajectories, maxNoisyQubits)
    ? DENSITY_PASSES * 4 ** numQubits
    : OVERSAMPLING * numTrajectories * 2 ** numQubits;
}

function takesDensity(numQubits: number, numTrajectories: number, maxNoisyQubits: number): boolean {
  if (2 * numQubits > maxNoisyQubits) return false;
  const most = (WORTH_EXACTNESS * OVERSAMPLING * numTrajectories) / DENSITY_PASSES;
  return numQubits <= ALWAYS_DENSITY || 2 ** numQubits <= most;
}

/**
 * Runs all levels.
 *
 * @param onProgress - Called with the number of levels done.
 * @throws {ProcedureInputError} if a model has no noise for a gate that it names.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
export async function runNoiseScan(
  scan: NoiseScan,
  context: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  onProgress: (levelsDone: number) => void = () => {},
): Promise<{ readonly ideal: IdealResult; readonly levels: readonly NoisyResult[] }> {
  const { circuit, observables, levels, seed } = scan;
  const { circuits, countUnits, signal } = context;
  signal.throwIfAborted();
  const plain = await circuits.run(circuit, { ...observed(observables), probabilities: true });
  countUnits(1);
  const ideal = {
    probabilities: plain.probabilities!,
    expectations: [...(plain.expectations ?? [])],
  };
  const chance = new Chance(seed, 0);
  const seeds = levels.map(() => chance.seed());
  let numDone = 0;
  const runLevel = async (model: NoiseModel, i: number): Promise<NoisyResult> => {
    signal.throwIfAborted();
    const noisy = withNoise(circuit, model);
    const result = noisy === circuit ? exactly(ideal) : await runNoisy(scan, i, noisy, seeds[i]!);
    onProgress(++numDone);
    return result;
  };
  const runNoisy = async (
    { numTrajectories }: NoiseScan,
    i: number,
    noisy: DynamicCircuit,
    ownSeed: number,
  ) => {
    const anyError = 1 - noErrorProbability(noisy);
    const mapOf = (qubit: Qubit) => readingMap(readoutErrorsOf(levels[i]!, qubit));
    const outputs = {
      ...observed(observables.map((observable) => misreadObservable(observable, mapOf))),
      probabilities: true,
    };
    const isExact = takesDensity(circuit.numQubits, numTrajectories, circuits.maxNoisyQubits);
    const wanted = (OVERSAMPLING * numTrajectories) / Math.max(anyError, 1e-9);
    const shots = anyError === 0 ? 2 : Math.min(MAX_SHOTS, Math.ceil(wanted));
    const run = isExact
      ? await circuits.run(noisy, { ...outputs, method: 'density_matrix' })
      : await circuits.run(noisy, { ...outputs, method: 'trajectories', shots, seed: ownSeed });
    countUnits(1);
    return noisyResult(ideal, anyError, run, isExact || anyError === 0 ? undefined : shots);
  };
  return { ideal, levels: await inTurns(2 * circuit.numQubits, levels, runLevel) };
}

const observed = (observables: readonly PauliSum[]) =>
  observables.length > 0 ? { observables } : {};

/** Result of a level without noise. */
function exactly({ probabilities, expectations }: IdealResult): NoisyResult {
  return {
    noErrorProbability: 1,
    numTrajectories: 0,
    probabilities,
    largestStandardError: 0,
    totalVariationDistance: 0,
    classicalFidelity: 1,
    expectations: expectations.map((value) => ({ value, standardError: 0 })),
  };
}

/** @param shots - Undefined if the run is exact. */
function noisyResult(
  ideal: IdealResult,
  anyError: number,
  {
    probabilities = new Float64Array(),
    expectations = new Float64Array(),
    standardErrors,
    trajectories,
  }: RunOutputs,
  shots: number | undefined,
): NoisyResult {
  const isExact = shots === undefined;
  return {
    noErrorProbability: 1 - anyError,
    numTrajectories: isExact ? 0 : (trajectories?.[0] ?? 0),
    probabilities,
    largestStandardError: isExact ? 0 : largestError(probabilities, shots),
    totalVariationDistance: totalVariationDistance(ideal.probabilities, probabilities),
    classicalFidelity: classicalFidelity(ideal.probabilities, probabilities),
    expectations: Array.from(expectations, (value, i) => ({
      value,
      standardError: isExact ? 0 : standardErrors![i]!,
    })),
  };
}

/** A mean over shots of numbers from 0 to 1 errs by no more than that of a share. */
function largestError(probabilities: Float64Array, shots: number): number {
  let largest = 0;
  for (const p of probabilities) largest = Math.max(largest, p * (1 - p));
  return Math.sqrt(largest / shots);
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
