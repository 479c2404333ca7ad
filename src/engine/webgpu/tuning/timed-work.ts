/** Measures the duration of work on a device, by the host's clock around submit and wait. */
import type { GpuContext } from '../gpu-context.ts';

/**
 * Work is repeated for this long, to reduce the effect of clock resolution and submission overhead.
 */
const TIMED_MS = 2;
const MAX_REPEATS = 64;
const MEASUREMENTS = 3;

/**
 * Milliseconds of one repetition of some work: the least of several measurements, since a wait that
 * was answered late only ever adds to them.
 */
export async function timedMs(context: GpuContext, enqueue: () => void): Promise<number> {
  let least = await repeatedMs(context, enqueue, 1);
  for (let i = 0; i < MEASUREMENTS; i++) {
    const repeats = Math.min(MAX_REPEATS, Math.ceil(TIMED_MS / Math.max(least, 1e-3)));
    least = Math.min(least, (await repeatedMs(context, enqueue, repeats)) / repeats);
  }
  return least;
}

async function repeatedMs(
  context: GpuContext,
  enqueue: () => void,
  repeats: number,
): Promise<number> {
  for (let i = 0; i < repeats; i++) enqueue();
  const started = performance.now();
  await context.settle();
  return performance.now() - started;
}

/**
 * Bytes read plus written per second when one buffer is copied to another.
 *
 * @param size - Bytes of each buffer.
 * @throws {StateMemoryError} if the device has no memory for both.
 */
export async function copyRate(context: GpuContext, size: number): Promise<number> {
  const { COPY_SRC, COPY_DST } = GPUBufferUsage;
  const from = await context.allocate('copied from', size, COPY_SRC | COPY_DST);
  try {
    const to = await context.allocate('copied to', size, COPY_SRC | COPY_DST);
    try {
      const copy = () =>
        context.enqueue((encoder) => encoder.copyBufferToBuffer(from, 0, to, 0, size));
      // Writing first makes sure that the memory is really allocated.
      await context.submit((encoder) => encoder.clearBuffer(from));
      await context.submit((encoder) => encoder.clearBuffer(to));
      return (1000 * 2 * size) / (await timedMs(context, copy));
    } finally {
      to.destroy();
    }
  } finally {
    from.destroy();
  }
}
