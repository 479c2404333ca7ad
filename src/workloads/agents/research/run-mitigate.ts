/** Runs the task `mitigate`, in a process of its own. */
import { withoutMeasurements } from '../../../circuit/circuit.ts';
import type { ExpectationEstimate } from '../../../circuit/expectation-estimates.ts';
import { measurementGroups } from '../../../circuit/measurement-groups.ts';
import { noErrorProbability } from '../../../circuit/noise/noise-facts.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { circuitWork, runWork } from '../../../fleet/schedule/scheduled-run.ts';
import {
  exponentialFit,
  linearFit,
  richardsonFit,
  type ScaledValue,
} from '../../algorithms/mitigation/extrapolate.ts';
import {
  type MeasuredValues,
  measureFolded,
  methodOfRun,
  noisyMeasurements,
  PLAIN_MEASUREMENT,
} from '../../algorithms/mitigation/run-mitigation.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import { MITIGATE_LIMITS, type MitigateInput, runsOf } from './mitigate-input.ts';

/** Qubits of the widest state on the smallest node. */
const WIDEST_STATE = 26;

/** Faults of an input without others: whether its circuits take too much work. */
export function workFaults(given: MitigateInput, runs = runsOf(given, 0)): readonly Fault[] {
  const { groups } = measurementGroups(runs.observables);
  let work = 0;
  for (const folded of runs.folded) {
    // The circuits of the groups have a few gates more.
    const circuit = noisyMeasurements(runs, folded, [PLAIN_MEASUREMENT])[0]!;
    const method = methodOfRun(circuit, runs.shots, WIDEST_STATE);
    const request = { shots: runs.shots ?? 0, seed: 0, method };
    const { numQubits, trajectories } = runWork(circuitWork(circuit), request);
    const numStates = trajectories?.numStates ?? 1;
    work += groups.length * numStates * circuit.operations.length * 2 ** numQubits;
  }
  if (work <= MITIGATE_LIMITS.amplitude_updates) return [];
  const message = `The circuits take about ${work.toPrecision(2)} amplitude updates; the limit is ${MITIGATE_LIMITS.amplitude_updates}.`;
  return [{ path: given.shots === undefined ? 'scale_factors' : 'shots', message }];
}

/** Runs `mitigate`. */
export const runMitigate: RunProcedure<MitigateInput> = async (given, context) => {
  const seed = given.seed ?? context.seed;
  const runs = runsOf(given, seed);
  const faults = workFaults(given, runs);
  if (faults.length > 0) throw new ProcedureInputError(faults);
  const { circuit, folded, observables, shots } = runs;
  context.signal.throwIfAborted();
  context.progress(0, 'ideal values');
  const { expectations: ideal = [] } = await context.circuits.run(withoutMeasurements(circuit), {
    observables,
  });
  context.countUnits(1);
  const values = await measureFolded(runs, context, (fraction) =>
    context.progress(fraction, `${folded.length} scale factors`),
  );
  return {
    observables: observables.map((observable, o) => ({
      ideal: ideal[o]!,
      ...observableView(
        given,
        observable,
        folded.map(({ scaleFactor }, i) => ({ scaleFactor, ...values[i]![o]! })),
      ),
    })),
    folded_circuits: folded.map((each, i) => ({
      scale_factor_asked: given.scale_factors[i]!,
      scale_factor: each.scaleFactor,
      gates: each.numGates,
      no_gate_error_probability: noErrorProbability(
        noisyMeasurements(runs, each, [PLAIN_MEASUREMENT])[0]!,
      ),
    })),
    num_circuits: folded.length * measurementGroups(observables).groups.length,
    ...(shots !== undefined && { shots, seed }),
    basis: `emulated: a simulator ran the noise model, and no hardware was called. ${
      shots === undefined
        ? 'All values are exact, so that standard errors are 0; what extrapolation leaves is its bias'
        : 'Values are estimated from shots, drawn with the seed, and standard errors are propagated from these; the ideal values are exact'
    }. Changes of basis before measurements have no noise.`,
  };
};

/** The values of one observable. */
function observableView(
  { extrapolation, asymptote, readout_mitigation }: MitigateInput,
  observable: PauliSum,
  scaled: readonly (MeasuredValues & { readonly scaleFactor: number })[],
): JsonObject {
  const valuesOf = ({ raw, inverted }: MeasuredValues) => ({
    raw: estimateView(raw),
    ...(readout_mitigation && { readout_mitigated: estimateView(inverted) }),
  });
  const points = scaled.map(({ scaleFactor, raw, inverted }) => ({
    scaleFactor,
    ...(readout_mitigation ? inverted : raw),
  }));
  const identity = observable.filter(({ factors }) => factors.length === 0);
  const mixed = identity.reduce((sum, { coefficient }) => sum + coefficient, 0);
  const unfolded = scaled.find(({ scaleFactor }) => scaleFactor === 1)!;
  return {
    ...valuesOf(unfolded),
    extrapolated: Object.fromEntries(
      extrapolation.map((name) => [name, extrapolated(name, points, asymptote ?? mixed)]),
    ),
    by_scale_factor: scaled.map((each) => ({
      scale_factor: each.scaleFactor,
      ...valuesOf(each),
    })),
  };
}

function extrapolated(
  name: MitigateInput['extrapolation'][number],
  points: readonly ScaledValue[],
  asymptote: number,
): JsonObject {
  switch (name) {
    case 'linear': {
      const fit = linearFit(points);
      return { ...estimateView(fit), slope: fit.slope };
    }
    case 'richardson':
      return estimateView(richardsonFit(points));
    case 'exponential': {
      const fit = exponentialFit(points, asymptote);
      if (typeof fit === 'string') return { value: null, reason: fit, asymptote };
      const { amplitude, decay } = fit;
      return { ...estimateView(fit), asymptote, amplitude, decay };
    }
  }
}

function estimateView({ value, standardError }: ExpectationEstimate) {
  return { value, standard_error: standardError };
}
