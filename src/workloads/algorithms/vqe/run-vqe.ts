/**
 * The variational quantum eigensolver: the lowest energy among trial states that circuits prepare.
 *
 * Gradients come from energies by the parameter-shift rule, so that all there is to ask of a processor
 * is batches of circuits of one shape.
 *
 * @see McClean, Romero, Babbush, Aspuru-Guzik, "The theory of variational hybrid quantum-classical
 *   algorithms" (2016).
 */
import type { Circuit } from '../../../circuit/circuit.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import type { ExpectationBatch } from '../../training/expectation-batch.ts';
import { parameterShift } from '../../training/gradients/parameter-shift.ts';
import { anglesOf, type ParametricCircuit } from '../../training/parametric-circuit.ts';
import { withAngles } from './ansatz.ts';
import { type Minimum, minimise, type Objective, type StopReason } from './minimise.ts';
import { startDraw, type VqeProblem } from './vqe-problem.ts';

/** How the search goes. */
export interface VqeOptions {
  readonly optimizer: 'bfgs' | 'adam';
  /** At most, of each search. */
  readonly steps: number;
  /** Adam's. */
  readonly learningRate: number;
  /** Of the gradient's largest component. */
  readonly tolerance: number;
  /** Searches, each from a start of its own. */
  readonly restarts: number;
  /** Starts are drawn with it. */
  readonly seed: number;
}

/** Where a search is. */
export interface VqeStep {
  /** From 0, the start. */
  readonly step: number;
  /** From 0. */
  readonly restart: number;
  readonly energy: number;
  /** Of all steps of all searches, at most, in [0, 1]. */
  readonly fraction: number;
}

/** What the best search came to. */
export interface VqeOutcome {
  readonly energy: number;
  readonly parameters: Float64Array;
  /** The optimised state's circuit, without measurements. */
  readonly circuit: Circuit;
  /** Energies of the best search, its start first. */
  readonly energyHistory: readonly number[];
  readonly gradientSize: number;
  readonly stoppedBecause: StopReason;
  /** Which search it was, from 0. */
  readonly restart: number;
  /** Circuits that were run, of all searches. */
  readonly numCircuits: number;
}

/** What a search needs of its surroundings. */
export type VqeContext = Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>;

/** Circuits of one batch: a cancelled run ends between them. */
const MAX_CIRCUITS = 2048;

/**
 * Searches the problem's ground state.
 *
 * @param onStep - Called after each step.
 * @param expectations - Energies from elsewhere than exact batches of `context.circuits`.
 * @throws the signal's reason once it aborts; whatever running circuits throws.
 */
export async function runVqe(
  problem: VqeProblem,
  options: VqeOptions,
  context: VqeContext,
  onStep: (step: VqeStep) => void = () => {},
  expectations: ExpectationBatch = exactExpectations(context),
): Promise<VqeOutcome> {
  let numCircuits = 0;
  const counted: ExpectationBatch = (shape, angles, count, observables) => {
    context.signal.throwIfAborted();
    numCircuits += count;
    context.countUnits(count);
    return expectations(shape, angles, count, observables);
  };
  const objective = energyObjective(problem, counted);
  const { restarts, steps } = options;
  let best: (Minimum & Pick<VqeOutcome, 'energyHistory' | 'restart'>) | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    const energyHistory: number[] = [];
    const start = problem.start(startDraw(options.seed, restart));
    const minimum = await minimise(objective, start, options, (step, energy) => {
      energyHistory.push(energy);
      const fraction = (restart + step / steps) / restarts;
      onStep({ step, restart, energy, fraction });
    });
    if (best === undefined || minimum.value < best.value) {
      best = { ...minimum, energyHistory, restart };
    }
  }
  if (best === undefined) throw new Error('unreachable: no search was asked for');
  const { value, point, ...rest } = best;
  return {
    energy: value,
    parameters: point,
    circuit: withAngles(problem.ansatz.shape, anglesOf(problem.ansatz, point, [])),
    numCircuits,
    energyHistory: rest.energyHistory,
    gradientSize: rest.gradientSize,
    stoppedBecause: rest.stoppedBecause,
    restart: rest.restart,
  };
}

/** Exact expectation values, from batches of circuits. */
export function exactExpectations({ circuits }: Pick<VqeContext, 'circuits'>): ExpectationBatch {
  return async (shape, angles, numCircuits, observables) => {
    const result = await circuits.runBatch(shape, { numCircuits, angles, observables });
    if (result.expectations === undefined) throw new Error('unreachable: no expectations');
    return result.expectations;
  };
}

function energyObjective({ ansatz, hamiltonian }: VqeProblem, energies: ExpectationBatch) {
  // One row without features.
  const rows = [[]];
  const observables = [hamiltonian];
  const objective: Objective = {
    values: (points) =>
      energies(ansatz.shape, anglesOfAll(ansatz, points), points.length, observables),
    slope: async (point) => {
      const shifted = await parameterShift(
        ansatz,
        point,
        rows,
        observables,
        energies,
        MAX_CIRCUITS,
      );
      return { value: shifted.values[0]!, gradient: shifted.gradients };
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
