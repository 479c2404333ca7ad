/** Opens the device of an adapter with all that the adapter has. */
import { NoAdapterError } from '../errors.ts';

/** Limits that decide how large states and tiles may be. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const;

/**
 * The device of the adapter that `gpu` prefers.
 *
 * Whoever calls it keeps `gpu`, too, for as long as the device is used.
 *
 * @throws {NoAdapterError} if there is none, or it gives no device.
 */
export async function openGpuDevice(gpu: GPU): Promise<GPUDevice> {
  try {
    const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (adapter !== null) {
      const requiredLimits = Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
      return await adapter.requestDevice({ requiredLimits });
    }
  } catch (error) {
    throw new NoAdapterError({ cause: error });
  }
  throw new NoAdapterError();
}
