/** Input of the task `mitigate`, its limits and its faults. */
import { z } from 'zod';
import { hasMidCircuitMeasurement } from '../../../circuit/circuit.ts';
import { readoutErrorsOf } from '../../../circuit/noise/apply-noise.ts';
import { parseObservables } from '../../../circuit/observable.ts';
import { pauliTerm } from '../../../circuit/observable-schema.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { foldedScale, foldGlobally, numGatesOf } from '../../algorithms/mitigation/fold-circuit.ts';
import type { MitigationRuns } from '../../algorithms/mitigation/run-mitigation.ts';
import { readingMap } from '../../algorithms/noise/misread-observable.ts';
import { circuitFields, circuitOf, faultsOf, seedField } from '../../procedures/input-fields.ts';
import { noiseField, noiseModelOf } from '../../procedures/noise-fields.ts';

/** Limits of the task. */
export const MITIGATE_LIMITS = {
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
/** Smallest slope of a reading that is inverted: its error grows by a factor of 1000. */
const LEAST_SLOPE = 1e-3;

/** Its input. */
export const mitigateInput = z.strictObject({
  ...circuitFields,
  observables: z
    .array(z.union([pauliTerm, z.array(pauliTerm).min(1)]))
    .min(1)
    .max(MITIGATE_LIMITS.observables)
    .describe(
      'Observables whose values without noise are sought: each a Pauli term, such as {"pauli": "Z0 Z1"}, or a list of terms that are summed',
    ),
  noise: noiseField,
  scale_factors: z
    .array(z.number().min(1).max(MITIGATE_LIMITS.scale_factor))
    .min(2)
    .max(MITIGATE_LIMITS.scale_factors)
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
    .max(MITIGATE_LIMITS.shots)
    .optional()
    .describe(
      'Number of shots of each circuit: one for each scale factor and group of Pauli strings that are measured together. Without it values are exact, by density matrices',
    ),
  seed: seedField,
});
/** The input, read. */
export type MitigateInput = z.output<typeof mitigateInput>;

/**
 * Reads the runs of an input.
 *
 * @throws {CodedError} listing every fault of the circuit, the noise and the observables.
 */
export function runsOf(given: MitigateInput, seed: number): MitigationRuns {
  const circuit = circuitOf(given, { maxQubits: MITIGATE_LIMITS.qubits });
  const observables = parseObservables(given.observables, circuit.numQubits, 'observables');
  const model = noiseModelOf(given.noise);
  const isFoldable = numGatesOf(circuit) > 0 && !hasMidCircuitMeasurement(circuit);
  const folded = isFoldable
    ? given.scale_factors.map((factor) => foldGlobally(circuit, factor))
    : [];
  return { circuit, folded, model, observables, shots: given.shots, seed };
}

/** Faults of an input, but for the work that it makes. */
export function inputFaults(given: MitigateInput): readonly Fault[] {
  const faults = scaleFaults(given);
  if (faults.length > 0) return faults;
  return faultsOf(() => {
    // Before anything is folded: thousands of gates may become many more.
    const unfolded = runsOf({ ...given, scale_factors: [1] }, 0);
    return [...circuitFaults(given, unfolded), ...readoutFaults(given, unfolded)];
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
  if (terms > MITIGATE_LIMITS.observable_terms) {
    const message = `${terms} terms; the limit over all observables is ${MITIGATE_LIMITS.observable_terms}.`;
    faults.push({ path: 'observables', message });
  }
  if (all > MITIGATE_LIMITS.folded_gates) {
    const message = `The folded circuits have ${Math.round(all)} gates together; the limit is ${MITIGATE_LIMITS.folded_gates}.`;
    faults.push({ path: 'scale_factors', message });
  }
  if (given.shots === undefined && circuit.numQubits > MITIGATE_LIMITS.exact_qubits) {
    const message = `Without shots the values of up to ${MITIGATE_LIMITS.exact_qubits} qubits are computed; for ${circuit.numQubits} give shots.`;
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
