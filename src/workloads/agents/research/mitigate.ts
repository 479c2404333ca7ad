/** The task `mitigate`: readout error inversion and zero-noise extrapolation of expectation values. */
import { procedure } from '../../procedures/procedure.ts';
import { inputFaults, MITIGATE_LIMITS, mitigateInput } from './mitigate-input.ts';

/** The task `mitigate`. */
export const mitigate = procedure({
  name: 'mitigate',
  description:
    'Mitigates the errors of expectation values under a noise model, as on a noisy device: inverts readout errors and extrapolates to zero noise. Readout errors are inverted qubit by qubit (tensored confusion matrices, those of the noise model), which leaves no bias and enlarges standard errors. Global unitary folding, U (U†U)^n and partly for factors in between, scales the noise of gates; an inverse gate has the noise of its gate. The result has for each observable the ideal value, the raw one, the one with readout errors inverted, those at each scale factor, and the extrapolated ones with standard errors; `ideal` is exact, from the circuit without noise. Circuits with measurements in mid-circuit, resets or conditions cannot be folded.',
  input: mitigateInput,
  check: inputFaults,
  lateCheck: async (given) => (await import('./run-mitigate.ts')).workFaults(given),
  limits: { ...MITIGATE_LIMITS, deadline_ms: 600_000 },
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
  run: async (given, context) => (await import('./run-mitigate.ts')).runMitigate(given, context),
});
