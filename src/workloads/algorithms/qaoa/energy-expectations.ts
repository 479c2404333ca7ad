/** Computes exact mean energies of QAOA circuits, and their gradients, at many angles in one batch. */
import type { RunOutputs } from '../../../fleet/run-outputs.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
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
