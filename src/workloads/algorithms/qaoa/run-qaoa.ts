/**
 * Runs QAOA: finds angles by exact mean energies, samples the circuit, and compares with the exhaustive
 * optimum and with guessing.
 */
import { withFinalMeasurement } from '../../../circuit/circuit.ts';
import { MAX_BATCH_QUBITS } from '../../../engine/batch-request.ts';
import { countsOfRow } from '../../../fleet/run-outputs.ts';
import { basisLabel } from '../../../math/basis-index.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { EnergyExpectations, optimiseAngles } from './optimise-angles.ts';
import { isingAnsatz, type QaoaAnsatz, qaoaCircuit } from './qaoa-ansatz.ts';
import {
  bruteForce,
  energyAt,
  type IsingProblem,
  MAX_BRUTE_FORCE_QUBITS,
  type QaoaOptimum,
  ratioOf,
} from './z-polynomial.ts';

/** Most qubits of a circuit whose exact distribution is computed. */
const MAX_PROBABILITY_QUBITS = 16;
/** Angle search of small circuits, which run together and so afford more steps than wide ones. */
const SMALL_SEARCH = { gridSize: 16, maxSteps: 30 };
const WIDE_SEARCH = { gridSize: 6, maxSteps: 12 };
const MAX_LAYERS = 100;
const MAX_SHOTS = 1_000_000;
/** Least gain of a search step, as a share of the energy scale. */
const TOLERANCE = 1e-6;
/** Fraction of a run's progress that the angle search takes. */
const SEARCH_SHARE = 0.9;

/** Options of a run. */
export interface QaoaOptions {
  /** Number of layers p, at least 1. */
  readonly layers: number;
  /** Samples of the final circuit, at least 1. */
  readonly shots: number;
  /** Seed of the samples; angles do not depend on it. */
  readonly seed: number;
  /** Most steps of the angle search for each number of layers; 30 up to 12 qubits, else 12. */
  readonly maxSteps?: number;
}

/** Parts of a procedure's context that a run uses. */
export type RunQaoaContext = Pick<
  ProcedureContext,
  'circuits' | 'signal' | 'progress' | 'countUnits'
>;

/**
 * Solves an Ising problem with the standard mixer.
 *
 * @param problem - Of 1 to 20 qubits, no more than `context.circuits.maxQubits`.
 * @throws {RangeError} if it is wider, or an option is out of range.
 * @throws the processor's error; the signal's reason.
 */
export function runQaoa(
  problem: IsingProblem,
  options: QaoaOptions,
  context: RunQaoaContext,
): Promise<QaoaResult> {
  return runAnsatz(isingAnsatz(problem), options, context);
}

/**
 * Runs QAOA as `runQaoa` does, with any ansatz.
 *
 * @param candidates - Basis indices that the ansatz reaches; all unless given.
 */
export async function runAnsatz(
  ansatz: QaoaAnsatz,
  options: QaoaOptions,
  context: RunQaoaContext,
  candidates?: readonly number[],
): Promise<QaoaResult> {
  const { layers, shots, seed } = options;
  const { numQubits, energyScale } = ansatz;
  const search = numQubits <= MAX_BATCH_QUBITS ? SMALL_SEARCH : WIDE_SEARCH;
  const maxQubits = Math.min(MAX_BRUTE_FORCE_QUBITS, context.circuits.maxQubits);
  checkRange('qubits', numQubits, maxQubits);
  checkRange('layers', layers, MAX_LAYERS);
  checkRange('shots', shots, MAX_SHOTS);
  const { optimum, optima } = bruteForce(ansatz.cost, candidates);
  const energies = new EnergyExpectations(ansatz, context);
  const found = await optimiseAngles(energies, {
    layers,
    maxSteps: options.maxSteps ?? search.maxSteps,
    tolerance: TOLERANCE * energyScale,
    gridSize: search.gridSize,
    onProgress: (fraction, message) => context.progress(SEARCH_SHARE * fraction, message),
  });
  context.signal.throwIfAborted();
  context.progress(SEARCH_SHARE, `${shots} samples`);
  const circuit = withFinalMeasurement(qaoaCircuit(ansatz, found.angles));
  const probabilities = numQubits <= MAX_PROBABILITY_QUBITS;
  const run = await context.circuits.run(circuit, { shots, seed, probabilities });
  const counts = countsOfRow(run, 0, numQubits);
  context.countUnits(1);
  const outcomes = Array.from(counts.outcomes, (basisIndex, i): QaoaOutcome => {
    const energy = energyAt(ansatz.cost, basisIndex);
    const bits = basisLabel(basisIndex, numQubits);
    return { basisIndex, bits, energy, count: counts.occurrences[i]! };
  });
  const best = outcomes.reduce((least, next) => (next.energy < least.energy ? next : least));
  return {
    numQubits,
    layers,
    gammas: found.angles.gammas.map((gamma) => gamma / energyScale),
    betas: found.angles.betas,
    energyHistory: found.history,
    energyByLayers: found.energyByLayers,
    expectation: found.energy,
    sampledMean: outcomes.reduce((sum, { energy, count }) => sum + energy * count, 0) / shots,
    best,
    outcomes,
    optimum,
    approximationRatio: ratioOf(best.energy, optimum),
    expectationRatio: ratioOf(found.energy, optimum),
    optimumProbability: run.probabilities === undefined ? null : massOf(optima, run.probabilities),
    optimumShare: shareOf(optima, outcomes, shots),
    randomOptimumProbability: optimum.numOptima / optimum.numCandidates,
    shots,
    seed,
    numCircuits: energies.numCircuits,
  };
}

function checkRange(what: string, value: number, most: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= most) return;
  throw new RangeError(`${value} ${what}: QAOA takes 1 to ${most} here.`);
}

function massOf(optima: ReadonlySet<number>, probabilities: Float64Array): number {
  let mass = 0;
  for (const basisIndex of optima) mass += probabilities[basisIndex]!;
  return mass;
}

function shareOf(
  optima: ReadonlySet<number>,
  outcomes: readonly QaoaOutcome[],
  shots: number,
): number {
  const hits = outcomes.filter(({ basisIndex }) => optima.has(basisIndex));
  return hits.reduce((sum, { count }) => sum + count, 0) / shots;
}

/** A basis state that was sampled. */
export interface QaoaOutcome {
  readonly basisIndex: number;
  /** Bit 0 rightmost. */
  readonly bits: string;
  readonly energy: number;
  /** Number of shots with this outcome. */
  readonly count: number;
}

/** Result of a run; lower energy is better. */
export interface QaoaResult {
  readonly numQubits: number;
  readonly layers: number;
  /** Radians by energy: the circuit's phases are e^{−iγE}. */
  readonly gammas: readonly number[];
  /** Radians: the mixer is e^{+iβB}, for Ising problems with B = Σ X. */
  readonly betas: readonly number[];
  /** Exact mean energy at each step of the search of angles; never rises. */
  readonly energyHistory: readonly number[];
  /** The best found with 1, 2, … layers. */
  readonly energyByLayers: readonly number[];
  /** Exact mean energy of the final state. */
  readonly expectation: number;
  readonly sampledMean: number;
  /** The sample of lowest energy. */
  readonly best: QaoaOutcome;
  /** All samples, ascending by basis index. */
  readonly outcomes: readonly QaoaOutcome[];
  /** Result of the exhaustive search. */
  readonly optimum: QaoaOptimum;
  /** Approximation ratio (worst − best sampled)/(worst − optimum): 1 if an optimum was sampled. */
  readonly approximationRatio: number;
  /** Approximation ratio of the exact mean energy. */
  readonly expectationRatio: number;
  /** Exact probability that a shot gives an optimum; null above 16 qubits. */
  readonly optimumProbability: number | null;
  /** Fraction of the shots that gave an optimum. */
  readonly optimumShare: number;
  /** Probability that a random candidate is an optimum. */
  readonly randomOptimumProbability: number;
  readonly shots: number;
  readonly seed: number;
  /** Number of circuits run to find the angles. */
  readonly numCircuits: number;
}

const MAX_TOP_OUTCOMES = 10;

/** The most frequent outcomes, at most 10; among equally frequent ones the lowest energy first. */
export function topOutcomes({ outcomes }: QaoaResult): readonly QaoaOutcome[] {
  const ordered = outcomes.toSorted((a, b) => b.count - a.count || a.energy - b.energy);
  return ordered.slice(0, MAX_TOP_OUTCOMES);
}

/**
 * Result fields of a run: the circuit, its angles, their search, and the comparison with guessing.
 */
export function qaoaReport(result: QaoaResult): JsonObject {
  const { optimum, shots, optimumProbability, randomOptimumProbability } = result;
  return {
    qubits: result.numQubits,
    layers: result.layers,
    gammas_rad_per_energy: result.gammas,
    betas_rad: result.betas,
    energy_history: result.energyHistory,
    energy_by_layers: result.energyByLayers,
    expectation_exact: result.expectation,
    mean_sampled: result.sampledMean,
    expectation_ratio: result.expectationRatio,
    optimum_probability: optimumProbability,
    optimum_share_sampled: result.optimumShare,
    // Baseline: the same number of guesses, drawn uniformly from all candidates.
    random_guessing: {
      mean: optimum.meanEnergy,
      optimum_probability: randomOptimumProbability,
      optimum_within_shots_probability: -Math.expm1(shots * Math.log1p(-randomOptimumProbability)),
    },
    gain_over_guessing:
      optimumProbability === null ? null : optimumProbability / randomOptimumProbability,
    shots,
    circuit_seed: result.seed,
    circuits_run: result.numCircuits + 1,
    basis:
      'Mean energies and optimum_probability are exact; outcomes are sampled with the seed; the optimum is found by brute force and does not enter the search.',
  };
}
