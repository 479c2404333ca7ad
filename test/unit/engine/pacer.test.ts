import { describe, expect, test, vi } from 'vitest';
import { Pacer, UNITS_PER_CHUNK } from '../../../src/engine/pacer.ts';
import { NEVER } from '../../support/engine-runs.ts';

describe('a pacer', () => {
  test('does not look at the clock for small work', () => {
    const clock = vi.spyOn(performance, 'now');
    try {
      const pacer = new Pacer(NEVER, () => {});
      clock.mockClear();
      for (let i = 0; i < 100; i++) expect(pacer.spend(10)).toBe(false);
      expect(clock).not.toHaveBeenCalled();
    } finally {
      clock.mockRestore();
    }
  });

  test('asks for a pause once 10 ms have gone by, and not again right after it', async () => {
    let now = 1000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    try {
      const pacer = new Pacer(NEVER, () => {});
      now += 9;
      expect(pacer.spend(UNITS_PER_CHUNK)).toBe(false);
      now += 1;
      expect(pacer.spend(UNITS_PER_CHUNK)).toBe(true);
      await pacer.pause();
      expect(pacer.spend(UNITS_PER_CHUNK)).toBe(false);
    } finally {
      clock.mockRestore();
    }
  });

  test('lets the event loop turn in a pause', async () => {
    const order: string[] = [];
    setImmediate(() => order.push('event loop'));
    await new Pacer(NEVER, () => order.push('report')).pause();
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
      const pacer = new Pacer(NEVER, () => {});
      await pacer.pause();
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
    const pacer = new Pacer(controller.signal, () => controller.abort(reason));
    await expect(pacer.pause()).rejects.toBe(reason);
  });
});
