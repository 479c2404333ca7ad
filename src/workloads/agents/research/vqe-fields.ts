/** Input fields of a VQE, for every procedure that runs one. */
import { z } from 'zod';
import { type PauliSum, parseObservables } from '../../../circuit/observable.ts';
import { OPTIMIZERS } from '../../algorithms/optimisers/minimise.ts';
import { ANSATZ_NAMES } from '../../algorithms/vqe/vqe-ansatz.ts';
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
