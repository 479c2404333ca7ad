/**
 * Computes exact mean energies of QAOA circuits at many angles at a time: up to 12 qubits as one batch of
 * one shape, above as single circuits with several in flight.
 */
import { type Circuit, numAnglesOf } from '../../../circuit/circuit.ts';
import { MAX_BATCH_QUBITS } from '../../../engine/batch-shape.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { type QaoaAngles, type QaoaAnsatz, qaoaCircuit } from './qaoa-ansatz.ts';
import { observableOf } from './z-polynomial.ts';

/** Single circuits in flight: enough that a processor always has the next one. */
const MAX_OUTSTANDING = 4;

/** Parts of a procedure's context that run circuits and may end the run. */
export type QaoaContext = Pick<ProcedureContext, 'circuits' | 'signal' | 'countUnits'>;

/** Mean energies of one ansatz, and the number of circuits run for them. */
export class EnergyExpectations {
  readonly #ansatz: QaoaAnsatz;
  readonly #context: QaoaContext;
  /** Shapes by number of layers, kept because shapes compare by identity. */
  readonly #shapes = new Map<number, Circuit>();
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
    const { signal, countUnits } = this.#context;
    signal.throwIfAborted();
    const circuits = points.map((point) => qaoaCircuit(this.#ansatz, point));
    const { offset, terms } = this.#ansatz.cost;
    if (terms.length === 0) return circuits.map(() => offset);
    const values =
      this.#ansatz.numQubits <= MAX_BATCH_QUBITS
        ? await this.#asBatch(circuits, points[0]!.gammas.length)
        : await this.#oneByOne(circuits);
    this.numCircuits += circuits.length;
    countUnits(circuits.length);
    return values.map((value) => offset + value);
  }

  async #asBatch(circuits: readonly Circuit[], layers: number): Promise<readonly number[]> {
    const shape = this.#shapes.get(layers) ?? circuits[0]!;
    this.#shapes.set(layers, shape);
    const angles = new Float64Array(circuits.length * numAnglesOf(shape));
    let next = 0;
    for (const { operations } of circuits) {
      for (const operation of operations) {
        if (operation.kind !== 'gate') continue;
        for (const angle of operation.angles) angles[next++] = angle;
      }
    }
    const { expectations } = await this.#context.circuits.runBatch(shape, {
      numCircuits: circuits.length,
      angles,
      observables: [observableOf(this.#ansatz.cost)],
    });
    if (expectations === undefined) throw new Error('unreachable: no expectations came back');
    return [...expectations];
  }

  async #oneByOne(circuits: readonly Circuit[]): Promise<readonly number[]> {
    const { circuits: runner, signal } = this.#context;
    const observables = [observableOf(this.#ansatz.cost)];
    const values = new Array<number>(circuits.length).fill(0);
    const todo = circuits.entries();
    const work = async () => {
      for (const [i, circuit] of todo) {
        signal.throwIfAborted();
        const { expectations } = await runner.run(circuit, { observables });
        values[i] = expectations?.[0] ?? Number.NaN;
      }
    };
    await Promise.all(Array.from({ length: MAX_OUTSTANDING }, work));
    return values;
  }
}
