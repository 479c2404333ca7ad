/** Requests whose answers are recorded, and how their tables are written. */

/** One request, and what is read of the job that it makes. */
export interface GoldenRequest {
  /** A claim about the request that names it among all others. */
  readonly name: string;
  /** POST unless given. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** JSON, or a text that is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Requests for the job at the answer's location once it has ended: a method and what follows the location, or a GET. */
  readonly reads?: readonly string[];
  /** Whether the answer tells what the engine reused of earlier circuits; no other request has its circuits then. */
  readonly keepsReuse?: boolean;
}

/** Fields of a body. */
export type Body = Readonly<Record<string, unknown>>;

type More = Omit<GoldenRequest, 'name' | 'path' | 'body'> | undefined;

/** Names and what is sent, for requests that are alike. */
export type Table = readonly (readonly [name: string, body: Body, more?: More])[];

const API = '/api/v1';
/** Every draw has a seed. */
const DRAWN = { shots: 20, seed: 11 };

/** Path of a processor's circuits. */
export const CIRCUITS = `${API}/quantum/circuits`;
/** Path of batches. */
const BATCHES = `${API}/quantum/batches`;

/** Circuits for `qvm`, 20 shots each unless the table says otherwise. */
export function circuitRequests(family: string, table: Table): readonly GoldenRequest[] {
  const common = { target_processor: 'qvm', ...DRAWN };
  return requestsOf(family, CIRCUITS, common, table);
}

/** Batches for `qvm`. */
export function batchRequests(family: string, table: Table): readonly GoldenRequest[] {
  return requestsOf(family, BATCHES, { target_processor: 'qvm', seed: DRAWN.seed }, table);
}

/** Requests of one path that have some fields in common. */
export function requestsOf(
  family: string,
  path: string,
  common: Body,
  table: Table,
): readonly GoldenRequest[] {
  return table.map(([name, body, more]) => ({
    name: `${family}: ${name}`,
    path,
    body: { ...common, ...body },
    ...more,
  }));
}

/** Head of an OpenQASM 3 text, which ends its first two lines. */
export const HEADER = 'OPENQASM 3.0;\ninclude "stdgates.inc";\n';

/** H and CX. */
export const BELL = [
  { gate: 'H', qubit: 0 },
  { gate: 'CX', control: 0, target: 1 },
];

/** A state of so many qubits that are all alike. */
export const ghz = (numQubits: number) => [
  { gate: 'H', qubit: 0 },
  ...Array.from({ length: numQubits - 1 }, (_, i) => ({ gate: 'CX', control: i, target: i + 1 })),
];

/** So many gates on two qubits, of which a thousand are more than the main thread reads by itself. */
export const longCircuit = (numGates: number) =>
  Array.from({ length: numGates }, (_, i) => ({
    gate: 'U',
    qubit: i % 2,
    theta: 1 / (i + 3),
    phi: 1 / (i + 7),
    lambda: 1 / (i + 9),
    controls: i % 3 === 0 ? [(i + 1) % 2] : [],
  }));

/** A state of three qubits without symmetry: every amplitude, value and phase is another one. */
export const UNEVEN = [
  { gate: 'RY', qubit: 0, theta: 0.7 },
  { gate: 'RX', qubit: 1, theta: 1.1 },
  { gate: 'CX', control: 0, target: 1 },
  { gate: 'T', qubit: 1 },
  { gate: 'RY', qubit: 2, theta: -0.4 },
  { gate: 'CRX', control: 1, target: 2, theta: 0.9 },
];

/** Observables of three qubits: a term, and a sum. */
export const OBSERVABLES = [
  { pauli: 'Z0 Z1' },
  [{ pauli: 'X0 Y1', coefficient: 0.5 }, { pauli: 'Z2' }, { pauli: 'I', coefficient: -2 }],
];

/** A measurement in mid-circuit that decides on a gate. */
export const BRANCHING = [
  { gate: 'RY', qubit: 0, theta: 0.9 },
  { gate: 'M', qubits: [0], bits: [0] },
  { gate: 'H', qubit: 0 },
  { gate: 'RX', qubit: 1, theta: 0.3, condition: { bits: [0], value: 1 } },
  { gate: 'M', qubits: [0, 1], bits: [1, 2] },
];

/** Noise after gates, and of readout. */
export const NOISE = {
  gates: [
    { gates: ['*1'], channel: { type: 'depolarizing', probability: 0.02 } },
    { gates: ['CX'], channel: { type: 'depolarizing', probability: 0.05 } },
  ],
  readout: [{ p1_given_0: 0.02, p0_given_1: 0.05 }],
};

/** Noise that Clifford simulation takes. */
export const PAULI_NOISE = {
  gates: [{ gates: ['*'], channel: { type: 'bit_flip', probability: 0.1 } }],
};
