/** Dispatches readout kernels in submits of bounded length, and maps their results. */
import type { GpuContext } from '../gpu-context.ts';
import type { BufferView } from '../scratch-buffers.ts';

/** Workgroups of a row; WebGPU allows at most 65,535 in each dimension. */
const MAX_ROW_LENGTH = 2 ** 15;

/** Most amplitudes that one submit visits, unless a single kernel visits more. */
export const MAX_VISITED = 2 ** 30;

/** Workgroups in rows; the last row may be longer than needed. */
export interface Grid {
  readonly rowLength: number;
  readonly rows: number;
}

/** Grid of at least this many workgroups. */
export function gridOf(numGroups: number): Grid {
  const rowLength = Math.min(numGroups, MAX_ROW_LENGTH);
  return { rowLength, rows: Math.ceil(numGroups / rowLength) };
}

/** Encodes one kernel. Buffers are listed by binding; absent ones are skipped. */
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

/**
 * Splits items, in order, into parts within the limits. An item above a limit is a part of its own.
 */
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
 * Submits work that ends with a copy into `staging`, then maps the buffer and calls `use`.
 *
 * @param use - Must not keep the bytes, which are invalid afterwards.
 */
export async function readMapped(
  context: GpuContext,
  staging: GPUBuffer,
  bytes: number,
  encode: (encoder: GPUCommandEncoder) => void,
  use: (bytes: ArrayBuffer) => void,
): Promise<void> {
  context.enqueue(encode);
  // Both requests start at once; nothing is read before both have completed.
  const settled = context.settle();
  const [mapped] = await Promise.all([context.map(staging, bytes), settled]);
  try {
    use(mapped);
  } finally {
    staging.unmap();
  }
}
