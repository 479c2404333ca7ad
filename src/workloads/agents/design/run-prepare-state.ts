/** Runs the task `prepare_state`. */
import type { Circuit, GateOperation } from '../../../circuit/circuit.ts';
import {
  dickeCircuit,
  ghzCircuit,
  prepareState,
} from '../../../circuit/synthesis/state-preparation.ts';
import { shortenCircuit } from '../../../compiler/native/shorten-circuit.ts';
import { isSinglePrecision, stateDistance } from '../../algorithms/equivalence/distances.ts';
import { EquivalenceError } from '../../algorithms/equivalence/errors.ts';
import {
  asWritten,
  SINGLE_TOLERANCE,
  TOLERANCE,
} from '../../algorithms/equivalence/whole-unitary.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { circuitView } from './circuit-view.ts';
import { circuitSize } from './gate-counts.ts';
import { gateSetOf } from './gate-set-field.ts';
import { givenAmplitudes, type PrepareStateInput } from './prepare-state.ts';
import { familyAmplitudes, onesOf, type StateFamily } from './target-state.ts';

/** Target state and the gates that prepare it. */
interface Plan {
  readonly numQubits: number;
  /** Amplitudes, interleaved re, im; norm 1. */
  readonly target: Float64Array;
  readonly operations: readonly GateOperation[];
  readonly method: string;
}

/** Prepares and verifies a circuit for the input's state. */
export async function runPrepareState(
  input: PrepareStateInput,
  { circuits, progress }: ProcedureContext,
): Promise<JsonObject> {
  const { numQubits, target, operations, method } = planOf(input);
  if (numQubits > circuits.maxQubits) {
    const message = `${numQubits} qubits; the processor takes ${circuits.maxQubits} now.`;
    throw new ProcedureInputError([{ path: 'qubits', message }]);
  }
  progress(0.2, 'Shortening');
  const written: Circuit = { numQubits, numBits: 0, operations };
  const circuit = shortenCircuit(written, gateSetOf(input.gate_set), 'state');
  progress(0.6, 'Verifying');
  const { statevector } = await circuits.run(
    { ...circuit, operations: asWritten(circuit.operations) },
    { statevector: true },
  );
  if (statevector === undefined) throw new Error('unreachable: a run without what was asked for');
  const { fidelity, distance } = stateDistance(target, statevector);
  const tolerance = isSinglePrecision(statevector) ? SINGLE_TOLERANCE : TOLERANCE;
  if (!(distance <= tolerance)) throw new EquivalenceError('distance', distance, tolerance);
  return {
    ...circuitView(circuit),
    ...circuitSize(circuit),
    method,
    fidelity,
    distance,
    fidelity_basis:
      'The circuit was run from |0…0⟩ and its final state compared with the one asked for, up to a phase; exact but for rounding.',
  };
}

function planOf(input: PrepareStateInput): Plan {
  const { amplitudes, state, qubits, excitations } = input;
  if (amplitudes !== undefined) {
    const given = givenAmplitudes(amplitudes);
    const norm = Math.hypot(...given);
    const target = given.map((part) => part / norm);
    const numQubits = Math.log2(amplitudes.length);
    const operations = prepareState(target, numQubits);
    return { numQubits, target, operations, method: 'multiplexed_rotations' };
  }
  if (state === undefined || qubits === undefined) {
    throw new Error('unreachable: an input that was not checked');
  }
  return {
    numQubits: qubits,
    target: familyAmplitudes(state, qubits, excitations),
    operations: familyCircuit(state, qubits, excitations),
    method: `${state}_circuit`,
  };
}

function familyCircuit(
  family: StateFamily,
  numQubits: number,
  excitations: number | undefined,
): readonly GateOperation[] {
  switch (family) {
    case 'ghz':
      return ghzCircuit(numQubits);
    case 'w':
    case 'dicke':
      return dickeCircuit(numQubits, onesOf(family, excitations));
    case 'uniform':
      return Array.from({ length: numQubits }, (_, q) => gateOperation('H', [q]));
  }
}
