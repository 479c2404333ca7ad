/** Shrinking leaves what a failure needs, and nothing else. */
import { expect, test } from 'vitest';
import { shrink } from '../../fuzz/shrink.ts';

test('all but the two operations that fail together go', async () => {
  const start = { qubits: 5, ops: Array.from({ length: 20 }, (_, i) => ({ op: i })) };
  const fails = async ({ ops }: typeof start) =>
    [3, 17].every((i) => ops.some(({ op }) => op === i));
  expect(await shrink(start, fails)).toEqual({ qubits: 1, ops: [{ op: 3 }, { op: 17 }] });
});

test('a statement takes the place of the block around it', async () => {
  const start = { body: [{ s: 'if', body: [{ s: 'x' }] }, { s: 'y' }] };
  const fails = async (each: typeof start) => JSON.stringify(each).includes('"x"');
  expect(await shrink(start, fails)).toEqual({ body: [{ s: 'x' }] });
});

test('tries are limited', async () => {
  let tried = 0;
  const fails = async () => ++tried < 0;
  await shrink({ ops: new Array(1000).fill(0) }, fails, 30);
  expect(tried).toBe(30);
});
