/** The task `vqe`: computes a ground energy with the variational quantum eigensolver. */
import { z } from 'zod';
import type { PauliSum } from '../../../circuit/observable.ts';
import { circuitJson } from '../../algorithms/circuit-json.ts';
import {
  runVqe,
  type VqeOptions,
  type VqeOutcome,
  type VqeProblem,
} from '../../algorithms/vqe/run-vqe.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import { MAX_AMPLITUDE_UPDATES, vqeFaults } from './vqe-faults.ts';
import { VQE_LIMITS, type VqeInput, vqeFields } from './vqe-fields.ts';
import { vqeOptions, vqeProblem } from './vqe-problem.ts';

/** The task `vqe`. */
export const vqe = procedure({
  name: 'vqe',
  description:
    'Finds the ground energy of the hydrogen molecule (STO-3G, computed from first principles), of the transverse-field Ising chain or of a given observable by the variational quantum eigensolver, with Levenberg-Marquardt steps on exact states or exact gradients. The result has the energy and the exact one, the energy after each step, the Hamiltonian, and the optimised circuit.',
  input: z.strictObject(vqeFields),
  check: vqeFaults,
  limits: { ...VQE_LIMITS, amplitude_updates: MAX_AMPLITUDE_UPDATES, deadline_ms: 600_000 },
  example: { problem: 'h2', bond_length_angstrom: 0.735 },
  feeds: { circuit: 'circuit' },
  run: runTask,
});

async function runTask(input: VqeInput, context: ProcedureContext): Promise<JsonObject> {
  const problem = vqeProblem(input);
  const options = vqeOptions(input, input.seed ?? context.seed);
  const { restarts, steps } = options;
  const outcome = await runVqe(problem, options, context, ({ step, restart, energy, fraction }) => {
    const search = restarts === 1 ? '' : `search ${restart + 1} of ${restarts}, `;
    const unit = problem.unit === 'hartree' ? ' Ha' : '';
    context.progress(
      fraction,
      `${search}step ${step} of at most ${steps}, energy ${energy.toFixed(6)}${unit}`,
    );
  });
  return vqeView(problem, options, outcome);
}

/** Problem and outcome of a search as JSON. */
export function vqeView(problem: VqeProblem, options: VqeOptions, outcome: VqeOutcome): JsonObject {
  const exact = problem.exact();
  const { energy, energyHistory, stoppedBecause } = outcome;
  return {
    energy,
    energy_unit: problem.unit,
    exact_energy: exact.energy,
    exact_energy_basis: exact.basis,
    error: energy - exact.energy,
    ...problem.known,
    converged: stoppedBecause === 'gradient_below_tolerance',
    stopped_because: stoppedBecause,
    largest_gradient: outcome.gradientSize,
    steps: energyHistory.length - 1,
    energy_history: energyHistory,
    circuits_run: outcome.numCircuits,
    ansatz: problem.ansatzName,
    qubits: problem.numQubits,
    parameters: [...outcome.parameters],
    hamiltonian: observableView(problem.hamiltonian),
    circuit: circuitJson(outcome.circuit),
    optimizer: options.optimizer,
    ...samplingView(options, outcome),
    seed: options.seed,
  };
}

/** Result fields that tell exact energies from estimates. */
function samplingView({ shots }: VqeOptions, { sampled }: VqeOutcome): JsonObject {
  if (shots === undefined || sampled === undefined) {
    return { energies_in_search: 'exact expectation values' };
  }
  return {
    energies_in_search: 'estimates from shots; `energy` is the exact value of where they led',
    shots,
    sampled_energy: sampled.energy,
    sampled_energy_standard_error: sampled.standardError,
  };
}

/** A term of an observable. */
interface TermView {
  readonly pauli: string;
  readonly coefficient: number;
  readonly [name: string]: string | number;
}

/** Terms of an observable as JSON; the identity is "I". */
export function observableView(observable: PauliSum): readonly TermView[] {
  return observable.map(({ coefficient, factors }) => ({
    pauli: factors.map(({ pauli, qubit }) => `${pauli}${qubit}`).join(' ') || 'I',
    coefficient,
  }));
}
