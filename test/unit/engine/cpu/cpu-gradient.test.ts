/** Gradients on the CPU, beyond what the conformance suite asks of every engine. */
import { describe, expect, test } from 'vitest';
import type { Circuit } from '../../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../../src/circuit/observable.ts';
import { compileGradient } from '../../../../src/compiler/gradient/compile-gradient.ts';
import { anglesOf } from '../../../../src/compiler/shape.ts';
import { openCpuEngine } from '../../../../src/engine/cpu/cpu-engine.ts';
import type { CpuEngineOptions } from '../../../../src/engine/cpu/hosted-engine.ts';
import { NEVER } from '../../../support/engine-runs.ts';
import { gradientOracle } from '../../../support/gradient-oracle.ts';
import { largestDifference, randomObservable } from '../../../support/parametric-circuits.ts';
import { gate } from '../../../support/random-circuits.ts';
import { RandomStream } from '../../../support/random-stream.ts';

function layers(numQubits: number, angle: () => number): Circuit {
  const operations = Array.from({ length: 4 }, () => [
    ...Array.from({ length: numQubits }, (_, q) => gate('RY', [q], [], [angle()])),
    ...Array.from({ length: numQubits - 1 }, (_, q) => gate('RXX', [q, q + 1], [], [angle()])),
    ...Array.from({ length: numQubits - 1 }, (_, q) => gate('CRZ', [q], [q + 1], [angle()])),
  ]).flat();
  return { numQubits, numBits: 0, operations };
}

async function gradientOf(
  options: CpuEngineOptions,
  circuit: Circuit,
  observables: readonly PauliSum[],
) {
  const engine = openCpuEngine(options);
  try {
    const angles = anglesOf(circuit);
    const slots = Int32Array.from(angles, (_, i) => i);
    const program = compileGradient(circuit, { slots }, engine.target).bind(angles);
    await using executable = await engine.prepare.gradient!(program);
    const once = await executable.run({ observables }, NEVER);
    return { once, again: await executable.run({ observables }, NEVER) };
  } finally {
    await engine.close();
  }
}

describe('a gradient on the CPU', () => {
  test('is the same whatever the number of threads', async () => {
    const stream = new RandomStream(5);
    const circuit = layers(13, () => stream.angle());
    const observables = [randomObservable(stream, 13), randomObservable(stream, 13)];
    const results = await Promise.all(
      [1, 2, 3].map((numThreads) =>
        gradientOf(
          { precision: 'f64', numThreads, maxQubits: 14, tileQubits: 8 },
          circuit,
          observables,
        ),
      ),
    );
    for (const { once, again } of results) {
      expect(once.gradients).toEqual(results[0]!.once.gradients);
      expect(again.gradients).toEqual(once.gradients);
      expect(again.values).toEqual(once.values);
    }
  });

  test('keeps the range of single precision where tangents are large', async () => {
    const circuit = layers(6, () => Math.PI - 1e-4);
    const observable = randomObservable(new RandomStream(6), 6);
    const options = { precision: 'f32', numThreads: 1, maxQubits: 14 } as const;
    const { once } = await gradientOf(options, circuit, [observable]);
    const angles = Float64Array.from(anglesOf(circuit));
    const { angleGradient } = gradientOracle(circuit, angles, observable);
    expect(largestDifference(once.gradients, angleGradient)).toBeLessThan(1e-4);
  });

  test('is the same whether there is memory to keep a state for the next observable', async () => {
    const stream = new RandomStream(8);
    const circuit = layers(12, () => stream.angle());
    const observables = Array.from({ length: 3 }, () => randomObservable(stream, 12));
    const options = { precision: 'f64', numThreads: 1, maxQubits: 20 } as const;
    const kept = await gradientOf(options, circuit, observables);
    const anew = await gradientOf({ ...options, memoryBytes: 2 ** 17 }, circuit, observables);
    expect(anew.once.gradients).toEqual(kept.once.gradients);
    expect(anew.once.statePasses).toBeGreaterThan(kept.once.statePasses);
  });

  test('takes the memory of two states and is refused where there is less', async () => {
    const circuit = layers(12, () => 0.3);
    const z: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];
    const options = { precision: 'f64', numThreads: 1, maxQubits: 20 } as const;
    const fits = gradientOf({ ...options, memoryBytes: 2 ** 17 }, circuit, [z]);
    await expect(fits).resolves.toHaveProperty(
      'once.gradients.length',
      1 * circuit.operations.length,
    );
    const wide = gradientOf({ ...options, memoryBytes: 2 ** 16 }, circuit, [z]);
    await expect(wide).rejects.toMatchObject({ code: 'ENGINE_PROGRAM_TOO_WIDE' });
  });
});
