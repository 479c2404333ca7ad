/** Limits of an imaginary GPU. */

const BYTES = 2 ** 31;

/** Limits that decide sizes; only the two given ones restrict anything. */
export function gpuLimits({
  workgroupBytes,
  threads,
}: {
  readonly workgroupBytes: number;
  readonly threads: number;
}): GPUSupportedLimits {
  // Checked: code that computes sizes reads no other limit.
  return {
    maxBufferSize: BYTES,
    maxStorageBufferBindingSize: BYTES,
    maxStorageBuffersPerShaderStage: 16,
    maxComputeWorkgroupStorageSize: workgroupBytes,
    maxComputeInvocationsPerWorkgroup: threads,
    maxComputeWorkgroupSizeX: 1024,
  } as GPUSupportedLimits;
}
