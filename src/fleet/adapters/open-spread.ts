/** Opens the WebGPU engine over several adapters, in the process that calls it. */
import type { Engine } from '../../engine/engine.ts';
import { shaderFile, sleepUntil } from '../../engine/webgpu/node-gpu.ts';
import { openSpreadEngine } from '../../engine/webgpu/spread/spread-engine.ts';
import type { Tuning } from '../../engine/webgpu/tuning/tuning.ts';
import type { SpreadMember, SpreadWorkerSetup } from '../workers/worker-messages.ts';
import { type AdapterDevice, openAdapterDevice } from './open-adapter.ts';

/** An engine and the devices that it is on. */
export interface OpenSpread {
  readonly engine: Engine;
  readonly devices: readonly GPUDevice[];
  /** Tuning of the slowest of them, because each does as much. Absent where no folder keeps tunings. */
  readonly tuning?: Tuning;
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
): Promise<OpenSpread> {
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
