/** The WebGPU engine on each software driver; the smallest tiles bring their borders into small circuits. */
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
  if (i > 0) continue;
  const open = () => openSoftwareEngine(driver, { tileQubits: 8 });
  describeEngine(`webgpu on ${driver.name}, tiles of 8 qubits`, open, claims);
}
