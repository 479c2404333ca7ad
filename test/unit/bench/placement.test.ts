import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compare } from '../../../bench/placement/compare.ts';
import { generateTraces, traceText } from '../../../bench/placement/generate-traces.ts';
import { lowerBoundMs } from '../../../bench/placement/lower-bound.ts';
import { readTraces, replayOf, type Trace } from '../../../bench/placement/trace.ts';

/**
 * Trace in which each circuit has one possible lane: there is nothing to choose, and sums differ by
 * their order only.
 */
const NO_CHOICE = 'cpu-fallback';
/** Run times are scattered around those of the model, as they are in life. */
const SIGMA = 0.3;
/** Without scatter, its makespan depends on the large circuit that happens to be last; see docs/capacity.md. */
const BY_ITS_LAST_CIRCUIT = 'long-tailed';

describe('on the committed traces', () => {
  const results = readTraces().map((trace) => compare(trace, SIGMA));
  const named = results.map((result) => [result.trace, result] as const);

  test.each(named)('%s, placement is within a tenth of what any could do', (_, result) => {
    expect(result.earliestFinishMs).toBeLessThan(1.1 * result.lowerBoundMs);
    expect(result.learningMs).toBeLessThan(1.1 * result.lowerBoundMs);
  });

  test.each(named.filter(([name]) => name !== NO_CHOICE))(
    '%s, it is done before round-robin and before least-loaded',
    (_, result) => {
      expect(result.earliestFinishMs).toBeLessThan(result.roundRobinMs);
      expect(result.earliestFinishMs).toBeLessThan(result.leastLoadedMs);
    },
  );

  test('all are done at the same time where there is nothing to choose', () => {
    const only = results.find(({ trace }) => trace === NO_CHOICE);

    expect(only?.leastLoadedMs).toBeCloseTo(only?.earliestFinishMs ?? 0, 6);
    expect(only?.roundRobinMs).toBeCloseTo(only?.earliestFinishMs ?? 0, 6);
  });
});

test('long-tailed circuits of several seeds are on average done before least-loaded', () => {
  const results = [1, 2].flatMap((k) =>
    generateTraces(100 * k)
      .filter(({ name }) => name === BY_ITS_LAST_CIRCUIT)
      .map((trace) => compare(trace, 0)),
  );
  const mean = (of: 'earliestFinishMs' | 'leastLoadedMs' | 'roundRobinMs') =>
    results.reduce((sum, result) => sum + result[of] / result.lowerBoundMs, 0) / results.length;

  expect(mean('earliestFinishMs')).toBeLessThan(mean('leastLoadedMs'));
  expect(mean('earliestFinishMs')).toBeLessThan(mean('roundRobinMs'));
});

test('the committed traces are what the generator makes', () => {
  const folder = new URL('../../../bench/traces/', import.meta.url);
  for (const trace of generateTraces()) {
    expect(readFileSync(new URL(`${trace.name}.json`, folder), 'utf8')).toBe(traceText(trace));
  }
});

describe('the lower bound', () => {
  const row = (at: number, numQubits: number): Trace['jobs'][number] => [
    at,
    numQubits,
    4,
    0,
    100,
    0,
    'standard',
    'adapter-or-cpu',
  ];
  const traceOf = (jobs: Trace['jobs'], cards: readonly ('h200' | 'l4')[]): Trace => ({
    name: 'small',
    description: '',
    fleet: {
      adapters: cards.map((card) => ({ card, devices: 1 })),
      cpuThreads: 0,
      wideGib: 0,
      cpuDevices: 0,
      spreads: [],
    },
    jobs,
  });

  test('of equal jobs on equal adapters is their even share', () => {
    const replay = replayOf(
      traceOf([row(0, 26), row(0, 26), row(0, 26), row(0, 26)], ['h200', 'h200']),
    );

    expect(lowerBoundMs(replay, () => 10)).toBeCloseTo(20, 3);
  });

  test('is never below the longest job, nor the last arrival and its run', () => {
    const replay = replayOf(traceOf([row(0, 26), row(100, 26)], ['h200', 'h200']));

    expect(lowerBoundMs(replay, () => 10)).toBeCloseTo(110);
  });

  test('counts the work that arrives late from when it arrives', () => {
    const late = Array.from({ length: 23 }, () => row(1000, 26));
    const replay = replayOf(traceOf([row(0, 26), ...late], ['h200', 'h200']));

    // Suffixes are a twelfth of the jobs apart: the first of late ones alone is without the first of them.
    expect(lowerBoundMs(replay, () => 10)).toBeCloseTo(1000 + (22 * 10) / 2);
  });

  test('of unlike adapters is the work at all their speeds together', () => {
    // Equal jobs, one adapter three times as fast: a quarter of them belongs on the slow one.
    const jobs = Array.from({ length: 400 }, () => row(0, 26));
    const replay = replayOf(traceOf(jobs, ['h200', 'l4']));
    const bound = lowerBoundMs(replay, ({ id }) => (id === 'adapter-0' ? 10 : 30));

    expect(bound).toBeLessThanOrEqual(3000 + 1e-6);
    expect(bound).toBeGreaterThan(2970);
  });
});
