/** When a stream of events writes what: at most so often, to readers that take it, and now and then a sign. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parsePosition } from '../../../src/jobs/job-events.ts';
import { type JobState, JobWatch, type WatchedRecord } from '../../../src/jobs/job-watch.ts';
import { HEARTBEAT, JobEventStream } from '../../../src/service/jobs/job-event-stream.ts';
import { turn } from '../../support/jobs.ts';

const QUEUED: WatchedRecord = {
  id: 'circ_0',
  kind: 'circuit',
  keyId: 'key-1',
  status: 'queued',
  priority: 'normal',
  target: 'statevector-sim',
  createdAt: 1000,
  attempts: 0,
};
const RUNNING: WatchedRecord = { ...QUEUED, status: 'running', startedAt: 2000, attempts: 1 };
const COMPLETED: WatchedRecord = { ...RUNNING, status: 'completed', finishedAt: 3000 };

let watch: JobWatch;
let isWatched: boolean;
let position: number;
let waitingFor: string | undefined;
let stream: JobEventStream;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
  });
});

afterEach(() => {
  stream.destroy();
  vi.useRealTimers();
});

function open(state: JobState, lastId = ''): void {
  isWatched = true;
  position = 0;
  waitingFor = undefined;
  watch = new JobWatch(state, () => {
    isWatched = false;
  });
  stream = new JobEventStream({
    watch,
    since: parsePosition(lastId),
    location: '/record',
    live: {
      queuePosition: () => position,
      expectedStart: () => undefined,
      waitingFor: () => waitingFor,
    },
  });
}

/** Everything that a reader gets which takes what comes. */
function eager(): { text: string } {
  const got = { text: '' };
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    got.text += chunk;
  });
  return got;
}

/** Ids of the events since the last call. */
function newIds(got: { text: string }): readonly string[] {
  const ids = [...got.text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id ?? '');
  got.text = '';
  return ids;
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  await turn();
}

describe('progress', () => {
  test('is reported ten times a second at most, the latest each time', async () => {
    open({ record: RUNNING, progress: 0 });
    const got = eager();
    await turn();
    newIds(got);
    for (let permille = 1; permille <= 500; permille++) {
      watch.tell({ record: RUNNING, progress: permille / 1000 });
      await pass(1);
    }
    const ids = newIds(got);
    expect(ids).toHaveLength(5);
    expect(ids.at(-1)).toMatch(/^1\.progress\.2000\.(49\d|500)$/);
    await pass(100);
    expect(newIds(got).concat(ids)).toContain('1.progress.2000.500');
    expect(vi.getTimerCount()).toBe(1);
  });

  test('does not hold up a status, and the last of it is reported before the end', async () => {
    open({ record: RUNNING, progress: 0 });
    const got = eager();
    await turn();
    newIds(got);
    watch.tell({ record: RUNNING, progress: 0.9 });
    await turn();
    expect(newIds(got)).toEqual([]);
    watch.tell({ record: COMPLETED, progress: 0.9 });
    await turn();
    expect(newIds(got)).toEqual(['1.progress.2000.900', '1.final.3000', '1.done.3000']);
    expect(stream.closed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a reader that does not read', () => {
  test('gets the latest when it reads again, and nothing is kept for it meanwhile', async () => {
    open({ record: QUEUED });
    stream.read(0);
    const numKept = stream.readableLength;
    for (let permille = 0; permille <= 100; permille++) {
      watch.tell({ record: RUNNING, progress: permille / 1000 });
      await pass(100);
    }
    expect(stream.readableLength).toBe(numKept);
    const got = eager();
    await turn();
    expect(newIds(got)).toEqual(['1.queued', '1.running.2000', '1.progress.2000.100']);
  });

  test('is let go after a minute, and the job is not watched any more', async () => {
    open({ record: QUEUED });
    stream.read(0);
    await pass(59_000);
    expect(stream.destroyed).toBe(false);
    await pass(2_000);
    expect(stream.destroyed).toBe(true);
    expect(isWatched).toBe(false);
  });
});

describe('a stream with nothing to tell', () => {
  test('begins with when to come back, also where the reader was told everything', async () => {
    open({ record: RUNNING }, '1.running.2000');
    const got = eager();
    await turn();
    expect(got.text).toBe('retry: 1000\n\n');
  });

  test('shows every 15 seconds that it is there', async () => {
    open({ record: RUNNING, progress: 0 });
    const got = eager();
    await turn();
    got.text = '';
    await pass(14_000);
    expect(got.text).toBe('');
    await pass(1_000);
    expect(got.text).toBe(HEARTBEAT);
    await pass(30_000);
    expect(got.text).toBe(HEARTBEAT.repeat(3));
  });
});

describe('a waiting job', () => {
  test('is reported again when its place in the queue changed, once a second at most', async () => {
    open({ record: QUEUED });
    position = 9;
    const got = eager();
    await turn();
    expect(got.text).toContain('"queue_position":9');
    newIds(got);
    for (let i = 0; i < 8; i++) {
      position -= 1;
      await pass(250);
    }
    expect(newIds(got)).toEqual(['1.queued', '1.queued']);
    await pass(5_000);
    expect(newIds(got)).toEqual([]);
  });

  test('is reported again when the last node that can run it is gone, and when another comes', async () => {
    open({ record: QUEUED });
    const got = eager();
    await turn();
    waitingFor = 'No node is wide enough.';
    await pass(2000);
    expect(got.text.match(/data: .*/g)?.map((line) => JSON.parse(line.slice(6)))).toMatchObject([
      { queue_position: 0 },
      { waiting_for: 'No node is wide enough.' },
    ]);
    expect(got.text.match(/queue_position/g)).toHaveLength(1);
    waitingFor = undefined;
    await pass(1000);
    expect(got.text.match(/queue_position/g)).toHaveLength(2);
    expect(newIds(got)).toEqual(['1.queued', '1.queued', '1.queued']);
  });

  test('that runs is not told of as queued', async () => {
    open({ record: QUEUED });
    position = 9;
    const got = eager();
    await turn();
    watch.tell({ record: RUNNING });
    await turn();
    expect(got.text.match(/queue_position/g)).toHaveLength(1);
    expect(newIds(got)).toEqual(['1.queued', '1.running.2000']);
    position = 8;
    await pass(2_000);
    expect(newIds(got)).toEqual([]);
  });
});

describe('a stream that is stopped', () => {
  test('ends, without done, where its reader takes it', async () => {
    open({ record: RUNNING });
    const got = eager();
    await turn();
    stream.stop();
    await turn();
    expect(stream.readableEnded).toBe(true);
    expect(newIds(got)).toEqual(['1.queued', '1.running.2000']);
    expect(isWatched).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is cut off where its reader does not read', async () => {
    open({ record: RUNNING });
    stream.read(0);
    await turn();
    stream.stop();
    await turn();
    expect(stream.destroyed).toBe(true);
    expect(isWatched).toBe(false);
  });
});

test('a fault of the stream ends it and goes no further', async () => {
  open({ record: QUEUED });
  eager();
  await turn();
  const fault = new Promise((resolve) => stream.once('error', resolve));
  const { finishedAt: _, ...impossible } = COMPLETED;
  watch.tell({ record: impossible });
  expect(String(await fault)).toContain('is damaged');
  expect(isWatched).toBe(false);
});
