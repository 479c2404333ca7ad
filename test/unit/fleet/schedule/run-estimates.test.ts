import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LaneId } from '../../../../src/fleet/schedule/lane.ts';
import { RunEstimates } from '../../../../src/fleet/schedule/run-estimates.ts';
import type { RunWork } from '../../../../src/fleet/schedule/scheduled-run.ts';
import { RandomStream } from '../../../support/random-stream.ts';
import { plainTask, randomWork } from '../../../support/scheduler-fleets.ts';

const { work } = plainTask('a', { numQubits: 20, gateCost: 100 });
const anyWork: fc.Arbitrary<RunWork> = fc.record({
  numQubits: fc.integer({ min: 1, max: 40 }),
  numOperations: fc.nat(1e6),
  gateCost: fc.double({ min: 0, max: 1e300, noNaN: true }),
  isBranching: fc.boolean(),
  shots: fc.nat(1e7),
  numReadouts: fc.nat(1000),
});

/** Times that are as the model says but for these factors of its two parts. */
function runMs(truth: RunEstimates, of: RunWork, fixed: number, onStates: number): number {
  const none = truth.expectedMs('wide', { ...of, numQubits: -100 });
  return fixed * none + onStates * (truth.expectedMs('wide', of) - none);
}

test('a method that has not run yet is as slow as the others were', () => {
  const estimates = new RunEstimates();
  const byTableau: RunWork = { ...work, method: 'stabilizer', methodMs: 7 };
  const expected = estimates.expectedMs('small', byTableau);
  const other = estimates.expectedMs('small', work);
  for (let i = 0; i < 5; i++) estimates.observe('small', work, 3 * other);
  expect(estimates.expectedMs('small', byTableau)).toBeCloseTo(3 * expected, 6);
  expect(estimates.expectedMs('wide', byTableau)).toBe(expected);
  // Once it has run, its own times count.
  for (let i = 0; i < 5; i++) estimates.observe('small', byTableau, expected);
  expect(estimates.expectedMs('small', byTableau)).toBeCloseTo(expected, 6);
});

test('decoders and gradients are learned apart', () => {
  const estimates = new RunEstimates();
  const sampled: RunWork = { ...work, method: 'stabilizer', methodMs: 7 };
  estimates.observe('small', sampled, 7);
  const before = estimates.expectedMs('small', sampled);
  const decoded: RunWork = { ...sampled, methodMs: 50, decoder: 'matching' };
  for (let i = 0; i < 5; i++) estimates.observe('small', decoded, 500);
  expect(estimates.expectedMs('small', sampled)).toBe(before);
  expect(estimates.expectedMs('small', { ...decoded, methodMs: 20 })).toBeGreaterThan(100);
});

test('a gradient is expected to have all threads of a lane if its state is wide', () => {
  const estimates = new RunEstimates();
  estimates.setSpeed('small', 1 / 2);
  estimates.setSpeed('wide', 8);
  const gradientOf = (numQubits: number): RunWork => ({
    ...{ ...work, numQubits: numQubits + 1, numCircuits: 1 },
    ...{ methodMs: 800, hasGradients: true },
  });
  expect(estimates.expectedMs('small', gradientOf(16))).toBeCloseTo(800, 0);
  expect(estimates.expectedMs('wide', gradientOf(20))).toBeCloseTo(800 / 16, 0);
  // Narrow circuits and other methods have one thread.
  expect(estimates.expectedMs('wide', gradientOf(12))).toBeCloseTo(800, 0);
  const byTableau: RunWork = { ...work, method: 'stabilizer', methodMs: 800 };
  expect(estimates.expectedMs('wide', byTableau)).toBeCloseTo(800, 0);
});

describe('an estimate of a batch run', () => {
  const batchOf = (numCircuits: number): RunWork => ({ ...work, numCircuits });

  test('is that of one circuit, and as much more for each further one, which is not compiled anew', () => {
    const estimates = new RunEstimates();
    const none = estimates.expectedMs('small', batchOf(0));
    const one = estimates.expectedMs('small', work);
    expect(estimates.expectedMs('small', batchOf(1))).toBe(one);
    expect(none).toBeLessThan(one / 5);
    const further = estimates.expectedMs('small', batchOf(2)) - one;
    expect(further).toBeGreaterThan(one - none);
    expect(further).toBeLessThan(1.5 * one);
    expect(estimates.expectedMs('small', batchOf(256))).toBeCloseTo(one + 255 * further, 6);
  });

  test('adds the thread’s time on an adapter for the circuits that it leaves undecided', () => {
    const estimates = new RunEstimates();
    estimates.setSpeed('adapter-0', 100, { fixedMs: 1.5, exactSpeed: 0.5 });
    estimates.setSpeed('small', 0.5);
    const batch = { ...work, numQubits: 12, shots: 100, numCircuits: 10_000 };
    const on = (lane: LaneId, undecided: number) =>
      estimates.expectedMs(lane, { ...batch, undecided });
    const onThread = on('small', 0);
    expect(on('small', 1)).toBe(onThread);
    // What the thread does once for all circuits is done on the adapter already.
    const none = estimates.expectedMs('small', { ...batch, numCircuits: 0 });
    for (const part of [0.25, 1]) {
      const more = on('adapter-0', part) - on('adapter-0', 0);
      expect(more).toBeCloseTo(part * (onThread - none), 6);
    }
    expect(on('adapter-0', 0.25)).toBeLessThan(onThread);
    expect(on('adapter-0', 1)).toBeGreaterThan(onThread);
  });

  test('learns from batches of about as many circuits, and nothing of circuits from it', () => {
    const estimates = new RunEstimates();
    const one = estimates.expectedMs('small', work);
    for (let i = 0; i < 5; i++) estimates.observe('small', batchOf(256), 3);
    expect(estimates.expectedMs('small', batchOf(250))).toBeCloseTo(3);
    expect(estimates.expectedMs('small', work)).toBe(one);
    const [few, many] = [16, 64].map((n) => estimates.expectedMs('small', batchOf(n)));
    expect(few).toBeLessThan(many!);
    for (let i = 0; i < 5; i++) estimates.observe('small', work, 1000);
    expect(estimates.expectedMs('small', batchOf(256))).toBeCloseTo(3);
  });
});

describe('an estimate', () => {
  test('is above 0 and finite, whatever was measured', () => {
    const anyMs = fc.oneof(fc.double(), fc.double({ min: 0, max: 1e6 }), fc.constant(0));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(anyWork, anyMs), { maxLength: 20 }),
        fc.array(anyWork, { minLength: 1, maxLength: 5 }),
        fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
        (runs, asked, speed) => {
          const estimates = new RunEstimates();
          estimates.setSpeed('wide', speed);
          for (const [of, ms] of runs) estimates.observe('wide', of, ms);
          for (const of of [...asked, ...runs.map(([of]) => of)]) {
            const ms = estimates.expectedMs('wide', of);
            expect(ms > 0 && ms < Number.POSITIVE_INFINITY).toBe(true);
          }
        },
      ),
      { seed: 70, numRuns: 1000 },
    );
  });

  test('grows with qubits, operations, gates and shots, before anything has run', () => {
    fc.assert(
      fc.property(anyWork, (of) => {
        const estimates = new RunEstimates();
        const ms = estimates.expectedMs('wide', of);
        for (const more of [
          { numQubits: of.numQubits + 1 },
          { numOperations: of.numOperations + 1 },
          { gateCost: 2 * of.gateCost },
          { shots: of.shots + 1 },
          { isBranching: true },
        ]) {
          expect(estimates.expectedMs('wide', { ...of, ...more })).toBeGreaterThanOrEqual(ms);
        }
      }),
      { seed: 71, numRuns: 300 },
    );
  });

  test.each([0.001, 1, 5000])('of a circuit that takes %d ms comes to it', (ms) => {
    const estimates = new RunEstimates();
    for (let i = 0; i < 30; i++) estimates.observe('wide', work, 77);
    for (let i = 0; i < 60; i++) estimates.observe('wide', work, ms);
    expect(estimates.expectedMs('wide', work) / ms).toBeCloseTo(1, 0);
    for (let i = 0; i < 60; i++) estimates.observe('wide', work, ms);
    expect(estimates.expectedMs('wide', work) / ms).toBeCloseTo(1, 4);
  });

  test('of circuits that have not run follows those that have', () => {
    const estimates = new RunEstimates();
    const truth = new RunEstimates();
    const random = new RandomStream(5);
    for (let i = 0; i < 400; i++) {
      const of = randomWork(random);
      estimates.observe('wide', of, runMs(truth, of, 5, 0.2));
    }
    const ratios = Array.from({ length: 200 }, () => {
      const of = randomWork(random);
      return estimates.expectedMs('wide', of) / runMs(truth, of, 5, 0.2);
    }).sort((a, b) => a - b);
    expect(ratios[20]).toBeGreaterThan(0.7);
    expect(ratios[180]).toBeLessThan(1.4);
  });

  test('keeps to the last thousand kinds of circuit', () => {
    const estimates = new RunEstimates();
    const kind = (numOperations: number) => ({ ...work, numOperations });
    estimates.observe('wide', kind(1), 1e6);
    for (let i = 2; i <= 1024; i++) estimates.observe('wide', kind(i), 10);
    expect(estimates.expectedMs('wide', kind(1))).toBe(1e6);
    estimates.observe('wide', kind(1025), 10);
    expect(estimates.expectedMs('wide', kind(1))).toBeLessThan(1000);
  });

  test('is shared by lanes of one model and by no others', () => {
    const estimates = new RunEstimates();
    estimates.setModel('adapter-0', 'gpu');
    estimates.setModel('adapter-1', 'gpu');
    const before = estimates.expectedMs('adapter-2', work);
    estimates.observe('adapter-0', work, 123);
    expect(estimates.expectedMs('adapter-1', work)).toBe(123);
    expect(estimates.expectedMs('adapter-2', work)).toBe(before);
  });
});
