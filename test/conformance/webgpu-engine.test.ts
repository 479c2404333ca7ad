/** The WebGPU engine on each software driver; small tiles and chunks bring their borders into small circuits. */
import { expect, test } from 'vitest';
import { MISSING_DRIVERS, openSoftwareEngine, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';
import { describeEngine } from './engine-suite.ts';

const claims = { tolerance: 1e-5, maxQubits: 12 };

for (const { name, path } of MISSING_DRIVERS) {
  process.stderr.write(`SKIPPED: the WebGPU engine on ${name}; no driver at ${path}\n`);
}

test('the software Vulkan drivers are there where they are required', () => {
  if (process.env['QCS_TEST_REQUIRE_VULKAN'] === '1') expect(MISSING_DRIVERS).toEqual([]);
});

for (const [i, driver] of SOFTWARE_DRIVERS.entries()) {
  describeEngine(`webgpu on ${driver.name}`, () => openSoftwareEngine(driver), claims);
  // Sixteen chunks, qubits that only exchanges bring near, and a chunk qubit that no index holds; on
  // the slower driver four.
  const chunks = i === 0 ? { chunkQubits: 8, indexBits: 11 } : { chunkQubits: 10 };
  const sizes = { tileQubits: 8, ...chunks, maxQubits: 12, memoryBytes: 2 ** 24 };
  const open = () => openSoftwareEngine(driver, sizes);
  describeEngine(`webgpu on ${driver.name}, in small tiles and chunks`, open, claims);
}
