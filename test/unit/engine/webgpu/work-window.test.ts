/** How much a device is given before it is waited for, on a clock of the test's own. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WorkWindow } from '../../../../src/engine/webgpu/work-window.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const PIECE = 2 ** 18;

/** Fills a window and waits for it on a device of that speed; what it held and how long it took. */
async function wait(
  window: WorkWindow,
  unitsPerMs: number,
): Promise<{ readonly units: number; readonly tookMs: number }> {
  let units = PIECE;
  while (!window.add(PIECE)) units += PIECE;
  const startedMs = performance.now();
  const doneMs = startedMs + units / unitsPerMs;
  const sleeping = window.sleep();
  await vi.runAllTimersAsync();
  await sleeping;
  if (performance.now() < doneMs) vi.advanceTimersByTime(doneMs - performance.now());
  window.settled();
  return { units, tookMs: performance.now() - startedMs };
}

test.each([2 ** 16, 2 ** 20, 2 ** 26])(
  'windows of a device that does %i units a millisecond come to about 25 ms',
  async (unitsPerMs) => {
    const window = new WorkWindow();
    for (let i = 0; i < 12; i++) await wait(window, unitsPerMs);
    const { units, tookMs } = await wait(window, unitsPerMs);
    expect(units / unitsPerMs).toBeGreaterThan(12);
    expect(tookMs).toBeLessThan(40);
  },
);

test('a device that was slow once is soon waited for no longer than it takes', async () => {
  const window = new WorkWindow();
  await wait(window, 1);
  let sleptForNothingMs = 0;
  for (let i = 0; i < 20; i++) {
    const { units, tookMs } = await wait(window, 2 ** 20);
    sleptForNothingMs += tookMs - units / 2 ** 20;
  }
  expect(sleptForNothingMs).toBeLessThan(600);
  const { units, tookMs } = await wait(window, 2 ** 20);
  expect(tookMs - units / 2 ** 20).toBeLessThan(25);
});

test('a window that is not full is never slept for', async () => {
  const window = new WorkWindow();
  await wait(window, 1);
  window.add(PIECE);
  const startedMs = performance.now();
  await window.sleep();
  expect(performance.now()).toBe(startedMs);
});
