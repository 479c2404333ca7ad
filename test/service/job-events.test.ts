/** Watching circuits over sockets: whole streams, resumed ones, and their ends. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MAX_STREAMS_OF_KEY } from '../../src/service/jobs/job-event-stream.ts';
import { EventReader, idsOf, type ReceivedEvent } from './support/event-reader.ts';
import { BELL, openTestService, START, settled, type TestService } from './support/test-service.ts';

const STARTED = START + 1000;
const FINISHED = START + 2000;

let service: TestService;
let origin: string;
let readers: EventReader[];

beforeEach(async () => {
  service = await openTestService();
  service.processor.isHolding = true;
  origin = await service.app.listen({ port: 0, host: '127.0.0.1' });
  readers = [];
});

afterEach(async () => {
  for (const reader of readers) reader[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

/** A circuit that the processor holds. */
async function submitHeld(): Promise<string> {
  const id = (await service.submit(BELL, { prefer: 'respond-async' })).json().data.circuit_id;
  await settled();
  return id;
}

function pathOf(id: string): string {
  return `/quantum/circuits/${id}/events`;
}

async function watch(id: string, lastEventId?: string, key = service.key): Promise<EventReader> {
  const reader = await EventReader.open(`${origin}/api/v1${pathOf(id)}`, {
    'x-api-key': key,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });
  readers.push(reader);
  return reader;
}

async function start(): Promise<void> {
  service.clock.now = STARTED;
  service.processor.held[0]?.hooks.onStarted?.();
  await settled();
}

function progress(fraction: number): void {
  service.processor.held[0]?.hooks.onProgress?.(fraction);
}

async function finish(): Promise<void> {
  service.clock.now = FINISHED;
  service.processor.held[0]?.finish();
  await settled();
}

async function cancel(id: string): Promise<void> {
  await service.request({ method: 'POST', url: `/quantum/circuits/${id}/cancel` });
}

/** Lets things go on until the condition holds. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settled();
}

const statusesOf = (events: readonly ReceivedEvent[]) =>
  events.filter(({ event }) => event !== 'progress');

describe('a circuit that is watched from the queue to its end', () => {
  test('is reported with status, progress and done, and the stream ends', async () => {
    const id = await submitHeld();
    const reader = await watch(id);
    expect(reader.response.statusCode).toBe(200);
    expect(reader.response.headers).toMatchObject({
      'content-type': expect.stringContaining('text/event-stream'),
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      connection: 'close',
      'x-request-id': expect.any(String),
      ratelimit: expect.any(String),
    });
    expect(await reader.take(1)).toEqual([
      {
        id: '1.queued',
        event: 'status',
        data: { status: 'queued', at: '2026-01-02T03:04:05.678Z', attempt: 1, queue_position: 0 },
      },
    ]);
    await start();
    expect(await reader.take(2)).toEqual([
      {
        id: `1.running.${STARTED}`,
        event: 'status',
        data: { status: 'running', at: '2026-01-02T03:04:06.678Z', attempt: 1 },
      },
      {
        id: `1.progress.${STARTED}.0`,
        event: 'progress',
        data: { progress: 0, percent: 0, attempt: 1 },
      },
    ]);
    progress(0.2575);
    expect(await reader.take(1)).toEqual([
      {
        id: `1.progress.${STARTED}.257`,
        event: 'progress',
        data: { progress: 0.257, percent: 25, attempt: 1 },
      },
    ]);
    await finish();
    const end = { status: 'completed', at: '2026-01-02T03:04:07.678Z' };
    expect(await reader.rest()).toEqual([
      { id: `1.final.${FINISHED}`, event: 'status', data: { ...end, attempt: 1 } },
      {
        id: `1.done.${FINISHED}`,
        event: 'done',
        data: { ...end, location: `/api/v1/quantum/circuits/${id}` },
      },
    ]);
    expect(service.runner.numWatched).toBe(0);
  });

  test('and fails is reported with its error', async () => {
    const id = await submitHeld();
    const reader = await watch(id);
    await reader.take(1);
    service.processor.held[0]?.fail(new Error('secret detail'));
    const error = { code: 'INTERNAL_ERROR', message: expect.any(String) };
    expect((await reader.rest()).map(({ event, data }) => [event, data])).toMatchObject([
      ['status', { status: 'failed', error }],
      ['done', { status: 'failed', error }],
    ]);
    await expect(service[Symbol.asyncDispose]()).rejects.toThrow('secret detail');
    service = await openTestService();
  });

  test('and is cancelled is reported to every watcher', async () => {
    const id = await submitHeld();
    const watchers = [await watch(id), await watch(id)];
    for (const reader of watchers) await reader.take(1);
    expect(service.runner.numWatched).toBe(1);
    await start();
    await cancel(id);
    for (const reader of watchers) {
      expect(statusesOf(await reader.rest()).map(({ data }) => data['status'])).toEqual([
        'running',
        'cancelled',
        'cancelled',
      ]);
    }
  });

  test('says when it would start, and another place in the queue when it has one', async () => {
    service.processor.expectedStartAt = START + 60_000;
    await submitHeld();
    const id = await submitHeld();
    const reader = await watch(id);
    const queued = { status: 'queued', expected_start_at: '2026-01-02T03:05:05.678Z' };
    expect(await reader.take(1)).toMatchObject([
      { id: '1.queued', data: { ...queued, queue_position: 1 } },
    ]);
    service.processor.held[0]?.finish();
    expect(await reader.take(1)).toMatchObject([
      { id: '1.queued', data: { ...queued, queue_position: 0 } },
    ]);
  });
});

describe('a reader that comes back', () => {
  test('after any event gets all that came after it, whether the circuit goes on or has ended', async () => {
    const id = await submitHeld();
    const whole = await watch(id);
    await whole.take(1);
    await start();
    await whole.take(2);
    progress(0.5);
    const seen = ['1.queued', `1.running.${STARTED}`, `1.progress.${STARTED}.0`];
    seen.push(...idsOf(await whole.take(1)));

    const whileRunning = await Promise.all(seen.map((last) => watch(id, last)));
    await finish();
    await whole.rest();
    const ids = [`1.final.${FINISHED}`, `1.done.${FINISHED}`];
    for (const [i, last] of seen.entries()) {
      const missed = i === 0 ? [`1.running.${STARTED}`] : [];
      const afterEnd = await watch(id, last);
      expect(idsOf(statusesOf(await afterEnd.rest()))).toEqual([...missed, ...ids]);
      const events = (await whileRunning[i]?.rest()) ?? [];
      expect(idsOf(statusesOf(events))).toEqual([...missed, ...ids]);
      const told = events.filter(({ event }) => event === 'progress');
      expect(idsOf(told)).toEqual(i < 3 ? [`1.progress.${STARTED}.500`] : []);
    }
    expect(idsOf(await (await watch(id, ids[0])).rest())).toEqual([ids[1]]);
  });

  test('after done is answered 204 without a body, which keeps it away', async () => {
    const id = await submitHeld();
    await start();
    await finish();
    const reader = await watch(id, `1.done.${FINISHED}`);
    expect(reader.response.statusCode).toBe(204);
    expect(await reader.rest()).toEqual([]);
    expect(service.runner.numWatched).toBe(0);
  });

  test.each(['', 'nonsense', '7.queued', '1.done.5', 'x'.repeat(5000)])(
    'with %.10j, an id that is none of the circuit, gets all',
    async (last) => {
      const id = await submitHeld();
      await start();
      await finish();
      expect(idsOf(await (await watch(id, last)).rest())).toEqual([
        '1.queued',
        `1.running.${STARTED}`,
        `1.final.${FINISHED}`,
        `1.done.${FINISHED}`,
      ]);
    },
  );
});

describe('a request for a stream is answered as any other', () => {
  test("404 for another key's circuit and for what is no circuit's id", async () => {
    const id = await submitHeld();
    const stranger = { 'x-api-key': await service.createKey() };
    for (const answer of [
      await service.get(pathOf(id), stranger),
      await service.get(pathOf('circ_0199f3a2c5d87c3e9b1f2a4d6c8e0b35')),
      await service.get(pathOf('task_0199f3a2c5d87c3e9b1f2a4d6c8e0b35')),
      await service.get(pathOf('x')),
    ]) {
      expect(answer.statusCode).toBe(404);
      expect(answer.json().error.details).toMatchObject([{ code: 'JOBS_NOT_FOUND' }]);
    }
    expect(service.runner.numWatched).toBe(0);
  });

  test('403 without the scope, 401 without a key, 404 to HEAD', async () => {
    const id = await submitHeld();
    const reading = { 'x-api-key': await service.createKey('standard', ['read']) };
    expect((await service.get(pathOf(id), reading)).statusCode).toBe(403);
    expect((await service.get(pathOf(id), { 'x-api-key': '' })).statusCode).toBe(401);
    const head = await service.request({ method: 'HEAD', url: pathOf(id) });
    expect(head.statusCode).toBe(404);
  });

  test('429 to a key with as many streams as it may have, until one ends; others may go on', async () => {
    const id = await submitHeld();
    const open = await Promise.all(Array.from({ length: MAX_STREAMS_OF_KEY }, () => watch(id)));
    await Promise.all(open.map((reader) => reader.take(1)));
    const refused = await service.get(pathOf(id));
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json().error).toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      details: [{ code: 'SERVICE_TOO_MANY_STREAMS' }],
    });
    const other = await service.createKey();
    const { data } = (await service.submit(BELL, { 'x-api-key': other, prefer: 'wait=0' })).json();
    expect((await watch(data.circuit_id, undefined, other)).response.statusCode).toBe(200);

    open[0]?.[Symbol.dispose]();
    let answer = 429;
    while (answer === 429) answer = (await watch(id)).response.statusCode ?? 0;
    expect(answer).toBe(200);
  });

  test('a stream counts once towards the rate limit, however much it tells', async () => {
    const id = await submitHeld();
    const reader = await watch(id);
    await start();
    await finish();
    await reader.rest();
    const { data } = (await service.get('/keys/info')).json();
    // The submission, the stream and this.
    expect(data.usage.requests).toBe(3);
  });
});

describe('a stream that nobody reads to its end', () => {
  test('is forgotten when its reader hangs up', async () => {
    const id = await submitHeld();
    const reader = await watch(id);
    await reader.take(1);
    expect(service.runner.numWatched).toBe(1);
    reader[Symbol.dispose]();
    await until(() => service.runner.numWatched === 0);
    await start();
    await finish();
    expect((await service.get(`/quantum/circuits/${id}`)).json().data.status).toBe('completed');
  });

  test('ends without done when the service stops, and is resumed from the next process', async () => {
    const id = await submitHeld();
    const reader = await watch(id);
    await reader.take(1);
    await start();
    const [running] = await reader.take(2);
    await service.runner.shutdown(0);
    await service.app.close();
    const rest = await reader.rest();
    expect(reader.response.complete).toBe(true);
    // Put back: the attempt is not counted.
    expect(idsOf(rest)).toEqual(['1.queued']);
    expect(running?.id).toBe(`1.running.${STARTED}`);
  });

  test('does not hold the service up where its reader does not read', async () => {
    const id = await submitHeld();
    const reader = await watch(id);
    reader.response.pause();
    await service.runner.shutdown(0);
    await service.app.close();
    expect(service.runner.numWatched).toBe(0);
  });
});

test('twenty circuits at once, whose readers lose their connection after every few events: none misses anything', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, submitHeld));
  const working = (async () => {
    const all = [...service.processor.held];
    for (const { hooks } of all) hooks.onStarted?.();
    for (let percent = 0; percent <= 100; percent++) {
      for (const { hooks } of all) hooks.onProgress?.(percent / 100);
      await settled();
    }
    for (const held of all) held.finish();
    await settled();
  })();
  const follow = async (id: string, numAtOnce: number): Promise<readonly ReceivedEvent[]> => {
    const events: ReceivedEvent[] = [];
    for (;;) {
      const reader = await watch(id, events.at(-1)?.id);
      if (reader.response.statusCode === 204) return events;
      for (let i = 0; i < numAtOnce; i++) {
        const event = await reader.next();
        if (event !== undefined) events.push(event);
      }
      reader[Symbol.dispose]();
    }
  };
  const told = await Promise.all(ids.map((id, i) => follow(id, 1 + (i % 3))));
  await working;
  for (const events of told) {
    const statuses = statusesOf(events).map(({ event, data }) => `${event} ${data['status']}`);
    // Told again where the place in the queue is not what it was.
    expect([...new Set(statuses)]).toEqual([
      'status queued',
      'status running',
      'status completed',
      'done completed',
    ]);
    expect(statuses.slice(-3)).toEqual(['status running', 'status completed', 'done completed']);
    const done = events
      .filter(({ event }) => event === 'progress')
      .map(({ data }) => Number(data['progress']));
    expect(done).toEqual([...done].sort((a, b) => a - b));
    expect(new Set(done).size).toBe(done.length);
  }
  await until(() => service.runner.numWatched === 0);
});
