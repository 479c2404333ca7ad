/** Runs the task `phase_estimation`. */
import { circuitJson } from '../../algorithms/circuit-json.ts';
import { applyObservable } from '../../algorithms/hamiltonians/observable-action.ts';
import { innerProduct } from '../../algorithms/linear-algebra/vectors.ts';
import {
  type Eigenstate,
  eigenstates,
  times,
} from '../../algorithms/phase-estimation/eigen-phases.ts';
import {
  phaseCircuit,
  phaseDistribution,
  preparationOf,
} from '../../algorithms/phase-estimation/phase-circuit.ts';
import { runCircuits } from '../../algorithms/sweep/run-circuits.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import {
  type PhaseEstimationInput,
  type PhaseQuestion,
  phaseQuestion,
} from './phase-estimation.ts';

/** The input's phase. */
export async function runPhaseEstimation(
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
  let distribution: Float64Array = new Float64Array();
  let counts: ReadonlyMap<string, number> | undefined;
  await runCircuits(
    { numCircuits: 1, circuitAt: () => circuit },
    { seed, probabilities: true, ...(shots !== undefined && { shots }) },
    context,
    (_, outcome) => {
      distribution = outcome.probabilities ?? distribution;
      counts = outcome.counts;
    },
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
    ...(counts !== undefined &&
      shots !== undefined && { shots, counts: Object.fromEntries(counts) }),
    seed,
    basis: 'exact distribution of the circuit; the exact phase by diagonalisation',
  };
}

/** An eigenstate and how much of the prepared state has its phase. */
type WeighedState = Eigenstate & { readonly weight: number };

/** Phases closer than this are one, turns. */
const SAME_PHASE = 1e-9;

/** By ascending phase; of eigenstates with the same one, that with the largest part, and all parts. */
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

/** For a Hamiltonian: energies instead of phases, of those that are less than half a turn. */
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
