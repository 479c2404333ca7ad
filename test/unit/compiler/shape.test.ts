import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../src/circuit/circuit.ts';
import { DEFAULT_COSTS } from '../../../src/compiler/cost-model.ts';
import { angleKinds, CONSTANT } from '../../../src/compiler/parametric.ts';
import { anglesOf, compileShape } from '../../../src/compiler/shape.ts';
import { profile } from '../../support/profiles.ts';
import { gate } from '../../support/random-circuits.ts';

const TARGET = profile({ costs: { ...DEFAULT_COSTS, pair: 2 } });

describe('angles', () => {
  test.each([
    0,
    -0,
    Math.PI,
    -Math.PI / 2,
    (3 * Math.PI) / 64,
    7 * Math.PI,
    Math.PI / 2 ** 20,
    -Math.PI / 2 ** 40,
    Math.PI / 3 + Math.PI / 6,
  ])('of %d are part of the shape', (angle) => {
    expect(angleKinds([angle])).toEqual({ slots: Int32Array.of(CONSTANT), values: [] });
  });

  test.each([0.3, 1, Math.PI / 3, (3 * Math.PI) / 128, Math.PI + 1e-6, 1e-9, 1e9, -2.5])(
    'of %d are parameters',
    (angle) => {
      expect(angleKinds([angle])).toEqual({ slots: Int32Array.of(0), values: [angle] });
    },
  );

  test('that are equal are one parameter', () => {
    const { slots, values } = angleKinds([0.3, Math.PI, 0.5, 0.3, -0.3]);
    expect([...slots]).toEqual([0, CONSTANT, 1, 0, 2]);
    expect(values).toEqual([0.3, 0.5, -0.3]);
  });
});

/** Compiles and puts the circuit's own angles in. */
function bound(numQubits: number, operations: readonly Operation[]) {
  const circuit: Circuit = { numQubits, numBits: 0, operations };
  const { slots, values } = angleKinds(anglesOf(circuit));
  const shape = compileShape(circuit, { slots }, TARGET);
  return { ...shape, program: shape.bind(values) };
}

describe('a shape', () => {
  test('may have a kernel of tens of thousands of gates', () => {
    const operations = Array.from({ length: 20_000 }, (_, i) => [
      gate('RZZ', [i % 3, 3], [], [0.1 + 1e-5 * i]),
      gate('CX', [i % 2], [2]),
    ]);
    const { program } = bound(4, [gate('H', [3]), ...operations.flat()]);
    expect(program?.steps).toHaveLength(1);
  });

  test('may have a chain of tens of thousands of blocks, each of which takes over from the last', () => {
    const operations = Array.from({ length: 5000 }, (_, i) => {
      const [a, b] = [i % 3, (i + 1) % 3];
      return [
        gate('RX', [a], [], [0.1 + 1e-5 * i]),
        gate('CX', [b], [a]),
        gate('RY', [b], [], [0.2 + 1e-5 * i]),
        gate('CX', [a], [b]),
        gate('RZ', [a], [], [0.3 + 1e-5 * i]),
        gate('CX', [b], [a]),
      ];
    });
    expect(bound(3, operations.flat()).program?.numQubits).toBe(3);
  });

  test('drops what nobody sees, and takes known controls off, whatever the angles', () => {
    const measure: Operation = { kind: 'measure', qubits: [0], bits: [0] };
    const circuit: Circuit = {
      numQubits: 3,
      numBits: 1,
      operations: [
        gate('X', [1]),
        gate('RX', [0], [1], [0.3]),
        gate('RY', [0], [2], [0.7]),
        gate('RZ', [0], [], [0.4]),
        measure,
      ],
    };
    const { slots } = angleKinds(anglesOf(circuit));
    const { report } = compileShape(circuit, { slots }, TARGET, { keepState: false });
    expect(report).toMatchObject({ gatesBefore: 4, gatesAfter: 1 });
  });

  test('has programs with one object for their shape, which says what depends on angles', () => {
    const circuit = [gate('RX', [0], [], [0.3]), gate('H', [1]), gate('RXX', [0, 1], [], [0.7])];
    const shape = bound(2, circuit);
    const [one, other] = [shape.bind([0.1, 0.2])!, shape.bind([0.4, 0.5])!];
    expect(one.shape).toBe(other.shape);
    expect(one.steps).toBe(other.steps);
    expect(one.matrices).toHaveLength(one.shape!.matrices.length);
    for (const step of one.steps) {
      if (step.kind !== 'sweep') continue;
      for (const kernel of step.kernels) {
        if (kernel.kind === 'probe') throw new Error('A shape has no probes.');
        const { offset } = kernel;
        const at = 2 * offset;
        const differs = one.matrices[at] !== other.matrices[at];
        expect(one.shape!.parametric.has(offset)).toBe(differs);
      }
    }
  });
});
