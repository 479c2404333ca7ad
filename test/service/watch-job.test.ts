/** How `qcs jobs follow` keeps to a job over connections that break, at the level of events. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { StreamEvent } from '../../src/cli/jobs/event-stream-parser.ts';
import { ServiceClient } from '../../src/cli/jobs/service-client.ts';
import { type WatchOptions, watchJob } from '../../src/cli/jobs/watch-job.ts';
import {
  type EventService,
  openEventService,
  sendEvents,
  sendJson,
  type ToldEvent,
} from '../support/event-service.ts';

const EVENTS: readonly ToldEvent[] = [
  { id: '1.queued', event: 'status', data: { status: 'queued' } },
  { id: '1.running.5', event: 'status', data: { status: 'running' } },
  { id: '1.progress.5.250', event: 'progress', data: { progress: 0.25, message: 'größer' } },
  { id: '1.progress.5.800', event: 'progress', data: { progress: 0.8 } },
  { id: '1.final.9', event: 'status', data: { status: 'completed' } },
  { id: '1.done.9', event: 'done', data: { status: 'completed' } },
];
const TOLD: readonly StreamEvent[] = EVENTS.map(({ id, event, data }) => ({
  id,
  event,
  data: JSON.stringify(data),
}));

let service: EventService;
let interrupt: AbortController;
let clock: number;
let waits: { readonly why: string; readonly ms: number }[];

beforeEach(async () => {
  service = await openEventService((asked, response) => sendEvents(asked, response, EVENTS));
  interrupt = new AbortController();
  clock = 0;
  waits = [];
});

afterEach(() => service[Symbol.asyncDispose]());

/** All that is told, with waits that take no time but move the clock. */
async function watched(options: Partial<WatchOptions> = {}): Promise<readonly StreamEvent[]> {
  const told: StreamEvent[] = [];
  await watchInto(told, options);
  return told;
}

async function watchInto(told: StreamEvent[], options: Partial<WatchOptions> = {}): Promise<void> {
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    clock += ms;
  };
  const io = { now: () => clock, random: () => 0, sleep };
  const client = new ServiceClient(
    { origin: service.origin, key: 'qcs_key' },
    { err: { write: () => {} }, sleep },
  );
  const events = watchJob(client, {
    path: '/tasks/task_1',
    io,
    signal: interrupt.signal,
    onWait: (why, ms) => waits.push({ why, ms }),
    ...options,
  });
  for await (const event of events) told.push(event);
}

test('a whole stream is asked for once, with the key, and told', async () => {
  expect(await watched()).toEqual(TOLD);
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
  'wherever connections break, every event is told, and none twice (lines end with %j)',
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
        pieces: 1 + (cuts % 7),
      });
    };
    expect(await watched()).toEqual(TOLD);
    expect([...numCuts.keys()]).toEqual(['', ...TOLD.slice(0, -1).map(({ id }) => id)]);
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
  expect(await watched()).toEqual(TOLD);
  expect(waits.map(({ ms }) => ms)).toEqual([500, 1000, 2000, 4000, 500, 1000, 2000]);
  expect(waits[0]?.why).toBe('The service ended the connection');
});

test('it never waits for longer than half a minute, unless it is told to', async () => {
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
  expect(await watched()).toEqual(TOLD);
  expect(waits).toEqual([{ why: expect.stringContaining('Not now, for GET'), ms }]);
});

test('after done it leaves, also a service that keeps the connection', async () => {
  const closed = Promise.withResolvers<void>();
  service.answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1.done.9\nevent: done\ndata: {}\n\n');
    response.once('close', closed.resolve);
  };
  expect(await watched()).toEqual([{ id: '1.done.9', event: 'done', data: '{}' }]);
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
  expect(await watched({ silenceMs })).toEqual(TOLD);
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
  expect(await watched()).toEqual(TOLD);
  expect(waits.map(({ why }) => why)).toEqual([
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
  expect(await watched()).toEqual(TOLD);
  expect(waits).toHaveLength(1);
});

test('a service that is away for ten minutes is given up', async () => {
  service.answer = (asked, response) => {
    service.answer = (_, next) => next.destroy();
    sendEvents(asked, response, EVENTS.slice(0, 1));
  };
  const told: StreamEvent[] = [];
  await expect(watchInto(told)).rejects.toMatchObject({ code: 'CLI_SERVICE_UNREACHABLE' });
  expect(told).toEqual(TOLD.slice(0, 1));
  expect(clock).toBeGreaterThan(600_000);
  expect(clock).toBeLessThan(660_000);
});

describe('it is over at once', () => {
  test('where nothing answered from the beginning', async () => {
    service.answer = (_, response) => response.destroy();
    await expect(watched()).rejects.toMatchObject({ code: 'CLI_SERVICE_UNREACHABLE' });
    expect(service.asked).toHaveLength(1);
  });

  test.each([
    [401, 'CLI_KEY_REFUSED'],
    [403, 'CLI_KEY_REFUSED'],
    [404, 'CLI_SERVICE_REFUSED'],
    [400, 'CLI_SERVICE_REFUSED'],
    [302, 'CLI_SERVICE_REFUSED'],
  ])('with an answer of %i', async (status, code) => {
    service.answer = (_, response) =>
      response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end();
    await expect(watched()).rejects.toMatchObject({ code });
    expect(service.asked).toHaveLength(1);
  });

  test('where the answer is no stream', async () => {
    service.answer = (_, response) => sendJson(response, 200, {});
    await expect(watched()).rejects.toMatchObject({ code: 'CLI_ANSWER_UNREADABLE' });
  });

  test('where an event has no end', async () => {
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${'a'.repeat(2 ** 20)}`);
    };
    await expect(watched()).rejects.toMatchObject({ code: 'CLI_ANSWER_UNREADABLE' });
  });

  test('when it is interrupted while a stream is open, and the connection is closed', async () => {
    const closed = Promise.withResolvers<void>();
    service.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('id: 1.queued\ndata: {}\n\n', () => interrupt.abort(new Error('Ctrl-C')));
      response.once('close', closed.resolve);
    };
    await expect(watched()).rejects.toThrow('Ctrl-C');
    await closed.promise;
  });

  test('when it is interrupted while it waits', async () => {
    service.answer = (_, response) => sendJson(response, 503, 'Stopping.');
    const onWait = () => interrupt.abort(new Error('Ctrl-C'));
    await expect(watched({ onWait })).rejects.toThrow('Ctrl-C');
    expect(service.asked).toHaveLength(1);
  });
});
