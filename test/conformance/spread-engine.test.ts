// @needs facilities
/**
 * The engine over several devices: two of one driver, two drivers, four devices. Small tiles, chunks
 * and windows bring the borders between all of them into small circuits.
 */
import { describeWith } from '../support/facilities/describe-with.ts';
import { IS_LONG } from '../support/seeds.ts';
import { anyDriver, SOFTWARE_DRIVERS } from '../support/software-gpu.ts';
import { openSoftwareSpread } from '../support/spread-gpu.ts';
import { describeInitialStates } from './engine-initial-states.ts';
import { describeLifecycle } from './engine-lifecycle.ts';
import { describeLoops } from './engine-loops.ts';
import { describeMidCircuit } from './engine-mid-circuit.ts';
import { describeObservables } from './engine-observables.ts';
import { describeOutputs } from './engine-outputs.ts';
import { describeSampling } from './engine-sampling.ts';
import { describeConfiguration, describeEngine, describeParts } from './engine-suite.ts';
import { describeRegisters } from './engine-unitaries.ts';

const claims = { tolerance: 1e-5, maxQubits: 12 };
const driver = anyDriver();

describeWith([driver], 'the engine over several devices of one driver', () => {
  const small = { tileQubits: 8, chunkQubits: 8, windowBytes: 2 ** 9, memoryBytes: 2 ** 22 };
  // Eight chunks on each of two devices, and chunk qubits that no tile holds.
  const openTwo = async () =>
    (await openSoftwareSpread([driver, driver], { ...small, maxQubits: 12 })).engine;
  if (IS_LONG) describeEngine('webgpu on two devices', openTwo, claims);
  else {
    // Gates are those of one device. What moves between devices is tried here, and in random circuits
    // (test/property/spread-engine.test.ts).
    describeParts('engine webgpu on two devices, in short', openTwo, claims, [
      describeRegisters,
      describeOutputs,
      describeObservables,
      describeSampling,
      describeMidCircuit,
      describeLoops,
      describeInitialStates,
      describeLifecycle,
    ]);
  }
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
