// @needs facilities
/**
 * The engine over several devices: two of one driver, two drivers, four devices. Small tiles, chunks
 * and windows bring the borders between all of them into small circuits.
 */
import { describeWith } from '../support/facilities/describe-with.ts';
import { IS_LONG } from '../support/seeds.ts';
import { anyDriver, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';
import { openSoftwareSpread } from '../support/spread-gpu.ts';
import { describeConfiguration, describeEngine } from './engine-suite.ts';

const claims = { tolerance: 1e-5, maxQubits: 12 };
const driver = anyDriver();

describeWith([driver], 'the engine over several devices of one driver', () => {
  const small = { tileQubits: 8, chunkQubits: 8, windowBytes: 2 ** 9, memoryBytes: 2 ** 22 };
  // Eight chunks on each of two devices, and chunk qubits that no tile holds.
  describeEngine(
    'webgpu on two devices',
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
  (IS_LONG ? describeEngine : describeConfiguration)(
    'webgpu on four devices',
    async () => {
      const devices = [driver, driver, driver, driver];
      return (await openSoftwareSpread(devices, { ...whole, maxQubits: 12 })).engine;
    },
    claims,
  );
});

describeWith(SOFTWARE_DRIVERS, 'the engine over devices of two drivers', () => {
  describeConfiguration(
    `webgpu on ${SOFTWARE_DRIVERS.join(' and ')}`,
    async () => (await openSoftwareSpread(SOFTWARE_DRIVERS, { memoryBytes: 2 ** 22 })).engine,
    claims,
  );
});
