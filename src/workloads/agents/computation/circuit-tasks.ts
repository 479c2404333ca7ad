/** The tasks `simulate` and `expectation`: outputs of one circuit. */
import { z } from 'zod';
import {
  type Circuit,
  hasMidCircuitMeasurement,
  measuredQubits,
  withFinalMeasurement,
} from '../../../circuit/circuit.ts';
import { parseObservables } from '../../../circuit/observable.ts';
import { pauliTerm } from '../../../circuit/observable-schema.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { distributionView, runCircuit } from '../../algorithms/run-points.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import {
  type CircuitInput,
  circuitFaults,
  circuitFields,
  circuitOf,
  faultsOf,
  MAX_INPUT_GATES,
  NEEDS_FINAL_STATE,
  seedField,
  shotsField,
  widthFaults,
} from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { CircuitRunner, ProcedureContext } from '../../procedures/procedure-context.ts';

/**
 * Most qubits of a circuit: the smallest node can hold such a state; processors may hold fewer at times.
 */
const MAX_QUBITS = 24;
/** Most qubits or classical bits for which a result lists every entry. */
const MAX_LISTED_QUBITS = 14;
const MAX_SHOTS = 100_000;
const MAX_OBSERVABLES = 100;
const MAX_TERMS = 1000;

/** Limits of both tasks. */
const CIRCUIT_LIMITS = {
  deadline_ms: 120_000,
  max_qubits: MAX_QUBITS,
  max_gates: MAX_INPUT_GATES,
} as const;

const simulateInput = z.strictObject({
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
type SimulateInput = z.output<typeof simulateInput>;

/** The task `simulate`. */
export const simulate = procedure({
  name: 'simulate',
  description:
    'Runs a circuit, given as gate objects or as OpenQASM, and returns the counts of its measured bits; on request also the exact distribution and the state vector. A circuit that measures nothing is measured at its end.',
  input: simulateInput,
  check: simulateFaults,
  limits: { ...CIRCUIT_LIMITS, max_shots: MAX_SHOTS, max_listed_qubits: MAX_LISTED_QUBITS },
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

function simulateFaults(given: SimulateInput): readonly Fault[] {
  const faults = circuitFaults(given, { maxQubits: MAX_QUBITS });
  if (faults.length > 0) return faults;
  const circuit = withFinalMeasurement(circuitOf(given, { maxQubits: MAX_QUBITS }));
  const isMidCircuit = hasMidCircuitMeasurement(circuit);
  const widths = { counts: 0, probabilities: circuit.numBits, statevector: circuit.numQubits };
  const units = { counts: '', probabilities: 'classical bits', statevector: 'qubits' };
  return given.return.flatMap((output, i): readonly Fault[] => {
    const path = `return[${i}]`;
    if (output !== 'counts' && isMidCircuit) {
      return [{ path, message: `${output} needs ${NEEDS_FINAL_STATE}` }];
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
  const outputs = {
    seed,
    shots: wants.has('counts') ? shots : 0,
    probabilities: wants.has('probabilities'),
    statevector: wants.has('statevector'),
  };
  const { counts, probabilities, statevector } = await runCircuit(circuit, outputs, context);
  return {
    ...(counts && { counts, shots, seed }),
    ...(probabilities && { probabilities: distributionView(probabilities, Number.MIN_VALUE) }),
    ...(statevector && { statevector: amplitudesOf(statevector) }),
    qubits: circuit.numQubits,
    bit_order: 'little-endian',
    measured_qubits: measuredQubits(circuit),
  };
}

/** [re, im] of each basis state, little-endian. */
function amplitudesOf(amplitudes: Float64Array): readonly (readonly [number, number])[] {
  return Array.from({ length: amplitudes.length / 2 }, (_, i) => [
    amplitudes[2 * i]! + 0,
    amplitudes[2 * i + 1]! + 0,
  ]);
}

const expectationInput = z.strictObject({
  ...circuitFields,
  observables: z
    .array(z.union([pauliTerm, z.array(pauliTerm).min(1).max(MAX_TERMS)]))
    .min(1)
    .max(MAX_OBSERVABLES)
    .describe(
      `Each element is a Pauli term, such as {"pauli": "Z0 Z1"}, or a list of terms that are summed; at most ${MAX_TERMS} terms in all`,
    ),
});
type ExpectationInput = z.output<typeof expectationInput>;

/** The task `expectation`. */
export const expectation = procedure({
  name: 'expectation',
  description:
    'Exact expectation values of Pauli sums in the state before the final measurements of a circuit, given as gate objects or as OpenQASM. The result has one value for each observable.',
  input: expectationInput,
  check: expectationFaults,
  limits: { ...CIRCUIT_LIMITS, max_observables: MAX_OBSERVABLES, max_terms: MAX_TERMS },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    observables: [{ pauli: 'Z0 Z1' }, [{ pauli: 'X0 X1', coefficient: 0.5 }, { pauli: 'Z0' }]],
  },
  run: runExpectation,
});

function expectationFaults(given: ExpectationInput): readonly Fault[] {
  const { observables } = given;
  const faults = [...circuitFaults(given, { maxQubits: MAX_QUBITS })];
  const numTerms = observables.flat().length;
  if (numTerms > MAX_TERMS) {
    const message = `${numTerms} terms in all; the limit max_terms is ${MAX_TERMS}.`;
    faults.push({ path: 'observables', message });
  }
  if (faults.length > 0) return faults;
  const circuit = circuitOf(given, { maxQubits: MAX_QUBITS });
  if (hasMidCircuitMeasurement(circuit)) {
    const path = given.circuit === undefined ? 'qasm' : 'circuit';
    faults.push({ path, message: `An exact expectation value needs ${NEEDS_FINAL_STATE}` });
  }
  const found = faultsOf(() => {
    parseObservables(observables, circuit.numQubits, 'observables');
    return [];
  });
  return [...faults, ...found];
}

async function runExpectation(
  input: ExpectationInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const circuit = fittingCircuit(input, context.circuits);
  const observables = parseObservables(input.observables, circuit.numQubits, 'observables');
  context.progress(0, `${observables.length} observables of ${circuit.numQubits} qubits`);
  const { expectations } = await runCircuit(circuit, { observables, seed: 0 }, context);
  if (expectations === undefined) throw new Error('unreachable: no expectation values came back');
  return { values: expectations, qubits: circuit.numQubits, method: 'exact' };
}

/**
 * Reads the circuit of an input.
 *
 * @throws {ProcedureInputError} if it is invalid, or wider than the processors can run now.
 */
function fittingCircuit(input: CircuitInput, { maxQubits }: CircuitRunner): Circuit {
  const circuit = circuitOf(input, { maxQubits: MAX_QUBITS });
  const path = input.circuit === undefined ? 'qasm' : 'circuit';
  const faults = widthFaults(circuit, maxQubits, path);
  if (faults.length > 0) throw new ProcedureInputError(faults);
  return circuit;
}
