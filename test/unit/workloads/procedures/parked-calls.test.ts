// @needs processes
/** Calls whose circuits wait for processors leave their places to other calls. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { SupervisedChild } from '../../../../src/processes/supervised-child.ts';
import { type CountedProcess, censusOf } from '../../../../src/workloads/procedures/pool-census.ts';
import { ProcedurePool } from '../../../../src/workloads/procedures/procedure-pool.ts';
import { StopClock } from '../../../../src/workloads/procedures/running-call.ts';
import { EngineProcessor } from '../../../support/engine-processor.ts';
import { eventually } from '../../../support/eventually.ts';
import { callOf, POOL, running } from '../../../support/procedure-calls.ts';

const GRACE_MS = 200;
const NEVER_MS = 1e9;

let processor: EngineProcessor;
let pool: ProcedurePool;
let gate: PromiseWithResolvers<void>;
beforeAll(() => {
  processor = new EngineProcessor('one');
});
afterAll(() => processor[Symbol.asyncDispose]());
beforeEach(() => {
  gate = Promise.withResolvers<void>();
  processor.gate = gate.promise;
  processor.tasks.length = 0;
  pool = new ProcedurePool({
    ...POOL,
    processors: [processor],
    numProcesses: 1,
    graceMs: GRACE_MS,
    // On a busy machine a test takes longer than a call waits before it gets a process beyond the usual number.
    reliefMs: NEVER_MS,
  });
});
afterEach(async () => {
  vi.useRealTimers();
  await pool.close();
});

const bell = (more = {}) => running(pool, callOf('bell', { input: { shots: 8 }, ...more }));
const echo = (keyId: string) => running(pool, callOf('echo', { keyId }));

describe('a call that only waits for a processor', () => {
  test('leaves its place to another key, and is not late for its waiting', async () => {
    // Deadlines are timeouts of this process, so they come when the test says.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const deadlineMs = 600_000;
    const waits = bell({ keyId: 'a', deadlineMs }).outcome;
    await echo('b').outcome;
    await vi.advanceTimersByTimeAsync(2 * deadlineMs);
    await echo('b').outcome;
    expect(pool.load()).toMatchObject({ processes: 2, running: 1, waiting: 0 });
    gate.resolve();
    expect(await waits).toMatchObject({ executedOn: [{ circuits: 1 }] });
  });

  test('has others of its key wait as the last place there is would be theirs', async () => {
    const waits = bell({ keyId: 'a' }).outcome;
    const second = bell({ keyId: 'a' }).outcome;
    await echo('b').outcome;
    await echo('b').outcome;
    expect(processor.tasks).toHaveLength(1);
    gate.resolve();
    await Promise.all([waits, second]);
    expect(processor.tasks).toHaveLength(2);
  });

  test('counts again once its circuit has begun, and what is there beyond then goes', async () => {
    const waits = bell({ keyId: 'a' }).outcome;
    await echo('b').outcome;
    expect(pool.load().processes).toBe(2);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    gate.resolve();
    await waits;
    await eventually(() => pool.load().running === 0);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await eventually(() => pool.load().processes === 1);
    await echo('b').outcome;
  });
});

test('a key that has nothing running waits only so long for the calls of others', async () => {
  await pool.close();
  pool = new ProcedurePool({ ...POOL, processors: [], numProcesses: 1, reliefMs: 20 });
  const spin = () => running(pool, callOf('spin', { keyId: 'a' })).outcome;
  const ends: string[] = [];
  const first = spin().catch(() => ends.push('a'));
  const second = spin().catch(() => ends.push('a'));
  await echo('b').outcome;
  ends.push('b');
  expect(ends).toEqual(['b']);
  // The second of the first key has to wait for the first.
  expect(pool.load()).toMatchObject({ waiting: 1, running: 1 });
  await pool.close();
  await Promise.all([first, second]);
});

test('a call that computes while its circuit waits keeps its place, and has its deadline', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const deadlineMs = 300;
  const onOver = vi.fn();
  running(pool, callOf('circuit-and-spin', { keyId: 'a', deadlineMs })).outcome.catch(onOver);
  const other = echo('b').outcome;
  await eventually(() => processor.tasks.length === 1);
  // Its process is looked at time and again, and is computing each time.
  const looks = vi.spyOn(SupervisedChild.prototype, 'isComputing');
  await eventually(() => looks.mock.calls.length === 5);
  expect(looks.mock.results.map(({ value }) => value)).toEqual(Array(5).fill(true));
  looks.mockRestore();
  await vi.advanceTimersByTimeAsync(2 * deadlineMs);
  expect(pool.load()).toMatchObject({ processes: 1, running: 1, waiting: 1 });
  expect(onOver).not.toHaveBeenCalled();
  gate.resolve();
  await eventually(async () => {
    await vi.advanceTimersByTimeAsync(deadlineMs);
    expect(onOver).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'WORKLOADS_TASK_DEADLINE' }),
    );
  });
  // The process that does not come back is ended after the grace.
  await vi.advanceTimersByTimeAsync(GRACE_MS);
  await other;
});

describe('a clock that stands still', () => {
  test('is over after the time that it ran, and not before', () => {
    vi.useFakeTimers();
    const onOver = vi.fn();
    const clock = new StopClock(100, onOver);
    clock.resume();
    vi.advanceTimersByTime(60);
    clock.pause();
    clock.pause();
    vi.advanceTimersByTime(1000);
    clock.resume();
    vi.advanceTimersByTime(39);
    expect(onOver).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(onOver).toHaveBeenCalledTimes(1);
  });
});

describe('a census of processes', () => {
  const nothing = {
    isEnding: false,
    isStarting: false,
    isFree: false,
    key: undefined,
    parkedFor: undefined,
  };
  const busy: CountedProcess = nothing;
  const free: CountedProcess = { ...nothing, isFree: true };
  const starting: CountedProcess = { ...nothing, isStarting: true };
  const ending: CountedProcess = { ...nothing, isEnding: true, parkedFor: 'a' };
  const parked = (parkedFor: string): CountedProcess => ({ ...nothing, parkedFor });

  test.each([
    ['none', [], { numReady: 0, numStartable: 4, mayBegin: 2, numExtra: 0 }],
    ['all busy', [busy, busy], { numReady: 0, numStartable: 2, mayBegin: 0, numExtra: 0 }],
    [
      'some ready',
      [busy, free, starting],
      { numReady: 2, numStartable: 1, mayBegin: 1, numExtra: 1 },
    ],
    ['one that ends', [busy, ending], { numReady: 0, numStartable: 3, mayBegin: 1, numExtra: 0 }],
    ['one parked', [busy, parked('a')], { numReady: 0, numStartable: 2, mayBegin: 1, numExtra: 0 }],
    [
      'more busy than usual',
      [busy, busy, busy, parked('a')],
      { numReady: 0, numStartable: 0, mayBegin: 0, numExtra: 1 },
    ],
    [
      'all parked',
      [parked('a'), parked('a'), parked('b'), parked('b')],
      { numReady: 0, numStartable: 0, mayBegin: 2, numExtra: 0 },
    ],
  ])('with %s', (_, processes, expected) => {
    expect(censusOf(processes, 2)).toMatchObject(expected);
  });

  test.each([
    ['aaa', []],
    ['aaaa', ['a']],
    ['aaaab', ['a']],
    ['aaaabb', ['a', 'b']],
    ['aaaabbc', ['a', 'b', 'c']],
  ])('has keys wait that have as much as is left of 8 places: %s', (keys, expected) => {
    const processes = [...keys].map(parked);
    const { keysThatWait } = censusOf([...processes, free], 4);
    expect([...keysThatWait]).toEqual(expected);
  });
});
