/**
 * Finds QAOA's angles by exact mean energies: a grid for the first layer, then layer by layer, each time
 * starting from the previous angles interpolated to one more layer. Deterministic.
 *
 * @see Zhou, Wang, Choi, Pichler, Lukin, "Quantum approximate optimization algorithm: performance,
 *   mechanism, and implementation on near-term devices" (2020), appendix B (INTERP).
 */
import type { RunOutputs } from '../../../fleet/run-outputs.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { bfgs, type SmoothObjective } from '../optimisers/bfgs.ts';
import { type QaoaAngles, type QaoaAnsatz, type QaoaShape, qaoaShape } from './qaoa-ansatz.ts';
import { observableOf } from './z-polynomial.ts';

/** Parts of a procedure's context that run circuits and may end the run. */
export type QaoaContext = Pick<ProcedureContext, 'circuits' | 'signal' | 'countUnits'>;

/** Mean energy at some angles, and its derivatives: by all γ, then by all β. */
export interface EnergySlope {
  readonly value: number;
  readonly gradient: Float64Array;
}

/** Mean energies of one ansatz, and the number of circuits run for them. */
export class EnergyExpectations {
  readonly #ansatz: QaoaAnsatz;
  readonly #context: QaoaContext;
  /** Shapes by number of layers, kept because shapes compare by identity. */
  readonly #shapes = new Map<number, QaoaShape>();
  /** A gradient counts as one. */
  numCircuits = 0;

  constructor(ansatz: QaoaAnsatz, context: QaoaContext) {
    this.#ansatz = ansatz;
    this.#context = context;
  }

  /**
   * Exact mean energies, one per point; all points have the same number of layers.
   *
   * @throws the processor's error; the signal's reason.
   */
  async at(points: readonly QaoaAngles[]): Promise<readonly number[]> {
    const { offset } = this.#ansatz.cost;
    const { expectations } = await this.#run(points, false);
    return points.map((_, i) => offset + (expectations?.[i] ?? 0));
  }

  /**
   * The exact mean energy at a point, and its gradient.
   *
   * @throws as `at`.
   */
  async slopeAt(point: QaoaAngles): Promise<EnergySlope> {
    const { offset } = this.#ansatz.cost;
    const { expectations, gradients } = await this.#run([point], true);
    const gradient = gradients ?? new Float64Array(2 * point.gammas.length);
    return { value: offset + (expectations?.[0] ?? 0), gradient };
  }

  /** Runs the circuits at some points. The result is empty where all states have the same energy. */
  async #run(points: readonly QaoaAngles[], gradients: boolean): Promise<RunOutputs> {
    const { circuits, signal, countUnits } = this.#context;
    signal.throwIfAborted();
    const { cost } = this.#ansatz;
    if (cost.terms.length === 0) return {};
    const layers = points[0]!.gammas.length;
    const known = this.#shapes.get(layers) ?? qaoaShape(this.#ansatz, layers);
    this.#shapes.set(layers, known);
    const { shape, formulas } = known;
    const outputs = await circuits.run(shape, {
      numCircuits: points.length,
      angles: Float64Array.from(points.flatMap(({ gammas, betas }) => [...gammas, ...betas])),
      formulas,
      observables: [observableOf(cost)],
      gradients,
    });
    this.numCircuits += points.length;
    countUnits(points.length);
    return outputs;
  }
}

/** Options of the search for angles. */
export interface AngleSearch {
  readonly layers: number;
  /** Most steps of each layer's search. */
  readonly maxSteps: number;
  /** Smallest gain in mean energy that is worth a step. */
  readonly tolerance: number;
  /** Number of grid values of each angle of the first layer. */
  readonly gridSize: number;
  readonly onProgress: (fraction: number, message: string) => void;
}

/** Result of the search. */
export interface FoundAngles {
  readonly angles: QaoaAngles;
  readonly energy: number;
  /** Mean energy at the grid's best point and after each step, over all layers; never rises. */
  readonly history: readonly number[];
  /** Best mean energies with 1, 2, … layers. */
  readonly energyByLayers: readonly number[];
}

/** Range of the grid, where γ is in units of the ansatz's energy scale. */
const LARGEST_GAMMA = 2;
const LARGEST_BETA = Math.PI / 2;
/** Few step lengths, because wide circuits run one after the other. */
const LINE_SEARCH = { tolerance: 0, firstLength: 0.1, lengths: [1, 0.5, 0.2, 0.05, 2.5] };

/** Searches the angles of lowest mean energy. */
export async function optimiseAngles(
  energies: EnergyExpectations,
  search: AngleSearch,
): Promise<FoundAngles> {
  const objective = meanEnergyObjective(energies);
  const { layers, maxSteps, tolerance, onProgress } = search;
  onProgress(0, 'a grid of angles for one layer');
  let start = await bestOfGrid(energies, search.gridSize);
  let best: { point: Float64Array; value: number } | undefined;
  const history: number[] = [];
  const energyByLayers: number[] = [];
  for (let layer = 1; layer <= layers; layer++) {
    const energyHistory: number[] = [];
    const onStep = (step: number, energy: number) => {
      energyHistory.push(Math.min(energy, energyHistory.at(-1) ?? energy));
      onProgress(
        (layer - 1 + step / (maxSteps + 1)) / layers,
        `angles of layer ${layer} of ${layers}: mean energy ${energy.toPrecision(6)}`,
      );
    };
    const options = { ...LINE_SEARCH, steps: maxSteps, leastGain: tolerance };
    const { point } = await bfgs(objective, start, options, onStep);
    const found = { point, value: energyHistory.at(-1)! };
    const before: number = best?.value ?? Number.POSITIVE_INFINITY;
    // An additional layer with angles 0 is never worse.
    if (best === undefined || found.value < before) best = found;
    else best = { point: withIdleLayer(best.point), value: before };
    const { value } = best;
    history.push(...energyHistory.map((energy) => Math.min(energy, before)));
    energyByLayers.push(value);
    start = interpolated(best.point);
  }
  if (best === undefined) throw new Error('unreachable: no layers');
  return { angles: anglesOf(best.point), energy: best.value, history, energyByLayers };
}

/** Exact mean energies with their gradients. */
function meanEnergyObjective(energies: EnergyExpectations): SmoothObjective {
  return {
    values: (points) => energies.at(points.map(anglesOf)),
    slope: (point) => energies.slopeAt(anglesOf(point)),
  };
}

/** A point of the search is all γ, then all β. */
function anglesOf(point: Float64Array): QaoaAngles {
  const layers = point.length / 2;
  return { gammas: [...point.subarray(0, layers)], betas: [...point.subarray(layers)] };
}

async function bestOfGrid(energies: EnergyExpectations, size: number): Promise<Float64Array> {
  const points: QaoaAngles[] = [];
  for (let i = 1; i <= size; i++) {
    for (let j = 1; j < size; j++) {
      points.push({ gammas: [(i * LARGEST_GAMMA) / size], betas: [(j * LARGEST_BETA) / size] });
    }
  }
  const values = await energies.at(points);
  const best = values.reduce((least, value, i) => (value < values[least]! ? i : least), 0);
  return Float64Array.of(points[best]!.gammas[0]!, points[best]!.betas[0]!);
}

/** INTERP: angle i of p + 1 lies between angles i − 1 and i of p. */
function interpolated(point: Float64Array): Float64Array {
  const layers = point.length / 2;
  const interpolate = (angles: Float64Array) =>
    Array.from(
      { length: layers + 1 },
      (_, i) => (i / layers) * (angles[i - 1] ?? 0) + (1 - i / layers) * (angles[i] ?? 0),
    );
  const [gammas, betas] = [point.subarray(0, layers), point.subarray(layers)];
  return Float64Array.from([...interpolate(gammas), ...interpolate(betas)]);
}

function withIdleLayer(point: Float64Array): Float64Array {
  const layers = point.length / 2;
  return Float64Array.from([...point.subarray(0, layers), 0, ...point.subarray(layers), 0]);
}
