/** The checks of the mixed load find what they are there to find. */
import { describe, expect, test } from 'vitest';
import { eventFaults, type JobEvent } from '../../support/mixed-load/event-sequence.ts';
import { JobTimeline, type Sighting } from '../../support/mixed-load/job-timeline.ts';
import { listingFaults } from '../../support/mixed-load/load-visitor.ts';
import type { JobRecord } from '../../support/service-client.ts';

const AT = ['10', '11', '12'].map((second) => `2026-01-02T03:04:${second}.000Z`);
const [CREATED = '', STARTED = '', FINISHED = ''] = AT;
const RECORD: JobRecord = {
  status: 'completed',
  priority: 'normal',
  created_at: CREATED,
  started_at: STARTED,
  finished_at: FINISHED,
};

const status = (id: string, name: string, at: string): JobEvent => ({
  id,
  event: 'status',
  data: { status: name, at, attempt: 1 },
});
const progress = (permille: number): JobEvent => ({
  id: `1.progress.2.${permille}`,
  event: 'progress',
  data: { progress: permille / 1000, percent: Math.floor(permille / 10), attempt: 1 },
});
const QUEUED = status('1.queued', 'queued', CREATED);
const RUNNING = status('1.running.2', 'running', STARTED);
const FINAL = status('1.final.3', 'completed', FINISHED);
const DONE: JobEvent = {
  id: '1.done.3',
  event: 'done',
  data: { status: 'completed', at: FINISHED },
};
const WHOLE = [QUEUED, QUEUED, RUNNING, progress(250), progress(251), FINAL, DONE];

describe('events', () => {
  test('that tell each status once and progress forwards have no fault', () => {
    expect(eventFaults(WHOLE, RECORD)).toEqual([]);
  });

  test.each([
    ['one that is missing', WHOLE.filter((event) => event !== RUNNING)],
    ['one that comes twice', [...WHOLE.slice(0, 3), RUNNING, ...WHOLE.slice(3)]],
    ['queued after running', [QUEUED, RUNNING, QUEUED, FINAL, DONE]],
    ['an end that is reported twice', [...WHOLE, FINAL, DONE]],
    ['no end', WHOLE.slice(0, -1)],
    ['another end than the record has', [QUEUED, RUNNING, { ...FINAL, data: {} }, DONE]],
    ['progress that goes back', [QUEUED, RUNNING, progress(251), progress(250), FINAL, DONE]],
    ['progress before the work began', [QUEUED, progress(10), RUNNING, FINAL, DONE]],
    ['progress after the end', [QUEUED, RUNNING, FINAL, progress(10), DONE]],
  ])('with %s are found', (_, events) => {
    expect(eventFaults(events, RECORD).length).toBeGreaterThan(0);
  });
});

describe('a job as it was seen', () => {
  const faultsOf = (...sightings: readonly Sighting[]) => {
    const timeline = new JobTimeline();
    for (const sighting of sightings) timeline.see(sighting);
    return timeline.faults;
  };
  const at = (time: number, name: Sighting['status'], fraction?: number, tookMs = 1): Sighting => ({
    status: name,
    progress: fraction,
    sentAt: time,
    receivedAt: time + tookMs,
  });

  test('may go forwards', () => {
    const seen = [at(0, 'queued'), at(2, 'running', 0.1), at(4, 'running', 0.1), at(6, 'failed')];
    expect(faultsOf(...seen)).toEqual([]);
  });

  test.each([
    [at(0, 'running'), at(2, 'queued')],
    [at(0, 'completed'), at(2, 'running')],
    [at(0, 'cancelled'), at(2, 'completed')],
    [at(0, 'running', 0.5), at(2, 'running', 0.4)],
  ])('may not go back', (first, second) => {
    expect(faultsOf(first, at(1, first.status, first.progress), second)).not.toEqual([]);
  });

  test('is not held to an answer that was overtaken on its way', () => {
    expect(faultsOf(at(1, 'completed'), at(0, 'running', 0.2, 9))).toEqual([]);
  });

  test('is held to what its events told', () => {
    const timeline = new JobTimeline();
    timeline.hear('running', 0.5, 3);
    timeline.see(at(4, 'running', 0.4));
    expect(timeline.faults).toEqual(['progress went from 0.5 to 0.4']);
  });
});

test('a listing is held to the jobs that were submitted, and those of their plans', () => {
  const job = (id: string, parentId?: string, name: Sighting['status'] = 'completed') => ({
    id,
    status: name,
    parentId,
  });
  expect(listingFaults([job('b', 'a'), job('a')], new Set(['a']))).toEqual([]);
  expect(listingFaults([job('a')], new Set(['a', 'b']))).toHaveLength(1);
  expect(listingFaults([job('a'), job('b')], new Set(['a']))).toHaveLength(1);
  expect(listingFaults([job('a', undefined, 'running')], new Set(['a']))).toHaveLength(1);
});
