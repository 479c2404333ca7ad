/** Circuits of one shape on devices: placed once, and each with the outcomes that it has by itself. */
import { describe, expect, test } from 'vitest';
import { type Circuit, withAngles } from '../../../../src/circuit/circuit.ts';
import { misfits } from '../../../../src/compiler/device/device.ts';
import { fitShape } from '../../../../src/compiler/device/fit-circuit.ts';
import { DEVICES, deviceOf } from '../../../../src/compiler/device/public-devices.ts';
import { gate } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { exactOutcomes } from '../../../support/state-oracle.ts';
import { withoutIdleQubits } from '../../../support/used-qubits.ts';

const MEASURED = { kind: 'measure', qubits: [0, 1, 2, 3], bits: [2, 0, 1, 3] } as const;
/** On a square lattice its pairs, of which three are a triangle, need a SWAP. */
const SHAPE: Circuit = {
  numQubits: 4,
  numBits: 4,
  operations: [
    gate('RY', [0], [], [0]),
    gate('CX', [1], [0]),
    gate('RZZ', [1, 2], [], [0]),
    gate('RX', [2], [], [0]),
    gate('CX', [0], [2]),
    gate('RY', [3], [], [0]),
    gate('CX', [3], [0]),
    MEASURED,
  ],
};
const ANGLES = [
  [0, 0, 0, 0],
  [0.3, 1.1, -2, 0.4],
  [Math.PI, Math.PI / 2, 0, 0.4],
];

function fitAll(shape: Circuit, angles: readonly (readonly number[])[], seed = 7) {
  const device = deviceOf(DEVICES['iqm-garnet']);
  const rows = Float64Array.from(angles.flat());
  const random = () => {
    const stream = new RandomStream(seed);
    return () => stream.uniform();
  };
  return { device, fitted: [...fitShape(shape, rows, angles.length, device, random)] };
}

function expectSameOutcomes(fitted: Circuit, given: Circuit): void {
  const [found, expected] = [withoutIdleQubits(fitted), given].map(exactOutcomes);
  for (const label of new Set([...found!.keys(), ...expected!.keys()])) {
    expect(found!.get(label) ?? 0).toBeCloseTo(expected!.get(label) ?? 0, 9);
  }
}

describe('circuits of a shape', () => {
  test('fit the device, have one layout, and keep the distribution of their bits', () => {
    const { device, fitted } = fitAll(SHAPE, ANGLES);
    expect(fitted.length).toBe(ANGLES.length);
    for (const [k, { circuit, initialLayout, numSwaps }] of fitted.entries()) {
      expect(misfits(circuit, device)).toEqual([]);
      expectSameOutcomes(circuit, withAngles(SHAPE, ANGLES[k]!));
      expect({ initialLayout, numSwaps }).toEqual({
        initialLayout: fitted[0]!.initialLayout,
        numSwaps: fitted[0]!.numSwaps,
      });
    }
    expect(fitted[0]!.numSwaps).toBeGreaterThan(0);
  });

  test('with angles in gates on three qubits keep their distributions, too', () => {
    const operations = [
      gate('H', [0]),
      gate('H', [1]),
      gate('RY', [2], [0, 1], [0]),
      gate('RX', [0], [], [0]),
      MEASURED,
    ];
    const shape: Circuit = { numQubits: 4, numBits: 4, operations };
    const angles = [
      [0.7, 0],
      [1.4, 0.2],
    ];
    const { device, fitted } = fitAll(shape, angles);
    for (const [k, { circuit }] of fitted.entries()) {
      expect(misfits(circuit, device)).toEqual([]);
      expectSameOutcomes(circuit, withAngles(shape, angles[k]!));
    }
  });

  test('without angles are one circuit as often as they are asked for', () => {
    const shape: Circuit = { ...SHAPE, operations: [gate('H', [0]), MEASURED] };
    const { fitted } = fitAll(shape, [[], []]);
    expect(fitted.length).toBe(2);
    expect(fitted[1]).toEqual(fitted[0]);
  });
});
