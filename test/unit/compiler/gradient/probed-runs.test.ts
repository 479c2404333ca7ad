import { expect, test } from 'vitest';
import { partsOf } from '../../../../src/compiler/gradient/probed-runs.ts';
import { optimize } from '../../../../src/compiler/passes/pipeline.ts';
import { withParameters } from '../../../../src/compiler/shape.ts';
import { gate } from '../../../support/random-circuits.ts';

test.each([
  ['on one qubit', (i: number) => gate('RY', [0], [], [0.1 + i])],
  [
    'on a pair',
    (i: number) =>
      gate(i % 2 === 0 ? 'RXX' : 'CRX', i % 2 === 0 ? [0, 1] : [1], i % 2 === 0 ? [] : [0], [
        0.1 + i,
      ]),
  ],
])('runs %s are of moderate length, however many gates there are', (_, gateAt) => {
  const operations = Array.from({ length: 500 }, (_, i) => gateAt(i));
  const circuit = { numQubits: 2, numBits: 0, operations };
  const slots = Int32Array.from({ length: 500 }, (_, i) => i);
  const generic = optimize(withParameters(circuit, slots), { keepState: true }).circuit;
  const lengths = partsOf(generic.operations as typeof operations, () => true).map((part) =>
    part.kind === 'run' ? part.members.length : 1,
  );
  expect(lengths.reduce((sum, length) => sum + length)).toBe(500);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(12);
});
