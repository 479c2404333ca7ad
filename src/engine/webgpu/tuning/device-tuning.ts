/** The tuning of a device: read from the store, or measured and stored. */
import { GpuContext, type ShaderSource } from '../gpu-context.ts';
import { type TuningLimits, tuneDevice } from './tune-device.ts';
import { readTuning, type Tuning, type TuningStore, tuningKey } from './tuning.ts';

/**
 * Returns the tuning of a device; measures it only if none is stored.
 *
 * @param shaders - The engine's shaders: a tuning is valid for one text of them.
 * @throws {StateMemoryError} if the device has no memory for the measurement.
 * @throws {GpuFaultError} if kernels fail or give wrong results.
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
