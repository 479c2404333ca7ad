/**
 * The variational quantum eigensolver: searches the lowest energy among trial states that circuits
 * prepare.
 *
 * BFGS and Adam take exact gradients, each for a small multiple of the time of one circuit. Where energies are
 * estimated from shots, gradients follow from them by the parameter-shift rule, as on a device. The Levenberg–Marquardt
 * method reads whole states. The processor runs batches of one shape only.
 *
 * @see McClean, Romero, Babbush, Aspuru-Guzik, "The theory of variational hybrid quantum-classical
 *   algorithms" (2016).
 */
import { type Circuit, withAngles } from '../../../circuit/circuit.ts';
import { estimateExpectations } from '../../../circuit/expectation-estimates.ts';
import { measuredIn, measurementGroups } from '../../../circuit/measurement-groups.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { countsOfRow, type RunOutputs } from '../../../fleet/run-outputs.ts';
import type { BatchRunRequest } from '../../../fleet/schedule/scheduled-run.ts';
import { uniformDraw } from '../../../math/philox.ts';
import type { ProcedureContext, Runner } from '../../procedures/procedure-context.ts';
import type { Minimum, StopReason } from '../optimisers/bfgs.ts';
import { minimise, type Objective, type Optimizer } from '../optimisers/minimise.ts';
import { type ExpectationBatch, exactGradients, parameterShift } from '../training/gradients.ts';
import { anglesOf, type ParametricCircuit } from '../training/parametric-circuit.ts';
import { tangentSpace } from './tangent-space.ts';
import type { AnsatzName } from './vqe-ansatz.ts';

/** A ground-energy problem: Hamiltonian, trial states, starts of the search, and the exact answer. */
export interface VqeProblem {
  readonly hamiltonian: PauliSum;
  readonly numQubits: number;
  readonly unit: 'hartree' | 'units of j and h' | 'units of the coefficients';
  readonly ansatzName: AnsatzName;
  readonly ansatz: ParametricCircuit;
  /** Parameters that a search starts from; `draw(i)` is in [0, 1). */
  readonly start: (draw: (i: number) => number) => Float64Array;
  /** The exact ground energy and its derivation. */
  readonly exact: () => { readonly energy: number; readonly basis: string };
  /** Further known energies of the problem, by field name. */
  readonly known: Readonly<Record<string, number>>;
}

/** Options of the search. */
export interface VqeOptions {
  /** Minimiser; `adam` only if `shots` is given. */
  readonly optimizer: Optimizer;
  /** Most steps of each search. */
  readonly steps: number;
  /** Learning rate of Adam. */
  readonly learningRate: number;
  /** Largest gradient component at which a search has converged. */
  readonly tolerance: number;
  /** Number of searches, each with a start of its own. */
  readonly restarts: number;
  /** Shots of each circuit in each basis; energies are exact unless given. */
  readonly shots?: number;
  /** Seed of the starts and of the shots. */
  readonly seed: number;
}

/** Progress of a search. */
export interface VqeStep {
  /** From 0, the start. */
  readonly step: number;
  /** From 0. */
  readonly restart: number;
  /** Energy as the search knows it: an estimate if shots are used. */
  readonly energy: number;
  /** Fraction of all steps of all searches, in [0, 1]. */
  readonly fraction: number;
}

/** Result of the best search. */
export interface VqeOutcome {
  /** Exact energy, even if the search used shots. */
  readonly energy: number;
  /** Estimate of the energy from shots, if shots are used. */
  readonly sampled?: { readonly energy: number; readonly standardError: number };
  readonly parameters: Float64Array;
  /** The optimised state's circuit, without measurements. */
  readonly circuit: Circuit;
  /** Energies of the best search as the search knew them, from its start on. */
  readonly energyHistory: readonly number[];
  readonly gradientSize: number;
  readonly stoppedBecause: StopReason;
  /** Number of the best search, from 0. */
  readonly restart: number;
  /** Number of circuits run in all searches; an exact gradient counts as one. */
  readonly numCircuits: number;
}

/** Parts of a procedure's context that a search uses. */
export type VqeContext = Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>;

/**
 * Searches for the problem's ground state.
 *
 * @param onStep - Called after each step.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
export async function runVqe(
  problem: VqeProblem,
  options: VqeOptions,
  context: VqeContext,
  onStep: (step: VqeStep) => void = () => {},
): Promise<VqeOutcome> {
  const { ansatz, hamiltonian } = problem;
  const { restarts, steps, shots, seed } = options;
  const circuits = new CountedCircuits(context);
  const exact = exactEnergies(circuits);
  const sampler =
    shots === undefined ? undefined : energySampler(circuits, hamiltonian, shots, seed);
  const energies: ExpectationBatch =
    sampler === undefined
      ? exact
      : async (shape, angles, count) => (await sampler(shape, angles, count)).values;
  const isNoisy = shots !== undefined;
  const objective = energyObjective(problem, energies, circuits, isNoisy);
  const minimiseOptions = { ...options, isNoisy };
  let best: (Minimum & { energyHistory: readonly number[]; restart: number }) | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    const energyHistory: number[] = [];
    const start = problem.start(startDraw(seed, restart));
    const minimum = await minimise(objective, start, minimiseOptions, (step, energy) => {
      energyHistory.push(energy);
      onStep({ step, restart, energy, fraction: (restart + step / steps) / restarts });
    });
    const angles = anglesOf(ansatz, minimum.point, []);
    const [value = Number.NaN] = await exact(ansatz.shape, angles, 1, [hamiltonian]);
    if (best === undefined || value < best.value) {
      best = { ...minimum, value, energyHistory, restart };
    }
  }
  if (best === undefined) throw new Error('unreachable: no search was asked for');
  const angles = anglesOf(ansatz, best.point, []);
  const sample = await sampler?.(ansatz.shape, angles, 1);
  return {
    energy: best.value,
    ...(sample !== undefined && {
      sampled: { energy: sample.values[0]!, standardError: sample.standardErrors[0]! },
    }),
    parameters: best.point,
    circuit: withAngles(ansatz.shape, angles),
    energyHistory: best.energyHistory,
    gradientSize: best.gradientSize,
    stoppedBecause: best.stoppedBecause,
    restart: best.restart,
    numCircuits: circuits.count,
  };
}

/** Uniform draws for the start of a search; each restart has its own. */
function startDraw(seed: number, restart: number): (i: number) => number {
  return (i) => uniformDraw(seed, restart, i, START_DRAWS);
}

/** Separates draws of starts from others with the same seed. */
const START_DRAWS = 0x57a7;

/** Runs batches and counts their circuits. */
class CountedCircuits {
  readonly #context: VqeContext;
  count = 0;

  constructor(context: VqeContext) {
    this.#context = context;
  }

  async run(shape: Circuit, request: BatchRunRequest): Promise<RunOutputs> {
    this.#context.signal.throwIfAborted();
    const result = await this.#context.circuits.run(shape, request);
    this.count += request.numCircuits;
    this.#context.countUnits(request.numCircuits);
    return result;
  }
}

function exactEnergies(circuits: CountedCircuits): ExpectationBatch {
  return async (shape, angles, numCircuits, observables) => {
    const result = await circuits.run(shape, { numCircuits, angles, observables });
    if (result.expectations === undefined) throw new Error('unreachable: no expectations');
    return result.expectations;
  };
}

function energyObjective(
  { ansatz, hamiltonian }: VqeProblem,
  energies: ExpectationBatch,
  circuits: CountedCircuits,
  isNoisy: boolean,
) {
  // One row without features.
  const rows = [[]];
  const observables = [hamiltonian];
  const objective: Objective = {
    tangentSpace: (point) => tangentSpace(ansatz, hamiltonian, circuits, point),
    values: (points) =>
      energies(ansatz.shape, anglesOfAll(ansatz, points), points.length, observables),
    slope: async (point) => {
      const { values, gradients } = isNoisy
        ? await parameterShift(ansatz, point, rows, observables, energies)
        : await exactGradients(ansatz, point, rows, observables, circuits);
      return { value: values[0]!, gradient: gradients };
    },
  };
  return objective;
}

function anglesOfAll(ansatz: ParametricCircuit, points: readonly Float64Array[]): Float64Array {
  const numAngles = ansatz.angles.length;
  const angles = new Float64Array(points.length * numAngles);
  for (const [i, point] of points.entries()) {
    anglesOf(ansatz, point, [], angles.subarray(i * numAngles, (i + 1) * numAngles));
  }
  return angles;
}

/** Estimates with their standard errors, circuit after circuit. */
export interface SampledEnergies {
  readonly values: Float64Array;
  readonly standardErrors: Float64Array;
}

/** Estimates of one observable in many circuits of a shape without measurements. */
export type EnergySampler = (
  shape: Circuit,
  angles: Float64Array,
  numCircuits: number,
) => Promise<SampledEnergies>;

/** Separates seeds of samples from other draws with the same seed. */
const SAMPLE_SEEDS = 0x5a3b1e;

/**
 * Makes a sampler of an observable; each call draws anew.
 *
 * @param shots - Number of shots of each circuit in each basis.
 */
export function energySampler(
  circuits: Runner,
  observable: PauliSum,
  shots: number,
  seed: number,
): EnergySampler {
  const grouped = measurementGroups([observable]);
  const { groups } = grouped;
  const shapes = new Map<Circuit, readonly Circuit[]>();
  let numCalls = 0;
  return async (shape, angles, numCircuits) => {
    const measured = shapes.get(shape) ?? groups.map((group) => measuredIn(shape, group));
    shapes.set(shape, measured);
    const call = numCalls++;
    const runs: RunOutputs[] = [];
    for (const [g, circuit] of measured.entries()) {
      const seeds = Float64Array.from({ length: numCircuits }, (_, i) =>
        Math.floor(uniformDraw(seed, call, SAMPLE_SEEDS + g, i) * 2 ** 52),
      );
      const request = { numCircuits, angles, shots, seeds };
      runs.push(await circuits.run(circuit, request));
    }
    const values = new Float64Array(numCircuits);
    const standardErrors = new Float64Array(numCircuits);
    for (let circuit = 0; circuit < numCircuits; circuit++) {
      const own = runs.map((run, g) => countsOfRow(run, circuit, measured[g]!.numBits));
      const { value, standardError } = estimateExpectations(grouped, own)[0]!;
      values[circuit] = value;
      standardErrors[circuit] = standardError;
    }
    return { values, standardErrors };
  };
}

/** Number of circuits per estimate: one for each measurement basis. */
export function numBases(observable: PauliSum): number {
  return measurementGroups([observable]).groups.length;
}
