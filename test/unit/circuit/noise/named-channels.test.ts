import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FaultList } from '../../../../src/circuit/errors.ts';
import { type Channel, krausMatrices } from '../../../../src/circuit/noise/channel.ts';
import type { ChannelObject } from '../../../../src/circuit/noise/channel-object.ts';
import { readChannel } from '../../../../src/circuit/noise/read-channel.ts';

type Complex = readonly [re: number, im: number];
type Matrix = readonly (readonly Complex[])[];

const real = (rows: readonly (readonly number[])[]): Matrix =>
  rows.map((row) => row.map((entry) => [entry, 0] as const));
const I = real([
  [1, 0],
  [0, 1],
]);
const X = real([
  [0, 1],
  [1, 0],
]);
const Z = real([
  [1, 0],
  [0, -1],
]);
const Y: Matrix = [
  [
    [0, 0],
    [0, -1],
  ],
  [
    [0, 1],
    [0, 0],
  ],
];
const letters: Readonly<Record<string, Matrix>> = { I, X, Y, Z };
const times = (factor: number, matrix: Matrix): Matrix =>
  matrix.map((row) => row.map(([re, im]) => [factor * re, factor * im] as const));

/** a ⊗ b: the rightmost factor has the least significant bits. */
const kron = (a: Matrix, b: Matrix): Matrix =>
  a.flatMap((rowA) =>
    b.map((rowB) =>
      rowA.flatMap(([ar, ai]) =>
        rowB.map(([br, bi]) => [ar * br - ai * bi, ar * bi + ai * br] as const),
      ),
    ),
  );
const pauliString = (string: string): Matrix =>
  [...string].map((letter) => letters[letter]!).reduce(kron);

/** Σ K_ij·K*_kl for all i, j, k, l, which says all that a channel does. */
function choi(kraus: readonly Matrix[]): readonly number[] {
  const d = kraus[0]!.length;
  const out = new Array<number>(2 * d ** 4).fill(0);
  for (const matrix of kraus) {
    const flat = matrix.flat();
    for (const [a, [ar, ai]] of flat.entries()) {
      for (const [b, [br, bi]] of flat.entries()) {
        out[2 * (a * d * d + b)]! += ar * br + ai * bi;
        out[2 * (a * d * d + b) + 1]! += ai * br - ar * bi;
      }
    }
  }
  return out;
}

function choiOf(channel: Channel | undefined, numQubits: number): readonly number[] {
  if (channel === undefined) return choi([pauliString('I'.repeat(numQubits))]);
  const d = 2 ** channel.numQubits;
  return choi(
    krausMatrices(channel).map((matrix) =>
      Array.from({ length: d }, (_, row) =>
        Array.from({ length: d }, (_, column): Complex => {
          const at = 2 * (row * d + column);
          return [matrix[at]!, matrix[at + 1]!];
        }),
      ),
    ),
  );
}

function read(object: ChannelObject, numOperands = 1): Channel | undefined {
  const faults = new FaultList();
  const found = readChannel(object, numOperands, 'channel', faults);
  expect(faults.kept).toEqual([]);
  return found!.channel;
}

function expectSame(channel: Channel | undefined, kraus: readonly Matrix[]): void {
  const found = choiOf(channel, Math.log2(kraus[0]!.length));
  const wanted = choi(kraus);
  const worst = Math.max(...found.map((entry, i) => Math.abs(entry - wanted[i]!)));
  // Sums of 64 terms round.
  expect(worst).toBeLessThan(4e-15);
}

/** Kraus matrices of damping towards a population, as Nielsen & Chuang give them (8.108, 8.116 to 8.119). */
const damping = (gamma: number, excited: number): readonly Matrix[] => {
  const kept = Math.sqrt(1 - gamma);
  const lost = Math.sqrt(gamma);
  const [down, up] = [Math.sqrt(1 - excited), Math.sqrt(excited)];
  const decay = [
    [
      [1, 0],
      [0, kept],
    ],
    [
      [0, lost],
      [0, 0],
    ],
  ];
  const excitation = [
    [
      [kept, 0],
      [0, 1],
    ],
    [
      [0, 0],
      [lost, 0],
    ],
  ];
  return [
    ...decay.map((rows) => times(down, real(rows))),
    ...excitation.map((rows) => times(up, real(rows))),
  ];
};

/** What first one and then another channel does. */
const then = (first: readonly Matrix[], second: readonly Matrix[]): readonly Matrix[] =>
  second.flatMap((b) => first.map((a) => product(b, a)));
const product = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) =>
    b[0]!.map((_, column) =>
      row.reduce<Complex>(
        ([re, im], [ar, ai], k) => {
          const [br, bi] = b[k]![column]!;
          return [re + ar * br - ai * bi, im + ar * bi + ai * br];
        },
        [0, 0],
      ),
    ),
  );

const FRACTIONS = [0, 1e-12, 0.003, 0.2, 0.5, 0.75, 0.99, 1];

describe('a named channel is that of its textbook Kraus matrices', () => {
  test.each([
    ['bit_flip', X],
    ['phase_flip', Z],
    ['bit_phase_flip', Y],
  ] as const)('%s', (type, error) => {
    for (const probability of FRACTIONS) {
      const kraus = [times(Math.sqrt(1 - probability), I), times(Math.sqrt(probability), error)];
      expectSame(read({ type, probability }), kraus);
    }
  });

  test('pauli, whose leftmost letter acts on the last operand', () => {
    const probabilities = { XI: 0.1, ZY: 0.02, II: 0.3, YY: 0.05 };
    const errors = Object.entries(probabilities).map(([string, p]) =>
      times(Math.sqrt(p), pauliString(string)),
    );
    const kraus = [times(Math.sqrt(0.53), pauliString('II')), ...errors];
    const channel = read({ type: 'pauli', probabilities }, 2);
    expectSame(channel, kraus);
    expect(channel).toMatchObject({
      errors: [
        { flips: 2, signs: 0 },
        { flips: 1, signs: 3 },
        { flips: 3, signs: 3 },
      ],
    });
  });

  test.each([1, 2, 3])('depolarizing on %i qubits', (numQubits) => {
    const strings = Array.from({ length: 4 ** numQubits }, (_, i) =>
      Array.from({ length: numQubits }, (_, q) => 'IXYZ'[Math.floor(i / 4 ** q) % 4]).join(''),
    );
    for (const probability of [0.01, 0.5, 1]) {
      const each = probability / (4 ** numQubits - 1);
      const kraus = strings.map((string, i) =>
        times(Math.sqrt(i === 0 ? 1 - probability : each), pauliString(string)),
      );
      expectSame(read({ type: 'depolarizing', probability }, numQubits), kraus);
      expectSame(read({ type: 'depolarizing', probability, num_qubits: numQubits }, 1), kraus);
    }
  });

  test('depolarizing with probability 1 − 4^−k leaves nothing of a state', () => {
    const found = choiOf(read({ type: 'depolarizing', probability: 15 / 16 }, 2), 2);
    // Σ K_ij·K*_kl is δ_ik·δ_jl / 4 for the channel to the fully mixed state.
    const wanted = Array.from({ length: 2 * 256 }, (_, i) =>
      i % 2 === 0 && (i / 2) % 17 === 0 ? 0.25 : 0,
    );
    for (const [i, entry] of found.entries()) expect(entry).toBeCloseTo(wanted[i]!, 15);
  });

  test('amplitude_damping', () => {
    for (const gamma of FRACTIONS) {
      expectSame(read({ type: 'amplitude_damping', gamma }), damping(gamma, 0));
    }
  });

  test('generalized_amplitude_damping', () => {
    for (const gamma of FRACTIONS) {
      for (const excited of FRACTIONS) {
        const channel = read({ type: 'generalized_amplitude_damping', gamma, excited });
        expectSame(channel, damping(gamma, excited));
      }
    }
  });

  test('phase_damping', () => {
    for (const gamma of FRACTIONS) {
      const kraus = [
        [1, Math.sqrt(1 - gamma)],
        [0, Math.sqrt(gamma)],
      ].map(([a, b]) =>
        real([
          [a!, 0],
          [0, b!],
        ]),
      );
      expectSame(read({ type: 'phase_damping', gamma }), kraus);
    }
  });

  test('thermal_relaxation is damping by T1, and dephasing for the rest of T2', () => {
    for (const [t1, t2] of [
      [100, 200],
      [100, 100],
      [100, 150],
      [80, 3],
    ] as const) {
      for (const duration of [0, 1e-3, 20, 300, 200_000, 1e9]) {
        for (const excited of FRACTIONS) {
          const channel = read({
            type: 'thermal_relaxation',
            t1_us: t1,
            t2_us: t2,
            duration_ns: duration,
            excited,
          });
          const us = duration / 1000;
          const dephased = Math.exp(-us / t2 + us / (2 * t1));
          const flips = [
            times(Math.sqrt((1 + dephased) / 2), I),
            times(Math.sqrt((1 - dephased) / 2), Z),
          ];
          const gamma = 1 - Math.exp(-us / t1);
          expectSame(channel, then(damping(gamma, excited), flips));
        }
      }
    }
  });

  test.each([0, 0.3, 1])('thermal_relaxation for ever ends in a population of %d', (excited) => {
    const figures = { t1_us: 1e-300, t2_us: 1e-300, duration_ns: 1e300 };
    const channel = read({ type: 'thermal_relaxation', ...figures, excited });
    expectSame(channel, damping(1, excited));
  });

  test('thermal_relaxation keeps the coherence that T2 leaves, however long its times are', () => {
    const [t1, t2, duration] = [1e305, 1e305, 1.7e308];
    const channel = read({
      type: 'thermal_relaxation',
      t1_us: t1,
      t2_us: t2,
      duration_ns: duration,
    });
    const left = duration / 1000 / t1;
    const dephased = Math.exp(-left / 2);
    const flips = [
      times(Math.sqrt((1 + dephased) / 2), I),
      times(Math.sqrt((1 - dephased) / 2), Z),
    ];
    expectSame(channel, then(damping(1 - Math.exp(-left), 0), flips));
  });

  test.each([0, 1])('reset to %i', (value) => {
    for (const probability of FRACTIONS) {
      const set = Math.sqrt(probability);
      const onto = [0, 1].map((from) =>
        real(
          [0, 1].map((row) => [0, 1].map((column) => (row === value && column === from ? set : 0))),
        ),
      );
      const kraus = [times(Math.sqrt(1 - probability), I), ...onto];
      expectSame(read({ type: 'reset', probability, value }), kraus);
      if (value === 0) expectSame(read({ type: 'reset', probability }), kraus);
    }
  });

  test('kraus on two qubits, whose first operand is the least significant bit', () => {
    const matrices = then(
      damping(0.3, 0).map((matrix) => kron(I, matrix)),
      damping(0.1, 0.2).map((matrix) => kron(matrix, I)),
    );
    const channel = read({ type: 'kraus', matrices }, 2);
    expect(channel?.kind).toBe('kraus');
    expectSame(channel, matrices);
  });
});

test('every channel keeps probabilities, whatever its parameters', () => {
  const fraction = fc.double({ min: 0, max: 1, noNaN: true });
  const time = fc.double({ min: 1e-9, max: 1e9, noNaN: true });
  const objects = fc.oneof(
    fc.record({ type: fc.constant('depolarizing' as const), probability: fraction }),
    fc.record({
      type: fc.constantFrom('amplitude_damping' as const, 'phase_damping' as const),
      gamma: fraction,
    }),
    fc.record({
      type: fc.constant('generalized_amplitude_damping' as const),
      gamma: fraction,
      excited: fraction,
    }),
    fc.record({
      type: fc.constant('reset' as const),
      probability: fraction,
      value: fc.constantFrom(0, 1),
    }),
    fc.tuple(time, fraction, time, fraction).map(([t1, part, duration, excited]) => ({
      type: 'thermal_relaxation' as const,
      t1_us: t1,
      t2_us: Math.max(2 * t1 * part, 1e-12),
      duration_ns: duration,
      excited,
    })),
  );
  fc.assert(
    fc.property(objects, (object) => {
      const channel = read(object);
      if (channel === undefined) return;
      for (const [column, sum] of columnNorms(krausMatrices(channel)).entries()) {
        expect(Math.abs(sum - 1), `column ${column}`).toBeLessThan(1e-14);
      }
    }),
    { seed: 22, numRuns: 2000 },
  );
});

/** Σ |K_ij|² over i, for each column j. */
const columnNorms = (kraus: readonly Float64Array[]): readonly number[] =>
  [0, 1].map((column) =>
    kraus.reduce((sum, k) => {
      const entries = [k[2 * column]!, k[2 * column + 1]!, k[4 + 2 * column]!, k[5 + 2 * column]!];
      return sum + Math.hypot(...entries) ** 2;
    }, 0),
  );

describe('a channel that does nothing is left out', () => {
  test.each<ChannelObject>([
    { type: 'bit_flip', probability: 0 },
    { type: 'phase_flip', probability: 0 },
    { type: 'bit_phase_flip', probability: 0 },
    { type: 'pauli', probabilities: { I: 1 } },
    { type: 'pauli', probabilities: { X: 0, Z: 0 } },
    { type: 'depolarizing', probability: 0 },
    { type: 'amplitude_damping', gamma: 0 },
    { type: 'generalized_amplitude_damping', gamma: 0, excited: 0.3 },
    { type: 'phase_damping', gamma: 0 },
    { type: 'thermal_relaxation', t1_us: 100, t2_us: 80, duration_ns: 0 },
    { type: 'reset', probability: 0, value: 1 },
    { type: 'kraus', matrices: [I] },
    { type: 'kraus', matrices: [times(0.6, I), times(0.8, I)] },
    // A phase of the whole state.
    {
      type: 'kraus',
      matrices: [
        [
          [
            [0, 1],
            [0, 0],
          ],
          [
            [0, 0],
            [0, 1],
          ],
        ],
      ],
    },
  ])('%j', (object) => {
    expect(read(object)).toBeUndefined();
  });
});

describe('a channel of Pauli errors is a Pauli channel, however it is written', () => {
  test.each<[ChannelObject, object]>([
    [{ type: 'phase_damping', gamma: 0.36 }, { errors: [{ flips: 0, signs: 1 }] }],
    [
      { type: 'generalized_amplitude_damping', gamma: 0.36, excited: 0.5 },
      {
        errors: [
          { flips: 1, signs: 0 },
          { flips: 1, signs: 1 },
          { flips: 0, signs: 1 },
        ],
      },
    ],
    [
      { type: 'thermal_relaxation', t1_us: 1e30, t2_us: 100, duration_ns: 300 },
      { errors: [{ flips: 0, signs: 1 }] },
    ],
    [
      { type: 'kraus', matrices: [times(Math.sqrt(0.9), I), times(Math.sqrt(0.1), Y)] },
      { errors: [{ flips: 1, signs: 1 }] },
    ],
    [
      {
        type: 'kraus',
        matrices: [
          real([
            [1, 0],
            [0, 0.8],
          ]),
          real([
            [0, 0],
            [0, 0.6],
          ]),
        ],
      },
      { errors: [{ flips: 0, signs: 1 }] },
    ],
  ])('%j', (object, form) => {
    expect(read(object)).toMatchObject({ kind: 'pauli', ...form });
  });

  test('damping and a unitary error are not', () => {
    expect(read({ type: 'amplitude_damping', gamma: 1e-6 })?.kind).toBe('kraus');
    const [c, s] = [Math.cos(0.01), Math.sin(0.01)];
    const turn = real([
      [c, -s],
      [s, c],
    ]);
    expect(read({ type: 'kraus', matrices: [turn] })?.kind).toBe('kraus');
  });
});

test('Kraus matrices within the tolerance are corrected, so that a million applications keep probabilities', () => {
  const matrices = damping(0.2, 0.1).map((matrix) => times(1 + 4e-9, matrix));
  const channel = read({ type: 'kraus', matrices });
  const total = columnNorms(krausMatrices(channel!));
  for (const sum of total) expect(Math.abs(sum - 1)).toBeLessThan(1e-15);
});
