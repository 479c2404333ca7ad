/** Runs a sweep. */
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { type CircuitOutcome, runCircuits } from './run-circuits.ts';
import type { SweepPlan } from './sweep-fields.ts';
import { pointAt } from './sweep-points.ts';

/** What to compute at each point beside the plan's observables. */
export interface SweepOutputs {
  /** None unless given. */
  readonly shots?: number;
  readonly probabilities: boolean;
  readonly seed: number;
}

/** A point of a sweep and what came of it. */
export interface SweepPoint extends CircuitOutcome {
  /** Of the parameters, in their order. */
  readonly values: readonly number[];
}

/**
 * All points, in order.
 *
 * @param onProgress - Called with the number of points done, now and then.
 * @throws the signal's reason once it aborts; whatever running circuits throws.
 */
export async function runSweep(
  plan: SweepPlan,
  outputs: SweepOutputs,
  context: Pick<ProcedureContext, 'circuits' | 'countUnits' | 'signal'>,
  onProgress: (numDone: number) => void = () => {},
): Promise<readonly SweepPoint[]> {
  const { parameters, combination, template, observables, numPoints } = plan;
  const points = new Array<SweepPoint>(numPoints);
  const valuesAt = (index: number) => pointAt(parameters, combination, index);
  await runCircuits(
    { numCircuits: numPoints, circuitAt: (index) => template.circuitAt(valuesAt(index)) },
    { ...outputs, ...(observables.length > 0 && { observables }) },
    context,
    (index, outcome) => {
      points[index] = { values: valuesAt(index), ...outcome };
    },
    onProgress,
  );
  return points;
}
