import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchDevice } from '../../../src/fleet/adapters/serve-adapter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A device that has done its work after `doneAfterMs`, or never. */
function watched(doneAfterMs: number | undefined) {
  const lost = Promise.withResolvers<GPUDeviceLostInfo>();
  const losses: string[] = [];
  const done = () =>
    new Promise<undefined>((resolve) => {
      if (doneAfterMs !== undefined) setTimeout(() => resolve(undefined), doneAfterMs);
    });
  // Checked: the watch asks for these two alone.
  const device = {
    lost: lost.promise,
    queue: { onSubmittedWorkDone: done },
  } as unknown as GPUDevice;
  watchDevice(device, (how) => losses.push(how), { everyMs: 100, limitMs: 1000 });
  return { losses, lost };
}

test('a device that does its work, quickly or slowly, is left alone', async () => {
  for (const doneAfterMs of [0, 900]) {
    const { losses } = watched(doneAfterMs);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(losses).toEqual([]);
  }
});

test('a device that does nothing for the limit has hung, once', async () => {
  const { losses, lost } = watched(undefined);
  await vi.advanceTimersByTimeAsync(1000);
  expect(losses).toEqual([]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(losses).toEqual(['the GPU did nothing for 1000 ms']);
  // Its end is no news after that.
  lost.resolve({ message: 'reset', reason: 'unknown' } as GPUDeviceLostInfo);
  await vi.advanceTimersByTimeAsync(1000);
  expect(losses).toHaveLength(1);
});

test('a device that is lost is heard of at once, with what its driver says', async () => {
  const { losses, lost } = watched(0);
  lost.resolve({ message: 'reset by its driver', reason: 'unknown' } as GPUDeviceLostInfo);
  await vi.advanceTimersByTimeAsync(0);
  expect(losses).toEqual(['the GPU device was lost: reset by its driver']);
});
