import { describe, expect, test, vi } from 'vitest';
import { FairQueue } from '../../../../src/fleet/schedule/fair-queue.ts';
import { CallQueue, type QueuedCall } from '../../../../src/workloads/procedures/call-queue.ts';

const NOBODY = { numSpare: 0, expectedWaitMs: () => 2500 };

function queued(id: string, key = 'key', takesRoom = true): QueuedCall {
  return { id, key, level: 2, takesRoom, since: 0 };
}

describe('positions', () => {
  test('of a whole list take one walk, and another one once the queue has changed', () => {
    const walk = vi.spyOn(FairQueue.prototype, 'walk');
    const queue = new CallQueue(1000);
    const ids = Array.from({ length: 100 }, (_, i) => `call-${i}`);
    for (const id of ids) queue.add(queued(id), 1, false);
    walk.mockClear();
    expect(ids.map((id) => queue.position(id))).toEqual(ids.map((_, i) => i));
    expect(walk).toHaveBeenCalledTimes(1);
    expect(queue.position('absent')).toBeUndefined();
    queue.remove('call-0');
    expect([queue.position('call-0'), queue.position('call-1')]).toEqual([undefined, 0]);
    expect(queue.start()?.id).toBe('call-1');
    queue.add(queued('first'), 1, true);
    expect([queue.position('first'), queue.position('call-2')]).toEqual([0, 1]);
    walk.mockRestore();
  });

  test('are found anew as time passes, which raises what waits', () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const queue = new CallQueue<QueuedCall>(10);
    queue.add({ ...queued('old', 'a'), level: 2 }, 1, false);
    now = 20_000;
    queue.add({ ...queued('young', 'b'), level: 0 }, 1, false);
    expect(queue.position('old')).toBe(1);
    now = 31_000;
    expect(queue.position('old')).toBe(0);
    clock.mockRestore();
  });
});

describe('room', () => {
  test('is what neither waits nor is kept, without what takes none', () => {
    const queue = new CallQueue(2);
    queue.add(queued('self-test', 'key', false), 1, false);
    queue.add(queued('waits'), 1, false);
    queue.admit('comes', NOBODY);
    queue.admit('comes', NOBODY);
    expect(() => queue.admit('refused', NOBODY)).toThrowError(
      expect.objectContaining({ code: 'WORKLOADS_QUEUE_FULL', retryAfterS: 3 }),
    );
    queue.admit('spare', { ...NOBODY, numSpare: 1 });
    expect([queue.withdraw('spare'), queue.withdraw('spare')]).toEqual([true, false]);
    queue.remove('waits');
    queue.admit('next', NOBODY);
    expect(() => queue.checkRoom(NOBODY)).toThrow();
  });
});
