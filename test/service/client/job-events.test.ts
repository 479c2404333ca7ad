/** How a client keeps to a job over connections that break, at the level of events. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type JobEvent, QcsClient, type WatchOptions } from '../../../src/client/client.ts';
import {
  type EventService,
  openEventService,
  sendEvents,
  sendJson,
  type ToldEvent,
} from '../../support/event-service.ts';

const EVENTS: readonly ToldEvent[] = [
  { id: '1.queued', event: 'status', data: { status: 'queued' } },
  { id: '1.running.5', event: 'status', data: { status: 'running' } },
  { id: '1.progress.5.250', event: 'progress', data: { progress: 0.25, message: 'größer' } },
  { id: '1.progress.5.800', event: 'progress', data: { progress: 0.8 } },
  { id: '1.final.9', event: 'status', data: { status: 'completed' } },
  { id: '1.done.9', event: 'done', data: { status: 'completed' } },
];

let service: EventService;
let interrupt: AbortController;
let clock: number;
let waits: { readonly reason: string; readonly ms: number }[];

beforeEach(async () => {
  service = await openEventService((asked, response) => sendEvents(asked, response, EVENTS));
  interrupt = new AbortController();
  clock = 0;
  waits = [];
});

afterEach(() => service[Symbol.asyncDispose]());

/** All that is reported, with waits that take no time but move the clock. */
async function watched(options: WatchOptions = {}): Promise<readonly JobEvent[]> {
  const told: JobEvent[] = [];
  await watchInto(told, options);
  return told;
}

async function watchInto(told: JobEvent[], options: WatchOptions = {}): Promise<void> {
  const client = new QcsClient({
    baseUrl: service.origin,
    key: 'qcs_key',
    surroundings: {
      now: () => clock,
      random: () => 0,
      sleep: async (ms, signal) => {
        signal?.throwIfAborted();
        clock += ms;
      },
    },
  });
  const events = client.tasks.events('task_1', {
    signal: interrupt.signal,
    onReconnect: (reason, ms) => waits.push({ reason, ms }),
    ...options,
  });
  for await (const event of events) told.push(event);
}

test('a whole stream is asked for once, with the key, and told', async () => {
  expect(await watched()).toEqual(EVENTS);
  expect(waits).toEqual([]);
  expect(service.asked).toMatchObject([
    {
      method: 'GET',
      url: '/api/v1/tasks/task_1/events',
      headers: { 'x-api-key': 'qcs_key', accept: 'text/event-stream' },
    },
  ]);
  expect(service.asked[0]?.headers).not.toHaveProperty('last-event-id');
});

test.each([
  ['\n', 0],
  ['\r\n', 1],
  ['\r', 2],
] as const)(
  'wherever connections break, every event is reported, and none twice (lines end with %j)',
  async (end, first) => {
    // Each event is cut at one place after another until it came through.
    const numCuts = new Map<string, number>();
    service.answer = (asked, response) => {
      const after = String(asked.headers['last-event-id'] ?? '');
      const cuts = numCuts.get(after) ?? 0;
      numCuts.set(after, cuts + 1);
      sendEvents(asked, response, EVENTS, {
        end,
        cutAfter: first + 3 * cuts,
        chunkBytes: 1 + (cuts % 7),
      });
    };
    expect(await watched()).toEqual(EVENTS);
    expect([...numCuts.keys()]).toEqual(['', ...EVENTS.slice(0, -1).map(({ id }) => id)]);
    for (const cuts of numCuts.values()) expect(cuts).toBeGreaterThan(15);
  },
);

test('it waits as the stream says, longer each time, and as before once an event came', async () => {
  let connection = 0;
  service.answer = (asked, response) => {
    connection++;
    const tells = connection === 5 ? EVENTS.slice(0, 2) : connection === 8 ? EVENTS : [];
    sendEvents(asked, response, tells, { retryMs: 500 });
  };
  expect(await watched()).toEqual(EVENTS);
  expect(waits.map(({ ms }) => ms)).toEqual([500, 1000, 2000, 4000, 500, 1000, 2000]);
  expect(waits[0]?.reason).toBe('The service ended the connection');
});

test('it never waits for longer than half a minute, unless it is asked to', async () => {
  let connection = 0;
  service.answer = (asked, response) => {
    connection++;
    sendEvents(asked, response, connection === 12 ? EVENTS : [], { retryMs: 1000 });
  };
  await watched();
  expect(waits.map(({ ms }) => ms).slice(-4)).toEqual([30_000, 30_000, 30_000, 30_000]);
});

test.each([
  [429, '7', 7000],
  [503, '5', 5000],
  [500, undefined, 1000],
  [429, 'soon', 1000],
])('%i with Retry-After %s is waited for %i ms and asked again', async (status, after, ms) => {
  service.answer = (asked, response) => {
    service.answer = (again, next) => sendEvents(again, next, EVENTS);
    if (after !== undefined) response.setHeader('retry-after', after);
    sendJson(response, status, `Not now, for ${asked.method}.`);
  };
  expect(await watched()).toEqual(EVENTS);
  expect(waits).toEqual([{ reason: expect.stringContaining('Not now, for GET'), ms }]);
});

test('after done it leaves, also a service that keeps the connection', async () => {
  const closed = Promise.withResolvers<void>();
  service.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1.done.9\nevent: done\ndata: {"status":"failed"}\n\n');
    response.once('close', closed.resolve);
  };
  expect(await watched()).toEqual([{ id: '1.done.9', event: 'done', data: { status: 'failed' } }]);
  await closed.promise;
});

test('204 says that all was told before', async () => {
  service.answer = (_, response) => response.writeHead(204).end();
  expect(await watched()).toEqual([]);
});

test('a connection on which nothing is heard is given up for another', async () => {
  // Long enough for the connection that follows; the test says when it is over for the first one.
  const silenceMs = 3_600_000;
  const timers = vi.spyOn(globalThis, 'setTimeout');
  service.answer = (_, response) => {
    service.answer = (asked, next) => sendEvents(asked, next, EVENTS);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const silences = timers.mock.calls.filter(([, ms]) => ms === silenceMs);
    response.write(': hello\n\n', () => {
      for (const [endOfSilence] of silences) endOfSilence();
    });
  };
  expect(await watched({ silenceMs })).toEqual(EVENTS);
  expect(waits).toHaveLength(1);
  expect(service.asked).toHaveLength(2);
  timers.mockRestore();
});

test('a service that is away for a while is found again', async () => {
  let connection = 0;
  service.answer = (asked, response) => {
    connection++;
    if (connection === 1) sendEvents(asked, response, EVENTS.slice(0, 3));
    else if (connection < 4) response.destroy();
    else sendEvents(asked, response, EVENTS);
  };
  expect(await watched()).toEqual(EVENTS);
  expect(waits.map(({ reason }) => reason)).toEqual([
    'The service ended the connection',
    'The service does not answer',
    'The service does not answer',
  ]);
});

test('hours of comments alone are no reason to give up', async () => {
  service.answer = (_, response) => {
    service.answer = (asked, next) => sendEvents(asked, next, EVENTS);
    clock += 3 * 3_600_000;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(': still there\n\n');
  };
  expect(await watched()).toEqual(EVENTS);
  expect(waits).toHaveLength(1);
});

test('a service that is away for ten minutes is given up', async () => {
  service.answer = (asked, response) => {
    service.answer = (_, next) => next.destroy();
    sendEvents(asked, response, EVENTS.slice(0, 1));
  };
  const told: JobEvent[] = [];
  await expect(watchInto(told)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(told).toEqual(EVENTS.slice(0, 1));
  expect(clock).toBeGreaterThan(600_000);
  expect(clock).toBeLessThan(660_000);
});

test('where nothing answers from the beginning, it is tried as often as other requests', async () => {
  service.answer = (_, response) => response.destroy();
  await expect(watched()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
  expect(service.asked).toHaveLength(6);
  expect(waits.map(({ ms }) => ms)).toEqual([1000, 2000, 4000, 8000, 16_000]);
});

test('events of types that are not known yet are passed over, and those without their data', async () => {
  const others = ['weather', 'status', 'progress'].map((event) => ({ id: '0', event, data: {} }));
  service.answer = (asked, response) => sendEvents(asked, response, [...others, ...EVENTS]);
  expect(await watched()).toEqual(EVENTS);
});

describe('it is over at once', () => {
  test.each([
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [400, 'BAD_REQUEST'],
    [302, 'HTTP_ERROR'],
  ])('with an answer of %i', async (status, code) => {
    service.answer = (_, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    await expect(watched()).rejects.toMatchObject({ code });
    expect(service.asked).toHaveLength(1);
  });

  test('where the answer is no stream', async () => {
    service.answer = (_, response) => sendJson(response, 200, {});
    await expect(watched()).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' });
  });

  test('where an event has no end', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${'a'.repeat(2 ** 20)}`);
    };
    await expect(watched()).rejects.toMatchObject({ code: 'UNREADABLE_ANSWER' });
  });

  test('when it is interrupted while a stream is open, and the connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1.queued\nevent: status\ndata: {}\n\n', () =>
        interrupt.abort(new Error('Ctrl-C')),
      );
      response.once('close', closed.resolve);
    };
    await expect(watched()).rejects.toThrow('Ctrl-C');
    await closed.promise;
  });

  test('when it is interrupted while it waits', async () => {
    service.answer = (_, response) => sendJson(response, 503, 'Stopping.');
    const onReconnect = () => interrupt.abort(new Error('Ctrl-C'));
    await expect(watched({ onReconnect })).rejects.toThrow('Ctrl-C');
    expect(service.asked).toHaveLength(1);
  });
});
