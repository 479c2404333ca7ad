/** The research agent: small experiments that run many circuits. */
import type { Agent } from '../agent.ts';
import { mitigate } from './mitigate.ts';
import { noiseScan } from './noise-scan.ts';
import { parameterSweep } from './parameter-sweep.ts';
import { phaseEstimation } from './phase-estimation.ts';
import { vqe } from './vqe.ts';

/** Known of H₂ in STO-3G at 0.735 Å: full configuration interaction, hartree. */
const HYDROGEN_ENERGY = -1.137306;

/** Ground energies, sweeps, noise, phases. */
export const researchAgent: Agent = {
  id: 'research',
  name: 'Research Agent',
  kind: 'Research',
  description:
    'Runs experiments of many circuits: ground energies by VQE, sweeps of parameters, emulated noise and its mitigation, phases by quantum phase estimation. Energies and probabilities are exact unless shots are asked for.',
  procedures: [vqe, parameterSweep, noiseScan, mitigate, phaseEstimation],
  selfTest: {
    task: 'vqe',
    input: { problem: 'h2', bond_length_angstrom: 0.735, seed: 1 },
    faultOf: ({ energy }) => {
      if (typeof energy === 'number' && Math.abs(energy - HYDROGEN_ENERGY) < 1e-5) return undefined;
      return `The energy of H₂ at 0.735 Å is ${energy} Ha, not ${HYDROGEN_ENERGY} Ha.`;
    },
  },
};
