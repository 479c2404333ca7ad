// @needs processes
/** Readers over processes that spin, fill their memory or crash when they are told to. */
import { afterEach, describe, expect, test } from 'vitest';
import { Readers, type ReadersOptions } from '../../../../src/service/http/reading/readers.ts';
import { eventually } from '../../../support/eventually.ts';

const SCRIPTED = new URL('../../../support/scripted-reader.ts', import.meta.url);
const MIB = 2 ** 20;

const opened: Readers[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((readers) => readers.close()));
});

function open(options: Partial<ReadersOptions> = {}) {
  const limits = { numReaders: 2, heapLimitMb: 64, cpuLimitMs: 3_600_000, roomBytes: 4000 };
  const readers = new Readers({ ...limits, entry: SCRIPTED, ...options });
  opened.push(readers);
  /** Each has ten times the limit of CPU time. */
  const read = (keyId: string, text: string, signal?: AbortSignal) => {
    const caller = { keyId, numBytes: text.length, signal, cpuFactor: 10 };
    return readers.run('stored circuit', { text, context: {} }, caller);
  };
  return { readers, read };
}

test('a body that takes more CPU time than it may is refused, and the next one is read', async () => {
  const { read } = open({ cpuLimitMs: 20 });
  await expect(read('a', 'spin')).rejects.toMatchObject({
    code: 'SERVICE_READING_TIME',
    message: expect.stringContaining('more than 200 ms of CPU time; QCS_READ_CPU_MS'),
  });
  expect(await read('a', 'next')).toBe('next');
});

test('a body that takes more memory than it may is refused, and those of others are read', async () => {
  const { read } = open();
  const [filled, other] = await Promise.allSettled([read('a', 'fill'), read('b', 'other')]);
  expect(other).toEqual({ status: 'fulfilled', value: 'other' });
  const message = expect.stringContaining('64 MiB');
  expect(filled).toMatchObject({ reason: { code: 'SERVICE_READING_MEMORY', message } });
});

test('a body that ends its process is tried three times, and costs others nothing', async () => {
  const lost: string[] = [];
  const { read } = open({ onLost: (how) => lost.push(how) });
  const all = [read('a', 'crash'), read('b', 'one'), read('c', 'two')];
  const [crashed, ...others] = await Promise.allSettled(all);
  expect(others).toMatchObject([{ value: 'one' }, { value: 'two' }]);
  expect(crashed).toMatchObject({ reason: { code: 'SERVICE_READER_LOST' } });
  expect(lost).toHaveLength(3);
});

test('a body whose process somebody kills is tried ten times', async () => {
  const lost: string[] = [];
  const { read } = open({ onLost: (how) => lost.push(how) });
  await expect(read('a', 'killed')).rejects.toMatchObject({ code: 'SERVICE_READER_LOST' });
  expect(lost).toEqual(new Array(10).fill('signal SIGKILL'));
});

test('an installation whose processes do not come up says so to everybody who waits', async () => {
  const { read } = open({ entry: new URL('../../../support/ending-process.ts', import.meta.url) });
  const answers = await Promise.allSettled([read('a', 'one'), read('b', 'two')]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ reason: { code: 'SERVICE_READER_LOST' } });
  }
});

test('processes that never come up are ended, and who waits gets an error', async () => {
  const entry = new URL('../../../support/silent-process.ts', import.meta.url);
  const { read } = open({ entry, startLimitMs: 20 });
  await expect(read('a', 'one')).rejects.toMatchObject({ code: 'SERVICE_READER_LOST' });
});

describe('turns', () => {
  test('one key never has all the readers', async () => {
    const { readers, read } = open();
    const leaving = new AbortController();
    const spinning = [1, 2, 3].map(() => read('a', 'spin', leaving.signal));
    expect(await read('b', 'other')).toBe('other');
    expect(await read('c', 'third')).toBe('third');
    expect(readers.load()).toMatchObject({ waiting: 2, running: 1 });
    leaving.abort(new Error('gone'));
    for (const each of await Promise.allSettled(spinning)) {
      expect(each).toMatchObject({ status: 'rejected', reason: { message: 'gone' } });
    }
    expect(readers.load().waiting).toBe(0);
  });

  test('keys take turns', async () => {
    const { readers, read } = open();
    const [first, second] = [new AbortController(), new AbortController()];
    const blocking = Promise.allSettled([
      read('x', 'spin', first.signal),
      read('y', 'spin', second.signal),
    ]);
    await eventually(() => expect(readers.load().running).toBe(2));
    const order: unknown[] = [];
    const texts = [
      ['a', 'a1'],
      ['a', 'a2'],
      ['a', 'a3'],
      ['b', 'b1'],
    ] as const;
    const reading = texts.map(([key, text]) => read(key, text).then((read) => order.push(read)));
    first.abort();
    await Promise.all(reading);
    second.abort();
    await blocking;
    expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  test('a process whose caller has gone is ended and replaced', async () => {
    const { readers, read } = open();
    const leaving = new AbortController();
    const spinning = read('a', 'spin', leaving.signal);
    await eventually(() => expect(readers.load().running).toBe(1));
    leaving.abort();
    await expect(spinning).rejects.toThrow();
    expect(await read('a', 'next')).toBe('next');
    expect(readers.load()).toMatchObject({ waiting: 0, running: 0 });
  });
});

describe('the expected wait', () => {
  test('is that of the own bodies and of the turns between, and nothing while a reader is free', async () => {
    const { readers, read } = open();
    const leaving = new AbortController();
    expect(readers.expectedWaitMs('a')).toBe(0);
    const reading = [1, 2, 3, 4].map(() => read('a', 'spin', leaving.signal));
    await eventually(() => expect(readers.load().running).toBe(1));
    // Three that wait, at least a millisecond each, for the one reader that the key may have.
    expect(readers.expectedWaitMs('a')).toBeGreaterThanOrEqual(3);
    expect(readers.expectedWaitMs('b')).toBe(0);
    reading.push(read('b', 'spin', leaving.signal), read('c', 'spin', leaving.signal));
    await eventually(() => expect(readers.load().running).toBe(2));
    expect(readers.expectedWaitMs('d')).toBeGreaterThan(0);
    expect(readers.expectedWaitMs('d')).toBeLessThan(readers.expectedWaitMs('a'));
    leaving.abort();
    await Promise.allSettled(reading);
  });
});

describe('room', () => {
  test('is a quarter of all for one key, and comes back', () => {
    const { readers } = open();
    using taken = readers.reserve('a', 900);
    expect(() => readers.reserve('a', 101)).toThrow(
      expect.objectContaining({ code: 'SERVICE_KEY_READING_ROOM', retryAfterS: 1 }),
    );
    using _other = readers.reserve('b', 1000);
    expect(readers.load().bytes).toBe(1900);
    taken[Symbol.dispose]();
    using _again = readers.reserve('a', 1000);
    expect(readers.load().bytes).toBe(2000);
  });

  test('is bounded over all keys', () => {
    const { readers } = open();
    const taken = ['a', 'b', 'c', 'd'].map((key) => readers.reserve(key, 1000));
    expect(() => readers.reserve('e', 1)).toThrow(
      expect.objectContaining({ code: 'SERVICE_READING_ROOM', retryAfterS: 1 }),
    );
    for (const each of taken) each[Symbol.dispose]();
    expect(readers.load().bytes).toBe(0);
  });
});

test('closing rejects what waits and what is read', async () => {
  const { readers, read } = open();
  const reading = [read('a', 'spin'), read('a', 'waits')];
  await eventually(() => expect(readers.load().running).toBe(1));
  const settled = Promise.allSettled(reading);
  await readers.close();
  for (const each of await settled) {
    expect(each).toMatchObject({ reason: { code: 'SERVICE_READER_LOST' } });
  }
  await expect(read('a', 'late')).rejects.toMatchObject({ code: 'SERVICE_READER_LOST' });
});

test('loading the parser of expressions takes none of the time that the first body may', async () => {
  // Loading takes several times as much.
  const readers = new Readers({ numReaders: 2, heapLimitMb: 512, cpuLimitMs: 150, roomBytes: MIB });
  opened.push(readers);
  const context = { agentId: 'computation', simulators: [] };
  const read = (expression: string) => {
    const value = { task: 'evaluate', input: { expression } };
    return readers.run('task', { value, context }, { keyId: 'a', numBytes: 100 });
  };
  await expect(read('2 * (3')).rejects.toMatchObject({
    code: 'SERVICE_REQUEST_INVALID',
    faults: [{ path: 'input.expression', message: 'Parenthesis ) expected (char 7).' }],
  });
  expect(await read('2 * 3')).toMatchObject({ facts: { task: 'evaluate' } });
});
