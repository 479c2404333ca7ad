/** The task `parameter_sweep`: what it takes. */
import { z } from 'zod';
import { SWEEP_LIMITS, sweepFaults, sweepFields } from '../../algorithms/sweep/sweep-fields.ts';
import { procedure } from '../../procedures/procedure.ts';

/** Runs one circuit at many values of its parameters. */
export const parameterSweep = procedure({
  name: 'parameter_sweep',
  description:
    'Runs a circuit with named parameters at every point of a grid, or at listed points. The result has for each point the values of the parameters and what was asked for: exact expectation values, exact probabilities, counts.',
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
  load: () => import('./run-parameter-sweep.ts').then((module) => module.runParameterSweep),
});
