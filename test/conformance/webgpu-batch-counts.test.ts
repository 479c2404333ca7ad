// @needs facilities
/**
 * Counts of batches on the software drivers that are tried: whatever the device decides by itself is what double precision
 * draws, and its states are no further from the exact ones than the bound that decides says.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Circuit, type Operation, withFinalMeasurement } from '../../src/circuit/circuit.ts';
import type { BatchRequest } from '../../src/engine/batch-request.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import type { BatchEngine } from '../../src/engine/engine.ts';
import { expectedUndecided, withExactCounts } from '../../src/engine/exact-counts.ts';
import { Mutex } from '../../src/engine/mutex.ts';
import {
  type GpuBatchHost,
  prepareGpuBatch,
  stateErrorBound,
} from '../../src/engine/webgpu/batch/gpu-batch.ts';
import { lowerShape } from '../../src/engine/webgpu/batch/lower-shape.ts';
import { GpuContext } from '../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../src/engine/webgpu/node-gpu.ts';
import { randomAngles, tilted } from '../support/batches.ts';
import { NEVER } from '../support/engine-runs.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { gate, randomGates, randomUnitary, randomUnitaryUse } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { seeds, testSeeds } from '../support/seeds.ts';
import { openSoftwareDevice, triedDrivers } from '../support/software-gpu.ts';

const NUM_CIRCUITS = 40;

/** Gates of all kinds on 1 to 9 qubits, read into bits in any order, sometimes not all of them. */
function randomShape(stream: RandomStream): Circuit {
  const numQubits = 1 + stream.below(9);
  const { operations } = tilted(numQubits, [
    ...randomGates(stream, numQubits, 1 + stream.below(30), 2),
    ...(numQubits > 2 ? [randomUnitaryUse(stream, randomUnitary(stream, 3), numQubits)] : []),
  ]);
  const qubits = stream.distinct(1 + stream.below(numQubits), numQubits);
  const measure: Operation = { kind: 'measure', qubits, bits: qubits.map((_, bit) => bit) };
  return { numQubits, numBits: qubits.length, operations: [...operations, measure] };
}

/** RY on every qubit, by angles that make all outcomes about as likely. */
function nearlyUniform(numQubits: number): Circuit {
  const operations = Array.from({ length: numQubits }, (_, qubit) => gate('RY', [qubit], [], [0]));
  return withFinalMeasurement({ numQubits, numBits: 0, operations });
}

/** Length of the part of `found` that is perpendicular to `exact`, for an exact state of length 1. */
function distance(found: Float64Array, exact: Float64Array): number {
  let [re, im] = [0, 0];
  for (let i = 0; i < exact.length; i += 2) {
    re += exact[i]! * found[i]! + exact[i + 1]! * found[i + 1]!;
    im += exact[i]! * found[i + 1]! - exact[i + 1]! * found[i]!;
  }
  const rest = found.map((value, i) => {
    const [x, y] = [exact[i & ~1]!, exact[i | 1]!];
    return value - ((i & 1) === 0 ? x * re - y * im : x * im + y * re);
  });
  return Math.hypot(...rest);
}

for (const driver of triedDrivers()) {
  describeWith([driver], `counts of batches on ${driver}`, () => {
    let device: GPUDevice;
    let host: GpuBatchHost;
    let exact: BatchEngine;
    beforeAll(async () => {
      device = await openSoftwareDevice(driver);
      host = { context: new GpuContext(device, shaderFile), mutex: new Mutex() };
      exact = openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: 12 });
    });
    afterAll(async () => {
      device.destroy();
      await exact.close();
    });

    /** Counts of the device alone, of double precision, and of both together. */
    async function countsOf(shape: Circuit, request: BatchRequest) {
      await using onGpu = await prepareGpuBatch(host, shape);
      await using onCpu = await exact.prepare.batch(shape);
      await using both = withExactCounts(await prepareGpuBatch(host, shape), () =>
        exact.prepare.batch(shape),
      );
      const found = await onGpu.run(request, NEVER);
      const wanted = await onCpu.run(request, NEVER);
      const together = await both.run(request, NEVER);
      expect(together.undecided).toBeUndefined();
      const size = 2 ** shape.numBits;
      const differing = Array.from({ length: request.numCircuits }, (_, k) => k).filter((k) =>
        wanted
          .counts!.subarray(k * size, (k + 1) * size)
          .some((times, i) => times !== found.counts![k * size + i]),
      );
      return {
        undecided: [...found.undecided!],
        differing,
        wanted: wanted.counts!,
        together: together.counts!,
      };
    }

    testSeeds('are exact for all that are decided, in random circuits', seeds(25), async (seed) => {
      const stream = new RandomStream(7100 + seed);
      const shape = randomShape(stream);
      await using batch = await exact.prepare.batch(shape);
      const angles = randomAngles(stream, batch, NUM_CIRCUITS);
      const shots = 2 ** stream.below(11);
      const request = { numCircuits: NUM_CIRCUITS, angles, shots, seed: stream.below(2 ** 30) };
      const { undecided, differing, wanted, together } = await countsOf(shape, request);
      expect(undecided).toEqual(expect.arrayContaining(differing));
      expect(together).toEqual(wanted);
    });

    testSeeds('come from states within the bound, in random circuits', seeds(25), async (seed) => {
      const stream = new RandomStream(7200 + seed);
      const shape = randomShape(stream);
      await using onGpu = await prepareGpuBatch(host, shape);
      await using onCpu = await exact.prepare.batch(shape);
      const angles = randomAngles(stream, onCpu, NUM_CIRCUITS);
      const request = { numCircuits: NUM_CIRCUITS, angles, statevector: true };
      const [found, wanted] = [await onGpu.run(request, NEVER), await onCpu.run(request, NEVER)];
      const bound = stateErrorBound(lowerShape(shape).list.operations);
      const length = 2 * 2 ** shape.numQubits;
      for (let k = 0; k < NUM_CIRCUITS; k++) {
        const own = [found, wanted].map(({ statevectors }) =>
          statevectors!.subarray(k * length, (k + 1) * length),
        );
        expect(distance(own[0]!, own[1]!)).toBeLessThan(bound);
      }
    });

    test('come from states that use up a good part of the bound, for one rotation', async () => {
      const stream = new RandomStream(7500);
      const shape = { numQubits: 1, numBits: 0, operations: [gate('RX', [0], [], [0])] };
      await using onGpu = await prepareGpuBatch(host, shape);
      await using onCpu = await exact.prepare.batch(shape);
      const numCircuits = 500;
      const angles = Float64Array.from({ length: numCircuits }, () => stream.angle());
      const request = { numCircuits, angles, statevector: true };
      const [found, wanted] = [await onGpu.run(request, NEVER), await onCpu.run(request, NEVER)];
      const distances = Array.from({ length: numCircuits }, (_, k) => {
        const own = [found, wanted].map((of) => of.statevectors!.subarray(4 * k, 4 * k + 4));
        return distance(own[0]!, own[1]!);
      });
      const bound = stateErrorBound(lowerShape(shape).list.operations);
      expect(Math.max(...distances)).toBeLessThan(bound);
      expect(Math.max(...distances)).toBeGreaterThan(bound / 20);
    });

    describe.each([10, 12])('on %i qubits', (numQubits) => {
      test('leave draws next to a boundary undecided, which would come out wrong', async () => {
        const stream = new RandomStream(7300 + numQubits);
        const numCircuits = 16;
        const angles = Float64Array.from(
          { length: numCircuits * numQubits },
          () => Math.PI / 2 + stream.angle() / 50,
        );
        const request = { numCircuits, angles, shots: 20_000, seed: 11 };
        const { undecided, differing, wanted, together } = await countsOf(
          nearlyUniform(numQubits),
          request,
        );
        expect(differing).not.toEqual([]);
        expect(undecided).toEqual(expect.arrayContaining(differing));
        expect(together).toEqual(wanted);
      });
    });

    test('decide nearly all circuits of few outcomes and few shots', async () => {
      const stream = new RandomStream(7400);
      const numCircuits = 1000;
      const angles = Float64Array.from({ length: 3 * numCircuits }, () => stream.angle());
      const request = { numCircuits, angles, shots: 100, seed: 5 };
      const { undecided, wanted, together } = await countsOf(nearlyUniform(3), request);
      expect(undecided.length).toBeLessThan(20);
      expect(together).toEqual(wanted);
    });

    test('leave about as many circuits undecided as the cost model expects', async () => {
      const stream = new RandomStream(7600);
      const layer = [0, 1, 2, 3].flatMap((qubit) => [
        gate('RY', [qubit], [], [0]),
        gate('RZ', [qubit], [], [0]),
        gate('X', [(qubit + 1) % 4], [qubit]),
      ]);
      const operations = [...layer, ...layer];
      const shape = withFinalMeasurement({ numQubits: 4, numBits: 0, operations });
      const numCircuits = 1000;
      const angles = Float64Array.from({ length: 16 * numCircuits }, () => stream.angle());
      const { undecided } = await countsOf(shape, { numCircuits, angles, shots: 300, seed: 2 });
      const expected = expectedUndecided({ numQubits: 4, numOperations: operations.length }, 300);
      expect(undecided.length / numCircuits).toBeGreaterThan(expected / 2);
      expect(undecided.length / numCircuits).toBeLessThan(2 * expected);
    });

    test('decide every draw that all boundaries are far from', async () => {
      const operations = [gate('X', [3]), gate('X', [0], [3]), gate('SWAP', [0, 1])];
      const shape = withFinalMeasurement({ numQubits: 4, numBits: 0, operations });
      const request = { numCircuits: 1, angles: new Float64Array(0), shots: 1000, seed: 1 };
      const { undecided, together } = await countsOf(shape, request);
      expect(undecided).toEqual([]);
      expect(together[0b1010]).toBe(1000);
    });
  });
}
