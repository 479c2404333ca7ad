/** Circuits to begin with. */
import type { GateObject } from '../live-state/messages.ts';

/** An example of the composer. */
export interface Example {
  /** Name in the address. */
  readonly name: string;
  readonly title: string;
  /** One sentence. */
  readonly says: string;
  readonly qubits: number;
  readonly circuit: readonly GateObject[];
  /** Values of inputs. */
  readonly inputs?: Readonly<Record<string, number>>;
}

const { PI } = Math;
const g = (gate: string, fields: Omit<GateObject, 'gate'> = {}): GateObject => ({
  gate,
  ...fields,
});
const h = (...qubits: readonly number[]) => qubits.map((qubit) => g('H', { qubit }));
const x = (...qubits: readonly number[]) => qubits.map((qubit) => g('X', { qubit }));
const cx = (control: number, target: number) => g('CX', { control, target });
const measure = (qubit: number, bit = qubit) => g('M', { qubits: [qubit], bits: [bit] });
const bar = g('BARRIER');

/** Asks once for the parity of some of three qubits; qubit 3 takes the answer as a phase. */
const oneQuestion = (asked: readonly number[]) => [
  ...x(3),
  ...h(0, 1, 2, 3),
  bar,
  ...asked.map((qubit) => cx(qubit, 3)),
  bar,
  ...h(0, 1, 2),
  measure(0),
  measure(1),
  measure(2),
];

export const EXAMPLES: readonly Example[] = [
  {
    name: 'bell',
    title: 'Bell pair',
    says: 'Two qubits that always agree when they are measured, though neither has a value before.',
    qubits: 2,
    circuit: [...h(0), cx(0, 1)],
  },
  {
    name: 'ghz',
    title: 'GHZ state',
    says: 'Four qubits of which each agrees with all the others.',
    qubits: 4,
    circuit: [...h(0), cx(0, 1), cx(1, 2), cx(2, 3)],
  },
  {
    name: 'teleportation',
    title: 'Teleportation',
    says: 'The state of qubit 0 goes to qubit 2 by an entangled pair and two measured bits.',
    qubits: 3,
    circuit: [
      g('RY', { qubit: 0, theta: PI / 3 }),
      bar,
      ...h(1),
      cx(1, 2),
      bar,
      cx(0, 1),
      ...h(0),
      measure(0),
      measure(1),
      g('X', { qubit: 2, condition: { bits: [1], value: 1 } }),
      g('Z', { qubit: 2, condition: { bits: [0], value: 1 } }),
    ],
  },
  {
    name: 'superdense',
    title: 'Superdense coding',
    says: 'Two bits, here 11, are sent with one qubit of an entangled pair.',
    qubits: 2,
    circuit: [
      ...h(0),
      cx(0, 1),
      bar,
      ...x(0),
      g('Z', { qubit: 0 }),
      bar,
      cx(0, 1),
      ...h(0),
      measure(0),
      measure(1),
    ],
  },
  {
    name: 'deutsch-jozsa',
    title: 'Deutsch–Jozsa',
    says: 'One question tells a balanced function from a constant one: all zeros would mean constant.',
    qubits: 4,
    circuit: oneQuestion([0, 1, 2]),
  },
  {
    name: 'bernstein-vazirani',
    title: 'Bernstein–Vazirani',
    says: 'A hidden number, here 101, is read with one question.',
    qubits: 4,
    circuit: oneQuestion([0, 2]),
  },
  {
    name: 'grover',
    title: 'Grover’s search',
    says: 'Two rounds find the marked one of eight, here 101, with a probability of 95%.',
    qubits: 3,
    circuit: [
      ...h(0, 1, 2),
      ...[0, 1].flatMap(() => [
        bar,
        ...x(1),
        g('CCZ', { controls: [0, 1], target: 2 }),
        ...x(1),
        bar,
        ...h(0, 1, 2),
        ...x(0, 1, 2),
        g('CCZ', { controls: [0, 1], target: 2 }),
        ...x(0, 1, 2),
        ...h(0, 1, 2),
      ]),
    ],
  },
  {
    name: 'fourier',
    title: 'Fourier transform',
    says: 'Turns the number 5 into phases that go round the circle five times.',
    qubits: 3,
    circuit: [
      ...x(0, 2),
      bar,
      ...h(2),
      g('CP', { control: 1, target: 2, theta: PI / 2 }),
      g('CP', { control: 0, target: 2, theta: PI / 4 }),
      ...h(1),
      g('CP', { control: 0, target: 1, theta: PI / 2 }),
      ...h(0),
      g('SWAP', { qubits: [0, 2] }),
    ],
  },
  {
    name: 'phase-estimation',
    title: 'Phase estimation',
    says: 'Three qubits read the phase of a gate, here 3/8 of a turn, from its eigenstate on qubit 3.',
    qubits: 4,
    circuit: [
      ...x(3),
      ...h(0, 1, 2),
      g('CP', { control: 0, target: 3, theta: (3 * PI) / 4 }),
      g('CP', { control: 1, target: 3, theta: (3 * PI) / 2 }),
      g('CP', { control: 2, target: 3, theta: 3 * PI }),
      bar,
      g('SWAP', { qubits: [0, 2] }),
      ...h(0),
      g('CP', { control: 0, target: 1, theta: -PI / 2 }),
      ...h(1),
      g('CP', { control: 0, target: 2, theta: -PI / 4 }),
      g('CP', { control: 1, target: 2, theta: -PI / 2 }),
      ...h(2),
      measure(0),
      measure(1),
      measure(2),
    ],
  },
  {
    name: 'ansatz',
    title: 'Variational circuit',
    says: 'Four sliders set angles, as an optimiser does that looks for a ground state.',
    qubits: 2,
    circuit: [
      g('RY', { qubit: 0, theta: { input: 'a' } }),
      g('RY', { qubit: 1, theta: { input: 'b' } }),
      cx(0, 1),
      g('RY', { qubit: 0, theta: { input: 'c' } }),
      g('RZ', { qubit: 1, theta: { input: 'd' } }),
    ],
    inputs: { a: PI / 2, b: PI / 4, c: 0, d: PI / 2 },
  },
  {
    name: 'qaoa',
    title: 'QAOA on a square',
    says: 'One round that favours the two largest cuts of a square, 0101 and 1010; try gamma and beta.',
    qubits: 4,
    circuit: [
      ...h(0, 1, 2, 3),
      bar,
      ...(
        [
          [0, 1],
          [1, 2],
          [2, 3],
          [0, 3],
        ] as const
      ).map((qubits) => g('RZZ', { qubits, theta: { input: 'gamma' } })),
      bar,
      ...[0, 1, 2, 3].map((qubit) => g('RX', { qubit, theta: { input: 'beta' } })),
    ],
    inputs: { gamma: PI / 4, beta: -PI / 4 },
  },
  {
    name: 'bit-flip-code',
    title: 'Bit-flip code',
    says: 'Three qubits hold one state; two checks find the qubit that was flipped, here qubit 1, and it is flipped back.',
    qubits: 5,
    circuit: [
      g('RY', { qubit: 0, theta: PI / 3 }),
      cx(0, 1),
      cx(0, 2),
      bar,
      ...x(1),
      bar,
      cx(0, 3),
      cx(1, 3),
      cx(1, 4),
      cx(2, 4),
      measure(3, 0),
      measure(4, 1),
      g('X', { qubit: 0, condition: { bits: [0, 1], value: 1 } }),
      g('X', { qubit: 1, condition: { bits: [0, 1], value: 3 } }),
      g('X', { qubit: 2, condition: { bits: [0, 1], value: 2 } }),
    ],
  },
];
