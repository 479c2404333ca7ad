import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compare } from '../../../bench/placement/compare.ts';
import { generateTraces, traceText } from '../../../bench/placement/generate-traces.ts';
import { lowerBoundMs } from '../../../bench/placement/lower-bound.ts';
import { readTraces, replayOf, type Trace } from '../../../bench/placement/trace.ts';

const SIGMA = 0.3;

describe('on the committed trace', () => {
  test.each(readTraces().map((trace) => [trace.name, trace] as const))(
    '%s, placement is within a tenth of what any could do, and no baseline is faster',
    (_, trace) => {
      const { lowerBoundMs: bound, ...result } = compare(trace, SIGMA);

      expect(result.earliestFinishMs).toBeLessThan(1.1 * bound);
      expect(result.learningMs).toBeLessThan(1.1 * bound);
      // Where each circuit has one lane only there is nothing to choose, and sums differ by their order.
      const rounding = 1 + 1e-9;
      expect(result.earliestFinishMs).toBeLessThanOrEqual(rounding * result.roundRobinMs);
      expect(result.earliestFinishMs).toBeLessThanOrEqual(rounding * result.leastLoadedMs);
    },
  );
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
