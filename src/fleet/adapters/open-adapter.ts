/** Opens the WebGPU engine on an adapter, in the process that calls it. */

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_BATCH_QUBITS } from '../../engine/batch-request.ts';
import { openCpuEngine } from '../../engine/cpu/cpu-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import { openGpuDevice } from '../../engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile, sleepUntil } from '../../engine/webgpu/node-gpu.ts';
import { deviceTuning } from '../../engine/webgpu/tuning/tune-device.ts';
import type { Tuning, TuningStore } from '../../engine/webgpu/tuning/tuning.ts';
import { openWebGpuEngine } from '../../engine/webgpu/webgpu-engine.ts';
import { WrongAdapterError } from '../errors.ts';
import type { GpuWorkerSetup } from '../workers/worker-messages.ts';

/** A device that an engine is to be opened on. */
export interface AdapterDevice {
  readonly device: GPUDevice;
  /** Measurements that size the kernels; absent where no folder keeps tunings. */
  readonly tuning?: Tuning;
}

/** An engine and the device that it is on. */
export interface OpenAdapter extends AdapterDevice {
  readonly engine: Engine;
}

/**
 * The engine on the adapter of that name, for states that fit the memory, sized by what was once
 * measured on the adapter, or is now. Its batches have the counts of double precision.
 *
 * @throws {NoAdapterError} if there is none.
 * @throws {WrongAdapterError} if the driver opens another one.
 * @throws {GpuFaultError} if the device does not take the kernels.
 */
export async function openAdapter(setup: GpuWorkerSetup): Promise<OpenAdapter> {
  const { device, ...tuned } = await openAdapterDevice(setup);
  const { memoryBytes, idleMemoryMs } = setup;
  const engine = await openWebGpuEngine({
    device,
    shaders: shaderFile,
    onWait: sleepUntil,
    memoryBytes,
    idleMemoryMs,
    openExact: () =>
      openCpuEngine({ precision: 'f64', numThreads: 1, maxQubits: MAX_BATCH_QUBITS }),
    ...tuned,
  });
  return { engine, device, ...tuned };
}

/**
 * The device of the adapter of that name, and what was once measured on it, or is now.
 *
 * @throws {NoAdapterError} if there is none.
 * @throws {WrongAdapterError} if the driver opens another one.
 * @throws {GpuFaultError} if the device does not take the kernels that are measured.
 */
export async function openAdapterDevice({
  adapter,
  memoryBytes,
  tuningFolder,
}: GpuWorkerSetup): Promise<AdapterDevice> {
  const device = await openGpuDevice(nodeGpu({ adapter: adapter.name, backend: adapter.backend }));
  const opened = device.adapterInfo.device;
  // Names are matched by a part, so "… H200" finds "… H200 NVL" where that comes first.
  if (opened !== deviceId(adapter.name)) throw new WrongAdapterError(adapter.name, opened);
  if (tuningFolder === undefined) return { device };
  const tuning = await deviceTuning(device, shaderFile, tuningFile(tuningFolder), { memoryBytes });
  return { device, ...(tuning && { tuning }) };
}

/** Device id that WebGPU makes of a name: lower case, with hyphens for all but letters and digits. */
function deviceId(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

/** In the data folder; may be deleted at any time. */
export const TUNING_FILE = 'gpu-tuning.json';

/**
 * The store in a folder, which is made where it is missing. Nothing that is wrong with the file is an
 * error: what cannot be read counts as not there, what cannot be written is measured again next time.
 */
export function tuningFile(folder: string): TuningStore {
  const path = join(folder, TUNING_FILE);
  return {
    get: (key) => readTunings(path)[key],
    set: (key, tuning) => {
      // Processes of several adapters may write at a time: each file is whole, and the last one stays.
      const draft = `${path}.${process.pid}`;
      try {
        mkdirSync(folder, { recursive: true });
        const tunings = { ...readTunings(path), [key]: tuning };
        writeFileSync(draft, `${JSON.stringify(tunings, null, 2)}\n`);
        renameSync(draft, path);
      } catch {
        rmSync(draft, { force: true });
      }
    },
  };
}

function readTunings(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
    return { ...value };
  } catch {
    return {};
  }
}
