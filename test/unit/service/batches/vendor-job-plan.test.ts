/** Circuits of a batch cut into jobs of a vendor. */
import { expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import { plannedJobs } from '../../../../src/service/batches/device-chunk.ts';
import { gate } from '../../../support/random-circuits.ts';

function asked(numCircuits: number, numGates: number, numBits: number, shots: number) {
  const qubits = Array.from({ length: numBits }, (_, qubit) => qubit);
  const gates = Array.from({ length: numGates }, () => gate('H', [0]));
  const measure = { kind: 'measure', qubits, bits: qubits } as const;
  const circuit: Circuit = { numQubits: numBits, numBits, operations: [...gates, measure] };
  return { circuit, request: { numCircuits, angles: new Float64Array(0), shots } };
}

test('circuits of several shapes share a job, and a shape may be in two', () => {
  expect(plannedJobs([asked(7, 1, 1, 10), asked(6, 1, 1, 10)], { maxCircuits: 10 })).toEqual([
    {
      shots: 10,
      rows: [
        { request: 0, from: 0, to: 7 },
        { request: 1, from: 0, to: 3 },
      ],
    },
    { shots: 10, rows: [{ request: 1, from: 3, to: 6 }] },
  ]);
});

test.each([
  ['other numbers of shots', [asked(1, 1, 1, 10), asked(1, 1, 1, 20)], [1, 1]],
  ['many operations', [asked(5, 4998, 1, 10)], [2, 2, 1]],
  ['more operations than a job has', [asked(2, 20_000, 1, 10)], [1, 1]],
  ['long answers', [asked(5, 1, 100, 100_000)], [2, 2, 1]],
])('circuits with %s are in jobs of their own', (_, requests, sizes) => {
  const jobs = plannedJobs(requests, { maxCircuits: 100 });
  const sizeOf = (job: (typeof jobs)[number]) =>
    job.rows.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(jobs.map(sizeOf)).toEqual(sizes);
});
