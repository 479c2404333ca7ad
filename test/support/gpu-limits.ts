/** Limits of a GPU that is only thought of. */

const BYTES = 2 ** 31;

/** Limits that decide sizes; none binds but the two. */
export function gpuLimits({
  workgroupBytes,
  threads,
}: {
  readonly workgroupBytes: number;
  readonly threads: number;
}): GPUSupportedLimits {
  // Checked: nothing that is asked for sizes reads another limit.
  return {
    maxBufferSize: BYTES,
    maxStorageBufferBindingSize: BYTES,
    maxStorageBuffersPerShaderStage: 16,
    maxComputeWorkgroupStorageSize: workgroupBytes,
    maxComputeInvocationsPerWorkgroup: threads,
    maxComputeWorkgroupSizeX: 1024,
  } as GPUSupportedLimits;
}
