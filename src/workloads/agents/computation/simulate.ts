/** The task `simulate`: what measuring a circuit gives. */
import { z } from 'zod';
import { hasMidCircuitMeasurement, withFinalMeasurement } from '../../../circuit/circuit.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import {
  circuitFaults,
  circuitFields,
  circuitOf,
  MAX_INPUT_GATES,
  seedField,
  shotsField,
} from '../../procedures/input-fields.ts';
import { procedure } from '../../procedures/procedure.ts';
import { MAX_CIRCUIT_QUBITS, MAX_LISTED_QUBITS } from './circuit-sizes.ts';

const MAX_SHOTS = 100_000;

const input = z.strictObject({
  ...circuitFields,
  shots: shotsField(MAX_SHOTS, 1000),
  seed: seedField,
  return: z
    .array(z.enum(['counts', 'probabilities', 'statevector']))
    .min(1)
    .max(3)
    .default(['counts'])
    .describe(
      `Parts of the result; default ["counts"]. statevector: up to ${MAX_LISTED_QUBITS} qubits; probabilities: up to ${MAX_LISTED_QUBITS} classical bits; both exact`,
    ),
});
/** An input of good form. */
export type SimulateInput = z.output<typeof input>;

/** Counts, exact probabilities and amplitudes of a circuit. */
export const simulate = procedure({
  name: 'simulate',
  description:
    'Runs a circuit, given as gate objects or as OpenQASM, and returns the counts of its measured bits; on request also the exact distribution and the state vector. A circuit that measures nothing is measured at its end.',
  input,
  check: inputFaults,
  limits: {
    deadline_ms: 120_000,
    max_qubits: MAX_CIRCUIT_QUBITS,
    max_gates: MAX_INPUT_GATES,
    max_shots: MAX_SHOTS,
    max_listed_qubits: MAX_LISTED_QUBITS,
  },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'M', qubits: [0, 1] },
    ],
    shots: 1000,
    seed: 7,
  },
  load: async () => (await import('./run-simulate.ts')).runSimulate,
});

function inputFaults(parsed: SimulateInput): readonly Fault[] {
  const limits = { maxQubits: MAX_CIRCUIT_QUBITS };
  const faults = circuitFaults(parsed, limits);
  if (faults.length > 0) return faults;
  const circuit = withFinalMeasurement(circuitOf(parsed, limits));
  const isMidCircuit = hasMidCircuitMeasurement(circuit);
  const widths = { counts: 0, probabilities: circuit.numBits, statevector: circuit.numQubits };
  const units = { counts: '', probabilities: 'classical bits', statevector: 'qubits' };
  return parsed.return.flatMap((output, i): readonly Fault[] => {
    const path = `return[${i}]`;
    if (output !== 'counts' && isMidCircuit) {
      const message = `${output} needs a circuit whose measurements are all last, without conditions and without resets of qubits in use.`;
      return [{ path, message }];
    }
    if (widths[output] <= MAX_LISTED_QUBITS) return [];
    const message = `${output} of ${widths[output]} ${units[output]}; the limit max_listed_qubits is ${MAX_LISTED_QUBITS}.`;
    return [{ path, message }];
  });
}
