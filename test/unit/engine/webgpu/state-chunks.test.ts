/** Memory of states between runs, and where there is none at first. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StateMemoryError } from '../../../../src/engine/errors.ts';
import type { GpuContext } from '../../../../src/engine/webgpu/gpu-context.ts';
import { type IdleLimits, StateChunks } from '../../../../src/engine/webgpu/gpu-state.ts';
import { nodeGpu } from '../../../../src/engine/webgpu/node-gpu.ts';

/** 128 MiB in one chunk: more than stays idle for long. */
const LARGE = { numQubits: 24, chunkQubits: 24 };
const SMALL = { numQubits: 10, chunkQubits: 10 };

/** A context without a device that allocates so many bytes at most. */
function memoryOf(bytes: () => number, limits?: IdleLimits) {
  const held = new Set<object>();
  const used = () =>
    [...held].reduce((sum: number, buffer) => sum + Reflect.get(buffer, 'size'), 0);
  const allocate = async (_: string, size: number) => {
    if (used() + size > bytes()) throw new StateMemoryError(size);
    const buffer = { size, destroy: () => held.delete(buffer) };
    held.add(buffer);
    return buffer;
  };
  const freeDestroyed = vi.fn(async () => undefined);
  // Checked: chunks use nothing else.
  const context = { allocate, freeDestroyed } as unknown as GpuContext;
  return { chunks: new StateChunks(context, limits), used, freeDestroyed };
}

beforeEach(() => {
  nodeGpu();
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('the memory of a state', () => {
  test('is kept for a run that follows at once, and given back when none does', async () => {
    const { chunks, used } = memoryOf(() => Number.POSITIVE_INFINITY);
    const first = await chunks.take(LARGE);
    chunks.give(first);
    chunks.endRun();
    await vi.advanceTimersByTimeAsync(100);
    const second = await chunks.take(LARGE);
    expect(second.chunks[0]).toBe(first.chunks[0]);
    await vi.advanceTimersByTimeAsync(1000);
    chunks.give(second);
    chunks.endRun();
    expect(used()).toBe(2 ** 27);
    await vi.advanceTimersByTimeAsync(1000);
    expect(used()).toBe(0);
  });

  test('is kept also when narrower states left theirs before', async () => {
    const { chunks, used } = memoryOf(() => Number.POSITIVE_INFINITY);
    for (let numQubits = 10; numQubits < 13; numQubits++) {
      chunks.give(await chunks.take({ numQubits, chunkQubits: numQubits }));
      chunks.endRun();
    }
    const wide = await chunks.take({ numQubits: 25, chunkQubits: 24 });
    const held = [...wide.chunks];
    chunks.give(wide);
    chunks.endRun();
    expect(used()).toBeGreaterThanOrEqual(2 ** 28);
    const again = await chunks.take({ numQubits: 25, chunkQubits: 24 });
    expect(new Set(again.chunks)).toEqual(new Set(held));
  });

  test('outlasts runs of narrower states, but no longer than its time', async () => {
    const { chunks, used } = memoryOf(() => Number.POSITIVE_INFINITY);
    const wide = await chunks.take(LARGE);
    chunks.give(wide);
    chunks.endRun();
    for (let i = 0; i < 3; i++) {
      await vi.advanceTimersByTimeAsync(60);
      const narrow = await chunks.take(SMALL);
      expect(used()).toBe(2 ** 27 + 2 ** 13);
      chunks.give(narrow);
      chunks.endRun();
    }
    // The time is up in the middle of a run, whose end is waited for.
    const narrow = await chunks.take(SMALL);
    await vi.advanceTimersByTimeAsync(60);
    expect(used()).toBe(2 ** 27 + 2 ** 13);
    chunks.give(narrow);
    chunks.endRun();
    expect(used()).toBe(0);
  });

  test('makes room for states that do not fit beside it', async () => {
    const { chunks, used, freeDestroyed } = memoryOf(() => Number.POSITIVE_INFINITY, {
      memoryBytes: 3 * 2 ** 27,
    });
    chunks.give(await chunks.take({ numQubits: 25, chunkQubits: 24 }));
    chunks.endRun();
    chunks.give(await chunks.take({ numQubits: 25, chunkQubits: 25 }));
    expect(used()).toBe(3 * 2 ** 27);
    expect(freeDestroyed).toHaveBeenCalledTimes(1);
  });

  test('makes room where the device has less memory than was thought', async () => {
    const { chunks, used } = memoryOf(() => 2 ** 27 + 2 ** 12);
    chunks.give(await chunks.take(LARGE));
    chunks.endRun();
    chunks.give(await chunks.take(SMALL));
    expect(used()).toBe(2 ** 13);
  });

  test('is free for others when it was given back', async () => {
    const { chunks, freeDestroyed } = memoryOf(() => Number.POSITIVE_INFINITY);
    chunks.give(await chunks.take(LARGE));
    chunks.endRun();
    expect(freeDestroyed).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1000);
    expect(freeDestroyed).toHaveBeenCalledTimes(1);
  });

  test('is kept for as long as is asked for', async () => {
    const { chunks, used } = memoryOf(() => Number.POSITIVE_INFINITY, { idleMs: 60_000 });
    chunks.give(await chunks.take(LARGE));
    chunks.endRun();
    await vi.advanceTimersByTimeAsync(59_000);
    expect(used()).toBe(2 ** 27);
    await vi.advanceTimersByTimeAsync(2000);
    expect(used()).toBe(0);
  });

  test('stays where it is little', async () => {
    const { chunks, used } = memoryOf(() => Number.POSITIVE_INFINITY);
    chunks.give(await chunks.take(SMALL));
    chunks.endRun();
    await vi.advanceTimersByTimeAsync(1000);
    expect(used()).toBe(2 ** 13);
    chunks.close();
    expect(used()).toBe(0);
  });

  test('is waited for while another engine may be giving its own back', async () => {
    let bytes = 0;
    const { chunks, used } = memoryOf(() => bytes);
    const taking = chunks.take(SMALL);
    await vi.advanceTimersByTimeAsync(300);
    bytes = 2 ** 13;
    await vi.advanceTimersByTimeAsync(200);
    expect((await taking).chunks).toHaveLength(1);
    expect(used()).toBe(2 ** 13);
  });

  test('is refused where nobody gives any back', async () => {
    const { chunks } = memoryOf(() => 0);
    const taking = expect(chunks.take(SMALL)).rejects.toMatchObject({
      code: 'ENGINE_STATE_MEMORY',
    });
    await vi.advanceTimersByTimeAsync(1000);
    await taking;
  });
});
