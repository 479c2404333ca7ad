/** Events of a job that a client receives which saw a part of them, by example. */
import { describe, expect, test } from 'vitest';
import {
  type EventPosition,
  eventsSince,
  formatPosition,
  isDone,
  parsePosition,
} from '../../../src/jobs/job-events.ts';
import type { JobState, WatchedRecord } from '../../../src/jobs/job-watch.ts';

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
const CANCELLED_EARLY: WatchedRecord = { ...QUEUED, status: 'cancelled', finishedAt: 1500 };

/** The ids of what is reported; an id names everything that tells events apart. */
function ids(lastId: string, record: WatchedRecord, more: Partial<JobState> = {}): string[] {
  return eventsSince(parsePosition(lastId), { record, ...more }).map(({ position }) =>
    formatPosition(position),
  );
}

describe('who saw nothing gets the run from its beginning', () => {
  test.each([
    ['queued', QUEUED, ['1.queued']],
    ['running', RUNNING, ['1.queued', '1.running.2000']],
    ['completed', COMPLETED, ['1.queued', '1.running.2000', '1.final.3000', '1.done.3000']],
    ['cancelled in the queue', CANCELLED_EARLY, ['1.queued', '1.final.1500', '1.done.1500']],
    ['queued after a crash', { ...QUEUED, attempts: 1 }, ['2.queued']],
    ['running after a crash', { ...RUNNING, attempts: 2 }, ['2.queued', '2.running.2000']],
  ])('of a job that is %s', (_, record, expected) => {
    expect(ids('', record)).toEqual(expected);
  });

  test('with the statuses, their times and the error', () => {
    const error = { code: 'ENGINE_CLOSED', message: 'closed' };
    const told = eventsSince(undefined, { record: { ...COMPLETED, status: 'failed', error } });
    expect(told).toMatchObject([
      { kind: 'status', status: 'queued', at: 1000 },
      { kind: 'status', status: 'running', at: 2000 },
      { kind: 'status', status: 'failed', at: 3000, error },
      { kind: 'done', status: 'failed', at: 3000, error },
    ]);
    for (const event of told.slice(0, 2)) expect(event).not.toHaveProperty('error');
  });
});

describe('who saw a part of the run gets the rest', () => {
  test.each([
    ['1.queued', QUEUED, []],
    ['1.queued', RUNNING, ['1.running.2000']],
    ['1.queued', COMPLETED, ['1.running.2000', '1.final.3000', '1.done.3000']],
    ['1.queued', CANCELLED_EARLY, ['1.final.1500', '1.done.1500']],
    ['1.running.2000', RUNNING, []],
    ['1.running.2000', COMPLETED, ['1.final.3000', '1.done.3000']],
    ['1.progress.2000.400', COMPLETED, ['1.final.3000', '1.done.3000']],
    ['1.final.3000', COMPLETED, ['1.done.3000']],
    ['1.done.3000', COMPLETED, []],
  ])('after %s', (last, record, expected) => {
    expect(ids(last, record)).toEqual(expected);
  });
});

describe('who saw a run that was interrupted gets the next from its beginning', () => {
  test.each([
    ['a crash: queued again', '1.running.1500', { ...QUEUED, attempts: 1 }, ['2.queued']],
    [
      'a crash: running again',
      '1.progress.1500.900',
      { ...RUNNING, attempts: 2 },
      ['2.queued', '2.running.2000'],
    ],
    ['a shutdown, which counts no attempt: queued again', '1.running.1500', QUEUED, ['1.queued']],
    ['a shutdown: running again', '1.progress.1500.900', RUNNING, ['1.queued', '1.running.2000']],
    [
      'a shutdown: cancelled in the queue',
      '1.running.1400',
      CANCELLED_EARLY,
      ['1.queued', '1.final.1500', '1.done.1500'],
    ],
  ])('after %s', (_, last, record, expected) => {
    expect(ids(last, record)).toEqual(expected);
  });

  test('its progress from the beginning', () => {
    const state = { record: { ...RUNNING, attempts: 2 }, progress: 0.1 };
    expect(ids('1.progress.1500.900', state.record, state)).toEqual([
      '2.queued',
      '2.running.2000',
      '2.progress.2000.100',
    ]);
  });
});

describe('progress', () => {
  test.each([
    [0, 0],
    [0.57, 570],
    [0.9999, 999],
    [1, 1000],
  ])('%d is %d thousandths', (progress, permille) => {
    expect(eventsSince(parsePosition('1.running.2000'), { record: RUNNING, progress })).toEqual([
      {
        kind: 'progress',
        permille,
        position: { phase: 'running', attempt: 1, at: 2000, permille },
      },
    ]);
  });

  test('is reported once', () => {
    expect(ids('1.progress.2000.250', RUNNING, { progress: 0.2504 })).toEqual([]);
  });

  test('that starts over is reported again only when it is further than it was', () => {
    expect(ids('1.progress.2000.250', RUNNING, { progress: 0.1 })).toEqual([]);
    expect(ids('1.progress.2000.250', RUNNING, { progress: 0.3 })).toEqual(['1.progress.2000.300']);
  });

  test('a new message is reported, with the furthest progress, and the same one is not', () => {
    const since: EventPosition = {
      phase: 'running',
      attempt: 1,
      at: 2000,
      permille: 250,
      message: 'searching',
    };
    expect(
      eventsSince(since, { record: RUNNING, progress: 0.1, message: 'checking' }),
    ).toMatchObject([{ permille: 250, message: 'checking' }]);
    expect(eventsSince(since, { record: RUNNING, progress: 0.1, message: 'searching' })).toEqual(
      [],
    );
  });

  test('of a job that is queued again is not told', () => {
    expect(ids('1.running.1500', QUEUED, { progress: 0.5 })).toEqual(['1.queued']);
  });

  test('that was still to be told comes before the end, and not after it', () => {
    const last = { progress: 0.97 };
    expect(ids('1.progress.2000.250', COMPLETED, last)).toEqual([
      '1.progress.2000.970',
      '1.final.3000',
      '1.done.3000',
    ]);
    expect(ids('1.final.3000', COMPLETED, last)).toEqual(['1.done.3000']);
  });
});

describe('ids', () => {
  test.each([
    '1.queued',
    '2.running.5',
    '1.progress.5.0',
    '1.progress.5.1000',
    '1.final.5',
    '3.done.5',
  ])('%s is read as it is written', (id) => {
    const position = parsePosition(id);
    if (position === undefined) throw new Error('not read');
    expect(formatPosition(position)).toBe(id);
  });

  test.each([
    '',
    'x',
    '1',
    '1.queued.5',
    '1.running',
    '1.cancelled.5',
    '1.progress.5',
    '1.progress.5.1001',
    '1.progress.5.-1',
    '1.done.5 ',
    '01234567890.queued',
    '1.done.1e3',
    '1.done.1234567890123456',
  ])('%j is none', (text) => {
    expect(parsePosition(text)).toBeUndefined();
  });

  test('of another end or of a job that goes on are as none', () => {
    const all = ['1.queued', '1.running.2000', '1.final.3000', '1.done.3000'];
    for (const foreign of ['1.done.2999', '2.done.3000', '1.final.1', '7.queued']) {
      expect(ids(foreign, COMPLETED)).toEqual(all);
      expect(isDone(parsePosition(foreign), COMPLETED)).toBe(false);
    }
    expect(ids('1.done.3000', RUNNING)).toEqual(all.slice(0, 2));
    expect(isDone(parsePosition('1.done.3000'), RUNNING)).toBe(false);
    expect(isDone(parsePosition('1.done.3000'), COMPLETED)).toBe(true);
    expect(isDone(parsePosition('1.final.3000'), COMPLETED)).toBe(false);
  });
});
