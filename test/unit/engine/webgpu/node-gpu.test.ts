/** How a thread waits for a device. */
import { expect, test } from 'vitest';
import { restUntil } from '../../../../src/engine/webgpu/node-gpu.ts';

/** Turns of the event loop until an answer comes after so many milliseconds. */
async function turnsWithin(ms: number, rest: (answer: Promise<unknown>) => void): Promise<number> {
  let turns = 0;
  const answer = new Promise<void>((resolve) => {
    const startedMs = performance.now();
    const look = () => {
      turns++;
      if (performance.now() - startedMs >= ms) resolve();
      else setImmediate(look);
    };
    setImmediate(look);
  });
  rest(answer);
  await answer;
  return turns;
}

test('a thread that waits long looks for the answer now and then, not all the time', async () => {
  const busy = await turnsWithin(40, () => undefined);
  const resting = await turnsWithin(40, restUntil);
  expect(resting).toBeLessThan(busy / 10);
});

test('a thread that waits for several answers rests no longer between looks', async () => {
  const alone = await turnsWithin(40, restUntil);
  const others = Promise.withResolvers<void>();
  for (let i = 0; i < 15; i++) restUntil(others.promise);
  const among = await turnsWithin(40, restUntil);
  others.resolve();
  expect(among).toBeGreaterThan(alone / 4);
});

test('a refused answer ends the rest and is left to whoever waits', async () => {
  const answer = Promise.reject(new Error('refused'));
  restUntil(answer);
  await expect(answer).rejects.toThrow('refused');
});
