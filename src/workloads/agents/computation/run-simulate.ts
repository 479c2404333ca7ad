/** Runs circuits for counts, distributions and amplitudes. */
import { measuredQubits, withFinalMeasurement } from '../../../circuit/circuit.ts';
import type { Counts } from '../../../engine/engine.ts';
import { basisLabel, outcomeLabel } from '../../../math/basis-index.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import { fittingCircuit } from './fitting-circuit.ts';
import type { SimulateInput } from './simulate.ts';

/** Runs `simulate`. */
export const runSimulate: RunProcedure<SimulateInput> = async (input, context) => {
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
    ...(wants.has('counts') ? { counts: countsOf(run.counts), shots, seed } : {}),
    ...(run.probabilities && { probabilities: listed(run.probabilities, circuit.numBits) }),
    ...(run.statevector && { statevector: amplitudesOf(run.statevector) }),
    qubits: circuit.numQubits,
    bit_order: 'little-endian',
    measured_qubits: measuredQubits(circuit),
  };
};

function countsOf({ numBits, wordsPerOutcome, outcomes, occurrences }: Counts): JsonObject {
  return Object.fromEntries(
    Array.from(occurrences, (occurrence, i) => [
      outcomeLabel(outcomes, i * wordsPerOutcome, wordsPerOutcome, numBits),
      occurrence,
    ]),
  );
}

/** Outcomes of probability zero are left out. */
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
