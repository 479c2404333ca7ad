/** The task `parameter_sweep`: runs one circuit at many values of its parameters. */
import { z } from 'zod';
import {
  circuitSeed,
  distributionView,
  type PointOutcome,
  runPoints,
} from '../../algorithms/run-points.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import {
  pointAt,
  SWEEP_LIMITS,
  type SweepInput,
  sweepFaults,
  sweepFields,
  sweepInputs,
  sweepPlan,
} from '../../procedures/sweep-fields.ts';

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
  const { parameters, combination, template, observables, numPoints } = sweepPlan(input);
  const { shots, probabilities, seed = context.seed } = input;
  const inputs = sweepInputs(parameters, combination);
  const program = {
    groups: template.groupsAt(inputs),
    inputs,
    outputs: {
      probabilities,
      ...(shots !== undefined && { shots }),
      ...(observables.length > 0 && { observables }),
    },
    seedOf: (point: number) => circuitSeed(seed, point),
  };
  const outcomes = await runPoints(program, context, (numDone) =>
    context.progress(numDone / numPoints, `point ${numDone} of ${numPoints}`),
  );
  const points = outcomes.map((outcome, i) => ({
    values: pointAt(parameters, combination, i),
    ...outcome,
  }));
  return {
    parameters: parameters.map(({ name }) => name),
    num_points: numPoints,
    points: points.map(pointView),
    ...extremes(points),
    ...(shots !== undefined && { shots, seed }),
    basis: shots === undefined ? 'exact' : 'counts sampled with the seed, all else exact',
  };
}

/** A point with the values of its parameters, in the order of their names. */
type SweepPoint = PointOutcome & { readonly values: readonly number[] };

function pointView({ values, expectations, counts, probabilities }: SweepPoint): JsonObject {
  return {
    values,
    ...(expectations && { expectations }),
    ...(counts && { counts }),
    ...(probabilities && { probabilities: distributionView(probabilities) }),
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
  const view = (point: SweepPoint) => ({ values: point.values, expectation: first(point)! });
  return { lowest: view(lowest), highest: view(highest) };
}
