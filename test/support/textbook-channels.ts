/**
 * Noise channels as the literature defines them, by Kraus matrices written out here, beside the form in which a
 * caller asks for them.
 *
 * @see Nielsen & Chuang, section 8.3, for flips, depolarizing, amplitude and phase damping.
 * @see Krantz et al., Applied Physics Reviews 6, 021318 (2019), section III, for relaxation in T1 and T2.
 */
import type { Channel, KrausChannel } from '../../src/circuit/noise/channel.ts';
import { scaledMatrix } from './density-matrix.ts';
import { type Complex, type Matrix, matrixProduct } from './kronecker-oracle.ts';
import { randomUnitary } from './random-circuits.ts';
import type { RandomStream } from './random-stream.ts';

/** A channel twice: as a caller writes it, and as its Kraus matrices. */
export interface TextbookChannel {
  readonly name: string;
  readonly numQubits: number;
  /** As in JSON. */
  readonly written: { readonly type: string } & Readonly<Record<string, unknown>>;
  /** The first operand is the least significant bit of rows and columns. */
  readonly kraus: readonly Matrix[];
  /** Probabilities of Pauli strings, if the channel consists of those. */
  readonly paulis?: Readonly<Record<string, number>>;
}

const real = (rows: readonly (readonly number[])[]): Matrix =>
  rows.map((row) => row.map((entry): Complex => [entry, 0]));

const PAULIS: Readonly<Record<string, Matrix>> = {
  I: real([
    [1, 0],
    [0, 1],
  ]),
  X: real([
    [0, 1],
    [1, 0],
  ]),
  Y: [
    [
      [0, 0],
      [0, -1],
    ],
    [
      [0, 1],
      [0, 0],
    ],
  ],
  Z: real([
    [1, 0],
    [0, -1],
  ]),
};

/** a ⊗ b; b has the less significant bits. */
function kron(a: Matrix, b: Matrix): Matrix {
  return a.flatMap((rowA) =>
    b.map((rowB) =>
      rowA.flatMap(([x, y]) => rowB.map(([u, v]): Complex => [x * u - y * v, x * v + y * u])),
    ),
  );
}

/** A string's letters, the leftmost on the most significant bit. */
const pauliString = (letters: string): Matrix =>
  [...letters].map((letter) => PAULIS[letter]!).reduce(kron);

/** Each string with its probability, and the identity with what is left. */
function mixed(paulis: Readonly<Record<string, number>>, numQubits: number) {
  const entries = Object.entries(paulis);
  const rest = Math.max(0, 1 - entries.reduce((sum, [, p]) => sum + p, 0));
  const kraus = [['I'.repeat(numQubits), rest] as const, ...entries].map(([letters, p]) =>
    scaledMatrix(pauliString(letters), Math.sqrt(p)),
  );
  return { paulis, kraus };
}

/** ρ → (1 − p)ρ + pXρX, for the Pauli X or another. */
function flip(type: string, letter: string, probability: number): TextbookChannel {
  return {
    name: `${type} ${probability}`,
    numQubits: 1,
    written: { type, probability },
    ...mixed({ [letter]: probability }, 1),
  };
}

export const bitFlip = (p: number) => flip('bit_flip', 'X', p);
export const phaseFlip = (p: number) => flip('phase_flip', 'Z', p);
export const bitPhaseFlip = (p: number) => flip('bit_phase_flip', 'Y', p);

/** Errors by their letters; the leftmost letter acts on the last operand. */
export function pauli(probabilities: Readonly<Record<string, number>>): TextbookChannel {
  const numQubits = Object.keys(probabilities)[0]!.length;
  return {
    name: `pauli ${Object.keys(probabilities).join(' ')}`,
    numQubits,
    written: { type: 'pauli', probabilities },
    ...mixed(probabilities, numQubits),
  };
}

/** With probability p one of the 4^k − 1 Paulis other than the identity, all equally likely. */
export function depolarizing(probability: number, numQubits: number): TextbookChannel {
  let strings = [''];
  for (let q = 0; q < numQubits; q++) {
    strings = strings.flatMap((string) => ['I', 'X', 'Y', 'Z'].map((letter) => letter + string));
  }
  const errors = strings.slice(1).map((string) => [string, probability / (4 ** numQubits - 1)]);
  return {
    name: `depolarizing ${probability} on ${numQubits}`,
    numQubits,
    written: { type: 'depolarizing', probability, num_qubits: numQubits },
    ...mixed(Object.fromEntries(errors), numQubits),
  };
}

/** |1⟩ decays with probability γ; Nielsen & Chuang, equation 8.108. */
const damped = (gamma: number): readonly Matrix[] => [
  real([
    [1, 0],
    [0, Math.sqrt(1 - gamma)],
  ]),
  real([
    [0, Math.sqrt(gamma)],
    [0, 0],
  ]),
];

/** |0⟩ is excited with probability γ. */
const excitedBy = (gamma: number): readonly Matrix[] => [
  real([
    [Math.sqrt(1 - gamma), 0],
    [0, 1],
  ]),
  real([
    [0, 0],
    [Math.sqrt(gamma), 0],
  ]),
];

export function amplitudeDamping(gamma: number): TextbookChannel {
  const written = { type: 'amplitude_damping', gamma };
  return { name: `amplitude_damping ${gamma}`, numQubits: 1, written, kraus: damped(gamma) };
}

/** Towards a stationary population of |1⟩; Nielsen & Chuang, equation 8.116, with p = 1 − excited. */
const generalDamped = (gamma: number, excited: number): readonly Matrix[] => [
  ...damped(gamma).map((matrix) => scaledMatrix(matrix, Math.sqrt(1 - excited))),
  ...excitedBy(gamma).map((matrix) => scaledMatrix(matrix, Math.sqrt(excited))),
];

export function generalizedAmplitudeDamping(gamma: number, excited: number): TextbookChannel {
  return {
    name: `generalized_amplitude_damping ${gamma} to ${excited}`,
    numQubits: 1,
    written: { type: 'generalized_amplitude_damping', gamma, excited },
    kraus: generalDamped(gamma, excited),
  };
}

/** Nielsen & Chuang, equation 8.127. */
const phaseDamped = (gamma: number): readonly Matrix[] => [
  real([
    [1, 0],
    [0, Math.sqrt(1 - gamma)],
  ]),
  real([
    [0, 0],
    [0, Math.sqrt(gamma)],
  ]),
];

export function phaseDamping(gamma: number): TextbookChannel {
  const written = { type: 'phase_damping', gamma };
  return { name: `phase_damping ${gamma}`, numQubits: 1, written, kraus: phaseDamped(gamma) };
}

/**
 * Populations approach the stationary ones as e^(−t/T1), coherences fade as e^(−t/T2): damping, which alone makes
 * coherences fade as e^(−t/2T1), and the rest by phase damping.
 */
export function thermalRelaxation(
  t1Us: number,
  t2Us: number,
  durationNs: number,
  excited: number,
): TextbookChannel {
  const t = durationNs / 1000;
  const gamma = 1 - Math.exp(-t / t1Us);
  const dephasing = 1 - Math.exp(-2 * (t / t2Us - t / (2 * t1Us)));
  const kraus = generalDamped(gamma, excited).flatMap((damping) =>
    phaseDamped(dephasing).map((matrix) => matrixProduct(matrix, damping)),
  );
  return {
    name: `thermal_relaxation T1 ${t1Us} T2 ${t2Us} for ${durationNs} to ${excited}`,
    numQubits: 1,
    written: {
      type: 'thermal_relaxation',
      t1_us: t1Us,
      t2_us: t2Us,
      duration_ns: durationNs,
      excited,
    },
    kraus,
  };
}

/** With probability p the qubit is replaced by |value⟩, whatever it was entangled with. */
export function resetTo(probability: number, value: 0 | 1): TextbookChannel {
  const jump = (from: number): Matrix =>
    real([0, 1].map((i) => [0, 1].map((j) => (i === value && j === from ? 1 : 0))));
  return {
    name: `reset ${probability} to ${value}`,
    numQubits: 1,
    written: { type: 'reset', probability, value },
    kraus: [
      scaledMatrix(PAULIS['I']!, Math.sqrt(1 - probability)),
      ...[jump(0), jump(1)].map((matrix) => scaledMatrix(matrix, Math.sqrt(probability))),
    ],
  };
}

/** Random matrices: the blocks that a random unitary on twice the qubits has in its first columns. */
export function randomKraus(
  stream: RandomStream,
  numQubits: number,
  numMatrices: 2 | 4,
): TextbookChannel {
  const d = 2 ** numQubits;
  const unitary = randomUnitary(stream, numQubits + Math.log2(numMatrices));
  const kraus = Array.from({ length: numMatrices }, (_, k) =>
    Array.from({ length: d }, (__, i) =>
      Array.from({ length: d }, (___, j): Complex => {
        const at = 2 * ((k * d + i) * d * numMatrices + j);
        return [unitary[at]!, unitary[at + 1]!];
      }),
    ),
  );
  const name = `kraus of ${numMatrices} on ${numQubits}`;
  return { name, numQubits, written: { type: 'kraus', matrices: kraus }, kraus };
}

/** The channel for a circuit: Pauli strings as masks where it consists of those, else Kraus matrices. */
export function channelOf(channel: TextbookChannel): Channel {
  const { numQubits, paulis } = channel;
  if (paulis === undefined) return krausChannel(channel);
  const errors = Object.entries(paulis).map(([letters, probability]) => ({
    flips: maskOf(letters, 'XY'),
    signs: maskOf(letters, 'YZ'),
    probability,
  }));
  return { kind: 'pauli', numQubits, errors };
}

/** The channel for a circuit as Kraus matrices, without those that are zero. */
export function krausChannel({ numQubits, kraus }: TextbookChannel): KrausChannel {
  const matrices = kraus
    .map((matrix) => Float64Array.from(matrix.flat(2)))
    .filter((matrix) => matrix.some((part) => part !== 0));
  return { kind: 'kraus', numQubits, matrices };
}

/** The bits of the letters that are among those named; the rightmost letter is bit 0. */
function maskOf(letters: string, named: string): number {
  return [...letters].reduce((mask, letter) => 2 * mask + (named.includes(letter) ? 1 : 0), 0);
}

/**
 * The Choi matrix Σ |K⟩⟩⟨⟨K|, which two sets of Kraus matrices share if, and only if, they are one channel.
 *
 * @returns Interleaved re, im; row-major over pairs of entries.
 */
export function choiMatrix(kraus: readonly Matrix[]): Float64Array {
  const size = kraus[0]!.length ** 2;
  const out = new Float64Array(2 * size * size);
  for (const matrix of kraus) {
    for (const [i, [x, y]] of matrix.flat().entries()) {
      for (const [j, [u, v]] of matrix.flat().entries()) {
        out[2 * (i * size + j)]! += x * u + y * v;
        out[2 * (i * size + j) + 1]! += y * u - x * v;
      }
    }
  }
  return out;
}
