/** Detector error models: each single error flips what it flips when it is put into the circuit as a gate. */
import { describe, expect, test } from 'vitest';
import type { DynamicCircuit, DynamicOperation } from '../../../src/circuit/circuit.ts';
import type { Channel, PauliError } from '../../../src/circuit/noise/channel.ts';
import { compileStabilizer } from '../../../src/compiler/clifford/compile-stabilizer.ts';
import {
  detectorErrorModel,
  type ErrorModelOptions,
  expectedParities,
} from '../../../src/compiler/clifford/error-model.ts';
import type { Parities } from '../../../src/compiler/clifford/error-walk.ts';
import { printErrorModel } from '../../../src/compiler/clifford/print-error-model.ts';
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

const DEFAULTS: ErrorModelOptions = {
  decomposeErrors: true,
  approximateDisjointErrors: false,
  ignoreDecompositionFailures: true,
  blockDecompositionFromIntroducingRemnantEdges: false,
  allowGaugeDetectors: false,
};

const modelOf = (
  circuit: DynamicCircuit,
  parities: Parities,
  options: Partial<ErrorModelOptions> = {},
) => detectorErrorModel(programOf(circuit), parities, { ...DEFAULTS, ...options });

/**
 * Model of a channel on qubits that each have a partner in a Bell pair. Detector `X0` is flipped by X and Y on the
 * first qubit, `Z0` by Z and Y.
 */
function modelOfChannel(
  numQubits: number,
  errors: readonly PauliError[],
  detectors: readonly string[],
  options: Partial<ErrorModelOptions> = {},
) {
  const qubits = [...Array(numQubits).keys()];
  const pairs = qubits.flatMap((i) => [gate('H', [i]), gate('X', [i + numQubits], [i])]);
  const operations = [...pairs, noise(qubits, errors), ...pairs.toReversed()];
  for (let i = 0; i < 2 * numQubits; i++) operations.push(measure(i, i));
  const bits = detectors.map((name) => [Number(name[1]) + (name[0] === 'X' ? numQubits : 0)]);
  const circuit = { numQubits: 2 * numQubits, numBits: 2 * numQubits, operations };
  return modelOf(circuit, { detectors: bits, logicalObservables: [] }, options);
}

/** Model of errors that flip these sets of detectors, each with probability 0.1; a number past the last is an observable. */
function modelOfFlips(
  numDetectors: number,
  flipped: readonly (readonly number[])[],
  options: Partial<ErrorModelOptions> = {},
) {
  const all = Math.max(numDetectors, ...flipped.flat().map((each) => each + 1));
  const bits = [...Array(all).keys()];
  const operations = flipped.map((each) =>
    noise(bits, [{ flips: each.reduce((sum, i) => sum + 2 ** i, 0), signs: 0, probability: 0.1 }]),
  );
  const circuit = {
    numQubits: all,
    numBits: all,
    operations: [...operations, ...bits.map((i) => measure(i, i))],
  };
  const parities = {
    detectors: bits.slice(0, numDetectors).map((i) => [i]),
    logicalObservables: bits.slice(numDetectors).map((i) => [i]),
  };
  return modelOf(circuit, parities, options);
}

function textOf(model: ReturnType<typeof modelOf>): string {
  if ('kind' in model) throw new Error(`There is no model: ${JSON.stringify(model)}`);
  return printErrorModel(model);
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
  for (let round = 0; round < 80; round++) {
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

const [X, Y, Z] = [
  { flips: 1, signs: 0 },
  { flips: 1, signs: 1 },
  { flips: 0, signs: 1 },
] as const;
/** Errors of one qubit with their probabilities. */
const channel = (...errors: readonly (readonly [{ flips: number; signs: number }, number])[]) =>
  errors.map(([error, probability]) => ({ ...error, probability }));
const near = (probability: number) => expect.closeTo(probability, 14);

describe('a channel becomes independent errors', () => {
  test('parts that flip the same are added: X or Y at 0.1 each flips a bit with 0.2', () => {
    const model = modelOfChannel(1, channel([X, 0.1], [Y, 0.1]), ['X0']);
    expect(errorsIn(model)).toEqual([[near(0.2), 'D0']]);
  });

  test.each([
    // Nothing is left of the qubit.
    [0.75, 0.5],
    // (1 − √(1 − 4p/3)) / 2; the root is 0.8.
    [0.27, 0.1],
  ])('depolarizing of %f is X, Y and Z at %f each', (probability, each) => {
    const model = modelOfChannel(1, depolarizing(probability, 1), ['X0', 'Z0']);
    expect(errorsIn(model)).toEqual([
      [near(each), 'D0'],
      [near(each), 'D1'],
      [near(each), 'D1 ^ D0'],
    ]);
  });

  test.each([
    [15 / 16, 0.5],
    // (1 − (1 − 16p/15)^(1/8)) / 2; the root is 0.8.
    [(15 / 16) * (1 - 0.8 ** 8), 0.1],
  ])('depolarizing of %f on two qubits is fifteen errors at %f each', (probability, each) => {
    const detectors = ['X0', 'Z0', 'X1', 'Z1'];
    const options = { decomposeErrors: false };
    const errors = errorsIn(modelOfChannel(2, depolarizing(probability, 2), detectors, options));
    const sets = Array.from({ length: 15 }, (_, i) =>
      [0, 1, 2, 3].flatMap((bit) => (((i + 1) >> bit) & 1 ? [`D${bit}`] : [])).join(' '),
    );
    expect(errors.map(([, flipped]) => flipped)).toEqual(sets.toSorted());
    for (const [found] of errors) expect(found).toEqual(near(each));
  });

  test.each([
    ['X at 0.2 and Z at 0.3', channel([X, 0.14], [Y, 0.06], [Z, 0.24]), 0.2, 0.3],
    ['X at 0.9 and Z at 0.2', channel([X, 0.72], [Y, 0.18], [Z, 0.02]), 0.9, 0.2],
    ['small ones', channel([X, 1e-9 - 2e-19], [Y, 2e-19], [Z, 2e-10 - 2e-19]), 1e-9, 2e-10],
  ])('%s are found again', (_, errors, ofX, ofZ) => {
    const found = errorsIn(modelOfChannel(1, errors, ['X0', 'Z0']));
    expect(found.map(([, flipped]) => flipped)).toEqual(['D0', 'D1']);
    expect(found.map(([probability], i) => probability / [ofX, ofZ][i]!)).toEqual([
      near(1),
      near(1),
    ]);
  });

  test('X or Z, but never both, is refused unless an approximation is asked for', () => {
    const errors = channel([X, 0.3], [Z, 0.3]);
    expect(modelOfChannel(1, errors, ['X0', 'Z0'])).toMatchObject({
      kind: 'disjoint',
      what: 'the channel on qubit 0, whose errors exclude each other',
    });
    const options = { approximateDisjointErrors: true };
    expect(errorsIn(modelOfChannel(1, errors, ['X0', 'Z0'], options))).toEqual([
      [near(0.3), 'D0'],
      [near(0.3), 'D1'],
    ]);
    // Exact where only one of them flips anything.
    expect(errorsIn(modelOfChannel(1, errors, ['Z0']))).toEqual([[near(0.3), 'D0']]);
  });

  test('an approximation adds the parts that flip the same', () => {
    const errors = [
      { flips: 0b01, signs: 0b00, probability: 0.1 },
      { flips: 0b01, signs: 0b01, probability: 0.05 },
      { flips: 0b10, signs: 0b00, probability: 0.2 },
    ];
    const options = { approximateDisjointErrors: true };
    expect(errorsIn(modelOfChannel(2, errors, ['X0', 'X1'], options))).toEqual([
      [near(0.15), 'D0'],
      [near(0.2), 'D1'],
    ]);
  });
});

describe('an error is split', () => {
  const flippedIn = (model: ReturnType<typeof modelOf>) =>
    errorsIn(model).map(([, flipped]) => flipped);

  test('into the X and the Z of its channel where it is one of several', () => {
    const errors = channel([X, 0.14], [Y, 0.06], [Z, 0.24]);
    const detectors = ['X0', 'Z0'];
    // Independent errors: Y is none of them.
    expect(flippedIn(modelOfChannel(1, errors, detectors))).toEqual(['D0', 'D1']);
    const both = channel([X, 0.1], [Y, 0.1], [Z, 0.1001]);
    expect(flippedIn(modelOfChannel(1, both, detectors))).toEqual(['D0', 'D0 ^ D1', 'D1']);
    const whole = modelOfChannel(1, both, detectors, { decomposeErrors: false });
    expect(flippedIn(whole)).toEqual(['D0', 'D0 D1', 'D1']);
    // A Y that is no part of a larger channel is one error.
    expect(flippedIn(modelOfChannel(1, channel([Y, 0.1]), detectors))).toEqual(['D0 D1']);
  });

  test('into pairs and single detectors of a channel on two qubits', () => {
    // Both kinds on the first qubit; X on the second flips what no error flips alone.
    const flipped = flippedIn(modelOfChannel(2, depolarizing(0.1, 2), ['X0', 'Z0', 'X1', 'Z1']));
    expect(flipped).toContain('D1 ^ D0 ^ D3 ^ D2');
    expect(flipped.every((each) => !/D\d D\d/.test(each))).toBe(true);
  });

  test('into other errors of the circuit that flip one or two detectors', () => {
    expect(flippedIn(modelOfFlips(3, [[0, 1, 3], [2], [0, 1, 2, 3]]))).toEqual([
      'D0 D1 L0',
      'D0 D1 L0 ^ D2',
      'D2',
    ]);
  });

  test.each([
    [{}, ['D0 D1', 'D0 D1 ^ D2 D3']],
    [{ blockDecompositionFromIntroducingRemnantEdges: true }, ['D0 D1', 'D0 D1 D2 D3']],
  ])('into one that is no error itself, unless that is blocked: %o', (options, expected) => {
    expect(
      flippedIn(
        modelOfFlips(
          4,
          [
            [0, 1],
            [0, 1, 2, 3],
          ],
          options,
        ),
      ),
    ).toEqual(expected);
  });

  test('or kept whole, or refused', () => {
    const flips = [[0], [1, 2, 3, 4]];
    expect(flippedIn(modelOfFlips(4, flips))).toEqual(['D0', 'D1 D2 D3 L0']);
    const refused = modelOfFlips(4, flips, { ignoreDecompositionFailures: false });
    expect(refused).toEqual({ kind: 'whole', flipped: 'D1 D2 D3 L0' });
  });

  test('never into parts that together flip other observables', () => {
    // X flips D0, and Z flips D0 and L0: so do Y and the observable alone.
    const operations = [
      gate('H', [0]),
      gate('X', [1], [0]),
      noise([0], depolarizing(0.1, 1)),
      gate('X', [1], [0]),
      gate('H', [0]),
      gate('X', [2], [0]),
      gate('X', [2], [1]),
      ...[0, 1, 2].map((i) => measure(i, i)),
    ];
    const circuit = { numQubits: 3, numBits: 3, operations };
    const parities = { detectors: [[2]], logicalObservables: [[0]] };
    expect(flippedIn(modelOf(circuit, parities))).toEqual(['D0', 'D0 L0', 'L0']);
  });
});

test('misreadings and corrections by measured bits count', () => {
  const operations: DynamicOperation[] = [
    noise([0], [{ flips: 1, signs: 0, probability: 0.1 }]),
    measure(0, 0),
    { kind: 'misread', bits: [0], p1Given0: 0.03, p0Given1: 0.03 },
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

test('a misreading that depends on the bit is refused unless an approximation is asked for', () => {
  const operations: DynamicOperation[] = [
    measure(0, 0),
    { kind: 'misread', bits: [0], p1Given0: 0.02, p0Given1: 0.04 },
  ];
  const circuit = { numQubits: 1, numBits: 1, operations };
  const parities = { detectors: [[0]], logicalObservables: [] };
  expect(modelOf(circuit, parities)).toMatchObject({ kind: 'disjoint' });
  const options = { approximateDisjointErrors: true };
  expect(errorsIn(modelOf(circuit, parities, options))).toEqual([[near(0.03), 'D0']]);
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
