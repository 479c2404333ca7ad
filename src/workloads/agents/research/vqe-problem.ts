/**
 * Input fields of a VQE, for every procedure that runs one, and the problem and options that they describe: the H₂
 * molecule, an Ising chain, or an observable.
 */
import { z } from 'zod';
import { type PauliSum, parseObservables } from '../../../circuit/observable.ts';
import { groundEnergy, MAX_LANCZOS_QUBITS } from '../../algorithms/hamiltonians/ground-energy.ts';
import {
  configurationInteractionEnergy,
  hartreeFockEnergy,
  hydrogenMolecule,
} from '../../algorithms/hamiltonians/hydrogen-molecule.ts';
import {
  jordanWignerHamiltonian,
  parityHamiltonian,
} from '../../algorithms/hamiltonians/qubit-hamiltonian.ts';
import {
  freeFermionEnergy,
  type IsingChain,
  isingHamiltonian,
} from '../../algorithms/hamiltonians/transverse-ising.ts';
import { OPTIMIZERS } from '../../algorithms/optimisers/minimise.ts';
import type { VqeOptions, VqeProblem } from '../../algorithms/vqe/run-vqe.ts';
import {
  ANSATZ_NAMES,
  excitationAnsatz,
  hardwareEfficientAnsatz,
  isingParameters,
  transverseIsingAnsatz,
} from '../../algorithms/vqe/vqe-ansatz.ts';
import { seedField } from '../../procedures/input-fields.ts';

/** Limits of a VQE input. */
export const VQE_LIMITS = {
  qubits: 14,
  layers: 12,
  steps: 500,
  restarts: 8,
  shots: 100_000,
  observable: 200,
} as const;

/** Largest absolute coefficient of an energy, in any unit. */
const MAX_COEFFICIENT = 1e6;

const coefficient = z.number().min(-MAX_COEFFICIENT).max(MAX_COEFFICIENT);

/** Input fields of the problem, the ansatz and the search. */
export const vqeFields = {
  problem: z
    .enum(['h2', 'tfim', 'custom'])
    .default('h2')
    .describe(
      'Problem whose ground energy is sought. h2: the hydrogen molecule in the basis STO-3G; tfim: the Ising chain −j·ΣZZ − h·ΣX; custom: your own observable. Default h2',
    ),
  bond_length_angstrom: z
    .number()
    .min(0.2)
    .max(10)
    .optional()
    .describe('h2 only: distance between the nuclei, ångström; default 0.735'),
  mapping: z
    .enum(['parity', 'jordan_wigner'])
    .optional()
    .describe(
      'h2 only: fermion-to-qubit mapping; parity on 2 qubits (default), or jordan_wigner on 4',
    ),
  sites: z
    .int()
    .min(2)
    .max(VQE_LIMITS.qubits)
    .optional()
    .describe('tfim only: number of sites of the chain, one qubit each; default 4'),
  j: coefficient.optional().describe('tfim only: coupling between neighbours; default 1'),
  h: coefficient.optional().describe('tfim only: transverse field; default 1'),
  periodic: z
    .boolean()
    .optional()
    .describe('tfim only: whether the ends are neighbours; needs 3 sites; default false'),
  observable: z
    .array(
      z.strictObject({
        pauli: z.string().max(100).describe('Pauli string, such as "Z0 X1"; "I" is the identity'),
        coefficient: coefficient.optional().describe('Default 1'),
      }),
    )
    .min(1)
    .max(VQE_LIMITS.observable)
    .optional()
    .describe(
      'custom only: Pauli terms whose sum is the observable; the lowest eigenvalue is sought',
    ),
  ansatz: z
    .enum(ANSATZ_NAMES)
    .optional()
    .describe(
      'Family of trial states. By default excitation for h2, hamiltonian_variational for tfim, hardware_efficient for custom. hardware_efficient can be used for every problem, the others only for their own',
    ),
  layers: z
    .int()
    .min(1)
    .max(VQE_LIMITS.layers)
    .optional()
    .describe(
      'Number of layers of the ansatz; excitation has none. Default for a periodic tfim: half the number of sites; for an open one: the number of sites; otherwise 2',
    ),
  optimizer: z
    .enum(OPTIMIZERS)
    .optional()
    .describe(
      'levenberg_marquardt reads whole states, as a simulator can, and needs the fewest steps; bfgs and adam use exact gradients, or with shots estimates by the parameter-shift rule. Default levenberg_marquardt, above 12 qubits bfgs; with shots only adam, which tolerates noise',
    ),
  steps: z
    .int()
    .min(1)
    .max(VQE_LIMITS.steps)
    .default(200)
    .describe('Maximum number of steps; default 200'),
  learning_rate: z
    .number()
    .min(1e-5)
    .max(1)
    .optional()
    .describe('adam only: step size, radians; default 0.1'),
  tolerance: z
    .number()
    .min(0)
    .max(1)
    .default(1e-6)
    .describe(
      'The search ends when no component of the gradient is larger than this, energy per radian; default 1e-6',
    ),
  restarts: z
    .int()
    .min(1)
    .max(VQE_LIMITS.restarts)
    .default(1)
    .describe('Number of searches from different starts; the lowest energy is kept; default 1'),
  shots: z
    .int()
    .min(1)
    .max(VQE_LIMITS.shots)
    .optional()
    .describe(
      'Number of measurements of each group of terms for estimating energies; without it energies are exact',
    ),
  seed: seedField,
} as const;

const vqeInput = z.strictObject(vqeFields);
/** Parsed input with those fields. */
export type VqeInput = z.output<typeof vqeInput>;

/** The sum of a custom problem's terms. Throws what `parseObservables` throws. */
export function customObservable(terms: NonNullable<VqeInput['observable']>): PauliSum {
  const [sum = []] = parseObservables([terms], VQE_LIMITS.qubits, 'observable');
  return sum;
}

/** The problem of a valid input. */
export function vqeProblem(input: VqeInput): VqeProblem {
  switch (input.problem) {
    case 'h2':
      return hydrogenProblem(input);
    case 'tfim':
      return chainProblem(input);
    case 'custom':
      return customProblem(input);
  }
}

/** The search options of a valid input. */
export function vqeOptions(input: VqeInput, seed: number): VqeOptions {
  const { steps, tolerance, restarts, shots, learning_rate: learningRate = 0.1 } = input;
  const optimizer = input.optimizer ?? (shots === undefined ? exactOptimizer(input) : 'adam');
  const sampling = shots === undefined ? {} : { shots };
  return { optimizer, steps, learningRate, tolerance, restarts, seed, ...sampling };
}

/** Above this, the derivatives of whole states take more time and memory than further steps do. */
const MAX_STATE_QUBITS = 12;

function exactOptimizer(input: VqeInput): VqeOptions['optimizer'] {
  return vqeProblem(input).numQubits > MAX_STATE_QUBITS ? 'bfgs' : 'levenberg_marquardt';
}

function hydrogenProblem(input: VqeInput): VqeProblem {
  const integrals = hydrogenMolecule(input.bond_length_angstrom ?? 0.735);
  const numQubits = input.mapping === 'jordan_wigner' ? 4 : 2;
  const hamiltonian =
    numQubits === 4 ? jordanWignerHamiltonian(integrals) : parityHamiltonian(integrals);
  const ansatzName = input.ansatz ?? 'excitation';
  const isExcitation = ansatzName === 'excitation';
  const layers = input.layers ?? DEFAULT_LAYERS;
  return {
    hamiltonian,
    numQubits,
    unit: 'hartree',
    ansatzName,
    ansatz: isExcitation ? excitationAnsatz(numQubits) : hardwareEfficientAnsatz(numQubits, layers),
    // θ = 0 is the Hartree–Fock determinant.
    start: isExcitation ? () => new Float64Array(1) : anywhere(numQubits, layers),
    exact: () => ({
      energy: configurationInteractionEnergy(integrals),
      basis: 'full configuration interaction in the basis STO-3G',
    }),
    known: {
      hartree_fock_energy_hartree: hartreeFockEnergy(integrals),
      nuclear_repulsion_hartree: integrals.nuclearRepulsion,
    },
  };
}

function chainProblem(input: VqeInput): VqeProblem {
  const { sites = 4, j = 1, h = 1, periodic = false } = input;
  const chain: IsingChain = { sites, coupling: j, field: h, isPeriodic: periodic };
  const hamiltonian = isingHamiltonian(chain);
  const ansatzName = input.ansatz ?? 'hamiltonian_variational';
  const isVariational = ansatzName === 'hamiltonian_variational';
  const fullDepth = periodic ? Math.ceil(sites / 2) : sites;
  const layers = input.layers ?? (isVariational ? fullDepth : DEFAULT_LAYERS);
  const freeFermion = freeFermionEnergy(chain);
  return {
    hamiltonian,
    numQubits: sites,
    unit: 'units of j and h',
    ansatzName,
    ansatz: isVariational
      ? transverseIsingAnsatz(chain, layers)
      : hardwareEfficientAnsatz(sites, layers),
    start: isVariational ? (draw) => rampedStart(chain, layers, draw) : anywhere(sites, layers),
    exact: () => diagonalised(hamiltonian, sites),
    known: freeFermion === undefined ? {} : { free_fermion_energy: freeFermion },
  };
}

function customProblem(input: VqeInput): VqeProblem {
  if (input.observable === undefined) throw new Error('unreachable: checked before');
  const hamiltonian = customObservable(input.observable);
  const qubits = hamiltonian.flatMap(({ factors }) => factors.map(({ qubit }) => qubit));
  const numQubits = Math.max(0, ...qubits) + 1;
  const layers = input.layers ?? DEFAULT_LAYERS;
  return {
    hamiltonian,
    numQubits,
    unit: 'units of the coefficients',
    ansatzName: 'hardware_efficient',
    ansatz: hardwareEfficientAnsatz(numQubits, layers),
    start: anywhere(numQubits, layers),
    exact: () => diagonalised(hamiltonian, numQubits),
    known: {},
  };
}

const DEFAULT_LAYERS = 2;

/** Initial angles of the hardware-efficient ansatz: within a quarter turn of 0. */
function anywhere(numQubits: number, layers: number): VqeProblem['start'] {
  const length = 2 * numQubits * (layers + 1);
  return (draw) => Float64Array.from({ length }, (_, i) => (draw(i) - 0.5) * Math.PI);
}

/**
 * Initial angles near those of a slow change from the field alone to the whole chain, which preserves the
 * ground state; each start perturbs them by about a tenth.
 */
function rampedStart(chain: IsingChain, layers: number, draw: (i: number) => number): Float64Array {
  const { coupling, field } = chain;
  const largest = Math.max(Math.abs(coupling), Math.abs(field), Number.MIN_VALUE);
  const perLayer = isingParameters(chain);
  return Float64Array.from({ length: layers * perLayer.length }, (_, i) => {
    const part = (Math.floor(i / perLayer.length) + 0.5) / layers;
    const isCoupling = perLayer[i % perLayer.length]!.gate === 'RZZ';
    const strength = isCoupling
      ? (part * Math.abs(coupling)) / largest
      : 1 - part + (part * Math.abs(field)) / largest;
    const sign = (isCoupling ? coupling : field) < 0 ? 1 : -1;
    return sign * (strength + 0.2 * (draw(i) - 0.5));
  });
}

function diagonalised(hamiltonian: PauliSum, numQubits: number) {
  if (numQubits > MAX_LANCZOS_QUBITS)
    throw new Error('unreachable: wider than what is diagonalised');
  return { energy: groundEnergy(hamiltonian, numQubits), basis: 'exact diagonalisation (Lanczos)' };
}
