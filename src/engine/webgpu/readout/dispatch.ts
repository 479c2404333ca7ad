/** Runs reading kernels, in submits of bounded length, and hands out what they wrote. */
import type { GpuContext } from '../gpu-context.ts';

/** A dispatch along one dimension is at most 65,535 workgroups long. */
const MAX_ROW_LENGTH = 2 ** 15;

/** Amplitudes that one submit visits, unless a single kernel visits more: it stays short. */
export const MAX_VISITED = 2 ** 30;

/** Workgroups in rows; the last row may be longer than needed. */
export interface Grid {
  readonly rowLength: number;
  readonly rows: number;
}

/** At least as many workgroups as asked for. */
export function gridOf(numGroups: number): Grid {
  const rowLength = Math.min(numGroups, MAX_ROW_LENGTH);
  return { rowLength, rows: Math.ceil(numGroups / rowLength) };
}

/** A buffer, or a part of one. */
export type BufferView = GPUBuffer | GPUBufferBinding;

/** Encodes one kernel; buffers by binding, absent ones left out. */
export function encodeKernel(
  { device }: GpuContext,
  encoder: GPUCommandEncoder,
  pipeline: GPUComputePipeline,
  buffers: readonly (BufferView | undefined)[],
  { rowLength, rows }: Grid,
  layers = 1,
): void {
  const entries: GPUBindGroupEntry[] = [];
  for (const [binding, view] of buffers.entries()) {
    if (view === undefined) continue;
    entries.push({ binding, resource: 'buffer' in view ? view : { buffer: view } });
  }
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(rowLength, rows, layers);
  pass.end();
}

/** Items in order, parted so that no part exceeds a limit unless it is one item. */
export function partsWithin<T>(
  items: readonly T[],
  limits: readonly { readonly sizeOf: (item: T) => number; readonly most: number }[],
): readonly (readonly T[])[] {
  const parts: T[][] = [];
  let sizes: number[] = [];
  for (const item of items) {
    const grown = limits.map(({ sizeOf }, i) => (sizes[i] ?? 0) + sizeOf(item));
    const part = parts.at(-1);
    if (part === undefined || grown.some((size, i) => size > limits[i]!.most)) {
      parts.push([item]);
      sizes = limits.map(({ sizeOf }) => sizeOf(item));
    } else {
      part.push(item);
      sizes = grown;
    }
  }
  return parts;
}

/**
 * Submits work that ends with a copy into `staging`, and lets `use` read it where it lies.
 *
 * @param use - Must not keep the bytes: they are gone when it returns.
 */
export async function readMapped(
  context: GpuContext,
  staging: GPUBuffer,
  bytes: number,
  encode: (encoder: GPUCommandEncoder) => void,
  use: (bytes: ArrayBuffer) => void,
): Promise<void> {
  context.enqueue(encode);
  // Both are asked for at once, and nothing is read before both have answered.
  const settled = context.settle();
  const [mapped] = await Promise.all([context.map(staging, bytes), settled]);
  try {
    use(mapped);
  } finally {
    staging.unmap();
  }
}
