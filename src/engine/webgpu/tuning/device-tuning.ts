/** The tuning of a device: as it was stored, or measured now and stored. */
import { GpuContext, type ShaderSource } from '../gpu-context.ts';
import { type TuningLimits, tuneDevice } from './tune-device.ts';
import { readTuning, type Tuning, type TuningStore, tuningKey } from './tuning.ts';

/**
 * Nothing is done on the device where a tuning for it is stored.
 *
 * @param shaders - Of the engine: a tuning is for one text of its kernels.
 * @throws {StateMemoryError} if the device has no memory for what is measured.
 * @throws {GpuFaultError} if its kernels fail or compute what they should not.
 */
export async function deviceTuning(
  device: GPUDevice,
  shaders: ShaderSource,
  store: TuningStore,
  limits: TuningLimits = {},
): Promise<Tuning> {
  const key = tuningKey(device, shaders);
  const known = readTuning(store.get(key), device.limits);
  if (known !== undefined) return known;
  const tuning = await tuneDevice(new GpuContext(device, shaders), limits);
  store.set(key, tuning);
  return tuning;
}
