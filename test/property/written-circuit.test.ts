import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../src/circuit/circuit.ts';
import { isSameCircuit, readCircuit, writeCircuit } from '../../src/fleet/workers/sent-circuit.ts';
import { numCases } from '../support/seeds.ts';
import { circuits } from './circuit-arbitrary.ts';

const withoutMatrices = circuits.map(
  (circuit): Circuit => ({
    ...circuit,
    operations: circuit.operations.filter(({ kind }) => kind !== 'unitary'),
  }),
);

function written(circuit: Circuit) {
  const text = writeCircuit(circuit);
  if (text === undefined) throw new Error('unreachable: it has no matrix');
  return text;
}

/** All numbers and names, the angles apart. */
function shapeOf({ operations, ...sizes }: Circuit): string {
  const shapes = operations.map((operation) =>
    operation.kind === 'gate' ? { ...operation, angles: operation.angles.length } : operation,
  );
  return JSON.stringify({ ...sizes, shapes });
}

describe('the packed form of a circuit', () => {
  test('unpacks to the same circuit', () => {
    fc.assert(
      fc.property(withoutMatrices, (circuit) => {
        const text = written(circuit);
        expect(readCircuit(structuredClone(text))).toEqual(circuit);
        expect(text.numQubits).toBe(circuit.numQubits);
        expect(text.numOperations).toBe(circuit.operations.length);
      }),
      { seed: 61, numRuns: numCases(75) },
    );
  });

  test('has the same shape as another exactly if they differ only in angles', () => {
    fc.assert(
      fc.property(withoutMatrices, withoutMatrices, fc.nat(), (circuit, other, at) => {
        const i = at % circuit.operations.length;
        const cut = circuit.operations.toSpliced(i, 1);
        const turned = circuit.operations.map((operation) =>
          operation.kind === 'gate'
            ? { ...operation, angles: operation.angles.map((angle) => angle + 1) }
            : operation,
        );
        for (const b of [other, { ...circuit, operations: cut }]) {
          const isSame = written(circuit).shape === written(b).shape;
          expect(isSame).toBe(shapeOf(circuit) === shapeOf(b));
        }
        expect(written({ ...circuit, operations: turned }).shape).toBe(written(circuit).shape);
      }),
      { seed: 62, numRuns: numCases(75) },
    );
  });

  test('differs exactly if an angle differs', () => {
    fc.assert(
      fc.property(withoutMatrices, fc.nat(), (circuit, at) => {
        const text = written(circuit);
        expect(isSameCircuit(text, written(circuit))).toBe(true);
        if (text.angles.length === 0) return;
        const angles = text.angles.with(at % text.angles.length, 20);
        expect(isSameCircuit(text, { ...text, angles })).toBe(false);
      }),
      { seed: 63, numRuns: numCases(75) },
    );
  });

  test('is not made of a circuit with a matrix', () => {
    const matrix = Float64Array.of(0, 0, 1, 0, 1, 0, 0, 0);
    const unitary = { kind: 'unitary', controls: [], targets: [0], matrix } as const;
    expect(writeCircuit({ numQubits: 1, numBits: 0, operations: [unitary] })).toBeUndefined();
  });
});
