/** Faults of a well-formed VQE input. */

import { gateNamed } from '../../../circuit/gates.ts';
import { expectationRule } from '../../../compiler/gradient/shift-rule.ts';
import type { Fault } from '../../../errors/coded-error.ts';
import { circuitsOfGradient } from '../../algorithms/training/gradients/exact-gradients.ts';
import type { ParametricCircuit } from '../../algorithms/training/parametric-circuit.ts';
import { numBases } from '../../algorithms/vqe/sampled-energies.ts';
import { faultsOf, UPDATES_PER_DRAW } from '../../procedures/input-fields.ts';
import { customObservable, type VqeInput } from './vqe-fields.ts';
import { vqeOptions, vqeProblem } from './vqe-problem.ts';

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
