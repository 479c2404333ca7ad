// @needs browser
/// <reference types="vite/types/importMeta.d.ts" />
/** The WebGPU engine in headless Chromium: the conformance suite runs in the page itself. */
import { expect, test } from 'vitest';
import type { Circuit } from '../../src/circuit/circuit.ts';
import { openGpuDevice } from '../../src/engine/webgpu/gpu-target.ts';
import {
  openWebGpuEngine,
  type WebGpuEngineOptions,
} from '../../src/engine/webgpu/webgpu-engine.ts';
import { describeMidCircuit } from '../conformance/engine-mid-circuit.ts';
import { describeConfiguration, describeParts } from '../conformance/engine-suite.ts';
import { describeUnitaries } from '../conformance/engine-unitaries.ts';
import { statevectorOf, worstAmplitude } from '../support/engine-runs.ts';
import { describeWith } from '../support/facilities/describe-with.ts';
import { randomGates } from '../support/random-circuits.ts';
import { RandomStream } from '../support/random-stream.ts';
import { finalAmplitudes } from '../support/state-oracle.ts';

/** Texts by their paths. */
const SHADERS: Readonly<Record<string, string>> = import.meta.glob('../../shaders/**/*.wgsl', {
  query: '?raw',
  import: 'default',
  eager: true,
});

const CLAIMS = { tolerance: 1e-5, maxQubits: 12 };

/** As in test/conformance/webgpu-engine.test.ts. */
const SMALL = { tileQubits: 8, chunkQubits: 8, maxQubits: 12, memoryBytes: 2 ** 24 };

/** A wrong sign in the product of complex numbers, which every sweep with a phase computes. */
const FAULT = {
  shader: 'lib/complex',
  from: 'a.x * b.x - a.y * b.y',
  to: 'a.x * b.x + a.y * b.y',
};

function shaderText(name: string): string {
  const text = SHADERS[`../../shaders/${name}.wgsl`];
  if (text === undefined) throw new Error(`There is no shader ${name}.`);
  return text;
}

function withFault(name: string): string {
  const text = shaderText(name);
  if (name !== FAULT.shader) return text;
  expect(text).toContain(FAULT.from);
  return text.replaceAll(FAULT.from, FAULT.to);
}

async function openEngine(sizes: Partial<WebGpuEngineOptions> = {}, shaders = shaderText) {
  return await openWebGpuEngine({ ...sizes, device: await openGpuDevice(navigator.gpu), shaders });
}

describeWith(['WebGPU in Chromium'], 'the WebGPU engine in a page', () => {
  // Loops and shapes are left to the drivers, whose engine is the same.
  const parts = [describeUnitaries, describeMidCircuit];
  describeConfiguration('webgpu in Chromium', () => openEngine(), CLAIMS);
  describeParts('engine webgpu in Chromium', () => openEngine(), CLAIMS, parts);

  // The unitaries alone use every kernel of a sweep; the rest takes too long over chunks.
  describeParts('engine webgpu in Chromium, in chunks', () => openEngine(SMALL), CLAIMS, [
    describeUnitaries,
  ]);

  test('a shader with a fault in it computes another state', async () => {
    const operations = randomGates(new RandomStream(300), 4, 20, 4);
    const circuit: Circuit = { numQubits: 4, numBits: 0, operations };
    const errorWith = async (shaders: typeof shaderText) => {
      const engine = await openEngine({}, shaders);
      const amplitudes = await statevectorOf(engine, circuit);
      await engine.close();
      return worstAmplitude(amplitudes, finalAmplitudes(circuit));
    };
    expect(await errorWith(shaderText)).toBeLessThan(CLAIMS.tolerance);
    expect(await errorWith(withFault)).toBeGreaterThan(CLAIMS.tolerance);
  });
});
