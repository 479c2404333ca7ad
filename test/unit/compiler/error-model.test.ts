/** Detector error models: each single error flips what it flips when it is put into the circuit as a gate. */
import { expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../src/circuit/circuit.ts';
import type { Channel, PauliError } from '../../../src/circuit/noise/channel.ts';
import { compileStabilizer } from '../../../src/compiler/clifford/compile-stabilizer.ts';
import {
  detectorErrorModel,
  expectedParities,
  type Parities,
} from '../../../src/compiler/clifford/error-model.ts';
import { openReferenceEngine } from '../../../src/engine/reference/reference-engine.ts';
import { runCircuit } from '../../support/engine-runs.ts';
import { RandomStream } from '../../support/random-stream.ts';

const gate = (name: string, targets: number[], controls: number[] = []): DynamicOperation => ({
  kind: 'gate',
  gate: name,
  controls,
  targets,
  angles: [],
});
const measure = (qubit: number, bit: number): DynamicOperation => ({
  kind: 'measure',
  qubits: [qubit],
  bits: [bit],
});
const reset = (qubit: number): DynamicOperation => ({ kind: 'reset', qubits: [qubit] });
const noise = (qubits: number[], errors: readonly PauliError[]): DynamicOperation => {
  const channel: Channel = { kind: 'pauli', numQubits: qubits.length, errors };
  return { kind: 'noise', qubits, channel };
};
const depolarizing = (probability: number, numQubits: number): readonly PauliError[] =>
  Array.from({ length: 4 ** numQubits - 1 }, (_, i) => ({
    flips: (i + 1) % 2 ** numQubits,
    signs: Math.floor((i + 1) / 2 ** numQubits),
    probability: probability / (4 ** numQubits - 1),
  }));

/**
 * Two rounds of a repetition code on qubits 0, 2 and 4 with the checks on 1 and 3, between Hadamard gates if phases are
 * to be corrected, and with errors everywhere.
 */
function repetitionCode(isOfPhases: boolean, errors: (numQubits: number) => readonly PauliError[]) {
  const operations: DynamicOperation[] = [];
  const turn = () => {
    if (isOfPhases) for (const qubit of [0, 2, 4]) operations.push(gate('H', [qubit]));
  };
  const coupled = (control: number, target: number) => {
    operations.push(gate('X', [target], [control]), noise([control, target], errors(2)));
  };
  turn();
  for (const round of [0, 1]) {
    for (const qubit of [0, 2, 4]) operations.push(noise([qubit], errors(1)));
    turn();
    for (const [data, check] of [
      [0, 1],
      [2, 3],
      [2, 1],
      [4, 3],
    ] as const)
      coupled(data, check);
    for (const [i, check] of [1, 3].entries()) {
      operations.push(measure(check, 2 * round + i), reset(check));
    }
    turn();
  }
  turn();
  for (const [i, qubit] of [0, 2, 4].entries()) operations.push(measure(qubit, 4 + i));
  const circuit: DynamicCircuit = { numQubits: 5, numBits: 7, operations };
  const parities: Parities = {
    detectors: [[0], [1], [0, 2], [1, 3], [2, 4, 5], [3, 5, 6]],
    logicalObservables: [[4]],
  };
  return { circuit, parities };
}

function programOf(circuit: DynamicCircuit) {
  const program = compileStabilizer(circuit);
  if ('kind' in program) throw new Error(program.operation);
  return program;
}

const modelOf = (circuit: DynamicCircuit, parities: Parities) =>
  detectorErrorModel(programOf(circuit), parities);

function textOf(model: ReturnType<typeof modelOf>): string {
  if ('kind' in model) throw new Error(`There is no model: ${JSON.stringify(model)}`);
  return model.text;
}

/** `D0 D3 L0` by probability. */
function errorsIn(
  model: ReturnType<typeof modelOf>,
): readonly (readonly [probability: number, flipped: string])[] {
  return [...textOf(model).matchAll(/^error\((.+)\) (.*)$/gm)].map(([, probability, flipped]) => [
    Number(probability),
    String(flipped),
  ]);
}

test.each([false, true])(
  'every single error flips what it flips as a gate (phases: %s)',
  async (isOfPhases) => {
    const { circuit, parities } = repetitionCode(isOfPhases, (n) => depolarizing(0.1, n));
    const engine = openReferenceEngine({ maxQubits: 5 });
    const names = [...parities.detectors.keys()].map((i) => `D${i}`).concat('L0');
    const lists = [...parities.detectors, ...parities.logicalObservables];
    /** Parities of a run without noise but for one error, which is put in as gates. */
    const parityOf = async (operations: readonly DynamicOperation[]) => {
      const quiet = operations.filter(({ kind }) => kind !== 'noise');
      const { counts } = await runCircuit(engine, { ...circuit, operations: quiet }, { shots: 1 });
      const word = counts.outcomes[0]!;
      return lists.map((bits) => bits.reduce((sum, bit) => sum ^ ((word >> bit) & 1), 0));
    };
    const before = await parityOf(circuit.operations);
    let numTried = 0;
    for (const [i, site] of circuit.operations.entries()) {
      if (site.kind !== 'noise' || site.channel.kind !== 'pauli') continue;
      for (const error of site.channel.errors) {
        const gates = site.qubits.flatMap((qubit, place) => [
          ...((error.flips >> place) & 1 ? [gate('X', [qubit])] : []),
          ...((error.signs >> place) & 1 ? [gate('Z', [qubit])] : []),
        ]);
        const after = await parityOf(circuit.operations.toSpliced(i, 1, ...gates));
        const flipped = names.filter((_, at) => before[at] !== after[at]);
        const channel: Channel = { ...site.channel, errors: [{ ...error, probability: 0.25 }] };
        const alone = circuit.operations.flatMap((operation, at): readonly DynamicOperation[] =>
          operation.kind !== 'noise' ? [operation] : at === i ? [{ ...site, channel }] : [],
        );
        const found = errorsIn(modelOf({ ...circuit, operations: alone }, parities));
        const wished = flipped.length === 0 ? [] : [[expect.closeTo(0.25, 12), flipped.join(' ')]];
        expect(found).toEqual(wished);
        numTried += 1;
      }
    }
    expect(numTried).toBe(6 * 3 + 8 * 15);
  },
);

test('parities without errors are those of runs', async () => {
  const engine = openReferenceEngine({ maxQubits: 4 });
  const random = new RandomStream(5);
  const numBits = 12;
  let [numOnes, numFound] = [0, 0];
  for (let round = 0; round < 200; round++) {
    const operations: DynamicOperation[] = [];
    const qubit = () => random.below(4);
    const some = () => {
      const [a, b] = [qubit(), qubit()];
      const name = random.pick(['H', 'S', 'SDG', 'X', 'Y', 'Z']);
      operations.push(gate(name, [a]));
      const pair = random.pick(['X', 'Z', 'SWAP']);
      if (a !== b) operations.push(pair === 'SWAP' ? gate(pair, [a, b]) : gate(pair, [a], [b]));
    };
    // Pauli strings are measured again and again, so that some bits follow from others.
    for (let bit = 0; bit < numBits; bit++) {
      for (let i = 0; i < 3; i++) some();
      operations.push(measure(qubit(), bit));
      if (bit > 0) {
        const condition = { bits: [random.below(bit)], value: random.below(2) };
        const pauli = gate(random.pick(['X', 'Y', 'Z']), [qubit()]);
        operations.push({ ...(pauli as DynamicOperation & { kind: 'gate' }), condition });
      }
    }
    const circuit = { numQubits: 4, numBits, operations };
    const { counts } = await runCircuit(engine, circuit, { shots: 40, seed: round });
    // Every parity of a few bits that is the same in all shots and for which there is a model.
    for (let tried = 0; tried < 60; tried++) {
      const bits = [
        ...new Set(Array.from({ length: 1 + random.below(4) }, () => random.below(numBits))),
      ];
      const parities = { detectors: [bits], logicalObservables: [] };
      const model = modelOf(circuit, parities);
      const alone = expectedParities(programOf(circuit), parities);
      expect(alone).toEqual('kind' in model ? model : { expected: model.expected });
      const values = Array.from(counts.outcomes, (word) =>
        bits.reduce((sum, bit) => sum ^ ((word >> bit) & 1), 0),
      );
      if ('kind' in model) continue;
      numFound += 1;
      numOnes += model.expected[0]!;
      expect(new Set(values)).toEqual(new Set([model.expected[0]]));
    }
  }
  expect(numFound).toBeGreaterThan(300);
  expect(numOnes).toBeGreaterThan(100);
});

test('errors that flip the same are one', () => {
  const flip = [{ flips: 1, signs: 0, probability: 0.1 }];
  const operations = [noise([0], flip), noise([0], flip), measure(0, 0)];
  const model = modelOf(
    { numQubits: 1, numBits: 1, operations },
    { detectors: [[0]], logicalObservables: [] },
  );
  // Two errors cancel: 2 · 0.1 · 0.9.
  expect(errorsIn(model)).toEqual([[expect.closeTo(0.18, 12), 'D0']]);
});

test('depolarizing is three independent errors', () => {
  const operations = [noise([0], depolarizing(0.3, 1)), measure(0, 0)];
  const model = modelOf(
    { numQubits: 1, numBits: 1, operations },
    { detectors: [[0]], logicalObservables: [] },
  );
  // X and Y flip the bit: with 0.2 as they are, and so with 0.2 in the model.
  expect(errorsIn(model)).toEqual([[expect.closeTo(0.2, 12), 'D0']]);
});

test('errors that exclude each other keep their probabilities', () => {
  const either = [
    { flips: 1, signs: 0, probability: 0.3 },
    { flips: 2, signs: 0, probability: 0.3 },
  ];
  const operations = [noise([0, 1], either), measure(0, 0), measure(1, 1)];
  const parities = { detectors: [[0], [1]], logicalObservables: [] };
  expect(errorsIn(modelOf({ numQubits: 2, numBits: 2, operations }, parities))).toEqual([
    [expect.closeTo(0.3, 12), 'D0'],
    [expect.closeTo(0.3, 12), 'D1'],
  ]);
});

test('an error of many detectors is a combination of errors of one or two', () => {
  const flip = (flips: number) => [{ flips, signs: 0, probability: 0.1 }];
  const operations = [
    noise([0, 1], flip(3)),
    noise([2], flip(1)),
    noise([0, 1, 2], flip(7)),
    ...[0, 1, 2].map((i) => measure(i, i)),
  ];
  const parities = { detectors: [[0], [1], [2]], logicalObservables: [[0]] };
  expect(errorsIn(modelOf({ numQubits: 3, numBits: 3, operations }, parities))).toEqual([
    [expect.closeTo(0.1, 12), 'D2'],
    [expect.closeTo(0.1, 12), 'D0 D1 L0'],
    [expect.closeTo(0.1, 12), 'D0 D1 L0 ^ D2'],
  ]);
});

test('misreadings and corrections by measured bits count', () => {
  const operations: DynamicOperation[] = [
    noise([0], [{ flips: 1, signs: 0, probability: 0.1 }]),
    measure(0, 0),
    { kind: 'misread', bits: [0], p1Given0: 0.02, p0Given1: 0.04 },
    {
      ...(gate('X', [1]) as DynamicOperation & { kind: 'gate' }),
      condition: { bits: [0], value: 1 },
    },
    measure(1, 1),
  ];
  const parities = { detectors: [[0], [1], [0, 1]], logicalObservables: [[1]] };
  const model = modelOf({ numQubits: 2, numBits: 2, operations }, parities);
  // The flip and the misreading flip both bits, with 0.1 · 0.97 + 0.03 · 0.9.
  expect(errorsIn(model)).toEqual([[expect.closeTo(0.124, 12), 'D0 D1 L0']]);
  expect(textOf(model)).toContain('detector D2\n');
});

test.each([
  [
    'a qubit in superposition',
    [gate('H', [0]), measure(0, 0)],
    { kind: 'random', list: 'detectors', index: 1 },
  ],
  [
    'a measurement of a qubit that is measured in another basis before',
    [measure(0, 1), gate('H', [0]), measure(0, 0)],
    { kind: 'random', list: 'detectors', index: 1 },
  ],
  [
    'a reset under a condition',
    [measure(0, 1), { ...reset(0), condition: { bits: [1], value: 1 } }, measure(0, 0)],
    { kind: 'operation' },
  ],
  [
    'a loop',
    [
      measure(0, 1),
      {
        kind: 'while',
        condition: { bits: [1], value: 1 },
        body: [gate('X', [0]), measure(0, 1)],
      },
      measure(0, 0),
    ],
    { kind: 'operation', what: 'a loop' },
  ],
  [
    'a condition on two bits',
    [measure(0, 1), { ...gate('X', [0]), condition: { bits: [0, 1], value: 1 } }, measure(0, 0)],
    { kind: 'operation', what: 'a condition on several bits' },
  ],
] as const)('%s has no model', (_, operations, reason) => {
  const circuit = {
    numQubits: 1,
    numBits: 2,
    operations: operations as readonly DynamicOperation[],
  };
  const parities = { detectors: [[1], [0]], logicalObservables: [] };
  expect(modelOf(circuit, parities)).toMatchObject(reason);
});
