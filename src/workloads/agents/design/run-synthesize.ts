/** Runs the task `synthesize`. */
import type { Circuit, GateOperation } from '../../../circuit/circuit.ts';
import { FaultList } from '../../../circuit/errors.ts';
import { unitaryFromRows } from '../../../circuit/matrix-rows.ts';
import { matrixOfOperations } from '../../../circuit/operation-matrix.ts';
import { synthesizeOne, synthesizeTwo } from '../../../circuit/synthesis/unitary-gates.ts';
import { weylDecomposition } from '../../../circuit/synthesis/weyl-decomposition.ts';
import type { ComplexMatrix } from '../../../math/complex-matrix.ts';
import { operatorDistance } from '../../algorithms/equivalence/distances.ts';
import { EquivalenceError } from '../../algorithms/equivalence/errors.ts';
import { compareUnitaries } from '../../algorithms/equivalence/whole-unitary.ts';
import { gateOperation } from '../../algorithms/gate-operation.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { circuitView } from './circuit-view.ts';
import { circuitSize } from './gate-counts.ts';
import { gateSetOf } from './gate-set-field.ts';
import { numQubitsOf, type SynthesizeInput } from './synthesize.ts';

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
