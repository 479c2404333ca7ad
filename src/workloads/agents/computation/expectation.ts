/** The task `expectation`: exact expectation values of Pauli sums. */
import { z } from 'zod';
import { hasMidCircuitMeasurement } from '../../../circuit/circuit.ts';
import { parseObservables } from '../../../circuit/observable.ts';
import { pauliTerm } from '../../../circuit/observable-schema.ts';
import { CodedError, type Fault } from '../../../errors/coded-error.ts';
import {
  circuitFaults,
  circuitFields,
  circuitOf,
  MAX_INPUT_GATES,
} from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { fittingCircuit, MAX_CIRCUIT_QUBITS } from './fitting-circuit.ts';

const MAX_OBSERVABLES = 100;
const MAX_TERMS = 1000;

const input = z.strictObject({
  ...circuitFields,
  observables: z
    .array(z.union([pauliTerm, z.array(pauliTerm).min(1).max(MAX_TERMS)]))
    .min(1)
    .max(MAX_OBSERVABLES)
    .describe(
      `Each element is a Pauli term, such as {"pauli": "Z0 Z1"}, or a list of terms that are summed; at most ${MAX_TERMS} terms in all`,
    ),
});
type ExpectationInput = z.output<typeof input>;

/** The task `expectation`. */
export const expectation = procedure({
  name: 'expectation',
  description:
    'Exact expectation values of Pauli sums in the state before the final measurements of a circuit, given as gate objects or as OpenQASM. The result has one value for each observable.',
  input,
  check: inputFaults,
  limits: {
    deadline_ms: 120_000,
    max_qubits: MAX_CIRCUIT_QUBITS,
    max_gates: MAX_INPUT_GATES,
    max_observables: MAX_OBSERVABLES,
    max_terms: MAX_TERMS,
  },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
    ],
    observables: [{ pauli: 'Z0 Z1' }, [{ pauli: 'X0 X1', coefficient: 0.5 }, { pauli: 'Z0' }]],
  },
  run: runExpectation,
});

function inputFaults(parsed: ExpectationInput): readonly Fault[] {
  const limits = { maxQubits: MAX_CIRCUIT_QUBITS };
  const faults = [...circuitFaults(parsed, limits)];
  const numTerms = parsed.observables.flat().length;
  if (numTerms > MAX_TERMS) {
    const message = `${numTerms} terms in all; the limit max_terms is ${MAX_TERMS}.`;
    faults.push({ path: 'observables', message });
  }
  if (faults.length > 0) return faults;
  const circuit = circuitOf(parsed, limits);
  if (hasMidCircuitMeasurement(circuit)) {
    const path = parsed.circuit === undefined ? 'qasm' : 'circuit';
    const message =
      'An exact expectation value needs a circuit whose measurements are all last, without conditions and without resets of qubits in use.';
    faults.push({ path, message });
  }
  return [...faults, ...observableFaults(parsed, circuit.numQubits)];
}

function observableFaults({ observables }: ExpectationInput, numQubits: number): readonly Fault[] {
  try {
    parseObservables(observables, numQubits, 'observables');
    return [];
  } catch (error) {
    if (error instanceof CodedError) return error.faults;
    throw error;
  }
}

async function runExpectation(
  input: ExpectationInput,
  { circuits, ...rest }: ProcedureContext,
): Promise<JsonObject> {
  const circuit = fittingCircuit(input, circuits);
  const observables = parseObservables(input.observables, circuit.numQubits, 'observables');
  rest.progress(0, `${observables.length} observables of ${circuit.numQubits} qubits`);
  const { expectations } = await circuits.run(circuit, { observables });
  if (expectations === undefined) throw new Error('unreachable: no expectation values came back');
  rest.countUnits(1);
  return { values: [...expectations], qubits: circuit.numQubits, method: 'exact' };
}
