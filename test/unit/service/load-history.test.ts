/** The load of the last hour: minutes, quantiles, what is dropped, and a clock that is set. */
import { describe, expect, test } from 'vitest';
import type { EngineTime } from '../../../src/fleet/engine-lanes.ts';
import { type Job, newJobId } from '../../../src/jobs/job.ts';
import { LoadHistory } from '../../../src/service/metrics/load-history.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 0);
const small = (busyMs: number): EngineTime => ({
  id: 'small',
  kind: 'small',
  slots: 2,
  busy: 0,
  busyMs,
});
const job = (tookMs: number, rest: Partial<Job> = {}): Job => ({
  id: newJobId('circuit'),
  kind: 'circuit',
  keyId: 'a',
  status: 'completed',
  priority: 'normal',
  target: 'qvm',
  request: '{}',
  createdAt: START,
  finishedAt: START + tookMs,
  attempts: 1,
  ...rest,
});

function open() {
  const clock = { now: START };
  const history = new LoadHistory(() => clock.now);
  const sample = (seconds: number, waiting: number, busyMs: number) => {
    clock.now += seconds * 1000;
    history.sample({ waiting, expectedWaitMs: 10 * waiting, engines: [small(busyMs)] });
  };
  return { clock, history, sample };
}

describe('the load of the last hour', () => {
  test('is the time that engines were busy, and the queue, minute by minute', () => {
    const { history, sample } = open();
    sample(0, 0, 500);
    sample(10, 4, 500 + 15_000);
    sample(30, 0, 500 + 15_000);
    sample(20, 1, 500 + 35_000);
    const [first, second] = history.minutes();
    expect(first).toMatchObject({ at: START, sampledMs: 40_000, expectedWaitMs: 40 });
    expect(first?.waiting).toEqual({ mean: 1, most: 4 });
    expect(first?.busy.get('small')).toBe(15 / 40);
    expect(second).toMatchObject({ at: START + 60_000, sampledMs: 20_000 });
    expect(second?.busy.get('small')).toBe(1);
    expect(history.hour().busy.get('small')).toBe(35 / 60);
    expect(history.hour().waiting).toEqual({ mean: 1, most: 4 });
  });

  test('has quantiles of circuits within 5 %, and counts all jobs and requests', () => {
    const { history } = open();
    for (let ms = 1; ms <= 1000; ms += 1) history.countJob(job(ms));
    // Neither is a completed circuit.
    history.countJob(job(1e6, { kind: 'batch' }));
    history.countJob(job(1e6, { status: 'failed' }));
    history.countJob(job(0, { status: 'running' }));
    for (const status of [200, 404, 500, 503]) history.countRequest(status);
    const { latency, jobs, requests } = history.hour();
    expect(jobs).toEqual({ completed: 1001, failed: 1, cancelled: 0 });
    expect(requests).toEqual({ answered: 4, failed: 2 });
    for (const [found, exact] of [
      [latency?.p50, 500],
      [latency?.p95, 950],
      [latency?.p99, 990],
    ] as const) {
      expect(Math.abs((found ?? 0) / exact - 1)).toBeLessThan(0.05);
    }
  });

  test('says less than a millisecond of circuits that took none', () => {
    const { history } = open();
    history.countJob(job(0));
    expect(history.hour().latency).toEqual({ p50: 0.5, p95: 0.5, p99: 0.5 });
  });

  test('has sixty minutes at most', () => {
    const { clock, history, sample } = open();
    sample(0, 0, 0);
    expect(history.since).toBe(START);
    for (let minute = 0; minute < 100; minute += 1) {
      history.countRequest(200);
      sample(60, 0, 0);
    }
    expect(history.minutes()).toHaveLength(60);
    expect(history.minutes()[0]?.at).toBe(START + 41 * 60_000);
    expect(history.since).toBe(START + 41 * 60_000);
    expect(history.hour().requests.answered).toBe(59);
    clock.now += 3 * 3600_000;
    expect(history.minutes().map(({ requests }) => requests.answered)).toEqual([0]);
    expect(history.hour().waiting).toBeUndefined();
  });

  test('goes on in the minute that was reached if the clock is set back', () => {
    const { clock, history, sample } = open();
    sample(0, 0, 0);
    sample(60, 0, 60_000);
    clock.now -= 3600_000;
    history.countRequest(200);
    sample(0, 9, 60_000);
    expect(history.minutes()).toHaveLength(2);
    expect(history.minutes()[1]).toMatchObject({ sampledMs: 60_000, requests: { answered: 1 } });
    expect(history.hour().busy.get('small')).toBe(1);
  });
});
