/** Sleeping while a thread waits for a device. */
import { afterEach, expect, test, vi } from 'vitest';
import { sleepUntil } from '../../../../src/engine/webgpu/node-gpu.ts';

const ENOUGH = 20;

/** Counts rests, which still last as long as the thread asks for. */
const rests = vi.spyOn(Atomics, 'wait');

afterEach(() => rests.mockClear());

/** An answer that comes once the thread has rested often enough; gives the turns until then. */
async function turnsUntilRested(): Promise<number> {
  let turns = 0;
  const answer = new Promise<void>((resolve) => {
    const look = () => {
      turns++;
      if (rests.mock.calls.length >= ENOUGH) resolve();
      else setImmediate(look);
    };
    setImmediate(look);
  });
  sleepUntil(answer);
  await answer;
  return turns;
}

test('a thread that waits long rests between looks, until the answer comes', async () => {
  await turnsUntilRested();
  for (const [, , , restMs] of rests.mock.calls) expect(restMs).toBeGreaterThan(0);
  // One look may be under way.
  const before = rests.mock.calls.length;
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  expect(rests.mock.calls.length).toBeLessThanOrEqual(before + 1);
});

test('a thread that waits for several answers rests once a turn', async () => {
  const others = Promise.withResolvers<void>();
  for (let i = 0; i < 15; i++) sleepUntil(others.promise);
  const turns = await turnsUntilRested();
  expect(rests.mock.calls.length).toBeLessThanOrEqual(turns + 1);
  others.resolve();
});

test('a refused answer ends the rest and is left to whoever waits', async () => {
  const answer = Promise.reject(new Error('refused'));
  sleepUntil(answer);
  await expect(answer).rejects.toThrow('refused');
});
