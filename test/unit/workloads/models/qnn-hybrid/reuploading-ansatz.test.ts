/** The two families of circuits against what their descriptions say. */

import { describe, expect, test } from 'vitest';
import { withAngles } from '../../../../../src/circuit/circuit.ts';
import { anglesOf } from '../../../../../src/workloads/algorithms/training/parametric-circuit.ts';
import {
  ANSATZES,
  type AnsatzId,
  GHZ_REUPLOADING,
  OBSERVABLE,
} from '../../../../../src/workloads/models/qnn-hybrid/reuploading-ansatz.ts';
import { RandomStream } from '../../../../support/random-stream.ts';
import {
  exactZ0,
  exactZ0ByKronecker,
  type WrittenOut,
  writtenGhz,
  writtenRing,
} from '../../../../support/reuploading-circuits.ts';

/** The built circuit with angles for one row. */
function built(
  id: AnsatzId,
  numQubits: number,
  numLayers: number,
  theta: Float64Array,
  x: readonly number[],
) {
  const circuit = ANSATZES[id].build({ numQubits, numLayers });
  return withAngles(circuit.shape, anglesOf(circuit, theta, x));
}

function randomPoint(stream: RandomStream, numParameters: number) {
  const theta = Float64Array.from({ length: numParameters }, () => stream.angle());
  const x = Array.from({ length: 4 }, () => 2 * stream.uniform() - 1);
  return { theta, x };
}

test.each([1, 2, 3, 4, 5, 6])(
  'one layer of ghz-reuploading without mixing is cos(Σ w·x + Σ b): %i qubits',
  (numQubits) => {
    const stream = new RandomStream(300 + numQubits);
    for (let repeat = 0; repeat < 5; repeat++) {
      const { theta, x } = randomPoint(stream, 3 * numQubits);
      let phase = 0;
      for (let q = 0; q < numQubits; q++) {
        theta[3 * q] = 0;
        phase += theta[3 * q + 1]! * x[q % 4]! + theta[3 * q + 2]!;
      }
      const value = exactZ0(built('ghz-reuploading', numQubits, 1, theta, x));
      expect(value).toBeCloseTo(Math.cos(phase), 12);
    }
  },
);

test.each<[AnsatzId, number, WrittenOut]>([
  ['ghz-reuploading', 3, writtenGhz],
  ['ring-reuploading', 2, writtenRing],
])('%s has %i parameters a qubit and layer, and its described circuit', (id, each, write) => {
  const stream = new RandomStream(each);
  for (const [numQubits, numLayers] of [
    [1, 1],
    [1, 3],
    [2, 2],
    [3, 2],
    [4, 1],
    [4, 3],
    [5, 2],
  ] as const) {
    expect(ANSATZES[id].parametersPerQubit).toBe(each);
    const { numParameters, numFeatures } = ANSATZES[id].build({ numQubits, numLayers });
    expect([numParameters, numFeatures]).toEqual([each * numQubits * numLayers, 4]);
    const { theta, x } = randomPoint(stream, numParameters);
    const found = built(id, numQubits, numLayers, theta, x);
    const written = write(numQubits, numLayers, theta, x);
    expect(exactZ0(found)).toBeCloseTo(exactZ0(written), 12);
    if (numQubits > 3) continue;
    expect(exactZ0ByKronecker(found)).toBeCloseTo(exactZ0(written), 12);
  }
});

test.each<[AnsatzId, WrittenOut]>([
  ['ghz-reuploading', writtenGhz],
  ['ring-reuploading', writtenRing],
])('%s is, gate for gate, the circuit that its description says', (id, write) => {
  for (const [numQubits, numLayers] of [
    [1, 2],
    [4, 1],
    [3, 3],
    [12, 8],
  ] as const) {
    const stream = new RandomStream(7);
    const { numParameters } = ANSATZES[id].build({ numQubits, numLayers });
    const { theta, x } = randomPoint(stream, numParameters);
    const found = built(id, numQubits, numLayers, theta, x);
    const written = write(numQubits, numLayers, theta, x);
    expect(found).toEqual({
      ...written,
      operations: written.operations.map((operation) =>
        operation.kind === 'gate'
          ? { ...operation, angles: operation.angles.map((angle) => expect.closeTo(angle, 12)) }
          : operation,
      ),
    });
  }
});

describe('every circuit', () => {
  test.each<AnsatzId>(['ghz-reuploading', 'ring-reuploading'])(
    'reads feature (l·n + q) mod 4 on qubit q of layer l: %s',
    (id) => {
      for (const numQubits of [1, 2, 3, 5, 6]) {
        const { angles } = ANSATZES[id].build({ numQubits, numLayers: 4 });
        const read = angles.flatMap(({ terms }) =>
          terms.flatMap(({ feature }) => (feature === undefined ? [] : [feature])),
        );
        expect(read).toEqual(Array.from({ length: 4 * numQubits }, (_, use) => use % 4));
      }
    },
  );

  test.each<AnsatzId>(['ghz-reuploading', 'ring-reuploading'])(
    'uses each parameter in one angle: %s',
    (id) => {
      const { angles, numParameters } = ANSATZES[id].build({ numQubits: 4, numLayers: 2 });
      const used = angles.flatMap(({ terms }) =>
        terms.flatMap(({ parameter }) => (parameter === undefined ? [] : [parameter])),
      );
      expect(used).toEqual(Array.from({ length: numParameters }, (_, p) => p));
    },
  );

  test('measures qubit q into bit q, all of them, once and last', () => {
    for (const { build } of Object.values(ANSATZES)) {
      const { shape } = build({ numQubits: 5, numLayers: 2 });
      const qubits = [0, 1, 2, 3, 4];
      expect(shape.operations.at(-1)).toEqual({ kind: 'measure', qubits, bits: qubits });
      expect(shape.operations.filter(({ kind }) => kind === 'measure')).toHaveLength(1);
      expect(shape.numBits).toBe(5);
    }
  });
});

test('what is measured is Z on qubit 0: 1 in |00⟩, −1 in |01⟩', () => {
  expect(OBSERVABLE).toEqual([{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }]);
});

test('families go by their own names', () => {
  expect(Object.entries(ANSATZES).map(([name, { id }]) => [name, id])).toEqual([
    ['ghz-reuploading', 'ghz-reuploading'],
    ['ring-reuploading', 'ring-reuploading'],
  ]);
  expect(GHZ_REUPLOADING.description).toContain('RX(theta[0]) and RZ(theta[1]·x + theta[2])');
});
