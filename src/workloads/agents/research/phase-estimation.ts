/** The task `phase_estimation`: quantum phase estimation of a unitary's eigenvalue. */
import { z } from 'zod';
import type { Circuit, GateOperation, UnitaryOperation } from '../../../circuit/circuit.ts';
import type { GateObject } from '../../../circuit/gate-object.ts';
import { gateObject } from '../../../circuit/gate-object-schema.ts';
import { circuitFromGateObjects } from '../../../circuit/gate-objects.ts';
import { type PauliSum, parseObservables } from '../../../circuit/observable.ts';
import { matrixOfOperations } from '../../../circuit/operation-matrix.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import type { ComplexMatrix } from '../../../math/complex-matrix.ts';
import { circuitJson } from '../../algorithms/gate-operation.ts';
import { applyObservable, exponential } from '../../algorithms/hamiltonians/observable-action.ts';
import { innerProduct } from '../../algorithms/linear-algebra/vectors.ts';
import {
  type Eigenstate,
  eigenstates,
  phaseCircuit,
  phaseDistribution,
  preparationOf,
  times,
} from '../../algorithms/phase-estimation.ts';
import { circuitSeed, runCircuit } from '../../algorithms/run-points.ts';
import { ProcedureInputError } from '../../procedures/errors.ts';
import { faultsOf, seedField } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

const LIMITS = {
  counting_qubits: 12,
  unitary_qubits: 3,
  gates: 200,
  hamiltonian_terms: 64,
  /** Largest exponent, radians: the sum of the absolute coefficients times the time. */
  hamiltonian_time: 1000,
  shots: 1_000_000,
} as const;

const gates = z.array(gateObject).min(1).max(LIMITS.gates);

const input = z.strictObject({
  unitary: gates
    .optional()
    .describe(
      `Gate objects whose product is the unitary, on qubits 0 to ${LIMITS.unitary_qubits - 1}: [{"gate": "T", "qubit": 0}], or UNITARY with a matrix. Give either this or hamiltonian`,
    ),
  hamiltonian: z
    .array(
      z.strictObject({
        pauli: z.string().max(40).describe('Pauli string, such as "Z0 X1"; "I" is the identity'),
        coefficient: z.number().min(-1e6).max(1e6).optional().describe('Default 1'),
      }),
    )
    .min(1)
    .max(LIMITS.hamiltonian_terms)
    .optional()
    .describe('Pauli terms whose sum is H; the unitary is then exp(−i·H·time), computed exactly'),
  time: z
    .number()
    .min(-1e6)
    .max(1e6)
    .optional()
    .describe('hamiltonian only: evolution time; default 1'),
  counting_qubits: z
    .int()
    .min(1)
    .max(LIMITS.counting_qubits)
    .default(5)
    .describe('Binary digits of the estimate; default 5'),
  eigenstate: z
    .int()
    .min(0)
    .max(2 ** LIMITS.unitary_qubits - 1)
    .optional()
    .describe(
      'Index of the eigenstate of the unitary to prepare, exactly; by ascending phase, from 0. By default the last',
    ),
  preparation: gates
    .optional()
    .describe(
      'Gate objects that prepare the state from |0…0⟩ on the qubits of the unitary; replaces eigenstate',
    ),
  shots: z
    .int()
    .min(1)
    .max(LIMITS.shots)
    .optional()
    .describe('Number of estimates to draw in addition to the exact distribution; default none'),
  seed: seedField,
});
/** Parsed input. */
type PhaseEstimationInput = z.output<typeof input>;

/** The task `phase_estimation`. */
export const phaseEstimation = procedure({
  name: 'phase_estimation',
  description:
    'Estimates the phase of an eigenvalue of a unitary on up to three qubits, or an energy of a small Hamiltonian, by quantum phase estimation. The result has the distribution of estimates, the likeliest one, the exact phase by diagonalisation, the error and the resolution, and the circuit.',
  input,
  check: phaseFaults,
  limits: { ...LIMITS, deadline_ms: 120_000 },
  example: { unitary: [{ gate: 'T', qubit: 0 }], counting_qubits: 3 },
  feeds: { circuit: 'circuit' },
  run: runPhaseEstimation,
});

/** The unitary of an input, and the state to prepare. */
interface PhaseQuestion {
  readonly numQubits: number;
  readonly unitary: ComplexMatrix;
  readonly hamiltonian?: PauliSum;
  /** Gates that prepare the state, if the input has them. */
  readonly preparation?: ComplexMatrix;
}

/**
 * Reads the unitary and the state of an input.
 *
 * @throws {CodedError} listing every fault.
 */
function phaseQuestion(given: PhaseEstimationInput): PhaseQuestion {
  const { unitary, hamiltonian, time = 1 } = given;
  if (unitary !== undefined) {
    const { numQubits, operations } = unitaryGates(unitary, 'unitary');
    return {
      numQubits,
      unitary: matrixOfOperations(operations, numQubits),
      ...preparationGates(given, numQubits),
    };
  }
  const [sum = []] = parseObservables([hamiltonian ?? []], LIMITS.unitary_qubits, 'hamiltonian');
  const qubits = sum.flatMap(({ factors }) => factors.map(({ qubit }) => qubit));
  const numQubits = Math.max(0, ...qubits) + 1;
  return {
    numQubits,
    unitary: exponential(sum, numQubits, time),
    hamiltonian: sum,
    ...preparationGates(given, numQubits),
  };
}

function preparationGates({ preparation }: PhaseEstimationInput, numQubits: number) {
  if (preparation === undefined) return {};
  const { operations } = unitaryGates(preparation, 'preparation', numQubits);
  return { preparation: matrixOfOperations(operations, numQubits) };
}

/** Checks that a circuit has only gates and explicit unitaries, without conditions. */
function unitaryGates(
  objects: readonly GateObject[],
  path: string,
  numQubits?: number,
): Circuit & { readonly operations: readonly (GateOperation | UnitaryOperation)[] } {
  const limits = { maxQubits: numQubits ?? LIMITS.unitary_qubits, maxGates: LIMITS.gates };
  const width = numQubits === undefined ? {} : { numQubits };
  const circuit = circuitFromGateObjects(objects, { limits, path, ...width });
  const operations: (GateOperation | UnitaryOperation)[] = [];
  for (const [i, operation] of circuit.operations.entries()) {
    const isPlain = operation.kind === 'gate' || operation.kind === 'unitary';
    if (!isPlain || operation.condition !== undefined) {
      const message = 'Only gates without conditions have a matrix.';
      throw new ProcedureInputError([{ path: `${path}[${i}]`, message }]);
    }
    operations.push(operation);
  }
  return { ...circuit, operations };
}

function phaseFaults(given: PhaseEstimationInput): readonly Fault[] {
  const faults = fieldFaults(given);
  if (faults.length > 0) return faults;
  const found = faultsOf(() => {
    const { numQubits } = phaseQuestion(given);
    const numStates = 2 ** numQubits;
    if (given.eigenstate === undefined || given.eigenstate < numStates) return [];
    const message = `The unitary has ${numStates} eigenstates, 0 to ${numStates - 1}.`;
    return [{ path: 'eigenstate', message }];
  });
  // The input has one Hamiltonian, not a list.
  return found.map((fault) => ({
    ...fault,
    path: fault.path.replace('hamiltonian[0]', 'hamiltonian'),
  }));
}

function fieldFaults(given: PhaseEstimationInput): readonly Fault[] {
  const { unitary, hamiltonian, time, eigenstate, preparation } = given;
  if (unitary === undefined && hamiltonian === undefined) {
    return [{ path: 'unitary', message: 'Required: unitary, or hamiltonian instead.' }];
  }
  const faults: Fault[] = [];
  if (unitary !== undefined && hamiltonian !== undefined) {
    faults.push({ path: 'hamiltonian', message: 'Give either unitary or hamiltonian, not both.' });
  }
  if (unitary !== undefined && time !== undefined) {
    faults.push({ path: 'time', message: 'Only taken with hamiltonian.' });
  }
  if (time === 0) faults.push({ path: 'time', message: 'In no time nothing turns.' });
  if (eigenstate !== undefined && preparation !== undefined) {
    faults.push({ path: 'preparation', message: 'Give either eigenstate or preparation.' });
  }
  const size = (hamiltonian ?? []).reduce((sum, term) => sum + Math.abs(term.coefficient ?? 1), 0);
  if (size * Math.abs(time ?? 1) > LIMITS.hamiltonian_time) {
    const message = `The coefficients' sizes times the time come to ${size * Math.abs(time ?? 1)}; the limit is ${LIMITS.hamiltonian_time}.`;
    faults.push({ path: 'hamiltonian', message });
  }
  return faults;
}

async function runPhaseEstimation(
  input: PhaseEstimationInput,
  context: ProcedureContext,
): Promise<JsonObject> {
  const { counting_qubits: numCounting, shots } = input;
  const seed = input.seed ?? context.seed;
  const question = phaseQuestion(input);
  const states = eigenstates(question.unitary);
  const asked = states[input.eigenstate ?? states.length - 1]!;
  const preparation = question.preparation ?? preparationOf(asked.vector);
  const circuit = phaseCircuit({ numCounting, unitary: question.unitary, preparation });
  context.progress(0.1, `circuit of ${circuit.numQubits} qubits`);
  const { counts, probabilities: distribution = new Float64Array() } = await runCircuit(
    circuit,
    { seed: circuitSeed(seed, 0), probabilities: true, ...(shots !== undefined && { shots }) },
    context,
  );
  const parts = weights(states, preparation);
  const main = parts.reduce((best, part) => (part.weight > best.weight ? part : best));
  return {
    ...estimateView(distribution, main.phase),
    ...energyView(question, input, main, distribution),
    counting_qubits: numCounting,
    eigenphases: parts.map(({ phase, weight }) => ({ phase, weight })),
    distribution: [...distribution],
    largest_deviation_from_theory: largestDifference(
      distribution,
      phaseDistribution(numCounting, parts),
    ),
    circuit: circuitJson(circuit),
    ...(counts !== undefined && shots !== undefined && { shots, counts }),
    seed,
    basis: 'exact distribution of the circuit; the exact phase by diagonalisation',
  };
}

/** An eigenstate and the weight of its phase in the prepared state. */
type WeighedState = Eigenstate & { readonly weight: number };

/** Phases closer than this are equal, turns. */
const SAME_PHASE = 1e-9;

/**
 * Eigenstates by ascending phase. Those of equal phase are merged: the one of largest weight, with the
 * sum of the weights.
 */
function weights(
  states: readonly Eigenstate[],
  preparation: Float64Array,
): readonly WeighedState[] {
  const start = new Float64Array(2 * states.length);
  start[0] = 1;
  const prepared = times(preparation, start);
  const groups: (WeighedState & { readonly largest: number })[] = [];
  for (const state of states) {
    const [re, im] = innerProduct(state.vector, prepared);
    const part = re ** 2 + im ** 2;
    const last = groups.at(-1);
    if (last === undefined || state.phase - last.phase > SAME_PHASE) {
      groups.push({ ...state, weight: part, largest: part });
      continue;
    }
    const leading = part > last.largest ? { ...state, largest: part } : last;
    groups[groups.length - 1] = { ...leading, weight: last.weight + part };
  }
  return groups;
}

function estimateView(distribution: Float64Array, exact: number): JsonObject {
  const size = distribution.length;
  const best = indexOfLargest(distribution);
  const nearest = Math.round(exact * size) % size;
  return {
    estimated_phase: best / size,
    estimated_phase_probability: distribution[best]!,
    exact_phase: exact,
    error: aroundCircle(best / size - exact),
    resolution: 1 / size,
    nearest_phase: nearest / size,
    nearest_phase_probability: distribution[nearest]!,
    phase_unit: 'turns',
  };
}

/** Result fields of a Hamiltonian: energies, from phases in [−½, ½) turns. */
function energyView(
  { hamiltonian }: PhaseQuestion,
  { time = 1 }: PhaseEstimationInput,
  { vector }: Eigenstate,
  distribution: Float64Array,
): JsonObject {
  if (hamiltonian === undefined) return {};
  const estimate = indexOfLargest(distribution) / distribution.length;
  const exact = applyObservable(hamiltonian, vector, new Float64Array(vector.length));
  // e^{−iEt} = e^{2πi·phase}.
  const energy = (-2 * Math.PI * aroundCircle(estimate)) / time;
  return {
    estimated_energy: energy + 0,
    exact_energy: exact,
    energy_resolution: (2 * Math.PI) / (Math.abs(time) * distribution.length),
    energy_is_unambiguous: Math.abs(exact * time) < Math.PI,
  };
}

/** The same phase in [−½, ½). */
function aroundCircle(turns: number): number {
  return turns - Math.floor(turns + 0.5);
}

function indexOfLargest(values: Float64Array): number {
  let best = 0;
  for (const [i, value] of values.entries()) if (value > values[best]!) best = i;
  return best;
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((worst, value, i) => Math.max(worst, Math.abs(value - b[i]!)), 0);
}
