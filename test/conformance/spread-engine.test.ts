/**
 * The engine over several devices: two of one driver, two drivers, four devices. Small tiles, chunks
 * and windows bring the borders between all of them into small circuits.
 */
import { MISSING_DRIVERS, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';
import { openSoftwareSpread } from '../support/spread-gpu.ts';
import { describeEngine } from './engine-suite.ts';

const claims = { tolerance: 1e-5, maxQubits: 12 };
const [driver] = SOFTWARE_DRIVERS;

for (const { name, path } of MISSING_DRIVERS) {
  process.stderr.write(
    `SKIPPED: the engine over several devices on ${name}; no driver at ${path}\n`,
  );
}

if (driver !== undefined) {
  const small = { tileQubits: 8, chunkQubits: 8, windowBytes: 2 ** 9, memoryBytes: 2 ** 22 };
  // Eight chunks on each of two devices, and chunk qubits that no tile holds.
  describeEngine(
    `webgpu on two devices of ${driver.name}`,
    async () => (await openSoftwareSpread([driver, driver], { ...small, maxQubits: 12 })).engine,
    claims,
  );
  // Chunks without chunk qubits at 12 qubits: parts of chunks go from device to device.
  const whole = {
    tileQubits: 8,
    chunkQubits: 10,
    maxRuns: 2,
    windowBytes: 2 ** 11,
    memoryBytes: 2 ** 22,
  };
  describeEngine(
    `webgpu on four devices of ${driver.name}`,
    async () => {
      const devices = [driver, driver, driver, driver];
      return (await openSoftwareSpread(devices, { ...whole, maxQubits: 12 })).engine;
    },
    claims,
  );
}

if (SOFTWARE_DRIVERS.length > 1) {
  describeEngine(
    `webgpu on ${SOFTWARE_DRIVERS.map(({ name }) => name).join(' and ')}`,
    async () =>
      (await openSoftwareSpread(SOFTWARE_DRIVERS.slice(0, 2), { memoryBytes: 2 ** 22 })).engine,
    claims,
  );
}
