/** Sweeps to start from. */
import type { SweepDraft } from './sweep.ts';

/** A sweep to start from, with a sentence about it. */
export interface SweepExample {
  readonly name: string;
  readonly about: string;
  readonly draft: SweepDraft;
}

const USUAL: Omit<SweepDraft, 'text'> = {
  inputs: {},
  asks: 'observables',
  observables: 'Z0',
  outcome: '1',
  hasGradient: false,
  processor: 'statevector-sim',
  shots: '',
  noise: '',
};

const varied = (from: string, to: string, points: string) => ({
  varies: true,
  from,
  to,
  points,
  value: '0',
});

/** One gate a line. */
const json = (gates: readonly object[]) =>
  `[\n${gates.map((gate) => `  ${JSON.stringify(gate)}`).join(',\n')}\n]`;

const QAOA_EDGES = [
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 0],
];

export const EXAMPLES: readonly [SweepExample, ...SweepExample[]] = [
  {
    name: 'One rotation',
    about: 'A qubit turned by an angle: its Z follows the cosine, its X the sine.',
    draft: {
      ...USUAL,
      text: json([{ gate: 'RY', qubit: 0, theta: { input: 'a' } }]),
      observables: 'Z0\nX0',
      hasGradient: true,
    },
  },
  {
    name: 'Ramsey fringe',
    about: 'A phase between two Hadamard gates decides how often 1 is measured.',
    draft: {
      ...USUAL,
      text: [
        'OPENQASM 3.0;',
        'include "stdgates.inc";',
        'input float phi;',
        'qubit q;',
        'bit c;',
        'h q;',
        'rz(phi) q;',
        'h q;',
        'c = measure q;',
      ].join('\n'),
      inputs: { phi: varied('-2*pi', '2*pi', '61') },
      asks: 'outcome',
      shots: '500',
    },
  },
  {
    name: 'Energy of H₂',
    about:
      'One angle mixes two states of a hydrogen molecule at 0.75 Å. The least energy is −1.146 hartree.',
    draft: {
      ...USUAL,
      text: json([
        { gate: 'X', qubit: 1 },
        { gate: 'RY', qubit: 0, theta: { input: 'theta' } },
        { gate: 'CX', control: 0, target: 1 },
      ]),
      inputs: { theta: varied('0', '2*pi', '81') },
      observables:
        'energy = 0.2252 + 0.3435*Z0 - 0.4347*Z1 + 0.5716*Z0 Z1 + 0.0910*X0 X1 + 0.0910*Y0 Y1',
      hasGradient: true,
    },
  },
  {
    name: 'Entangled correlations',
    about: 'Two qubits of a Bell state, measured along directions that are turned by two angles.',
    draft: {
      ...USUAL,
      text: json([
        { gate: 'H', qubit: 0 },
        { gate: 'CX', control: 0, target: 1 },
        { gate: 'RY', qubit: 0, theta: { input: 'alice' } },
        { gate: 'RY', qubit: 1, theta: { input: 'bob' } },
      ]),
      inputs: { alice: varied('0', '2*pi', '41'), bob: varied('0', '2*pi', '41') },
      observables: 'Z0 Z1',
    },
  },
  {
    name: 'QAOA on a ring',
    about: 'Edges of a ring of four that one layer of QAOA cuts on average: three of four at best.',
    draft: {
      ...USUAL,
      text: json([
        ...[0, 1, 2, 3].map((qubit) => ({ gate: 'H', qubit })),
        ...QAOA_EDGES.flatMap(([control, target]) => [
          { gate: 'CX', control, target },
          { gate: 'RZ', qubit: target, theta: { input: 'gamma' } },
          { gate: 'CX', control, target },
        ]),
        ...[0, 1, 2, 3].map((qubit) => ({
          gate: 'RX',
          qubit,
          theta: { input: 'beta', scale: 2 },
        })),
      ]),
      inputs: { gamma: varied('0', 'pi', '33'), beta: varied('0', 'pi', '33') },
      observables: `cut = 2 - ${QAOA_EDGES.map(([a, b]) => `0.5*Z${a} Z${b}`).join(' - ')}`,
    },
  },
];
