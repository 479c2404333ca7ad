import { describe, expect, test } from 'vitest';
import {
  angleOf,
  circuitInWords,
  drawnGates,
  featureOf,
  operationInWords,
  scaled,
  signInWords,
} from '../../../src/console/demo/demo-circuit.ts';
import type { DemoCircuit, DemoOperation } from '../../../src/console/demo/demo-facts.ts';
import { BOX, layoutCircuit, ROW } from '../../../src/console/drawing/circuit-layout.ts';
import { DEMO_FACTS } from '../../support/demo-facts.ts';

const { circuit, features } = DEMO_FACTS;
const [sepalLength] = features;
if (sepalLength === undefined) throw new Error('no feature');

const gate = (name: string, controls: readonly number[], targets: readonly number[]) => ({
  gate: name,
  controls,
  targets,
});

function circuitOf(operations: readonly DemoOperation[], qubits = 4): DemoCircuit {
  return { ...circuit, qubits, operations };
}

/** Layout of the drawing of a circuit. */
function layoutOf(one: DemoCircuit, room = 0) {
  const input = features.map(({ typical }) => typical);
  return layoutCircuit(one.qubits, drawnGates(one, features, input), { room });
}

/** Columns of the gates, without the measurements. */
function columnsOf(one: DemoCircuit) {
  return layoutOf(one)
    .gates.filter(({ gate: { name } }) => name !== 'M')
    .map(({ gate: { column } }) => column);
}

describe('a feature', () => {
  test.each([
    [4.9, -1],
    [6.4, 0],
    [7.9, 1],
    [4.0, -1],
    [9.5, 1],
  ])('of %d cm in 4.9 to 7.9 is scaled to %d', (value, expected) => {
    expect(scaled(sepalLength, value)).toBeCloseTo(expected, 12);
  });

  test('whose range is a point is scaled to 0', () => {
    expect(scaled({ ...sepalLength, minimum: 5, maximum: 5 }, 5)).toBe(0);
  });
});

describe('an angle', () => {
  const encoding = { ...gate('RY', [], [0]), angle: { feature: 0, factor: 2, offset: 0.5 } };

  test('is factor times the scaled feature plus offset', () => {
    expect(angleOf(encoding, features, [7.15, 3, 5, 2])).toBeCloseTo(1.5, 12);
    expect(angleOf(encoding, features, [99, 3, 5, 2])).toBeCloseTo(2.5, 12);
  });

  test('without a feature is its offset, whatever is set', () => {
    const trained = { ...gate('RZ', [], [0]), angle: { factor: 7, offset: -0.25 } };
    expect(angleOf(trained, features, [1, 2, 3, 4])).toBe(-0.25);
    expect(featureOf(trained, features)).toBeUndefined();
  });

  test('is none of a gate that has none', () => {
    expect(angleOf(gate('CX', [0], [1]), features, [])).toBeUndefined();
  });

  test('knows the feature that it encodes', () => {
    expect(featureOf(encoding, features)?.name).toBe('sepal length');
  });
});

describe('a drawing', () => {
  test('puts gates on different qubits into one column, and gates on one qubit after another', () => {
    const one = circuitOf([
      gate('H', [], [0]),
      gate('H', [], [1]),
      gate('X', [], [0]),
      gate('CX', [0], [1]),
    ]);
    expect(columnsOf(one)).toEqual([0, 0, 1, 2]);
  });

  test('measures each qubit in a last column', () => {
    const { gates } = layoutOf(circuitOf([gate('H', [], [0]), gate('CX', [0], [1])], 2));
    expect(
      gates.slice(2).map(({ gate: { name, column, targets } }) => [name, column, targets]),
    ).toEqual([
      ['M', 2, [0]],
      ['M', 2, [1]],
    ]);
  });

  test('keeps the wires free that a line crosses', () => {
    expect(columnsOf(circuitOf([gate('CX', [0], [3]), gate('H', [], [1])]))).toEqual([0, 1]);
    expect(columnsOf(circuitOf([gate('H', [], [2]), gate('CX', [3], [0])]))).toEqual([0, 1]);
  });

  test('joins controls and targets from the uppermost wire to the lowest', () => {
    const [placed] = layoutOf(circuitOf([gate('CCX', [0, 3], [1])])).gates;
    expect(placed && placed.bottom - placed.top).toBe(3 * ROW);
    expect(placed?.marks.map(({ kind }) => kind)).toEqual(['dot', 'dot', 'plus']);
  });

  test.each([
    ['CX', [0], ['dot', 'plus']],
    ['X', [0], ['dot', 'plus']],
    ['CZ', [0], ['dot', 'dot']],
    ['CRY', [0], ['dot', 'box']],
    ['X', [], ['box']],
    ['RY', [], ['box']],
  ])('shows %s with controls %j as %j', (name, controls, kinds) => {
    const [placed] = layoutOf(circuitOf([gate(name, controls, [1])])).gates;
    expect(placed?.marks.map(({ kind }) => kind)).toEqual(kinds);
  });

  test.each([0, 900, 5000])('of the model in %i pixels has no two boxes that touch', (room) => {
    const { gates, width, height } = layoutOf(circuit, room);
    const measuredAt = gates.at(-1)?.x ?? 0;
    const boxes = gates.flatMap(({ x, marks }) =>
      marks.filter(({ kind }) => kind === 'box').map(({ y }) => ({ x, y })),
    );
    for (const [index, a] of boxes.entries()) {
      for (const b of boxes.slice(index + 1)) {
        const apart = Math.abs(a.x - b.x) > BOX.width || Math.abs(a.y - b.y) > BOX.height;
        expect(apart).toBe(true);
      }
      expect(a.x - BOX.width / 2).toBeGreaterThan(0);
      expect(a.x + BOX.width / 2).toBeLessThan(measuredAt);
      expect(a.y + BOX.height / 2).toBeLessThan(height);
    }
    expect(measuredAt).toBeLessThan(width);
  });

  test('fills the room that there is, up to a width, and is never squeezed', () => {
    const natural = layoutOf(circuit).width;
    expect(layoutOf(circuit, natural / 2).width).toBe(natural);
    // Its wires end 12 pixels after its last column.
    expect(layoutOf(circuit, natural * 1.3).width).toBeCloseTo(natural * 1.3 + 12, 6);
    expect(layoutOf(circuit, natural * 10).width).toBeLessThan(natural * 1.7);
  });
});

describe('in words', () => {
  const input = features.map(({ maximum }) => maximum);

  test.each([
    [
      { ...gate('RY', [], [2]), angle: { feature: 2, factor: 1, offset: -2.5 } },
      'RY by −1.50 rad on qubit 2, from petal length',
    ],
    [{ ...gate('RZ', [], [0]), angle: { factor: 0, offset: 1 } }, 'RZ by 1.00 rad on qubit 0'],
    [gate('CX', [3], [0]), 'CX on qubit 0, controlled by qubit 3'],
    [gate('CCX', [1, 3], [0]), 'CCX on qubit 0, controlled by qubits 1 and 3'],
  ])('%j', (operation, words) => {
    expect(operationInWords(operation, features, input)).toBe(words);
  });

  test('the circuit tells its size and what it encodes', () => {
    expect(circuitInWords(circuit, 1024)).toBe(
      'Circuit of 4 qubits and 24 gates, 8 of which encode the measurements; all qubits are measured at the end, 1,024 times.',
    );
  });

  test.each([
    [[0], 1, 'qubit 0 reads 0'],
    [[2], -1, 'qubit 2 reads 1'],
    [[0, 1, 2, 3], -1, 'odd number of 1s'],
    [[0, 1, 2, 3], 1, 'even number of 1s'],
    [[0, 3], -1, 'odd number of 1s in q0 q3'],
  ] as const)('Z on %j counts %i where: %s', (qubits, sign, words) => {
    const observed = { ...circuit, observable: { text: '', qubits } };
    expect(signInWords(observed, sign)).toBe(words);
  });
});
