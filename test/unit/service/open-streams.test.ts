/** The end of the streams that are open when the service stops. */
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { JobWatch } from '../../../src/jobs/job-watch.ts';
import {
  JobEventStream,
  MAX_STREAMS_OF_KEY,
  OpenStreams,
} from '../../../src/service/jobs/job-event-stream.ts';
import { turn } from '../../support/jobs.ts';

let streams: OpenStreams;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  streams = new OpenStreams();
});

afterEach(() => {
  vi.useRealTimers();
});

/** A stream of a waiting job, and what stands for the answer that carries it. */
function open(keyId = 'key-1'): { stream: JobEventStream; response: PassThrough } {
  const record = {
    id: 'circ_0',
    kind: 'circuit',
    keyId,
    status: 'queued',
    priority: 'normal',
    target: 'statevector-sim',
    createdAt: 1000,
    attempts: 0,
  } as const;
  const stream = new JobEventStream({
    watch: new JobWatch({ record }, () => {}),
    since: undefined,
    location: '/record',
    live: { queuePosition: () => 0, expectedStart: () => undefined, waitingFor: () => undefined },
  });
  const response = new PassThrough();
  stream.pipe(response);
  streams.add({ keyId, keyText: `text of ${keyId}`, scope: 'circuits' }, stream, response);
  return { stream, response };
}

test('all end when they are closed, and one that is opened later ends at once', async () => {
  const early = open();
  await turn();
  streams.close();
  await turn();
  expect(early.stream.closed).toBe(true);
  const late = open();
  await turn();
  expect(late.stream.closed).toBe(true);
  expect(streams.keyTexts()).toEqual(new Set());
});

test('the connection of a reader that does not take the end is cut a second later', async () => {
  const { response } = open();
  await turn();
  streams.close();
  await vi.advanceTimersByTimeAsync(900);
  expect(response.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(100);
  expect(response.destroyed).toBe(true);
});

test('the connection of a reader that took it is left alone, and no timer stays', async () => {
  const { response } = open();
  response.resume();
  await turn();
  streams.close();
  await turn();
  expect(response.closed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('a key is admitted until it has as many as it may, and again when one has ended', async () => {
  const opened = Array.from({ length: MAX_STREAMS_OF_KEY }, () => open());
  expect(() => streams.admit('key-1')).toThrowError(
    expect.objectContaining({ code: 'SERVICE_TOO_MANY_STREAMS' }),
  );
  streams.admit('key-2');
  opened[0]?.stream.destroy();
  await turn();
  streams.admit('key-1');
});
