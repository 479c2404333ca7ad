/** Running and waiting for jobs, at a service that answers as a test says. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  JobCancelledError,
  JobFailedError,
  type Progress,
  QcsClient,
} from '../../../src/client/client.ts';
import {
  type Asked,
  type EventService,
  openEventService,
  sendEvents,
  sendJson,
  type ToldEvent,
} from '../../support/event-service.ts';

const AT = '2026-01-02T03:04:05.678Z';
const SUBMISSION = { circuit: [], target_processor: 'statevector-sim', shots: 2 };
const record = (status: string, fields: object = {}) => ({
  ...{ circuit_id: 'circ_1', status, created_at: AT },
  ...fields,
});
const COMPLETED = record('completed', { counts: { '0': 2 } });
const EVENTS: readonly ToldEvent[] = [
  { id: '1.queued', event: 'status', data: { status: 'queued', queue_position: 2 } },
  { id: '1.running.5', event: 'status', data: { status: 'running' } },
  { id: '1.progress.5.250', event: 'progress', data: { progress: 0.25, message: 'half way' } },
  { id: '1.final.9', event: 'status', data: { status: 'completed' } },
  { id: '1.done.9', event: 'done', data: { status: 'completed' } },
];

let service: EventService;
let slept: number[];
let told: Progress[];
const onProgress = (progress: Progress) => told.push(progress);

beforeEach(async () => {
  service = await openEventService((_, response) => sendJson(response, 500, 'Not set.'));
  [slept, told] = [[], []];
});

afterEach(() => service[Symbol.asyncDispose]());

function client(): QcsClient {
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    slept.push(ms);
  };
  return new QcsClient({
    baseUrl: service.origin,
    surroundings: { now: () => 0, random: () => 0, sleep },
  });
}

const isSubmission = ({ method, url }: Asked) => method === 'POST' && url.endsWith('/circuits');
const isStream = ({ url }: Asked) => url.endsWith('/events');
const requests = () => service.asked.map(({ method, url }) => `${method} ${url.slice(7)}`);

/** A service whose job is queued at first, then as its events say, and completed. */
function serveEvents(): void {
  service.answer = (asked, response) => {
    if (isSubmission(asked)) sendJson(response, 201, record('queued'));
    else if (isStream(asked)) sendEvents(asked, response, EVENTS);
    else sendJson(response, 200, COMPLETED);
  };
}

describe('running', () => {
  test('a short job takes one request, which waits for the result', async () => {
    service.answer = (_, response) => sendJson(response, 201, COMPLETED);
    expect(await client().circuits.run(SUBMISSION)).toEqual(COMPLETED);
    expect(service.asked).toMatchObject([{ headers: { prefer: 'wait=20' } }]);
  });

  test('a longer one is followed by its events, and its record is read once', async () => {
    serveEvents();
    expect(await client().circuits.run(SUBMISSION)).toEqual(COMPLETED);
    expect(requests()).toEqual([
      'POST /quantum/circuits',
      'GET /quantum/circuits/circ_1/events',
      'GET /quantum/circuits/circ_1',
    ]);
    expect(slept).toEqual([]);
  });

  test('one whose progress is wanted tells it from the beginning', async () => {
    serveEvents();
    await client().circuits.run(SUBMISSION, { onProgress });
    expect(service.asked[0]?.headers['prefer']).toBe('respond-async');
    expect(told).toEqual([
      { status: 'queued', queuePosition: 2 },
      { status: 'running' },
      { status: 'running', progress: 0.25, message: 'half way' },
      { status: 'completed' },
    ]);
  });

  test('a task is a request to its agent, which is no part of the body', async () => {
    service.answer = (_, response) =>
      sendJson(response, 201, { task_id: 'task_1', status: 'queued', created_at: AT });
    await client().tasks.submit({ agent: 'research', task: 'vqe', input: {} });
    expect(requests()).toEqual(['POST /agents/research/execute']);
    expect(service.asked[0]?.headers).not.toHaveProperty('prefer');
  });

  test.each([
    [500, 'INTERNAL_ERROR'],
    [503, 'SERVICE_UNAVAILABLE'],
  ])(
    'a job that fails while its submission waits (%i) is an error with its record',
    async (status, code) => {
      const failed = record('failed', { error: { code: 'ENGINE_X', message: 'It broke.' } });
      service.answer = (asked, response) => {
        if (isSubmission(asked)) {
          response.writeHead(status, {
            'content-type': 'application/json',
            location: '/api/v1/quantum/circuits/circ_1',
          });
          const error = { code, message: 'It broke.', status };
          response.end(JSON.stringify({ success: false, error, meta: {} }));
        } else if (isStream(asked)) response.writeHead(204).end();
        else sendJson(response, 200, failed);
      };
      const error = await client()
        .circuits.run(SUBMISSION)
        .catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(JobFailedError);
      expect(error).toMatchObject({
        ...{ code: 'JOB_FAILED', id: 'circ_1', job: failed },
        message: 'circ_1 failed (ENGINE_X): It broke.',
      });
      // It is not run again.
      expect(service.asked.filter(isSubmission)).toHaveLength(1);
    },
  );
});

describe('waiting', () => {
  test('goes on over connections that break in the middle of an event', async () => {
    let cutAfter: number | undefined = 0;
    service.answer = (asked, response) => {
      if (!isStream(asked)) return sendJson(response, 200, COMPLETED);
      cutAfter = cutAfter === undefined || cutAfter > 300 ? undefined : cutAfter + 37;
      return sendEvents(asked, response, EVENTS, { ...(cutAfter !== undefined && { cutAfter }) });
    };
    expect(await client().circuits.wait('circ_1', { onProgress })).toEqual(COMPLETED);
    expect(told.map(({ status }) => status)).toEqual(['queued', 'running', 'running', 'completed']);
    expect(service.asked.filter(isStream).length).toBeGreaterThan(5);
  });

  test('ends with an error if the job was cancelled', async () => {
    service.answer = (asked, response) => {
      if (isStream(asked)) response.writeHead(204).end();
      else sendJson(response, 200, record('cancelled'));
    };
    const error = await client()
      .circuits.wait('circ_1')
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(JobCancelledError);
    expect(error).toMatchObject({ code: 'JOB_CANCELLED', job: { status: 'cancelled' } });
  });

  /** Records that are asked for one after the other where there are no events. */
  const POLLED = [
    record('queued', { queue_position: 1 }),
    record('running', { progress: 0.5 }),
    ...Array.from({ length: 4 }, () => record('running')),
    COMPLETED,
  ];

  /** A service whose events are answered as told. */
  function serveRecords(answerEvents: EventService['answer']): void {
    const records = [...POLLED];
    service.answer = (asked, response) => {
      if (isStream(asked)) answerEvents(asked, response);
      else sendJson(response, 200, records.shift());
    };
  }

  const expectPolled = () => {
    expect(slept.slice(-6)).toEqual([250, 500, 1000, 2000, 4000, 5000]);
    expect(told.slice(0, 2)).toEqual([
      { status: 'queued', queuePosition: 1 },
      { status: 'running', progress: 0.5 },
    ]);
    expect(service.asked.filter(isStream)).toHaveLength(1);
  };

  test('asks for the record where something in between answers no event stream', async () => {
    serveRecords((_, response) => response.end('<html>'));
    expect(await client().circuits.wait('circ_1', { onProgress })).toEqual(COMPLETED);
    expectPolled();
  });

  test('asks for the record where the key has too many streams', async () => {
    serveRecords((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '5' });
      const details = [{ code: 'SERVICE_TOO_MANY_STREAMS', path: '', message: 'Too many.' }];
      const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many.', status: 429, details };
      response.end(JSON.stringify({ success: false, error, meta: {} }));
    });
    expect(await client().circuits.wait('circ_1', { onProgress })).toEqual(COMPLETED);
    expectPolled();
  });

  test('asks for the record where something in between holds the stream back', async () => {
    const silenceMs = 3_600_000;
    const timers = vi.spyOn(globalThis, 'setTimeout');
    serveRecords((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      for (const [endOfSilence, ms] of timers.mock.calls) if (ms === silenceMs) endOfSilence();
    });
    expect(await client().circuits.wait('circ_1', { onProgress, silenceMs })).toEqual(COMPLETED);
    expectPolled();
    timers.mockRestore();
  });
});

describe('an AbortSignal', () => {
  const reason = new Error('enough');
  let interrupt: AbortController;

  beforeEach(() => {
    interrupt = new AbortController();
  });

  /** A service whose job runs until it is cancelled; the waiting ends once its events flow. */
  function serveEndless(onStream: () => void): void {
    service.answer = (asked, response) => {
      if (isSubmission(asked)) sendJson(response, 201, record('queued'));
      else if (isStream(asked)) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(': here\n\n', onStream);
      } else sendJson(response, 200, record('cancelled'));
    };
  }

  test('ends the waiting and not the job', async () => {
    serveEndless(() => interrupt.abort(reason));
    const { signal } = interrupt;
    await expect(client().circuits.wait('circ_1', { signal })).rejects.toBe(reason);
    expect(requests()).toEqual(['GET /quantum/circuits/circ_1/events']);
  });

  test('ends the job, too, if it is to', async () => {
    serveEndless(() => interrupt.abort(reason));
    const options = { signal: interrupt.signal, cancelOnAbort: true };
    await expect(client().circuits.run(SUBMISSION, options)).rejects.toBe(reason);
    expect(requests().at(-1)).toBe('POST /quantum/circuits/circ_1/cancel');
  });

  test('ends the job also if its submission was not yet answered', async () => {
    serveEndless(() => {});
    const { answer } = service;
    service.answer = (asked, response) => {
      if (isSubmission(asked)) interrupt.abort(reason);
      answer(asked, response);
    };
    const options = { signal: interrupt.signal, cancelOnAbort: true };
    await expect(client().circuits.run(SUBMISSION, options)).rejects.toBe(reason);
    expect(requests()).toEqual(['POST /quantum/circuits', 'POST /quantum/circuits/circ_1/cancel']);
  });

  test('that is aborted before the submission sends nothing', async () => {
    interrupt.abort(reason);
    const { signal } = interrupt;
    for (const cancelOnAbort of [true, false]) {
      const run = client().circuits.run(SUBMISSION, { signal, cancelOnAbort });
      await expect(run).rejects.toBe(reason);
    }
    expect(service.asked).toEqual([]);
  });
});

test('an id names the kind of its job, or is refused', () => {
  const { batches, experiments, tasks, tpuJobs, circuits } = client();
  const found = ['circ_1', 'batch_1', 'exp_1', 'task_1', 'tpujob_1'].map(
    (id) => client().jobsOf(id).place.path,
  );
  expect(found).toEqual(
    [circuits, batches, experiments, tasks, tpuJobs].map(({ place }) => place.path),
  );
  expect(() => client().jobsOf('job_1')).toThrow(
    '"job_1" is no id of a job: one begins with circ_, batch_, exp_, task_, tpujob_.',
  );
});
