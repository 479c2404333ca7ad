/** The security agent: randomness, key exchange and Bell tests on simulated qubits. */
import type { Agent } from '../agent.ts';
import { bb84 } from './bb84.ts';
import { chsh } from './chsh.ts';
import { randomBits } from './random-bits.ts';
import { randomnessTests } from './randomness-tests.ts';

/** Tolerance above 2√2 for single precision. */
const EXACT_TOLERANCE = 1e-4;

/** The security agent. */
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
