/** The choice of a method by what each would need. */
import { describe, expect, test } from 'vitest';
import type { Circuit, DynamicCircuit, Operation } from '../../../src/circuit/circuit.ts';
import { withFinalMeasurement } from '../../../src/circuit/circuit.ts';
import { StepsSpentError } from '../../../src/circuit/circuit-limits.ts';
import type { Channel } from '../../../src/circuit/noise/channel.ts';
import { chooseMethod, type MethodChoice } from '../../../src/fleet/choose-method.ts';
import { type MethodQuestion, methodsOf } from '../../../src/fleet/method-limits.ts';
import type { ProcessorSpec } from '../../../src/fleet/processor.ts';
import { circuitWork } from '../../../src/fleet/schedule/scheduled-run.ts';
import { randomClifford } from '../../support/clifford-circuits.ts';
import { gate, randomUnitary } from '../../support/random-circuits.ts';
import { RandomStream } from '../../support/random-stream.ts';

const QVM: ProcessorSpec = {
  id: 'qvm',
  name: 'Quantum virtual machine',
  family: 'qvm',
  maxQubits: 24,
  maxShots: 1_000_000,
  maxGates: 1_000_000,
  precision: 'f64',
  execution: 'cpu',
  target: null,
};

function choiceFor(
  circuit: DynamicCircuit,
  more: Partial<MethodQuestion> = {},
  spec = QVM,
): MethodChoice {
  const question = {
    shots: 1000,
    asked: 'automatic',
    outputs: ['counts'],
  } as const;
  return chooseMethod({ ...question, circuit, work: circuitWork(circuit), ...more }, spec);
}

/** The method, or what is wrong. */
const outcome = (choice: MethodChoice) => ('method' in choice ? choice.method : choice.problem);

const circuit = (numQubits: number, operations: readonly Operation[]): Circuit =>
  withFinalMeasurement({ numQubits, numBits: 0, operations });
const chain = (numQubits: number) =>
  Array.from({ length: numQubits - 1 }, (_, i) => gate('X', [i + 1], [i]));
const ghz = (numQubits: number, ...more: readonly Operation[]) =>
  circuit(numQubits, [gate('H', [0]), ...chain(numQubits), ...more]);
const T = gate('T', [0]);
/** Rotations of 30 qubits: too many for sums over stabilizer states. */
const ROTATIONS = Array.from({ length: 30 }, (_, qubit) => gate('RY', [qubit], [], [0.3]));

/** Adds a register to another, without superpositions: many Toffoli gates, on qubits far apart. */
function adder(width: number): Circuit {
  const sums = Array.from({ length: width ** 2 }, (_, i) => {
    const [a, b] = [i % width, Math.floor(i / width)];
    return gate('X', [2 * width + ((a + b) % width)], [a, width + b]);
  });
  return circuit(3 * width, [gate('X', [0]), gate('X', [width]), ...sums]);
}

/** Layers of random gates on random pairs. */
function entangled(numQubits: number): Circuit {
  const stream = new RandomStream(numQubits);
  const operations = Array.from({ length: 10 * numQubits }, () => ({
    kind: 'unitary' as const,
    controls: [],
    targets: stream.distinct(2, numQubits),
    matrix: randomUnitary(stream, 2),
  }));
  return circuit(numQubits, operations);
}

test.each([
  ['a narrow Clifford circuit stays a state vector', ghz(6), 'statevector'],
  ['a wide one goes to stabilizers', ghz(2000), 'stabilizer'],
  ['so does one that a state vector holds but takes long for', ghz(24), 'stabilizer'],
  ['a wide chain with little entanglement', ghz(300, ...ROTATIONS), 'matrix_product_state'],
  ['one with few amplitudes that are not 0', ghz(300, T), 'sparse'],
  ['a permutation of basis states', adder(60), 'sparse'],
  ['an entangled circuit that a state vector holds', entangled(18), 'statevector'],
])('%s', (_, asked, method) => {
  expect(outcome(choiceFor(asked))).toBe(method);
});

/** A circuit of random Clifford gates on random pairs, with T gates on random qubits. */
function withTs(numQubits: number, numTs: number): Circuit {
  const stream = new RandomStream(numQubits);
  const cliffords = () =>
    Array.from({ length: 2 * numQubits }, () => randomClifford(stream, numQubits));
  const layers = Array.from({ length: numTs }, () => [
    ...cliffords(),
    gate('T', [stream.below(numQubits)]),
  ]);
  return circuit(numQubits, [...layers.flat(), ...cliffords()]);
}

test('an entangled circuit that is Clifford but for a few gates goes to sums over stabilizer states', () => {
  // One T gate of the second circuit acts on a qubit that is still 0.
  for (const [numQubits, numRotations, numTerms] of [
    [22, 6, 32],
    [60, 5, 8],
  ] as const) {
    expect(choiceFor(withTs(numQubits, 6))).toMatchObject({
      method: 'stabilizer',
      reason: expect.stringContaining(
        `Stabilizers of ${numQubits} qubits, ${numRotations} rotations and sums over ${numTerms} stabilizer states, in`,
      ),
    });
  }
  expect(outcome(choiceFor(withTs(60, 40)))).toMatch(/^No method takes 60 qubits/);
  expect(outcome(choiceFor(withTs(60, 40), { asked: 'stabilizer' }))).toContain(
    'sums over stabilizer states have up to 2^22 terms, and the gates that are not Clifford need more',
  );
});

test('sums are looked for in a few milliseconds, or the estimate is left to a process', () => {
  const stream = new RandomStream(5);
  const long = Array.from({ length: 20_000 }, () => randomClifford(stream, 60));
  const mayNot = { mayTakeLong: false };
  // A T gate after many others: the estimate is long.
  expect(() => choiceFor(circuit(60, [...long, T]), mayNot)).toThrow(StepsSpentError);
  expect(outcome(choiceFor(circuit(60, [...long, T])))).toBe('stabilizer');
  // Rotations of many qubits at the beginning end it at once.
  const rotations = Array.from({ length: 60 }, (_, qubit) => gate('RY', [qubit], [], [0.3]));
  const far = circuit(60, [...rotations, ...long]);
  expect(outcome(choiceFor(far, { asked: 'stabilizer', ...mayNot }))).toContain('need more');
});

/** A reset that depends on a measured bit. */
const CONDITIONAL_RESET: readonly Operation[] = [
  { kind: 'measure', qubits: [0], bits: [0] },
  { kind: 'reset', qubits: [0], condition: { bits: [0], value: 1 } },
];

test('sums are refused with the reason', () => {
  const asked = { asked: 'stabilizer' } as const;
  const misread: DynamicCircuit = {
    ...ghz(5, T),
    operations: [
      ...ghz(5, T).operations,
      { kind: 'misread', bits: [0], p1Given0: 0.1, p0Given1: 0.2 },
    ],
  };
  for (const [given, more, why] of [
    [ghz(2001, T), {}, /take up to 2000 qubits/],
    [ghz(22, T), { outputs: ['probabilities'] }, /outcomes of up to 20 bits/],
    [misread, { outputs: ['expectation'] }, /no exact values of a circuit with noise/],
  ] as const) {
    expect(outcome(choiceFor(given, { ...asked, ...more }))).toMatch(why);
  }
});

test('a refusal says what each method would need', () => {
  const choice = choiceFor(entangled(60));
  expect(choice).toMatchObject({ field: 'circuit', isLimit: true });
  expect(outcome(choice)).toMatch(
    /^No method takes 60 qubits for what is asked: statevector needs 16 EiB and takes up to 24 qubits; density_matrix needs 2\^120 amplitudes and takes up to 12 qubits; stabilizer takes Clifford gates and Pauli noise, and An explicit unitary on qubits \d+, \d+ is neither; beside other gates it takes no gates with more than one target, or on more than six qubits, that are not diagonal; sparse may need 2\^60 non-zero amplitudes, and has room for \d+; matrix_product_state may need bonds of 2\^30, and max_bond_dimension is 256; asked for by name, it cuts them and states the error\.$/,
  );
});

test('shots count where each has a tableau of its own', () => {
  const numQubits = 16;
  const layers = Array.from({ length: 6 }, (_, bit): readonly Operation[] => [
    ...Array.from({ length: numQubits }, (_, q) => gate('H', [q])),
    ...chain(numQubits),
    { kind: 'measure', qubits: [bit], bits: [bit] },
    { ...gate('H', [bit + 1]), condition: { bits: [bit], value: 1 } },
  ]);
  const dynamic = { numQubits, numBits: 6, operations: layers.flat() };
  expect(outcome(choiceFor(dynamic, { shots: 1 }))).toBe('stabilizer');
  expect(outcome(choiceFor(dynamic, { shots: 100_000 }))).toBe('statevector');
});

test('the reason names the figures', () => {
  expect(choiceFor(ghz(1000))).toMatchObject({
    reason: expect.stringMatching(
      /^Stabilizers of 1000 qubits in \d\.\d+ MiB\. The circuit has Clifford gates and Pauli noise alone, so that they are exact\. A state vector would need 2\^1000 amplitudes\.$/,
    ),
  });
  expect(choiceFor(ghz(300, ...ROTATIONS))).toMatchObject({
    reason: expect.stringMatching(
      /^A matrix product state with bonds of about 2 in [\d.]+ MiB\. No bond can exceed 2, so that only weights below the threshold are cut off\. A state vector would need 2\^300 amplitudes\.$/,
    ),
    bonds: { maxBondDimension: 256, truncationThreshold: 1e-12 },
  });
});

test('matrix product states by name cut bonds, and say so', () => {
  const choice = choiceFor(entangled(30), {
    asked: 'matrix_product_state',
    bonds: { maxBondDimension: 32 },
  });
  expect(choice).toMatchObject({
    method: 'matrix_product_state',
    bonds: { maxBondDimension: 32, truncationThreshold: 1e-12 },
    reason: expect.stringContaining('Bonds of up to 32768 are cut to 32; truncation_error says'),
  });
});

test('a wider limit of bonds has to fit the memory', () => {
  const spec = { ...QVM, maxQubits: 20 };
  expect(outcome(choiceFor(entangled(22), {}, spec))).toContain('max_bond_dimension is 256');
  const bonds = { maxBondDimension: 2048 };
  expect(outcome(choiceFor(entangled(22), { bonds }, spec))).toMatch(
    /matrix_product_state needs [\d.]+ (MiB|GiB) for bonds of 2048, and there are 16 MiB/,
  );
});

test('a chain whose bonds are likely to stay small counts as exact, and its bounds are no obstacle', () => {
  const layer = (numQubits: number) => [
    ...Array.from({ length: numQubits - 1 }, (_, i) => gate('RZZ', [i, i + 1], [], [0.05])),
    ...Array.from({ length: numQubits }, (_, i) => gate('RX', [i], [], [0.1])),
  ];
  const quench = circuit(100, Array.from({ length: 12 }, () => layer(100)).flat());
  expect(choiceFor(quench)).toMatchObject({
    method: 'matrix_product_state',
    reason: expect.stringContaining('Bonds are expected to stay below the limit of 256'),
  });
});

test.each([
  [
    'stabilizer',
    ghz(5, T, ...CONDITIONAL_RESET),
    'counts',
    'stabilizer takes Clifford gates and Pauli noise, and T on qubit 0 is neither; beside other gates it takes no resets under conditions.',
  ],
  ['stabilizer', ghz(5), 'statevector', 'stabilizer has no statevector.'],
  ['matrix_product_state', ghz(5), 'purity', 'matrix_product_state has no purity.'],
] as const)('%s by name is refused with the reason', (asked, given, output, problem) => {
  const outputs = [output];
  expect(choiceFor(given, { asked, outputs })).toMatchObject({ field: 'method', problem });
});

test('angles that differ between points keep stabilizers away', () => {
  const choice = choiceFor(ghz(2000), { typicalPoint: () => ghz(2000) });
  expect(outcome(choice)).toBe('sparse');
});

test('values after conditions on measured bits are no exact ones', () => {
  const operations: readonly Operation[] = [
    gate('H', [0]),
    { kind: 'measure', qubits: [0], bits: [0] },
    { ...gate('X', [49]), condition: { bits: [0], value: 1 } },
  ];
  const dynamic = { numQubits: 50, numBits: 1, operations };
  const asked = { outputs: ['expectation'] } as const;
  expect(outcome(choiceFor(dynamic, asked))).toMatch(
    /stabilizer has no exact values of a circuit with conditions or loops; sparse has no exact values under noise or after measurements in mid-circuit; matrix_product_state has no exact values after measurements in mid-circuit/,
  );
  expect(outcome(choiceFor(dynamic))).toBe('stabilizer');
});

test('memory decides how many qubits stabilizers take', () => {
  const limitOf = (maxQubits: number) =>
    methodsOf({ ...QVM, maxQubits }).find(({ method }) => method === 'stabilizer')?.maxQubits;
  expect([limitOf(16), limitOf(20), limitOf(28)]).toEqual([1448, 5792, 20_000]);
  const choice = choiceFor(ghz(6000), { asked: 'stabilizer' }, { ...QVM, maxQubits: 20 });
  expect(outcome(choice)).toBe('stabilizer needs 17.2 MiB and takes up to 5792 qubits.');
});

test('what no order of the qubits could help is refused without an estimate that takes long', () => {
  expect(outcome(choiceFor(entangled(60), { mayTakeLong: false }))).toMatch(
    /matrix_product_state may need bonds of 2\^30, and max_bond_dimension is 256;/,
  );
});

test('an estimate that takes long is left to a process, and refused beyond a limit', () => {
  const byName = { mayTakeLong: false, asked: 'matrix_product_state' } as const;
  expect(() => choiceFor(entangled(60), byName)).toThrow(StepsSpentError);
  expect(outcome(choiceFor(ghz(300, ...ROTATIONS), { mayTakeLong: false }))).toBe(
    'matrix_product_state',
  );
  const stream = new RandomStream(1);
  const pairs = Array.from({ length: 3000 }, () => stream.distinct(2, 1000));
  const far = circuit(1000, [
    ...Array.from({ length: 40 }, (_, q) => gate('RY', [q], [], [0.3])),
    ...CONDITIONAL_RESET,
    ...pairs.map(([a = 0, b = 1]) => gate('X', [a], [b])),
  ]);
  expect(outcome(choiceFor(far))).toMatch(
    /matrix_product_state takes up to 200000 swaps of neighbours, and the gates on distant qubits need about \d+/,
  );
});

describe('a channel on four qubits that is not depolarizing', () => {
  const noisy: DynamicCircuit = {
    numQubits: 4,
    numBits: 4,
    operations: [
      gate('RX', [0], [], [0.3]),
      {
        kind: 'noise',
        qubits: [0, 1, 2, 3],
        channel: {
          kind: 'pauli',
          numQubits: 4,
          errors: [{ flips: 15, signs: 0, probability: 0.1 }],
        },
      },
      { kind: 'measure', qubits: [0, 1, 2, 3], bits: [0, 1, 2, 3] },
    ],
  };

  test.each([['counts'], ['expectation'], ['probabilities']] as const)(
    'is left to trajectories where the method is open, for %s',
    (output) => {
      const choice = choiceFor(noisy, { outputs: [output] });
      expect(outcome(choice)).toBe('trajectories');
      expect('reason' in choice && choice.reason).toContain('there is one on 4');
    },
  );

  test.each([
    ['density_matrix', 'counts'],
    ['automatic', 'density_matrix'],
  ] as const)('is refused by the method %s for %s, with its limit', (asked, output) => {
    const choice = choiceFor(noisy, { asked, outputs: [output] });
    expect(outcome(choice)).toContain('on up to 3 qubits, and there is one on 4');
  });
});

describe('a circuit with noise that no other method takes', () => {
  const damping: Channel = {
    kind: 'kraus',
    numQubits: 1,
    matrices: [
      Float64Array.of(1, 0, 0, 0, 0, 0, Math.sqrt(0.9), 0),
      Float64Array.of(0, 0, Math.sqrt(0.1), 0, 0, 0, 0, 0),
    ],
  };
  const noisyGhz = (numQubits: number): DynamicCircuit => {
    const { operations, ...rest } = ghz(numQubits, ...ROTATIONS.slice(0, numQubits));
    const noise = { kind: 'noise', qubits: [0], channel: damping } as const;
    return { ...rest, operations: [...operations.slice(0, 2), noise, ...operations.slice(2)] };
  };

  test.each([['counts'], ['expectation'], ['probabilities']] as const)(
    'has its %s by trajectories of matrix product states',
    (output) => {
      const choice = choiceFor(noisyGhz(60), { outputs: [output] });
      expect(outcome(choice)).toBe('matrix_product_trajectories');
      const means =
        'reason' in choice && choice.reason.includes('Values are means over trajectories.');
      expect(means).toBe(output !== 'counts');
    },
  );

  test('has exact values of a density matrix where that fits', () => {
    expect(outcome(choiceFor(noisyGhz(10), { outputs: ['expectation'] }))).toBe('density_matrix');
  });

  test('holds a state for each shot that waits, and takes the time of all', () => {
    const [few, many] = [2, 2000].map((shots) => {
      const choice = choiceFor(noisyGhz(60), { shots });
      if (!('figures' in choice) || choice.figures === undefined) throw new Error('No figures.');
      return choice.figures;
    });
    expect(many!.bytes).toBeGreaterThan(few!.bytes);
    expect(many!.ms).toBeGreaterThan(few!.ms);
  });
});
