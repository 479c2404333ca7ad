/** The task `mitigate`: readout error inversion and zero-noise extrapolation of expectation values. */
import { z } from 'zod';
import { hasMidCircuitMeasurement, withoutMeasurements } from '../../../circuit/circuit.ts';
import type { ExpectationEstimate } from '../../../circuit/expectation-estimates.ts';
import { measurementGroups } from '../../../circuit/measurement-groups.ts';
import { readoutErrorsOf } from '../../../circuit/noise/apply-noise.ts';
import { noErrorProbability } from '../../../circuit/noise/noise-facts.ts';
import { type PauliSum, parseObservables } from '../../../circuit/observable.ts';
import { pauliTerm } from '../../../circuit/observable-schema.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { circuitWork, runWork } from '../../../fleet/schedule/scheduled-run.ts';
import {
  exponentialFit,
  linearFit,
  richardsonFit,
  type ScaledValue,
} from '../../algorithms/mitigation/extrapolate.ts';
import { foldedScale, foldGlobally, numGatesOf } from '../../algorithms/mitigation/fold-circuit.ts';
import {
  type MeasuredValues,
  type MitigationRuns,
  measureFolded,
  methodOfRun,
  noisyMeasurements,
  PLAIN_MEASUREMENT,
} from '../../algorithms/mitigation/run-mitigation.ts';
import { readingMap } from '../../algorithms/noise/misread-observable.ts';
import { circuitFields, circuitOf, faultsOf, seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { noiseField, noiseModelOf } from '../../procedures/noise-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

const LIMITS = {
  qubits: 16,
  /** Without shots. */
  exact_qubits: 10,
  /** Gates of all folded circuits together. */
  folded_gates: 20_000,
  scale_factors: 10,
  scale_factor: 50,
  shots: 1_000_000,
  observables: 100,
  observable_terms: 1000,
  /** Most gates times amplitudes over all states. */
  amplitude_updates: 1e11,
} as const;
const METHODS = ['linear', 'exponential', 'richardson'] as const;
/** Qubits of the widest state on the smallest node. */
const WIDEST_STATE = 26;
/** Smallest slope of a reading that is inverted: its error grows by a factor of 1000. */
const LEAST_SLOPE = 1e-3;

const input = z.strictObject({
  ...circuitFields,
  observables: z
    .array(z.union([pauliTerm, z.array(pauliTerm).min(1)]))
    .min(1)
    .max(LIMITS.observables)
    .describe(
      'Observables whose values without noise are sought: each a Pauli term, such as {"pauli": "Z0 Z1"}, or a list of terms that are summed',
    ),
  noise: noiseField,
  scale_factors: z
    .array(z.number().min(1).max(LIMITS.scale_factor))
    .min(2)
    .max(LIMITS.scale_factors)
    .default([1, 3, 5])
    .describe(
      'Factors by which folding multiplies the noise, 1 among them; the result has the nearest that the number of gates allows. Default [1, 3, 5]; in between, the last gates alone are folded once more, whose noise may not be that of the others',
    ),
  extrapolation: z
    .array(z.enum(METHODS))
    .min(1)
    .max(METHODS.length)
    .default([...METHODS])
    .describe(
      'Fits that are read off at zero noise: a weighted straight line, an exponential decay to the asymptote, Richardson (the polynomial through all values). Default all three',
    ),
  asymptote: z
    .number()
    .optional()
    .describe(
      'Value that the exponential decays to, for every observable; by default that of the fully mixed state, which is the coefficient of the identity',
    ),
  readout_mitigation: z
    .boolean()
    .default(true)
    .describe('Whether readout errors are inverted before extrapolation; default true'),
  shots: z
    .int()
    .min(2)
    .max(LIMITS.shots)
    .optional()
    .describe(
      'Number of shots of each circuit: one for each scale factor and group of Pauli strings that are measured together. Without it values are exact, by density matrices',
    ),
  seed: seedField,
});
type MitigateInput = z.output<typeof input>;

/** The task `mitigate`. */
export const mitigate = procedure({
  name: 'mitigate',
  description:
    'Mitigates the errors of expectation values under a noise model, as on a noisy device: inverts readout errors and extrapolates to zero noise. Readout errors are inverted qubit by qubit (tensored confusion matrices, those of the noise model), which leaves no bias and enlarges standard errors. Global unitary folding, U (U†U)^n and partly for factors in between, scales the noise of gates; an inverse gate has the noise of its gate. The result has for each observable the ideal value, the raw one, the one with readout errors inverted, those at each scale factor, and the extrapolated ones with standard errors; `ideal` is exact, from the circuit without noise. Circuits with measurements in mid-circuit, resets or conditions cannot be folded.',
  input,
  check: inputFaults,
  limits: { ...LIMITS, deadline_ms: 600_000 },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'RY', qubit: 1, theta: 0.4 },
      { gate: 'CX', control: 1, target: 2 },
    ],
    observables: [{ pauli: 'Z0 Z2' }],
    noise: { model: 'ibm-brisbane' },
    shots: 10_000,
    seed: 7,
  },
  run: runMitigate,
});

/**
 * Reads the runs of an input.
 *
 * @throws {CodedError} listing every fault of the circuit, the noise and the observables.
 */
function runsOf(given: MitigateInput, seed: number): MitigationRuns {
  const circuit = circuitOf(given, { maxQubits: LIMITS.qubits });
  const observables = parseObservables(given.observables, circuit.numQubits, 'observables');
  const model = noiseModelOf(given.noise);
  const isFoldable = numGatesOf(circuit) > 0 && !hasMidCircuitMeasurement(circuit);
  const folded = isFoldable
    ? given.scale_factors.map((factor) => foldGlobally(circuit, factor))
    : [];
  return { circuit, folded, model, observables, shots: given.shots, seed };
}

function inputFaults(given: MitigateInput): readonly Fault[] {
  const faults = scaleFaults(given);
  if (faults.length > 0) return faults;
  return faultsOf(() => {
    // Before anything is folded: thousands of gates may become many more.
    const unfolded = runsOf({ ...given, scale_factors: [1] }, 0);
    const found = [...circuitFaults(given, unfolded), ...readoutFaults(given, unfolded)];
    return found.length > 0 ? found : workFaults(given, runsOf(given, 0));
  });
}

function scaleFaults({ scale_factors: factors, asymptote, extrapolation }: MitigateInput) {
  const faults: Fault[] = [];
  if (!factors.includes(1)) {
    const message = 'Must contain 1, the circuit as it is written, for the raw value.';
    faults.push({ path: 'scale_factors', message });
  }
  if (asymptote !== undefined && !extrapolation.includes('exponential')) {
    faults.push({ path: 'asymptote', message: 'Only taken with the extrapolation exponential.' });
  }
  for (const [i, name] of extrapolation.entries()) {
    if (extrapolation.indexOf(name) === i) continue;
    faults.push({ path: `extrapolation[${i}]`, message: `${name} is listed twice.` });
  }
  return faults;
}

function circuitFaults(given: MitigateInput, { circuit, observables }: MitigationRuns): Fault[] {
  const path = given.qasm === undefined ? 'circuit' : 'qasm';
  if (hasMidCircuitMeasurement(circuit)) {
    const message =
      'A circuit with measurements in mid-circuit, resets or conditions cannot be folded: folding inverts it, and these have no inverse.';
    return [{ path, message }];
  }
  const numGates = numGatesOf(circuit);
  if (numGates === 0) return [{ path, message: 'There is no gate to fold.' }];
  const terms = observables.reduce((sum, { length }) => sum + length, 0);
  const all = given.scale_factors.reduce((sum, factor) => sum + factor * numGates, 0);
  const faults: Fault[] = [];
  if (terms > LIMITS.observable_terms) {
    const message = `${terms} terms; the limit over all observables is ${LIMITS.observable_terms}.`;
    faults.push({ path: 'observables', message });
  }
  if (all > LIMITS.folded_gates) {
    const message = `The folded circuits have ${Math.round(all)} gates together; the limit is ${LIMITS.folded_gates}.`;
    faults.push({ path: 'scale_factors', message });
  }
  if (given.shots === undefined && circuit.numQubits > LIMITS.exact_qubits) {
    const message = `Without shots the values of up to ${LIMITS.exact_qubits} qubits are computed; for ${circuit.numQubits} give shots.`;
    faults.push({ path: 'shots', message });
  }
  const scales = given.scale_factors.map((factor) => foldedScale(numGates, factor));
  for (const [i, scale] of scales.entries()) {
    if (scales.indexOf(scale) === i) continue;
    const [a, b] = [given.scale_factors[scales.indexOf(scale)], given.scale_factors[i]];
    const message = `${numGates} gates are folded alike for ${a} and ${b}, to ${scale} times the gates.`;
    faults.push({ path: `scale_factors[${i}]`, message });
  }
  return faults;
}

/** A qubit whose readings do not depend on its state cannot be inverted. */
function readoutFaults(given: MitigateInput, { model, observables }: MitigationRuns): Fault[] {
  if (!given.readout_mitigation) return [];
  const qubits = new Set(observables.flat().flatMap(({ factors }) => factors.map((f) => f.qubit)));
  return [...qubits].flatMap((qubit) => {
    const { slope } = readingMap(readoutErrorsOf(model, qubit));
    if (Math.abs(slope) >= LEAST_SLOPE) return [];
    const message = `Readings of qubit ${qubit} do not depend on its state, so that their errors cannot be inverted.`;
    return [{ path: 'noise.readout', message }];
  });
}

function workFaults(given: MitigateInput, runs: MitigationRuns): readonly Fault[] {
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
  if (work <= LIMITS.amplitude_updates) return [];
  const message = `The circuits take about ${work.toPrecision(2)} amplitude updates; the limit is ${LIMITS.amplitude_updates}.`;
  return [{ path: given.shots === undefined ? 'scale_factors' : 'shots', message }];
}

async function runMitigate(given: MitigateInput, context: ProcedureContext): Promise<JsonObject> {
  const seed = given.seed ?? context.seed;
  const runs = runsOf(given, seed);
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
}

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
  name: (typeof METHODS)[number],
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
