/** Opens the device of an adapter with the adapter's full limits. */
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
 * Opens the device of the adapter that `gpu` prefers.
 *
 * The caller must keep `gpu` as long as the device is used.
 *
 * @throws {NoAdapterError} if there is no adapter, or it provides no device.
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
