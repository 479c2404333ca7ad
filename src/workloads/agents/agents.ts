/** All agents in the order of listings, each with its tasks and its self-test. */
import type { PlanAgents } from '../plans/make-plan.ts';
import type { Agent } from './agent.ts';
import { expectation, simulate } from './computation/circuit-tasks.ts';
import {
  derivative,
  eigenvalues,
  evaluate,
  matrix,
  simplify,
} from './computation/computation-tasks.ts';
import { prepareState, route, shorten, synthesize } from './design/design-tasks.ts';
import { mitigate } from './research/mitigate.ts';
import { noiseScan } from './research/noise-scan.ts';
import { parameterSweep } from './research/parameter-sweep.ts';
import { phaseEstimation } from './research/phase-estimation.ts';
import { vqe } from './research/vqe.ts';
import { assignment, routing } from './robotics/permutation-tasks.ts';
import { bb84 } from './security/bb84.ts';
import { chsh } from './security/chsh.ts';
import { randomBits, randomnessTests } from './security/randomness.ts';

/** The computation agent: tasks on expressions, matrices and circuits. */
export const computationAgent: Agent = {
  id: 'computation',
  name: 'Computation Agent',
  kind: 'Computation',
  description:
    'Evaluates and transforms expressions, works on matrices and their eigenvalues, and runs circuits for counts and expectation values.',
  procedures: [evaluate, simplify, derivative, matrix, eigenvalues, simulate, expectation],
  selfTest: {
    task: 'evaluate',
    // The determinant of a rotation, and ζ(2): both 1.
    input: { expression: 'det([cos(1), -sin(1); sin(1), cos(1)]) * 6 * zeta(2) / pi^2' },
    faultOf: ({ result }) =>
      typeof result === 'number' && Math.abs(result - 1) < 1e-9
        ? undefined
        : `1 was expected, and ${JSON.stringify(result)} came`,
  },
};

/** Known of H₂ in STO-3G at 0.735 Å: full configuration interaction, hartree. */
const HYDROGEN_ENERGY = -1.137306;

/** The research agent: small experiments that run many circuits. */
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

/** Tolerance above 2√2 for single precision. */
const EXACT_TOLERANCE = 1e-4;

/** The security agent: randomness, key exchange and Bell tests on simulated qubits. */
export const securityAgent: Agent = {
  id: 'security',
  name: 'Security Agent',
  kind: 'Security',
  description:
    'Random bits sampled from circuits with the tests that such bits must pass, quantum key distribution with an eavesdropper, and the CHSH test of entanglement.',
  procedures: [randomBits, randomnessTests, bb84, chsh],
  selfTest: {
    task: 'chsh',
    input: { shots: 64, seed: 1 },
    faultOf: ({ s_exact: exact }) =>
      typeof exact === 'number' && Math.abs(exact - 2 * Math.SQRT2) < EXACT_TOLERANCE
        ? undefined
        : `The exact S of a Bell pair came out as ${JSON.stringify(exact)}, not 2√2.`,
  },
};

/** The design agent synthesises, shortens and routes circuits. It verifies each, and the result says how. */
export const designAgent: Agent = {
  id: 'design',
  name: 'Design Agent',
  kind: 'Design',
  description:
    'Designs circuits: shortens them, routes them to a device, prepares states, synthesises unitaries. Results are verified by simulation where possible, and say how.',
  procedures: [shorten, route, prepareState, synthesize],
  selfTest: {
    task: 'synthesize',
    // The input is a SWAP, which takes three CX.
    input: {
      unitary: [
        [
          [1, 0],
          [0, 0],
          [0, 0],
          [0, 0],
        ],
        [
          [0, 0],
          [0, 0],
          [1, 0],
          [0, 0],
        ],
        [
          [0, 0],
          [1, 0],
          [0, 0],
          [0, 0],
        ],
        [
          [0, 0],
          [0, 0],
          [0, 0],
          [1, 0],
        ],
      ],
    },
    faultOf: ({ entangling_gates: found }) =>
      found === 3 ? undefined : `A SWAP took ${found} CX instead of 3.`,
  },
};

/** The robotics agent: assigns and orders work by QAOA. */
export const roboticsAgent: Agent = {
  id: 'robotics',
  name: 'Robotics Agent',
  kind: 'Robotics',
  description:
    'Assignment of robots to tasks and routing of a robot through sites by the quantum approximate optimization algorithm, measured against the optimum and against guessing.',
  procedures: [assignment, routing],
  selfTest: {
    task: 'assignment',
    // With two permutations, one layer yields the cheaper one with certainty.
    input: {
      costs: [
        [1, 4],
        [4, 2],
      ],
      layers: 1,
      shots: 16,
      seed: 1,
    },
    faultOf: ({ total_cost: cost, optimum_cost: optimum }) =>
      cost === 3 && optimum === 3
        ? undefined
        : `The assignment of two robots came out at ${JSON.stringify(cost)} and the optimum at ${JSON.stringify(optimum)}, not 3.`,
  },
};

/** All agents. */
export const AGENTS: readonly Agent[] = [
  computationAgent,
  researchAgent,
  securityAgent,
  designAgent,
  roboticsAgent,
];

/** Agents and procedures that plans can name. */
export const PLAN_AGENTS: PlanAgents = {
  ids: AGENTS.map(({ id }) => id),
  proceduresOf: (agent) => AGENTS.find(({ id }) => id === agent)?.procedures,
};
