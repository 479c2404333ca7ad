/** The task `simulate`: counts, exact distribution and state vector of a circuit. */
import { z } from 'zod';
import {
  hasMidCircuitMeasurement,
  measuredQubits,
  withFinalMeasurement,
} from '../../../circuit/circuit.ts';
import type { Counts } from '../../../engine/engine.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { countsOfRow } from '../../../fleet/run-outputs.ts';
import { basisLabel, outcomeLabel } from '../../../math/basis-index.ts';
import {
  circuitFaults,
  circuitFields,
  circuitOf,
  MAX_INPUT_GATES,
  seedField,
  shotsField,
} from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { fittingCircuit, MAX_CIRCUIT_QUBITS, MAX_LISTED_QUBITS } from './fitting-circuit.ts';

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
type SimulateInput = z.output<typeof input>;

/** The task `simulate`. */
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
  run: runSimulate,
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

async function runSimulate(input: SimulateInput, context: ProcedureContext): Promise<JsonObject> {
  const { shots, seed = context.seed } = input;
  const circuit = withFinalMeasurement(fittingCircuit(input, context.circuits));
  context.progress(0, `${circuit.operations.length} operations on ${circuit.numQubits} qubits`);
  const wants = new Set(input.return);
  const run = await context.circuits.run(circuit, {
    ...(wants.has('counts') ? { shots, seed } : {}),
    ...(wants.has('probabilities') ? { probabilities: true } : {}),
    ...(wants.has('statevector') ? { statevector: true } : {}),
  });
  context.countUnits(1);
  return {
    ...(wants.has('counts')
      ? { counts: countsOf(countsOfRow(run, 0, circuit.numBits)), shots, seed }
      : {}),
    ...(run.probabilities && { probabilities: listed(run.probabilities, circuit.numBits) }),
    ...(run.statevectors && { statevector: amplitudesOf(run.statevectors) }),
    qubits: circuit.numQubits,
    bit_order: 'little-endian',
    measured_qubits: measuredQubits(circuit),
  };
}

function countsOf({ numBits, wordsPerOutcome, outcomes, occurrences }: Counts): JsonObject {
  return Object.fromEntries(
    Array.from(occurrences, (occurrence, i) => [
      outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits),
      occurrence,
    ]),
  );
}

/** Probabilities by label, without those of 0. */
function listed(probabilities: Float64Array, numBits: number): JsonObject {
  const entries = Array.from(probabilities, (probability, outcome): [string, number] => [
    basisLabel(outcome, numBits),
    probability,
  ]);
  return Object.fromEntries(entries.filter(([, probability]) => probability > 0));
}

/** [re, im] of each basis state, little-endian. */
function amplitudesOf(amplitudes: Float64Array): readonly (readonly [number, number])[] {
  return Array.from({ length: amplitudes.length / 2 }, (_, i) => [
    amplitudes[2 * i]! + 0,
    amplitudes[2 * i + 1]! + 0,
  ]);
}
