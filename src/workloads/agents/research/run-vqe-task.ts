/** Runs the task `vqe`. */
import { circuitJson } from '../../algorithms/circuit-json.ts';
import { observableView } from '../../algorithms/hamiltonians/observable-view.ts';
import { runVqe, type VqeOutcome } from '../../algorithms/vqe/run-vqe.ts';
import type { VqeInput } from '../../algorithms/vqe/vqe-fields.ts';
import { type VqeProblem, vqeProblem } from '../../algorithms/vqe/vqe-problem.ts';
import type { JsonObject } from '../../procedures/json.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';

/** The input's ground energy. */
export async function runVqeTask(input: VqeInput, context: ProcedureContext): Promise<JsonObject> {
  const problem = vqeProblem(input);
  const seed = input.seed ?? context.seed;
  const { steps, tolerance, restarts } = input;
  const optimizer = input.optimizer ?? 'bfgs';
  const learningRate = input.learning_rate ?? 0.1;
  const options = { optimizer, steps, learningRate, tolerance, restarts, seed };
  const outcome = await runVqe(problem, options, context, ({ step, restart, energy, fraction }) => {
    const search = restarts === 1 ? '' : `search ${restart + 1} of ${restarts}, `;
    context.progress(
      fraction,
      `${search}step ${step} of at most ${steps}, energy ${energy.toFixed(6)}`,
    );
  });
  return { ...vqeView(problem, outcome), optimizer, seed };
}

/** A search's problem and outcome as JSON. */
export function vqeView(problem: VqeProblem, outcome: VqeOutcome): JsonObject {
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
    energies: 'exact expectation values',
  };
}
