import { describe, expect, test } from 'vitest';
import { PrioritySemaphore } from '../../../../../src/workloads/models/text-generation/priority-semaphore.ts';

const PATIENT = new AbortController().signal;

/** Lets everything that is settled take effect. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A semaphore, and the names of those it let through. */
function observed(width: number) {
  const semaphore = new PrioritySemaphore(width);
  const inside = new Map<string, Disposable>();
  const admitted: string[] = [];
  const enter = async (name: string, signal = PATIENT, rank = 1) => {
    inside.set(name, await semaphore.acquire(rank, signal));
    admitted.push(name);
  };
  const leave = (name: string) => inside.get(name)?.[Symbol.dispose]();
  return { semaphore, admitted, enter, leave };
}

describe('a semaphore', () => {
  test('lets as many through as it is wide, and the next when one leaves', async () => {
    const { semaphore, admitted, enter, leave } = observed(2);
    for (const name of ['a', 'b', 'c', 'd']) void enter(name);
    await settled();
    expect(admitted).toEqual(['a', 'b']);
    expect(semaphore.numWaiting).toBe(2);
    leave('b');
    await settled();
    expect(admitted).toEqual(['a', 'b', 'c']);
    leave('a');
    leave('c');
    await settled();
    expect(admitted).toEqual(['a', 'b', 'c', 'd']);
  });

  test('has room again for as many once all have left', async () => {
    const { admitted, enter, leave } = observed(2);
    for (const name of ['a', 'b', 'c']) void enter(name);
    await settled();
    for (const name of ['a', 'b']) leave(name);
    await settled();
    leave('c');
    for (const name of ['d', 'e', 'f']) void enter(name);
    await settled();
    expect(admitted).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('lets nobody jump the queue in the moment in which one leaves', async () => {
    const { admitted, enter, leave } = observed(1);
    await enter('a');
    void enter('b');
    leave('a');
    void enter('c');
    await settled();
    expect(admitted).toEqual(['a', 'b']);
  });

  test('lets those of lower rank past all that wait, not past those inside', async () => {
    const { semaphore, admitted, enter, leave } = observed(1);
    for (const name of ['a', 'b', 'c']) void enter(name);
    for (const name of ['ahead', 'next']) void enter(name, PATIENT, 0);
    void enter('d');
    expect([0, 1].map((rank) => semaphore.numAhead(rank))).toEqual([2, 5]);
    await settled();
    expect(admitted).toEqual(['a']);
    for (const name of ['a', 'ahead', 'next', 'b', 'c']) {
      leave(name);
      await settled();
    }
    expect(admitted).toEqual(['a', 'ahead', 'next', 'b', 'c', 'd']);
    expect(semaphore.numWaiting).toBe(0);
  });

  test('forgets one that gives up while it waits, and no other', async () => {
    const { semaphore, admitted, enter, leave } = observed(1);
    const impatient = new AbortController();
    await enter('a');
    void enter('b');
    const given = expect(enter('c', impatient.signal)).rejects.toThrow('enough');
    void enter('d');
    impatient.abort(new Error('enough'));
    await given;
    expect(semaphore.numWaiting).toBe(2);
    leave('a');
    await settled();
    leave('b');
    await settled();
    expect(admitted).toEqual(['a', 'b', 'd']);
  });

  test('keeps one that gives up after it was let through where it is', async () => {
    const { admitted, enter, leave } = observed(1);
    const impatient = new AbortController();
    await enter('a');
    void enter('b', impatient.signal);
    void enter('c');
    leave('a');
    impatient.abort(new Error('enough'));
    await settled();
    expect(admitted).toEqual(['a', 'b']);
    leave('b');
    await settled();
    expect(admitted).toEqual(['a', 'b', 'c']);
  });

  test('does not let one in that has given up before', async () => {
    const { enter } = observed(1);
    await expect(enter('a', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
    await enter('b');
  });
});
