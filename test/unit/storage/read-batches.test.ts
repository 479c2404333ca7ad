/** Reads that share statements. */
import { expect, test } from 'vitest';
import type { StoredRow } from '../../../src/storage/damaged-records.ts';
import { ReadBatches } from '../../../src/storage/postgres/read-batches.ts';

/** Batches whose statements the test answers, in the order in which they were sent. */
function scripted() {
  const sent: { ids: readonly string[]; answer: PromiseWithResolvers<readonly StoredRow[]> }[] = [];
  const batches = new ReadBatches((ids) => {
    const answer = Promise.withResolvers<readonly StoredRow[]>();
    sent.push({ ids, answer });
    return answer.promise;
  });
  return { batches, sent };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('reads of one turn share a statement, and each gets its row', async () => {
  const { batches, sent } = scripted();
  const reads = ['a', 'b', 'a', 'c'].map((id) => batches.get(id));
  await turn();
  expect(sent.map(({ ids }) => ids)).toEqual([['a', 'b', 'c']]);
  sent[0]?.answer.resolve([{ id: 'c' }, { id: 'a' }]);
  expect(await Promise.all(reads)).toEqual([{ id: 'a' }, undefined, { id: 'a' }, { id: 'c' }]);
});

test('a read that is asked for later never gets the row of an earlier statement', async () => {
  const { batches, sent } = scripted();
  const first = batches.get('a');
  await turn();
  const second = batches.get('a');
  await turn();
  sent[0]?.answer.resolve([{ id: 'a', status: 'queued' }]);
  sent[1]?.answer.resolve([{ id: 'a', status: 'completed' }]);
  expect(await first).toMatchObject({ status: 'queued' });
  expect(await second).toMatchObject({ status: 'completed' });
});

test('reads are gathered while statements are under way, fifty to a statement', async () => {
  const { batches, sent } = scripted();
  const reads: Promise<unknown>[] = [];
  for (let i = 0; i < 2; i++) {
    reads.push(batches.get(`first ${i}`));
    await turn();
  }
  for (let i = 0; i < 60; i++) reads.push(batches.get(`${i}`));
  await turn();
  expect(sent).toHaveLength(2);
  for (let i = 0; i < 4; i++) {
    sent[i]?.answer.resolve([]);
    await turn();
    await turn();
  }
  expect(sent.map(({ ids }) => ids.length)).toEqual([1, 1, 50, 10]);
  expect(await Promise.all(reads)).toHaveLength(62);
});

test('the error of a statement reaches its reads alone', async () => {
  const { batches, sent } = scripted();
  const first = batches.get('a');
  await turn();
  const second = batches.get('b');
  await turn();
  sent[0]?.answer.reject(new Error('lost'));
  sent[1]?.answer.resolve([{ id: 'b' }]);
  await expect(first).rejects.toThrow('lost');
  expect(await second).toEqual({ id: 'b' });
});
