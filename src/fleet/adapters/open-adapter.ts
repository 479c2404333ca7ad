/** Opens the WebGPU engine on an adapter, or over several, in the process that calls it. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_BATCH_QUBITS } from '../../engine/batch-request.ts';
import { openCpuEngine } from '../../engine/cpu/cpu-engine.ts';
import type { Engine } from '../../engine/engine.ts';
import { openGpuDevice } from '../../engine/webgpu/gpu-target.ts';
import { nodeGpu, shaderFile, sleepUntil } from '../../engine/webgpu/node-gpu.ts';
import { openSpreadEngine } from '../../engine/webgpu/spread/spread-engine.ts';
import { deviceTuning } from '../../engine/webgpu/tuning/tune-device.ts';
import type { Tuning, TuningStore } from '../../engine/webgpu/tuning/tuning.ts';
import { openWebGpuEngine } from '../../engine/webgpu/webgpu-engine.ts';
import { WrongAdapterError } from '../errors.ts';
import type {
  GpuWorkerSetup,
  SpreadMember,
  SpreadWorkerSetup,
} from '../workers/worker-messages.ts';

/** A device that an engine is to be opened on. */
export interface AdapterDevice {
  readonly device: GPUDevice;
  /** Measurements that size the kernels; absent where no folder keeps tunings. */
  readonly tuning?: Tuning;
}

/** An engine and the devices that it is on. */
export interface AdapterEngine {
  readonly engine: Engine;
  readonly devices: readonly GPUDevice[];
  /** Tuning of the slowest of them, because each does as much. Absent where no folder keeps tunings. */
  readonly tuning?: Tuning;
}

/**
 * The engine on the adapter of that name, for states that fit the memory, sized by what was once
 * measured on the adapter, or is now. Its batches have the counts of double precision.
 *
 * @throws {NoAdapterError} if there is none.
 * @throws {WrongAdapterError} if the driver opens another one.
 * @throws {GpuFaultError} if the device does not take the kernels.
 */
export async function openAdapter(setup: GpuWorkerSetup): Promise<AdapterEngine> {
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
  return { engine, devices: [device], ...tuned };
}

/**
 * The device of the adapter of that name, and its stored measurements, or new ones.
 *
 * @throws {NoAdapterError} if there is none.
 * @throws {WrongAdapterError} if the driver opens another one.
 * @throws {GpuFaultError} if the device does not take the kernels that are measured.
 */
async function openAdapterDevice({
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
 * error: a file that cannot be read counts as missing, and one that cannot be written is measured again next time.
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

/** Opens an adapter where it can be seen; its pin is no longer set when it resolves. */
export type OpenPinned = (
  pin: Readonly<Record<string, string>>,
  open: () => Promise<AdapterDevice>,
) => Promise<AdapterDevice>;

/**
 * The engine over the adapters, for states that fit the memory of all together. They are opened one
 * after the other, for a process has one environment.
 *
 * @throws {RangeError} if they are not 2, 4, 8 ….
 * @throws {NoAdapterError} if one is not there.
 * @throws {WrongAdapterError} if a driver opens another one.
 * @throws {GpuFaultError} if a device does not take the kernels.
 */
export async function openSpread(
  { members }: SpreadWorkerSetup,
  openPinned: OpenPinned,
): Promise<AdapterEngine> {
  const opened: AdapterDevice[] = [];
  for (const member of members) {
    const { pin = {} } = member;
    opened.push(await openPinned(pin, () => openAdapterDevice(member)));
  }
  const engine = await openSpreadEngine({
    devices: opened,
    shaders: shaderFile,
    onWait: sleepUntil,
    memoryBytes: leastMemory(members),
  });
  const tuning = slowest(opened);
  return { engine, devices: opened.map(({ device }) => device), ...(tuning && { tuning }) };
}

function leastMemory(members: readonly SpreadMember[]): number {
  return Math.min(...members.map(({ memoryBytes }) => memoryBytes));
}

function slowest(opened: readonly AdapterDevice[]): Tuning | undefined {
  const tunings = opened.flatMap(({ tuning }) => tuning ?? []);
  return tunings.toSorted((a, b) => a.sweepBytesPerSecond - b.sweepBytesPerSecond)[0];
}
