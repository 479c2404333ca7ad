/** The fuzzer's oracle is held to values that are written out here, and to what a channel and a program mean. */
import { describe, expect, test } from 'vitest';
import { type Circuit, distribution, type Op, run, withMeasurement } from '../../fuzz/circuits.ts';
import { chiSquaredTail, countsDiffer } from '../../fuzz/compare.ts';
import { dagger, GATES, krausMatrices, product } from '../../fuzz/matrices.ts';
import {
  type Expr,
  programDistribution,
  type Statement,
  type Variable,
} from '../../fuzz/programs.ts';
import { Random } from '../../fuzz/random.ts';

const gate = (name: string, qubits: number[], angles: number[] = []): Op => ({
  op: 'gate',
  gate: name,
  qubits,
  angles,
  extra: [],
});
const circuit = (qubits: number, ops: readonly Op[]): Circuit => ({ form: 'json', qubits, ops });

describe('matrices', () => {
  test.each([...GATES])('%s is unitary', (_, { matrix, angles }) => {
    const given = matrix(...angles.map((__, i) => 0.3 + i));
    const identity = product(dagger(given), given);
    for (const [i, row] of identity.entries()) {
      for (const [j, [re, im]] of row.entries()) {
        expect(re).toBeCloseTo(i === j ? 1 : 0, 12);
        expect(im).toBeCloseTo(0, 12);
      }
    }
  });

  test.each([
    { type: 'depolarizing', probability: 0.3 },
    { type: 'amplitude_damping', gamma: 0.2 },
    { type: 'generalized_amplitude_damping', gamma: 0.2, excited: 0.4 },
    { type: 'thermal_relaxation', t1_us: 50, t2_us: 90, duration_ns: 3000, excited: 0.1 },
    { type: 'reset', probability: 0.3, value: 1 },
    { type: 'pauli', probabilities: { X: 0.1, Y: 0.2 } },
  ])('the channel $type keeps the trace', (channel) => {
    const terms = krausMatrices(channel, 1).map((k) => product(dagger(k), k));
    const sum = (i: number, j: number) => terms.reduce((total, term) => total + term[i]![j]![0], 0);
    expect([sum(0, 0), sum(1, 1), sum(0, 1)]).toEqual([1, 1, 0].map((x) => expect.closeTo(x, 12)));
  });
});

describe('circuits', () => {
  test('X on qubit 0 of three is basis index 1, and the label 001', () => {
    const flipped = circuit(3, [gate('X', [0])]);
    expect([...distribution(flipped, run(flipped, false))].filter(([, p]) => p > 0)).toEqual([
      ['001', 1],
    ]);
  });

  test.each([false, true])('a Bell pair has its amplitudes (as a density matrix: %s)', (mixed) => {
    const [bell] = run(circuit(2, [gate('H', [0]), gate('CX', [0, 1])]), mixed);
    expect(bell!.state.element(0, 3)).toEqual([expect.closeTo(0.5, 12), expect.closeTo(0, 12)]);
    expect(
      bell!.state.expectation(
        new Map([
          [0, 'Y'],
          [1, 'Y'],
        ]),
      ),
    ).toBeCloseTo(-1, 12);
  });

  test('noise follows a gate once, however many terms its angle has', () => {
    const ops: Op[] = [
      { op: 'measure', qubits: [1], bits: [0] },
      { ...gate('RX', [0]), angles: [{ offset: 0, bits: [[0, 1]] }] } as Op,
      { op: 'measure', qubits: [0], bits: [1] },
    ];
    const noise = { gates: [{ gates: ['RX'], channel: { type: 'bit_flip', probability: 0.25 } }] };
    const noisy = { ...circuit(2, ops), noise };
    expect(Object.fromEntries(distribution(noisy, run(noisy, true)))).toEqual({
      '00': expect.closeTo(0.75, 12),
      '10': expect.closeTo(0.25, 12),
    });
  });

  test('a controlled GPHASE is P, and with two controls CP', () => {
    const noise = { gates: [{ gates: ['CP'], channel: { type: 'bit_flip', probability: 0.25 } }] };
    const control = (qubit: number) => ({ qubit, value: 1 });
    const op: Op = {
      op: 'gate',
      gate: 'GPHASE',
      qubits: [],
      angles: [1],
      extra: [control(0), control(1)],
    };
    const noisy = withMeasurement({ ...circuit(2, [op]), noise });
    expect(distribution(noisy, run(noisy, true)).get('11')).toBeCloseTo(1 / 16, 12);
  });
});

describe('programs', () => {
  const variable = (name: string, width: number, value: number): Variable => ({
    name,
    type: { base: 'uint', width },
    isOutput: true,
    value,
  });
  const of = (name: string): Expr => ({ e: 'variable', name });
  const literal = (value: number): Expr => ({ e: 'literal', value });
  const apply = (operator: string, left: Expr, right: Expr): Expr => ({
    e: 'binary',
    operator,
    left,
    right,
  });
  const outcome = (variables: readonly Variable[], body: readonly Statement[]) => [
    ...programDistribution({
      qubits: 1,
      variables,
      subroutines: [],
      body,
      isMeasured: false,
    }).keys(),
  ];

  test.each<[string, Expr, string]>([
    ['a shift keeps the width', apply('>>', apply('<<', of('v'), literal(4)), literal(4)), '00000'],
    ['a sum wraps', apply('+', of('v'), literal(30)), '00000'],
    ['~ is that of the width', { e: 'unary', operator: '~', of: of('v') }, '11101'],
    [
      'rotl turns the bits of the width',
      { e: 'rotate', operator: 'rotl', of: of('v'), by: 4 },
      '00001',
    ],
    [
      'a cast drops the upper bits',
      { e: 'cast', type: { base: 'uint', width: 1 }, of: of('v') },
      '00000',
    ],
  ])('%s', (_, value, label) => {
    expect(
      outcome([variable('v', 5, 2)], [{ s: 'assign', name: 'v', operator: '=', value }]),
    ).toEqual([label]);
  });

  test('a loop on a measured bit ends by its counter or the bit', () => {
    const bit: Variable = { name: 'c', type: { base: 'bit', width: 1 }, isOutput: true };
    const body: Statement[] = [
      {
        s: 'while',
        counter: 'k',
        limit: 2,
        test: { e: 'unary', operator: '!', of: of('c') },
        body: [
          { s: 'gate', gate: 'H', qubits: [0] },
          { s: 'measure', name: 'c', qubit: 0 },
        ],
      },
    ];
    const program = {
      qubits: 1,
      variables: [bit, { ...variable('k', 4, 0), isOutput: false }],
      subroutines: [],
      body,
      isMeasured: false,
    };
    expect(programDistribution(program).get('1')).toBeCloseTo(0.75, 12);
  });
});

describe('comparisons', () => {
  test.each([
    [3.841458820694124, 1, 0.05],
    [18.307038053275146, 10, 0.05],
    [100, 10, 5.4497e-17],
  ])('the chance of χ² above %d with %d degrees of freedom', (x, df, chance) => {
    expect(chiSquaredTail(x, df) / chance).toBeCloseTo(1, 3);
  });

  test('counts are told apart from another distribution, and not from their own', () => {
    const exact = new Map([
      ['0', 0.5],
      ['1', 0.5],
    ]);
    expect(countsDiffer({ 0: 510, 1: 490 }, exact, 1000)).toBeUndefined();
    expect(countsDiffer({ 0: 650, 1: 350 }, exact, 1000)).toContain('chance');
    expect(countsDiffer({ 0: 510, 1: 400 }, exact, 1000)).toContain('sum to 910');
    expect(countsDiffer({ 0: 999, 2: 1 }, exact, 1000)).toContain('impossible');
  });

  test('a stream depends on its seed alone, and is level', () => {
    const draws = (seed: string) =>
      Array.from(
        { length: 4000 },
        (
          (r) => () =>
            r.below(4)
        )(new Random(seed)),
      );
    expect(draws('a')).toEqual(draws('a'));
    expect(draws('a')).not.toEqual(draws('b'));
    for (const value of [0, 1, 2, 3]) {
      expect(Math.abs(draws('a').filter((each) => each === value).length - 1000)).toBeLessThan(150);
    }
  });
});
