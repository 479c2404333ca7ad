/** The learned window of work in flight, on a fake clock. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WorkWindow } from '../../../../src/engine/webgpu/gpu-context.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const SUBMIT = 2 ** 18;

/** Fills a window and waits for it on a device of that speed; how long it took. */
function fill(window: WorkWindow, unitsPerMs: number): number {
  let units = SUBMIT;
  while (!window.add(SUBMIT)) units += SUBMIT;
  window.submitted();
  vi.advanceTimersByTime(units / unitsPerMs);
  window.settled();
  return units / unitsPerMs;
}

test.each([2 ** 16, 2 ** 20, 2 ** 26])(
  'windows of a device that does %i units a millisecond come to about 50 ms',
  (unitsPerMs) => {
    const window = new WorkWindow();
    for (let i = 0; i < 12; i++) fill(window, unitsPerMs);
    const tookMs = fill(window, unitsPerMs);
    expect(tookMs).toBeGreaterThan(25);
    expect(tookMs).toBeLessThan(80);
  },
);

test('a window that was slow once grows again', () => {
  const window = new WorkWindow();
  fill(window, 1);
  for (let i = 0; i < 12; i++) fill(window, 2 ** 24);
  expect(fill(window, 2 ** 24)).toBeGreaterThan(25);
});

test('a window that something else waited for starts anew', () => {
  const window = new WorkWindow();
  window.add(2 ** 20 - 1);
  window.forget();
  expect(window.add(1)).toBe(false);
});
