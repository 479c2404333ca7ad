/** Faults that a software driver never has, put into a WebGPU device for a test. */

/**
 * Makes a device answer `out-of-memory` scopes with an error, as a full one would, if a buffer of
 * at least `minBytes` was created in them while `isFull()` holds.
 */
export function limitMemory(device: GPUDevice, minBytes: number, isFull: () => boolean): void {
  const createBuffer = device.createBuffer.bind(device);
  const pushErrorScope = device.pushErrorScope.bind(device);
  const popErrorScope = device.popErrorScope.bind(device);
  const scopes: { readonly filter: GPUErrorFilter; isMissing: boolean }[] = [];
  Object.assign(device, {
    createBuffer: (descriptor: GPUBufferDescriptor) => {
      const scope = scopes.findLast(({ filter }) => filter === 'out-of-memory');
      if (scope !== undefined && descriptor.size >= minBytes && isFull()) scope.isMissing = true;
      return createBuffer(descriptor);
    },
    pushErrorScope: (filter: GPUErrorFilter) => {
      scopes.push({ filter, isMissing: false });
      pushErrorScope(filter);
    },
    popErrorScope: async () => {
      const scope = scopes.pop();
      const error = await popErrorScope();
      return scope?.isMissing ? { message: 'injected: no memory' } : error;
    },
  });
}
