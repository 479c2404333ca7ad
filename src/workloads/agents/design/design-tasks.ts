/** The tasks of the design agent: descriptions, limits and examples. Their code is loaded when one runs. */
import { procedure } from '../../procedures/procedure.ts';
import {
  MAX_AMPLITUDE_QUBITS,
  MAX_FAMILY_QUBITS,
  prepareStateFaults,
  prepareStateInput,
  SHORTEN_MAX_QUBITS,
  shortenFaults,
  shortenInput,
  synthesizeFaults,
  synthesizeInput,
} from './design-input.ts';
import {
  MAX_COUPLERS,
  MAX_WIDE_GATES,
  ROUTE_LIMITS,
  routeFaults,
  routeInput,
} from './route-input.ts';

/** The task `prepare_state`. */
export const prepareState = procedure({
  name: 'prepare_state',
  description:
    'Finds a circuit that makes a given state of |0…0⟩: from amplitudes by multiplexed rotations, from a name (GHZ, W, Dicke, uniform) by the short circuit known for it. The result has the circuit, its counts and depth, and the fidelity of the state that running it gave.',
  input: prepareStateInput,
  check: prepareStateFaults,
  limits: {
    max_amplitudes: 2 ** MAX_AMPLITUDE_QUBITS,
    max_qubits: MAX_FAMILY_QUBITS,
    deadline_ms: 120_000,
  },
  example: { amplitudes: [0.5, 0, [0, 0.5], 0.5, 0, 0, 0, -0.5] },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-design.ts')).runPrepareState(...call),
});

/** The task `route`. */
export const route = procedure({
  name: 'route',
  description:
    'Fits a circuit to a device: chooses physical qubits, inserts SWAPs between distant qubits (SABRE), and writes it in native gates. The result has the circuit on physical qubits, the layouts before and after, counts and depths, an estimate of the success probability from the noise model of the device, and how fit and equivalence were verified.',
  input: routeInput,
  check: routeFaults,
  limits: {
    max_qubits: ROUTE_LIMITS.maxQubits,
    max_couplers: MAX_COUPLERS,
    max_wide_gates: MAX_WIDE_GATES,
    deadline_ms: 300_000,
  },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 0, target: 2 },
      { gate: 'CCX', controls: [0, 1], target: 3 },
      { gate: 'M', qubits: [0, 1, 2, 3] },
    ],
    device: 'iqm-garnet',
    seed: 1,
  },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-route.ts')).runRoute(...call),
});

/** The task `shorten`. */
export const shorten = procedure({
  name: 'shorten',
  description:
    'Makes a circuit shorter: cancels and merges gates, finds shorter two-qubit blocks, and writes it in a gate set if one is given. The result has the circuit, counts and depths before and after, and how its equivalence was verified; a circuit that fails verification is never answered.',
  input: shortenInput,
  check: shortenFaults,
  limits: { max_qubits: SHORTEN_MAX_QUBITS, max_gates: 10_000, deadline_ms: 300_000 },
  example: {
    circuit: [
      { gate: 'H', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'T', qubit: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'CX', control: 1, target: 0 },
      { gate: 'CX', control: 0, target: 1 },
      { gate: 'RZ', qubit: 1, theta: 0.25 },
      { gate: 'RZ', qubit: 1, theta: 0.5 },
    ],
    gate_set: ['cx', 'rz', 'ry'],
  },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-design.ts')).runShorten(...call),
});

const H = Math.SQRT1_2;

/** The task `synthesize`. */
export const synthesize = procedure({
  name: 'synthesize',
  description:
    'Finds a circuit for a given unitary of one or two qubits: at most three rotations for one qubit, or the smallest possible number of CX (0 to 3) for two. Any universal gate set may be given. Gates such as CX or iSWAP are used as few times as possible; of weaker ones, such as the square root of iSWAP, two replace each CX. The result has the circuit, its global phase, and the error as operator distance. For two qubits the result also has `interaction_angles` a, b and c, radians: up to one-qubit gates and phase the unitary is exp(i(a XX + b YY + c ZZ)). They decide the number of CX.',
  input: synthesizeInput,
  check: synthesizeFaults,
  limits: { unitary_rows: 4, deadline_ms: 60_000 },
  example: {
    unitary: [
      [
        [H, 0],
        [0, 0],
        [H, 0],
        [0, 0],
      ],
      [
        [0, 0],
        [H, 0],
        [0, 0],
        [H, 0],
      ],
      [
        [0, 0],
        [H, 0],
        [0, 0],
        [-H, 0],
      ],
      [
        [H, 0],
        [0, 0],
        [-H, 0],
        [0, 0],
      ],
    ],
    gate_set: ['cx', 'rz', 'ry'],
  },
  feeds: { circuit: 'circuit', qubits: 'qubits' },
  run: async (...call) => (await import('./run-design.ts')).runSynthesize(...call),
});
