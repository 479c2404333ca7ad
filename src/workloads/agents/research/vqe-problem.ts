/**
 * Reads the problem and the options of a VQE input: the H₂ molecule, an Ising chain, or an observable.
 */
import type { PauliSum } from '../../../circuit/observable.ts';
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
import type { VqeOptions, VqeProblem } from '../../algorithms/vqe/run-vqe.ts';
import {
  excitationAnsatz,
  hardwareEfficientAnsatz,
  isingParameters,
  transverseIsingAnsatz,
} from '../../algorithms/vqe/vqe-ansatz.ts';
import { customObservable, type VqeInput } from './vqe-fields.ts';

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
