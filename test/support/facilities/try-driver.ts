/**
 * Entry of the process that tries a driver: it computes on the driver's adapter and sends "computed",
 * or why it could not.
 *
 * Mesa compiles a kernel when it is first dispatched, for seconds, and keeps it on disk. So this process
 * then runs circuits on the engines that the suites use, and no test waits for the compiler.
 */
import { type Circuit, withFinalMeasurement } from '../../../src/circuit/circuit.ts';
import type { PauliSum } from '../../../src/circuit/observable.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { openGpuDevice } from '../../../src/engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile, sleepUntil } from '../../../src/engine/webgpu/node-gpu.ts';
import { openSpreadEngine } from '../../../src/engine/webgpu/spread/spread-engine.ts';
import { openWebGpuEngine } from '../../../src/engine/webgpu/webgpu-engine.ts';
import { runCircuit } from '../engine-runs.ts';
import { randomDynamicCircuit, randomGates } from '../random-circuits.ts';
import { RandomStream } from '../random-stream.ts';
import { DRIVERS } from './facilities.ts';
import { squareOnGpu } from './try-gpu.ts';

const NUM_QUBITS = 12;
/** Tiles and chunks so small that kernels for several chunks are used. */
const SMALL = { tileQubits: 8, chunkQubits: 8, maxQubits: NUM_QUBITS, memoryBytes: 2 ** 24 };

const adapter = process.argv[2] ?? '';
const gpu = nodeGpu({ adapter });
const host = { shaders: shaderFile, onWait: sleepUntil };
const openDevice = () => openGpuDevice(nodeGpu({ adapter }));

/** Runs circuits that use all kinds of kernels, and ends the engine. */
async function useKernels(engine: Engine): Promise<void> {
  const random = new RandomStream(1);
  const operations = randomGates(random, NUM_QUBITS, 60, 3);
  const circuit: Circuit = withFinalMeasurement({ numQubits: NUM_QUBITS, numBits: 0, operations });
  const flip: PauliSum = [{ coefficient: 1, factors: [{ pauli: 'X', qubit: NUM_QUBITS - 1 }] }];
  await runCircuit(engine, circuit, { shots: 10_000, probabilities: true, observables: [flip] });
  await runCircuit(engine, randomDynamicCircuit(random, NUM_QUBITS, 6, 40), { shots: 2 });
  await engine.close();
}

try {
  await squareOnGpu(gpu);
  process.send?.('computed');
  if (adapter === DRIVERS.lavapipe.adapter) {
    await useKernels(await openWebGpuEngine({ ...host, device: await openDevice() }));
    await useKernels(await openWebGpuEngine({ ...host, ...SMALL, device: await openDevice() }));
    const devices = [{ device: await openDevice() }, { device: await openDevice() }];
    await useKernels(await openSpreadEngine({ ...host, ...SMALL, devices }));
  }
} catch (error) {
  process.send?.(error instanceof Error ? error.message : String(error));
}
process.exit(0);
