import { describe, expect, test } from 'vitest';
import type { DeviceView, Lane, LaneId } from '../../../../src/fleet/schedule/lane.ts';
import { RunEstimates } from '../../../../src/fleet/schedule/run-estimates.ts';
import { type Dispatch, Scheduler } from '../../../../src/fleet/schedule/scheduler.ts';
import { type PlainTask, plainTask, type TestTask } from '../../../support/scheduler-fleets.ts';

const onFleet = { processor: 'gpu-fleet', mayRunOn: 'adapter-or-cpu', needsDevice: true } as const;
/** 2^22 amplitudes in single precision. */
const BYTES_22 = 2 ** 25;

function laneOf(id: LaneId, kind: Lane['kind'], maxQubits: number, pools?: string[]): Lane {
  return {
    id,
    kind,
    pools: pools ?? [id],
    maxQubits: { f32: maxQubits, f64: maxQubits },
    isOpen: true,
    isSoftware: false,
  };
}

const SMALL = laneOf('small', 'small', 17);
const WIDE = laneOf('wide', 'wide', 28);
const ADAPTERS = [laneOf('adapter-0', 'adapter', 28), laneOf('adapter-1', 'adapter', 28)];
const SPREAD = laneOf('spread-0', 'spread', 29, ['adapter-0', 'adapter-1']);

function devicesOf(count: number, budgetBytes: number, adapters: readonly LaneId[] = []) {
  return Array.from({ length: count }, (_, i): DeviceView => {
    const adapter = adapters[i % Math.max(1, adapters.length)];
    return { id: `gpu-${i}`, adapter, budgetBytes, isOpen: true };
  });
}

/** A scheduler with a slot a pool; each lane takes the time that a run's `gateCost` says. */
function open(
  lanes: readonly Lane[],
  devices: readonly DeviceView[] = [],
  options: { readonly numCores?: number; readonly numOtherThreads?: () => number } = {},
) {
  const scheduler = new Scheduler<TestTask>({
    ageingMs: 1e9,
    maxSmallQubits: 17,
    estimates: new GateCosts(),
    ...options,
  });
  for (const lane of lanes) {
    scheduler.setLane(lane);
    for (const pool of lane.pools) scheduler.setFreeSlots(pool, 1);
  }
  for (const device of devices) scheduler.setDevice(device);
  return scheduler;
}

/** Estimates in tests of placement are what the test says. */
class GateCosts extends RunEstimates {
  readonly factors = new Map<LaneId, number>([['adapter-1', 2]]);
  override expectedMs(lane: LaneId, { gateCost }: TestTask['work']): number {
    return gateCost * (this.factors.get(lane) ?? 1);
  }
}

function add(scheduler: Scheduler<TestTask>, id: string, like: PlainTask, now = 0): void {
  scheduler.add(plainTask(id, like), now);
}

/** `lane: runs` of what starts. */
function started(dispatches: readonly Dispatch<TestTask>[]): readonly string[] {
  return dispatches.map(({ lane, runs }) => `${lane}: ${runs.map(({ id }) => id).join(' ')}`);
}

function endAll({ scheduler, dispatch }: Ending, now: number): void {
  for (const run of dispatch.runs) scheduler.ended(dispatch, run, 'completed', now);
}

interface Ending {
  readonly scheduler: Scheduler<TestTask>;
  readonly dispatch: Dispatch<TestTask>;
}

describe('what waits for several things at once', () => {
  const wide = { ...onFleet, numQubits: 22 };
  /** Adapter 0 is busy for 1000 ms; a state over both adapters waits for it. */
  function waitingSpread() {
    const adapters = ADAPTERS.map(({ id }) => id);
    const scheduler = open([...ADAPTERS, SPREAD], devicesOf(8, BYTES_22 * 64, adapters));
    add(scheduler, 'long', { ...wide, gateCost: 1000 });
    const [dispatch] = scheduler.dispatch(0);
    add(scheduler, 'spread', { ...onFleet, numQubits: 29, gateCost: 10, level: 1 }, 1);
    return { scheduler, dispatch: dispatch! };
  }

  test('holds what is free already against longer runs, and lets shorter ones run before', () => {
    const { scheduler, dispatch } = waitingSpread();
    add(scheduler, 'too long', { ...wide, gateCost: 400 }, 1);
    add(scheduler, 'short', { ...wide, gateCost: 200 }, 1);
    expect(scheduler.plan(1).starts.get('spread')?.startAt).toBe(1000);
    const starts = scheduler.dispatch(1);
    expect(started(starts)).toEqual(['adapter-1: short']);
    for (const other of [...starts, dispatch]) endAll({ scheduler, dispatch: other }, 1000);
    expect(started(scheduler.dispatch(1000))).toEqual(['spread-0: spread']);
  });

  test('lets go at once when it is cancelled', () => {
    const { scheduler } = waitingSpread();
    add(scheduler, 'too long', { ...wide, gateCost: 400 }, 1);
    expect(scheduler.dispatch(1)).toEqual([]);
    scheduler.remove('spread');
    expect(started(scheduler.dispatch(1))).toEqual(['adapter-1: too long']);
  });

  test('lets go at once when its processor is paused', () => {
    const { scheduler } = waitingSpread();
    add(scheduler, 'too long', { ...wide, processor: 'other', gateCost: 400 }, 1);
    expect(scheduler.dispatch(1)).toEqual([]);
    scheduler.setPaused('gpu-fleet', true);
    expect(started(scheduler.dispatch(1))).toEqual(['adapter-1: too long']);
  });

  test('keeps no device from runs that are through before it starts', () => {
    const scheduler = open([SMALL, WIDE], devicesOf(4, 2 ** 40));
    for (let i = 0; i < 10; i++) {
      add(scheduler, `wide ${i}`, { ...onFleet, numQubits: 22, gateCost: 1000, level: 0 });
    }
    add(scheduler, 'small', { ...onFleet, gateCost: 1 });
    expect(started(scheduler.dispatch(0))).toEqual(['wide: wide 0', 'small: small']);
  });
});

describe('a faster lane that is busy', () => {
  test('is waited for while it is through sooner, and not when it is late', () => {
    const adapters = ADAPTERS.map(({ id }) => id);
    const scheduler = open(ADAPTERS, devicesOf(2, 2 ** 40, adapters));
    add(scheduler, 'first', { ...onFleet, numQubits: 22, gateCost: 100 });
    expect(started(scheduler.dispatch(0))).toEqual(['adapter-0: first']);
    add(scheduler, 'second', { ...onFleet, numQubits: 22, gateCost: 150 }, 10);
    expect(scheduler.dispatch(10)).toEqual([]);
    expect(scheduler.dispatch(90)).toEqual([]);
    // It has taken 20 times as long as expected, and may well take a tenth of that again.
    expect(started(scheduler.dispatch(2000))).toEqual(['adapter-1: second']);
  });

  test('is known to be promised to others, whom nothing else would take', () => {
    const scheduler = open([SMALL, ADAPTERS[0]!], devicesOf(48, 2 ** 40, ['adapter-0']));
    add(scheduler, 'now', { gateCost: 5 });
    expect(started(scheduler.dispatch(0))).toEqual(['small: now']);
    for (let i = 0; i < 20; i++) add(scheduler, `${i}`, { gateCost: 5, key: 'key-1', level: 1 });
    // Alone it would be through on the thread at 5 + 6, before the adapter, which takes 12.
    (scheduler.estimates as GateCosts).factors.set('adapter-0', 2);
    add(scheduler, 'fleet', { ...onFleet, gateCost: 6 });
    expect(started(scheduler.dispatch(0))).toEqual(['adapter-0: fleet']);
  });
});

describe('memory', () => {
  test.each([
    ['one device that holds it, though others have rested longer', [8, 8, 64], ['gpu-2']],
    ['no more devices than hold it together', [8, 16, 16, 16], ['gpu-0', 'gpu-1', 'gpu-2']],
  ])('of a state is on %s', (_, mebibytes, ids) => {
    const devices = mebibytes.map((mib, i): DeviceView => {
      return { id: `gpu-${i}`, adapter: 'adapter-0', budgetBytes: mib * 2 ** 20, isOpen: true };
    });
    const scheduler = open([ADAPTERS[0]!], devices);
    add(scheduler, 'a', { ...onFleet, numQubits: 22, gateCost: 10 });
    expect(scheduler.dispatch(0)[0]?.devices).toEqual(ids);
  });

  test('of a list is that of the device it began on', () => {
    const devices = [8, 64].map((mib, i): DeviceView => {
      return { id: `gpu-${i}`, adapter: 'adapter-0', budgetBytes: mib * 2 ** 20, isOpen: true };
    });
    const scheduler = open([ADAPTERS[0]!], devices);
    add(scheduler, 'first', { ...onFleet, numQubits: 18, gateCost: 0.5 });
    add(scheduler, 'too wide', { ...onFleet, numQubits: 22, gateCost: 0.5 });
    add(scheduler, 'fits', { ...onFleet, numQubits: 20, gateCost: 0.5 });
    const [dispatch] = scheduler.dispatch(0);
    expect(dispatch).toMatchObject({ devices: ['gpu-0'] });
    expect(dispatch?.runs.map(({ id }) => id)).toEqual(['first', 'fits']);
  });

  test('that is nowhere is waited for, with devices in maintenance counted out', () => {
    const devices = devicesOf(2, BYTES_22 / 2, ['adapter-0']);
    const scheduler = open([ADAPTERS[0]!], devices);
    add(scheduler, 'a', { ...onFleet, numQubits: 22, gateCost: 10 });
    scheduler.setDevice({ ...devices[1]!, isOpen: false });
    expect(scheduler.dispatch(0)).toEqual([]);
    expect(scheduler.plan(0).starts.size).toBe(0);
    scheduler.setDevice(devices[1]!);
    expect(scheduler.dispatch(0)[0]?.devices).toEqual(['gpu-0', 'gpu-1']);
  });
});

describe('a run that nothing takes', () => {
  test('delays no other of its key', () => {
    const scheduler = open([SMALL]);
    add(scheduler, 'stuck', { numQubits: 25, gateCost: 1e6 });
    add(scheduler, 'stuck, too', { mayRunOn: 'adapter', processor: 'x', gateCost: 1e6 });
    add(scheduler, 'mine', { gateCost: 10 });
    add(scheduler, 'theirs', { gateCost: 10, key: 'key-1' });
    const { starts, positions } = scheduler.plan(0);
    expect([...starts].map(([id, { startAt }]) => [id, startAt])).toEqual([
      ['mine', 0],
      ['theirs', 10],
    ]);
    expect(positions.size).toBe(4);
  });

  test('is charged for like any other once something does', () => {
    const scheduler = open([]);
    for (const key of ['a', 'b']) {
      for (const i of [0, 1]) add(scheduler, `${key}${i}`, { key, gateCost: 10 });
    }
    scheduler.setLane(SMALL);
    scheduler.setFreeSlots('small', 1);
    expect([...scheduler.plan(0).starts.keys()]).toEqual(['a0', 'b0', 'a1', 'b1']);
  });
});

describe('a list', () => {
  test('is of one processor, and of circuits whose end is known', () => {
    const scheduler = open([SMALL]);
    add(scheduler, 'a', { gateCost: 0.1 });
    add(scheduler, 'other', { processor: 'other', gateCost: 0.1 });
    add(scheduler, 'branches', { gateCost: 0.1, work: { isBranching: true } });
    add(scheduler, 'b', { gateCost: 0.1 });
    expect(started(scheduler.dispatch(0))).toEqual(['small: a b']);
  });

  test('has 128 runs at most, and 4 ms', () => {
    const scheduler = open([SMALL]);
    for (let i = 0; i < 300; i++) add(scheduler, `${i}`, { gateCost: i < 200 ? 0.001 : 1.5 });
    const [dispatch] = scheduler.dispatch(0);
    expect(dispatch?.runs).toHaveLength(128);
    endAll({ scheduler, dispatch: dispatch! }, 1);
    expect(scheduler.dispatch(1)[0]?.runs).toHaveLength(72 + 2);
  });
});

describe('devices', () => {
  test('are given work in turns', () => {
    const scheduler = open([SMALL], devicesOf(3, 1));
    const ids = Array.from({ length: 6 }, (_, i) => {
      add(scheduler, `${i}`, { ...onFleet, gateCost: 10 });
      const [dispatch] = scheduler.dispatch(i);
      endAll({ scheduler, dispatch: dispatch! }, i);
      return dispatch?.devices[0];
    });
    expect(ids).toEqual(['gpu-0', 'gpu-1', 'gpu-2', 'gpu-0', 'gpu-1', 'gpu-2']);
  });

  test('that are free are left to what starts sooner', () => {
    const scheduler = open([WIDE], devicesOf(3, 2 ** 40));
    for (const id of ['a', 'b']) add(scheduler, id, { ...onFleet, numQubits: 22, gateCost: 100 });
    expect(scheduler.dispatch(0)[0]?.devices).toEqual(['gpu-0']);
    expect(scheduler.plan(0).starts.get('b')?.devices).toEqual(['gpu-0']);
  });
});

test('a run that was lost says nothing of where others like it may run', () => {
  const scheduler = open([SMALL, WIDE]);
  scheduler.setFreeSlots('wide', 0);
  const runs = ['a', 'b'].map((id) => plainTask(id, { gateCost: 10 }));
  for (const run of runs) scheduler.add(run, 0);
  const [dispatch] = scheduler.dispatch(0);
  const [lost] = runs;
  scheduler.ended(dispatch!, lost!, 'lost', 1);
  lost!.failedOn.add('small');
  scheduler.add(lost!, 1, true);
  scheduler.setLane(SMALL);
  expect(started(scheduler.dispatch(1))).toEqual(['small: b']);
});

test('runs on threads take longer while more threads run than there are cores', () => {
  const lanes = [
    { ...SMALL, numThreads: 1 },
    { ...WIDE, numThreads: 2 },
  ];
  const scheduler = open(lanes, [], { numCores: 2 });
  add(scheduler, 'a', { numQubits: 10, gateCost: 10 });
  const wide = plainTask('wide', { numQubits: 20, gateCost: 10 });
  scheduler.add(wide, 0);
  const dispatches = scheduler.dispatch(0);
  expect(dispatches).toHaveLength(2);
  add(scheduler, 'b', { numQubits: 10, gateCost: 10 });
  expect(scheduler.plan(0).starts.get('b')?.startAt).toBe(15);
  const ofWide = dispatches.find(({ lane }) => lane === 'wide');
  scheduler.ended(ofWide!, wide, 'completed', 1);
  expect(scheduler.plan(1).starts.get('b')?.startAt).toBe(10);
});

test('threads that are not of runs count, too, where there are too few cores', () => {
  let numOtherThreads = 0;
  const options = { numCores: 2, numOtherThreads: () => numOtherThreads };
  const scheduler = open([{ ...WIDE, numThreads: 2 }], [], options);
  add(scheduler, 'a', { numQubits: 20, gateCost: 10 });
  scheduler.dispatch(0);
  add(scheduler, 'b', { numQubits: 20, gateCost: 10 });
  expect(scheduler.plan(0).starts.get('b')?.startAt).toBe(10);
  numOtherThreads = 0.5;
  expect(scheduler.plan(0).starts.get('b')?.startAt).toBe(12.5);
});

test('what runs is never taken for through, whatever its progress says', () => {
  const scheduler = open([SMALL]);
  add(scheduler, 'a', { gateCost: 10 });
  const [dispatch] = scheduler.dispatch(0);
  scheduler.progressed(dispatch!, 0.5, 0);
  add(scheduler, 'b', { gateCost: 10 });
  expect(scheduler.plan(0).starts.get('b')?.startAt).toBeGreaterThan(0);
  scheduler.progressed(dispatch!, 1, 20);
  expect(scheduler.plan(20).starts.get('b')?.startAt).toBeGreaterThan(20);
  expect(scheduler.dispatch(20)).toEqual([]);
  scheduler.began(dispatch!, 1e9);
  scheduler.progressed(dispatch!, 1, 1e9 + 2e-7);
  expect(scheduler.plan(1e9 + 2e-7).starts.get('b')?.startAt).toBeGreaterThan(1e9 + 2e-7);
});

test('a lost run comes before all others, and not to the lane that lost it', () => {
  const adapters = ADAPTERS.map(({ id }) => id);
  const scheduler = open(ADAPTERS, devicesOf(4, 2 ** 40, adapters));
  const like = { ...onFleet, numQubits: 22, gateCost: 100 };
  const run = plainTask('a', like);
  scheduler.add(run, 0);
  const [dispatch] = scheduler.dispatch(0);
  add(scheduler, 'urgent', { ...like, level: 0 });
  scheduler.ended(dispatch!, run, 'lost', 5);
  run.failedOn.add('adapter-0');
  scheduler.add(run, 5, true);
  expect([...scheduler.plan(5).positions]).toEqual([
    ['a', 0],
    ['urgent', 1],
  ]);
  expect(started(scheduler.dispatch(5))).toEqual(['adapter-1: a', 'adapter-0: urgent']);
  expect(scheduler.devices.counters('gpu-0', 5)).toMatchObject({ lost: 1, completed: 0 });
});

test('drains what waits, and only that', () => {
  const scheduler = open([SMALL]);
  for (const id of ['a', 'b', 'c']) add(scheduler, id, { gateCost: 10 });
  const [dispatch] = scheduler.dispatch(0);
  expect(scheduler.drain().map(({ id }) => id)).toEqual(['b', 'c']);
  expect([scheduler.numWaiting, scheduler.numRunning]).toEqual([0, 1]);
  endAll({ scheduler, dispatch: dispatch! }, 10);
  expect(() => endAll({ scheduler, dispatch: dispatch! }, 10)).toThrow('does not run');
});
