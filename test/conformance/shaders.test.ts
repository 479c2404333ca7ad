// @needs facilities
/**
 * Every file under shaders/ compiles on the software drivers that are tried, with the constants that the engine puts
 * before it. What is compiled is what the engine asks for, so a file that nothing asks for is found.
 */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Circuit, type Operation, withFinalMeasurement } from '../../src/circuit/circuit.ts';
import type { PauliSum } from '../../src/circuit/observable.ts';
import { compileGradient } from '../../src/compiler/gradient/compile-gradient.ts';
import { BatchKernels } from '../../src/engine/webgpu/batch/batch-kernels.ts';
import { GpuContext, type ShaderSource } from '../../src/engine/webgpu/gpu-context.ts';
import { shaderFile } from '../../src/engine/webgpu/node-gpu.ts';
import {
  maxTileChunkQubits,
  maxTileQubits,
  SweepKernels,
  tileShape,
} from '../../src/engine/webgpu/sweep/sweep-kernel.ts';
import { NEVER, runCircuit } from '../support/engine-runs.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import type { SoftwareDriver } from '../support/facilities/facilities.ts';
import { runDensity } from '../support/noise-runs.ts';
import { gate } from '../support/random-circuits.ts';
import { openSoftwareDevice, openSoftwareEngine, triedDrivers } from '../support/software-gpu.ts';
import { openSoftwareSpread } from '../support/spread-gpu.ts';

const FILES = readdirSync(new URL('../../shaders/', import.meta.url), {
  recursive: true,
  encoding: 'utf8',
}).filter((name) => name.endsWith('.wgsl'));

const MIN_TILE_QUBITS = 8;
/** Wide enough that samples are drawn where the state is. */
const NUM_QUBITS = 14;
/** Measured one by one, some inside chunks and some among the chunks' numbers. */
const NUM_MEASURED = 10;
/** Qubits of a batch's circuits that differ in their kernels. */
const BATCH_QUBITS = [4, 10, 11, 12];

for (const driver of triedDrivers()) {
  describeWith([driver], `the shaders on ${driver}`, () => {
    test('every shader compiles', async () => {
      const used = new Set<string>();
      const shaders: ShaderSource = (name) => {
        used.add(`${name}.wgsl`);
        return shaderFile(name);
      };
      await compileKernels(driver, shaders);
      await runEverything(driver, shaders);
      await drawFromTwoDevices(driver, shaders);
      expect(FILES.filter((name) => !used.has(name))).toEqual([]);
    });
  });
}

/** All kernels of sweeps and batches; rejects where the driver refuses one. */
async function compileKernels(driver: SoftwareDriver, shaders: ShaderSource): Promise<void> {
  const device = await openSoftwareDevice(driver);
  const context = new GpuContext(device, shaders);
  const compiling: Promise<unknown>[] = [];
  // Every other size, with the smallest, the default and the largest among them, where it takes long.
  const step = driver === 'lavapipe' ? 1 : 2;
  for (let qubits = MIN_TILE_QUBITS; qubits <= maxTileQubits(device.limits); qubits += step) {
    const kernels = new SweepKernels(context, tileShape(qubits));
    compiling.push(kernels.kernel({ tileChunkQubits: 0, isLong: true }));
    for (let chunks = 0; chunks <= maxTileChunkQubits(device.limits); chunks++) {
      compiling.push(kernels.kernel({ tileChunkQubits: chunks, isLong: false }));
    }
  }
  for (const qubits of BATCH_QUBITS) {
    const kernels = new BatchKernels(context, qubits);
    compiling.push(kernels.evolve(), kernels.expectations(), kernels.variances());
    compiling.push(kernels.probabilities(), kernels.counts());
  }
  expect(await Promise.all(compiling)).not.toHaveLength(0);
  device.destroy();
}

/** Has an engine of many chunks do all that is done to states. */
async function runEverything(driver: SoftwareDriver, shaders: ShaderSource): Promise<void> {
  const engine = await openSoftwareEngine(driver, {
    shaders,
    tileQubits: MIN_TILE_QUBITS,
    chunkQubits: MIN_TILE_QUBITS,
    maxQubits: NUM_QUBITS,
    memoryBytes: 2 ** 24,
  });
  const qubits = Array.from({ length: NUM_QUBITS }, (_, q) => q);
  const spread = qubits.map((qubit) => gate('H', [qubit]));
  const observable: PauliSum = [
    { coefficient: 1, factors: qubits.map((qubit) => ({ pauli: 'X', qubit })) },
    { coefficient: 0.5, factors: [{ pauli: 'Z', qubit: 0 }] },
  ];
  const sampled = withFinalMeasurement({ numQubits: NUM_QUBITS, numBits: 0, operations: spread });
  const few = await runCircuit(engine, sampled, {
    shots: 1,
    observables: [observable],
    variances: true,
  });
  expect(few.expectations![0]).toBeCloseTo(1, 4);
  expect(few.variances![0]).toBeCloseTo(0.25, 4);
  const many = await runCircuit(engine, sampled, { shots: 1e5, probabilities: true });
  expect(many.probabilities![0]).toBeCloseTo(2 ** -NUM_QUBITS, 6);
  const measured = qubits
    .slice(0, NUM_MEASURED)
    .flatMap((qubit): readonly Operation[] => [
      gate('H', [qubit]),
      { kind: 'measure', qubits: [qubit], bits: [0] },
    ]);
  const operations = [...measured, gate('H', [0])];
  const circuit: Circuit = { numQubits: NUM_MEASURED, numBits: 1, operations };
  const { counts } = await runCircuit(engine, circuit, { shots: 2 });
  expect(counts.occurrences.reduce((sum, count) => sum + count, 0)).toBe(2);
  const turned = { numQubits: 1, numBits: 0, operations: [gate('RY', [0], [], [0.5])] };
  const kinds = { slots: Int32Array.of(0) };
  const program = compileGradient(turned, kinds, engine.target).bind([0.5]);
  await using gradient = await engine.prepare.gradient!(program);
  const z: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'Z', qubit: 0 }] }];
  const { gradients } = await gradient.run({ observables: [z] }, NEVER);
  expect(gradients[0]).toBeCloseTo(-Math.sin(0.5), 5);
  // A mixture: the qubit is measured, and nothing depends on its bit any more.
  const mixed: Circuit = {
    numQubits: 1,
    numBits: 1,
    operations: [gate('H', [0]), { kind: 'measure', qubits: [0], bits: [0] }, gate('H', [0])],
  };
  const { purity } = await runDensity(engine, mixed, { purity: true });
  expect(purity).toBeCloseTo(0.5, 5);
  await engine.close();
}

/** Has two devices draw from a state together. */
async function drawFromTwoDevices(driver: SoftwareDriver, shaders: ShaderSource): Promise<void> {
  const { engine } = await openSoftwareSpread([driver, driver], {
    shaders,
    tileQubits: MIN_TILE_QUBITS,
    maxQubits: NUM_QUBITS,
  });
  const operations = [gate('X', [NUM_QUBITS - 1])];
  const circuit = withFinalMeasurement({ numQubits: NUM_QUBITS, numBits: 0, operations });
  const { counts } = await runCircuit(engine, circuit, { shots: 5 });
  expect([...counts.outcomes, ...counts.occurrences]).toEqual([2 ** (NUM_QUBITS - 1), 5]);
  await engine.close();
}
