/**
 * Circuits whose rotations all come in one sweep: what they make the amplitudes grow by is balanced in
 * the tile, not only once it is stored, where single precision has lost the factor.
 */
import { expect, test } from 'vitest';
import { circuitFromGateObjects } from '../../src/circuit/gate-objects.ts';
import { openCpuEngine } from '../../src/engine/cpu/cpu-engine.ts';
import { statevectorOf, worstAmplitude } from '../support/engine-runs.ts';
import { lastingCircuit } from '../support/lasting-circuit.ts';

const NUM_QUBITS = 10;
const limits = { maxQubits: NUM_QUBITS, maxGates: 100_000, maxBits: NUM_QUBITS };

async function amplitudes(precision: 'f32' | 'f64', numLayers: number): Promise<Float64Array> {
  const circuit = circuitFromGateObjects(lastingCircuit(NUM_QUBITS, numLayers), { limits });
  const options = { precision, numThreads: 1, maxQubits: 16 };
  const engine = openCpuEngine(options);
  try {
    return await statevectorOf(engine, circuit);
  } finally {
    await engine.close();
  }
}

function norm(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

test.each([8, 30])('%i layers of rotations agree in both precisions', async (numLayers) => {
  const [single, double] = [await amplitudes('f32', numLayers), await amplitudes('f64', numLayers)];
  expect(norm(single)).toBeCloseTo(1, 3);
  expect(worstAmplitude(single, double)).toBeLessThan(1e-4);
});
