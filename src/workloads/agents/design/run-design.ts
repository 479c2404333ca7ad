/** Runs the tasks `prepare_state`, `shorten` and `synthesize`: finds a circuit, and verifies it. */
import type { Circuit, GateOperation } from '../../../circuit/circuit.ts';
import { FaultList } from '../../../circuit/errors.ts';
import { unitaryFromRows } from '../../../circuit/matrix-rows.ts';
import { matrixOfOperations } from '../../../circuit/operation-matrix.ts';
import {
  dickeCircuit,
  ghzCircuit,
  prepareState,
} from '../../../circuit/synthesis/state-preparation.ts';
import { synthesizeOne, synthesizeTwo } from '../../../circuit/synthesis/unitary-gates.ts';
import { weylDecomposition } from '../../../circuit/synthesis/weyl-decomposition.ts';
import { shortenCircuit } from '../../../compiler/native/shorten-circuit.ts';
import type { ComplexMatrix } from '../../../math/complex-matrix.ts';
import { verifyCircuits } from '../../algorithms/equivalence/verify-circuits.ts';
import {
  asWritten,
  compareUnitaries,
  EquivalenceError,
  isSinglePrecision,
  operatorDistance,
  SINGLE_TOLERANCE,
  stateDistance,
  TOLERANCE,
} from '../../algorithms/equivalence/whole-unitary.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { circuitOf } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { circuitSize, circuitView } from './circuit-report.ts';
import {
  familyAmplitudes,
  gateSetOf,
  givenAmplitudes,
  numQubitsOf,
  onesOf,
  type PrepareStateInput,
  SHORTEN_MAX_QUBITS,
  type ShortenInput,
  type StateFamily,
  type SynthesizeInput,
} from './design-input.ts';

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
  const { statevectors: state } = await circuits.run(
    { ...circuit, operations: asWritten(circuit.operations) },
    { statevector: true },
  );
  if (state === undefined) throw new Error('unreachable: a run without what was asked for');
  const { fidelity, distance } = stateDistance(target, state);
  const tolerance = isSinglePrecision(state) ? SINGLE_TOLERANCE : TOLERANCE;
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

/** Shortens the input's circuit, if a shorter one is found, and verifies it. */
export async function runShorten(
  input: ShortenInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const given = circuitOf(input, { maxQubits: SHORTEN_MAX_QUBITS });
  const { preserve, seed = context.seed } = input;
  context.progress(0.05, 'Shortening');
  const circuit = shortenCircuit(given, gateSetOf(input.gate_set), preserve);
  context.progress(0.5, 'Verifying');
  const verification = await verifyCircuits(given, circuit, { preserve, seed }, context);
  return {
    ...circuitView(circuit),
    before: circuitSize(given),
    after: circuitSize(circuit),
    preserved: preserve,
    verification,
  };
}

/** Tolerance for rounding errors. */
const ROUNDING = 1e-8;
/** Changing the three interaction angles by δ each changes the unitary by at most 3δ. */
const NUM_ANGLES = 3;

/** Synthesises and verifies a circuit for the input's unitary. */
export async function runSynthesize(
  input: SynthesizeInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const numQubits = numQubitsOf(input);
  const faults = new FaultList();
  const unitary = unitaryFromRows(input.unitary, numQubits, 'unitary', faults);
  if (unitary === undefined) throw new ProcedureInputError(faults.kept);
  const set = gateSetOf(input.gate_set);
  const { operations, phase } =
    numQubits === 1
      ? synthesizeOne(unitary, 0, set)
      : synthesizeTwo(unitary, [0, 1], set, input.tolerance);
  const circuit: Circuit = { numQubits, numBits: 0, operations };
  const allowed = ROUNDING + (numQubits === 2 ? NUM_ANGLES * input.tolerance : 0);
  const error = errorOf(unitary, operations, phase, numQubits);
  if (!(error <= allowed)) throw new EquivalenceError('operator distance', error, allowed);
  const given: Circuit = { ...circuit, operations: [unitaryOperation(unitary, numQubits)] };
  const compared = await compareUnitaries(
    given,
    circuit,
    { seed: context.seed, on: 'all', measured: 0 },
    context,
  );
  if (compared.distance > compared.tolerance + allowed) {
    throw new EquivalenceError('distance', compared.distance, compared.tolerance + allowed);
  }
  return {
    ...circuitView(circuit),
    ...circuitSize(circuit),
    global_phase: phase - 2 * Math.PI * Math.round(phase / (2 * Math.PI)),
    ...(numQubits === 2 && {
      interaction_angles: [...weylDecomposition(unitary).coordinates],
      entangling_gates: operations.filter((operation) => isWide(operation)).length,
    }),
    error,
    error_basis: 'operator norm of the difference, global phase included; exact',
    verification: {
      equivalent: true,
      method: compared.method,
      fidelity: compared.fidelity,
      distance: compared.distance,
    },
  };
}

function isWide({ controls, targets }: GateOperation): boolean {
  return controls.length + targets.length > 1;
}

function unitaryOperation(matrix: ComplexMatrix, numQubits: number) {
  const targets = Array.from({ length: numQubits }, (_, q) => q);
  return { kind: 'unitary', controls: [], targets, matrix } as const;
}

/** Verifies by multiplying the gates, which shares no code with the synthesis. */
function errorOf(
  unitary: ComplexMatrix,
  operations: readonly GateOperation[],
  phase: number,
  numQubits: number,
): number {
  const turn = gateOperation('GPHASE', [], [phase]);
  return operatorDistance(unitary, matrixOfOperations([...operations, turn], numQubits));
}
