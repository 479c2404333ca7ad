import { describe, expect, test } from 'vitest';
import { InvalidCircuitError } from '../../../src/circuit/errors.ts';
import {
  numFlipPatterns,
  type ObservableObject,
  type PauliFactor,
  type PauliSum,
  parseObservables,
} from '../../../src/circuit/observable.ts';

describe('a list of observables', () => {
  test('holds single terms and sums; a coefficient is 1 unless given', () => {
    const observables = parseObservables(
      [{ pauli: 'Z0 z1' }, [{ pauli: 'X2', coefficient: -0.5 }, { pauli: 'I' }]],
      3,
      'observables',
    );
    const [z0, z1] = [
      { pauli: 'Z', qubit: 0 },
      { pauli: 'Z', qubit: 1 },
    ];
    expect(observables).toEqual([
      [{ coefficient: 1, factors: [z0, z1] }],
      [
        { coefficient: -0.5, factors: [{ pauli: 'X', qubit: 2 }] },
        { coefficient: 1, factors: [] },
      ],
    ]);
  });

  test.each([
    ['X0 Y2 Z11', 'x0   y2 z11 '],
    ['X0 Y2 Z11', 'Z11 Y2 X0'],
    ['I0 Y1 I7', 'y1'],
    ['X010', ' X10'],
    ['I', ''],
  ])('%j and %j are the same string', (a, b) => {
    const [[first], [second]] = parseObservables(
      [{ pauli: a }, { pauli: b }],
      12,
      'observables',
    ) as [PauliSum, PauliSum];
    const byQubit = (x: PauliFactor, y: PauliFactor) => x.qubit - y.qubit;
    expect(first!.factors).toEqual(second!.factors.toSorted(byQubit));
  });

  test.each<[ObservableObject, path: string]>([
    [{ pauli: 'Q0' }, 'observables[1].pauli'],
    [{ pauli: 'Q'.repeat(300) }, 'observables[1].pauli'],
    [{ pauli: 'Z3' }, 'observables[1].pauli'],
    [{ pauli: 'Z0 X0' }, 'observables[1].pauli'],
    [{ pauli: 'I3' }, 'observables[1].pauli'],
    [{ pauli: 'Z0Z1' }, 'observables[1].pauli'],
    [{ pauli: 'Z0001' }, 'observables[1].pauli'],
    [{ pauli: '[0' }, 'observables[1].pauli'],
    [{ pauli: 'Z0', coefficient: Infinity }, 'observables[1].coefficient'],
    [[], 'observables[1]'],
    [[{ pauli: 'Z0' }, { pauli: 'Z' }], 'observables[1][1].pauli'],
    [[{ pauli: 'Z0', coefficient: Number.NaN }], 'observables[1][0].coefficient'],
  ])('is refused for %j, at its place', (observable, path) => {
    const parse = () => parseObservables([{ pauli: 'Z0' }, observable], 3, 'observables');
    const faults = [{ path, message: expect.stringMatching(/^.{5,100}$/) }];
    expect(parse).toThrow(InvalidCircuitError);
    expect(parse).toThrow(expect.objectContaining({ code: 'CIRCUIT_INVALID', faults }));
  });
});

test('sets of flipped qubits are counted over all observables, whatever the signs', () => {
  const observables = parseObservables(
    [
      [{ pauli: 'Z0' }, { pauli: 'Z1 Z2' }, { pauli: 'X0 Y1' }],
      { pauli: 'Y1 Y0 Z3' },
      { pauli: 'X1' },
    ],
    4,
    'observables',
  );
  expect(numFlipPatterns(observables)).toBe(3);
  expect(numFlipPatterns([[]])).toBe(0);
});
