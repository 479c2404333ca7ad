/** The task `vqe`: computes a ground energy with the variational quantum eigensolver. */

import { z } from 'zod';
import { gateNamed } from '../../../circuit/gates.ts';
import type { PauliSum } from '../../../circuit/observable.ts';
import { expectationRule } from '../../../compiler/gradient/shift-rule.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { circuitJson } from '../../algorithms/gate-operation.ts';
import { circuitsOfGradient } from '../../algorithms/training/gradients.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import {
  numBases,
  runVqe,
  type VqeOptions,
  type VqeOutcome,
  type VqeProblem,
} from '../../algorithms/vqe/run-vqe.ts';
import { faultsOf, UPDATES_PER_DRAW } from '../../procedures/input-fields.ts';
import type { JsonObject } from '../../procedures/json.ts';
import { procedure } from '../../procedures/procedure.ts';
import type { ProcedureContext } from '../../procedures/procedure-context.ts';
import {
  customObservable,
  VQE_LIMITS,
  type VqeInput,
  vqeFields,
  vqeOptions,
  vqeProblem,
} from './vqe-problem.ts';

/**
 * Most work of all circuits of a search: gates times amplitudes. One core of the machine on which this
 * was measured took some seconds for 10^10.
 */
export const MAX_AMPLITUDE_UPDATES = 3e11;

/** Fields that belong to one problem. */
const OWN_FIELDS = {
  h2: ['bond_length_angstrom', 'mapping'],
  tfim: ['sites', 'j', 'h', 'periodic'],
  custom: ['observable'],
} as const;

/** Ansatzes that belong to a single problem. */
const OWN_ANSATZ = { excitation: 'h2', hamiltonian_variational: 'tfim' } as const;

/** Faults of an input: contradictory fields, and too much work. */
export function vqeFaults(input: VqeInput): readonly Fault[] {
  const faults = [...problemFaults(input), ...ansatzFaults(input), ...searchFaults(input)];
  return faults.length > 0 ? faults : workFaults(input);
}

function problemFaults(input: VqeInput): readonly Fault[] {
  const faults: Fault[] = [];
  for (const problem of ['h2', 'tfim', 'custom'] as const) {
    if (problem === input.problem) continue;
    for (const field of OWN_FIELDS[problem]) {
      if (input[field] === undefined) continue;
      faults.push({ path: field, message: `Only taken where problem is ${problem}.` });
    }
  }
  if (input.problem === 'custom' && input.observable === undefined) {
    faults.push({ path: 'observable', message: 'Required where problem is custom.' });
  }
  if (input.periodic === true && (input.sites ?? 4) < 3) {
    faults.push({ path: 'periodic', message: 'A periodic chain has at least 3 sites.' });
  }
  if (faults.length > 0 || input.observable === undefined) return faults;
  return observableFaults(input.observable);
}

function observableFaults(terms: NonNullable<VqeInput['observable']>): readonly Fault[] {
  const found = faultsOf(() => {
    customObservable(terms);
    return [];
  });
  // The input has one observable, not a list.
  return found.map((fault) => ({
    ...fault,
    path: fault.path.replace('observable[0]', 'observable'),
  }));
}

function ansatzFaults({ problem, ansatz, layers }: VqeInput): readonly Fault[] {
  const faults: Fault[] = [];
  if (ansatz !== undefined && ansatz !== 'hardware_efficient' && OWN_ANSATZ[ansatz] !== problem) {
    const message = `${ansatz} fits problem ${OWN_ANSATZ[ansatz]} alone; hardware_efficient fits all.`;
    faults.push({ path: 'ansatz', message });
  }
  const isExcitation = ansatz === 'excitation' || (ansatz === undefined && problem === 'h2');
  if (isExcitation && layers !== undefined) {
    faults.push({ path: 'layers', message: 'The excitation ansatz has no layers.' });
  }
  return faults;
}

function searchFaults({ optimizer, learning_rate, shots }: VqeInput): readonly Fault[] {
  const faults: Fault[] = [];
  if (shots !== undefined && optimizer !== undefined && optimizer !== 'adam') {
    const message = `${optimizer} needs exact energies; with shots take adam.`;
    faults.push({ path: 'optimizer', message });
  }
  const isAdam = optimizer === 'adam' || (optimizer === undefined && shots !== undefined);
  if (learning_rate !== undefined && !isAdam) {
    faults.push({ path: 'learning_rate', message: 'Only taken by optimizer adam.' });
  }
  return faults;
}

function workFaults(input: VqeInput): readonly Fault[] {
  const { ansatz, hamiltonian, numQubits } = vqeProblem(input);
  const { steps, restarts, shots, optimizer } = vqeOptions(input, 0);
  const numGates = ansatz.shape.operations.length;
  const readsStates = optimizer === 'levenberg_marquardt';
  const ofGradient = readsStates
    ? 1 + ansatz.angles.length
    : shots === undefined
      ? circuitsOfGradient(ansatz)
      : numBases(hamiltonian) * numShiftedCircuits(ansatz);
  const numCircuits = MAX_CANDIDATES + ofGradient;
  const perCircuit = numGates * 2 ** numQubits + UPDATES_PER_DRAW * (shots ?? 0);
  // Overlaps of the derivatives, which no engine accelerates.
  const overlaps = readsStates ? 3 * ansatz.numParameters ** 2 * 2 ** numQubits : 0;
  const perStep = perCircuit * numCircuits + overlaps;
  if (perStep * steps * restarts <= MAX_AMPLITUDE_UPDATES) return [];
  const most = Math.floor(MAX_AMPLITUDE_UPDATES / perStep);
  const message = `Each step takes the time of up to ${numCircuits} circuits of ${numGates} gates on ${numQubits} qubits; of such steps the limit is ${most}, over all restarts.`;
  return [{ path: 'steps', message }];
}

/** Points that a step may evaluate beside those of its gradient. */
const MAX_CANDIDATES = 34;

/** Number of circuits of a gradient estimated by the parameter-shift rule. */
function numShiftedCircuits({ shape }: ParametricCircuit): number {
  let count = 1;
  for (const operation of shape.operations) {
    if (operation.kind !== 'gate') continue;
    const { gate, angles, controls } = operation;
    for (const position of angles.keys()) {
      count += expectationRule(gateNamed(gate), position, controls.length > 0).length;
    }
  }
  return count;
}

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
