/** The task `parameter_sweep`: runs one circuit at many values of its parameters. */
import { z } from 'zod';
import { inputRows } from '../../../circuit/input-columns.ts';
import { batchOutcome, type CircuitOutcome, circuitSeed } from '../../algorithms/run-circuits.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { outcomeView } from './outcome-view.ts';
import type { SweepPlan } from './sweep-fields.ts';
import {
  SWEEP_LIMITS,
  type SweepInput,
  sweepFaults,
  sweepFields,
  sweepInputs,
  sweepPlan,
} from './sweep-fields.ts';
import { pointAt } from './sweep-points.ts';

/** The task `parameter_sweep`. */
export const parameterSweep = procedure({
  name: 'parameter_sweep',
  description:
    'Runs a circuit with named parameters at every point of a grid, or at listed points. The result has for each point the values of the parameters and the requested outputs: exact expectation values, exact probabilities, counts.',
  input: z.strictObject(sweepFields),
  check: sweepFaults,
  limits: { ...SWEEP_LIMITS, deadline_ms: 600_000 },
  example: {
    circuit: [
      { gate: 'RY', qubit: 0, theta: 'theta' },
      { gate: 'CX', control: 0, target: 1 },
    ],
    parameters: { theta: { from: 0, to: Math.PI, points: 9 } },
    observables: [{ pauli: 'Z0' }, { pauli: 'Z0 Z1' }],
  },
  run: runParameterSweep,
});

/** Runs a sweep; also used by `simulation` jobs of the TPU fleet. */
export async function runParameterSweep(
  input: SweepInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const plan = sweepPlan(input);
  const { shots, probabilities } = input;
  const seed = input.seed ?? context.seed;
  const outputs = { probabilities, seed, ...(shots !== undefined && { shots }) };
  const points = await runSweep(plan, outputs, context, (numDone) =>
    context.progress(numDone / plan.numPoints, `point ${numDone} of ${plan.numPoints}`),
  );
  return {
    parameters: plan.parameters.map(({ name }) => name),
    num_points: plan.numPoints,
    points: points.map(({ values, ...outcome }) => ({
      values: [...values],
      ...outcomeView(outcome),
    })),
    ...extremes(points),
    ...(shots !== undefined && { shots, seed }),
    basis: shots === undefined ? 'exact' : 'counts sampled with the seed, all else exact',
  };
}

/** Points at which the first observable is lowest and highest. */
function extremes(points: readonly SweepPoint[]): JsonObject {
  const first = ({ expectations }: SweepPoint) => expectations?.[0];
  if (points[0] === undefined || first(points[0]) === undefined) return {};
  let [lowest, highest] = [points[0], points[0]];
  for (const point of points) {
    if (first(point)! < first(lowest)!) lowest = point;
    if (first(point)! > first(highest)!) highest = point;
  }
  const view = (point: SweepPoint) => ({
    values: [...point.values],
    expectation: first(point)!,
  });
  return { lowest: view(lowest), highest: view(highest) };
}

/** Outputs at each point, beside the observables. */
interface SweepOutputs {
  /** Number of shots; none unless given. */
  readonly shots?: number;
  readonly probabilities: boolean;
  readonly seed: number;
}

/** Result at one point of a sweep. */
interface SweepPoint extends CircuitOutcome {
  /** Values of the parameters, in the order of their names. */
  readonly values: readonly number[];
}

/** Largest number of entries in the states or distributions of the points between two reports of progress. */
const MAX_WINDOW_NUMBERS = 2 ** 20;
const MAX_WINDOW = 1024;

/**
 * Runs all points: those that run the same gates together.
 *
 * @param onProgress - Called now and then with the number of points done.
 * @throws {ProcedureInputError} if the program is invalid at a point.
 * @throws the signal's reason once it aborts; the errors of running circuits.
 */
async function runSweep(
  plan: SweepPlan,
  { seed, ...outputs }: SweepOutputs,
  { circuits, countUnits, signal }: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  onProgress: (numDone: number) => void = () => {},
): Promise<readonly SweepPoint[]> {
  const { parameters, combination, template, observables, numPoints } = plan;
  const inputs = sweepInputs(plan);
  const points = new Array<SweepPoint>(numPoints);
  let numDone = 0;
  for (const { circuit, formulas, points: own } of template.groupsAt(inputs)) {
    const numOwn = own?.length ?? numPoints;
    const numbers = 2 ** Math.max(circuit.numQubits - 4, circuit.numBits);
    const size = Math.max(1, Math.min(MAX_WINDOW, Math.floor(MAX_WINDOW_NUMBERS / numbers)));
    for (let from = 0; from < numOwn; from += size) {
      signal.throwIfAborted();
      const to = Math.min(numOwn, from + size);
      const indices = Array.from({ length: to - from }, (_, i) => own?.[from + i] ?? from + i);
      const result = await circuits.run(circuit, {
        ...outputs,
        numCircuits: indices.length,
        angles: inputRows(inputs, own, from, to),
        formulas,
        seeds: indices.map((index) => circuitSeed(seed, index)),
        ...(observables.length > 0 && { observables }),
      });
      for (const [i, index] of indices.entries()) {
        const values = pointAt(parameters, combination, index);
        points[index] = { values, ...batchOutcome(result, i, circuit, observables.length) };
      }
      countUnits(indices.length);
      numDone += indices.length;
      onProgress(numDone);
    }
  }
  return points;
}
