/** Batches of gates for which the CPU engine knows no recipe; the others are in test/conformance. */
import { describe, expect, test } from 'vitest';
import type { Circuit, Operation } from '../../../../src/circuit/circuit.ts';
import { GATES } from '../../../../src/circuit/gates.ts';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import type { BatchResult } from '../../../../src/engine/batch-request.ts';
import { prepareBatch } from '../../../../src/engine/cpu/batch-run.ts';
import { NODE_HOST, openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import { PRECISIONS } from '../../../../src/engine/cpu/precision.ts';
import { ThreadPool } from '../../../../src/engine/cpu/thread-pool.ts';
import { Mutex } from '../../../../src/engine/mutex.ts';
import { randomAngles, tilted, worstOf } from '../../../support/batches.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { gate, randomGates, randomUse } from '../../../support/random-circuits.ts';
import { sharedFlips } from '../../../support/random-observables.ts';
import { RandomStream } from '../../../support/random-stream.ts';

const TOLERANCE = { f32: 1e-5, f64: 1e-12 };
const Z0: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];
const PARAMETRIC = GATES.filter(({ parameters }) => parameters.length > 0);

describe.each(['f32', 'f64'] as const)('batches in %s', (precision) => {
  test.each(PARAMETRIC.map(({ name }, i) => [name, i]))(
    'apply %s from its matrices where it has no recipe',
    async (_, index) => {
      const stream = new RandomStream(4100 + index);
      const threadPool = new ThreadPool({ precision, numThreads: 1, tileBytes: 4096 }, NODE_HOST);
      const host = {
        threadPool,
        precision: PRECISIONS[precision],
        mutex: new Mutex(),
      };
      const phases = [0, 1, 2, 3, 4].map((qubit) => gate('T', [qubit]));
      const uses = Array.from({ length: 3 }, () => randomUse(stream, PARAMETRIC[index]!, 5));
      const shape = tilted(5, [...phases, ...uses]);
      await using batch = prepareBatch(host, shape, {});
      const request = { numCircuits: 5, angles: randomAngles(stream, batch, 5) };
      const result = await batch.run({ ...request, statevector: true }, NEVER);
      expect(worstOf(shape, request, result)).toBeLessThan(TOLERANCE[precision]);
    },
  );

  test('give the same bits on any number of threads', async () => {
    const stream = new RandomStream(4600);
    const gates = tilted(6, randomGates(stream, 6, 30, 3));
    const measure: Operation = { kind: 'measure', qubits: [0, 5], bits: [0, 1] };
    const shape: Circuit = {
      numQubits: 6,
      numBits: 2,
      operations: [...gates.operations, measure],
    };
    const results: BatchResult[] = [];
    for (const numThreads of [1, 2, 3]) {
      const other = openCpuEngine({ precision, numThreads, maxQubits: 12 });
      const batch = await other.prepare.batch(shape);
      const angles = randomAngles(new RandomStream(4601), batch, 2001);
      const observables = [Z0, sharedFlips(new RandomStream(4602), 6, 20)];
      const request = { numCircuits: 2001, angles, shots: 10, observables, variances: true };
      const all = { ...request, probabilities: true, statevector: true };
      // The second run finds its helpers awake.
      await batch.run(all, NEVER);
      results.push(await batch.run(all, NEVER));
      await other.close();
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });
});
