/** Runs circuits for expectation values. */
import { parseObservables } from '../../../circuit/observable.ts';
import type { RunProcedure } from '../../procedures/procedure.ts';
import type { ExpectationInput } from './expectation.ts';
import { fittingCircuit } from './fitting-circuit.ts';

/** Runs `expectation`. */
export const runExpectation: RunProcedure<ExpectationInput> = async (
  input,
  { circuits, ...rest },
) => {
  const circuit = fittingCircuit(input, circuits);
  const observables = parseObservables(input.observables, circuit.numQubits, 'observables');
  rest.progress(0, `${observables.length} observables of ${circuit.numQubits} qubits`);
  const { expectations } = await circuits.run(circuit, { observables });
  if (expectations === undefined) throw new Error('unreachable: no expectation values came back');
  rest.countUnits(1);
  return { values: expectations, qubits: circuit.numQubits, method: 'exact' };
};
