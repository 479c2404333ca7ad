import { describe, expect, test, vi } from 'vitest';
import { TimeSlicer, UNITS_PER_CHUNK } from '../../../src/engine/time-slicer.ts';
import { NEVER } from '../../support/engine-runs.ts';

describe('a slicer', () => {
  test('does not look at the clock for small work', () => {
    const clock = vi.spyOn(performance, 'now');
    try {
      const slicer = new TimeSlicer(NEVER, () => {});
      clock.mockClear();
      for (let i = 0; i < 100; i++) expect(slicer.spend(10)).toBe(false);
      expect(clock).not.toHaveBeenCalled();
    } finally {
      clock.mockRestore();
    }
  });

  test('asks for a pause once 10 ms have gone by, and not again right after it', async () => {
    let now = 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      const slicer = new TimeSlicer(NEVER, () => {});
      now += 9;
      expect(slicer.spend(UNITS_PER_CHUNK)).toBe(false);
      now += 1;
      expect(slicer.spend(UNITS_PER_CHUNK)).toBe(true);
      await slicer.pause();
      expect(slicer.spend(UNITS_PER_CHUNK)).toBe(false);
    } finally {
      clock.mockRestore();
    }
  });

  test('lets the event loop turn in a pause', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('event loop'));
    await new TimeSlicer(NEVER, () => order.push('report')).pause();
    order.push('work');
    expect(order).toEqual(['report', 'event loop', 'work']);
  });

  test('lets the event loop turn also where there is no setImmediate', async () => {
    vi.stubGlobal('setImmediate', undefined);
    try {
      const order: string[] = [];
      const { port1, port2 } = new MessageChannel();
      const heard = new Promise((resolve) => {
        port1.addEventListener('message', () => resolve(order.push('message')));
      });
      port1.start();
      port2.postMessage('cancel');
      const slicer = new TimeSlicer(NEVER, () => {});
      await slicer.pause();
      order.push('work');
      await heard;
      port1.close();
      expect(order).toEqual(['message', 'work']);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('throws the signal’s reason when it has aborted in the pause', async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const slicer = new TimeSlicer(controller.signal, () => controller.abort(reason));
    await expect(slicer.pause()).rejects.toBe(reason);
  });
});
