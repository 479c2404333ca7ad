/** Observables and shapes on their way to workers: they come out as they went in, whatever they hold. */
import { deserialize, serialize } from 'node:v8';
import { expect, test } from 'vitest';
import type { DynamicCircuit } from '../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import { factsOfShape, packCircuit, unpackCircuit } from '../../../src/fleet/workers/sent-batch.ts';
import {
  ReadObservables,
  readObservables,
  sentObservables,
} from '../../../src/fleet/workers/sent-run.ts';
import { gate } from '../../support/random-circuits.ts';

const OBSERVABLES: readonly PauliSum[] = [
  [{ coefficient: -0, factors: [] }],
  [
    {
      coefficient: 0.5,
      factors: [
        { pauli: 'X', qubit: 0 },
        { pauli: 'Y', qubit: 41 },
        { pauli: 'Z', qubit: 3 },
      ],
    },
    { coefficient: -2, factors: [{ pauli: 'Z', qubit: 0 }] },
  ],
  [{ coefficient: 1e-9, factors: [{ pauli: 'Y', qubit: 7 }] }],
];

test('observables are read as they were sent, and the same ones as the same objects', () => {
  const read = new ReadObservables();
  const first = read.of(structuredClone(sentObservables(OBSERVABLES)));
  expect(first).toEqual(OBSERVABLES);
  expect(read.of(structuredClone(sentObservables(OBSERVABLES)))).toBe(first);
  const [one, [term, ...others] = [], two] = OBSERVABLES;
  const changed = [one!, [{ ...term!, coefficient: 0.25 }, ...others], two!];
  expect(read.of(structuredClone(sentObservables(changed)))).toEqual(changed);
  expect(read.of(structuredClone(sentObservables(OBSERVABLES)))).toBe(first);
});

const measured = [{ kind: 'measure', qubits: [0], bits: [0] }] as const;
const X = [
  [
    [0, 0],
    [1, 0],
  ],
  [
    [1, 0],
    [0, 0],
  ],
];
const SHAPES: readonly (readonly [string, DynamicCircuit])[] = [
  ['of gates', { numQubits: 2, numBits: 1, operations: [gate('H', [0]), ...measured] }],
  [
    'with a matrix',
    {
      numQubits: 1,
      numBits: 1,
      operations: [
        { kind: 'unitary', targets: [0], controls: [], matrix: Float64Array.from(X.flat(2)) },
        ...measured,
      ],
    },
  ],
  [
    'with a loop',
    {
      numQubits: 1,
      numBits: 1,
      control: { numScratchBits: 0, maxRounds: 10 },
      operations: [
        ...measured,
        { kind: 'while', condition: { bits: [0], value: 1 }, body: [gate('X', [0]), ...measured] },
      ],
    },
  ],
];

test.each(SHAPES)(
  'a shape %s that was packed is the same circuit, with the same facts',
  (_, shape) => {
    const unpacked = unpackCircuit(structuredClone(packCircuit(shape)));
    const { sent: _sent, ...facts } = factsOfShape(shape);
    expect(factsOfShape(unpacked)).toMatchObject(facts);
    expect({ ...unpacked }).toEqual(shape);
  },
);

test('observables and shapes out of a message are sent on without the message', () => {
  const [, [, withMatrix]] = SHAPES as readonly [unknown, readonly [string, DynamicCircuit]];
  // As from another process: arrays are views of the message.
  const message = deserialize(
    serialize({
      observables: sentObservables(OBSERVABLES),
      shape: packCircuit(withMatrix),
    }),
  );
  const { factors } = message.observables;
  expect(factors.buffer.byteLength).toBeGreaterThan(factors.byteLength);
  const { sent } = factsOfShape(unpackCircuit(message.shape));
  if (!('bytes' in sent)) throw new Error('unreachable: a matrix is sent as bytes');
  const arrays = [
    ...Object.values(sentObservables(readObservables(message.observables))),
    sent.bytes,
  ];
  for (const { buffer, byteLength } of arrays) expect(buffer.byteLength).toBe(byteLength);
});
