/** The task `vqe`: what it takes. */
import { z } from 'zod';
import { MAX_AMPLITUDE_UPDATES, vqeFaults } from '../../algorithms/vqe/vqe-faults.ts';
import { VQE_LIMITS, vqeFields } from '../../algorithms/vqe/vqe-fields.ts';
import { procedure } from '../../procedures/procedure.ts';

/** Finds ground energies variationally. */
export const vqe = procedure({
  name: 'vqe',
  description:
    'Finds the ground energy of the hydrogen molecule (STO-3G, computed from first principles), of the transverse-field Ising chain or of a given observable by the variational quantum eigensolver, with Levenberg-Marquardt steps on exact states or parameter-shift gradients. The result has the energy beside the exact one, how the energy went down, the Hamiltonian, and the optimised circuit.',
  input: z.strictObject(vqeFields),
  check: vqeFaults,
  limits: { ...VQE_LIMITS, amplitude_updates: MAX_AMPLITUDE_UPDATES, deadline_ms: 600_000 },
  example: { problem: 'h2', bond_length_angstrom: 0.735 },
  feeds: { circuit: 'circuit' },
  load: () => import('./run-vqe-task.ts').then(({ runVqeTask }) => runVqeTask),
});
