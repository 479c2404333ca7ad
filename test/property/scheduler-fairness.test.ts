import { describe, expect, test } from 'vitest';
import { LIST_MS } from '../../src/fleet/schedule/earliest-finish.ts';
import type { Lane, LaneId } from '../../src/fleet/schedule/lane.ts';
import type { Dispatch } from '../../src/fleet/schedule/scheduler.ts';
import { RandomStream } from '../support/random-stream.ts';
import { type DriverOptions, SchedulerDriver } from '../support/scheduler-driver.ts';
import {
  type PlainTask,
  plainTask,
  type TestFleet,
  type TestTask,
} from '../support/scheduler-fleets.ts';
import { seeds } from '../support/seeds.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** A key that always has so many runs waiting. */
interface Stream extends PlainTask {
  readonly key: string;
  readonly backlog: number;
  readonly next?: () => PlainTask;
}

/** CPU threads, adapters that are all alike, and plenty of devices. */
function plainFleet(numThreads: number, numAdapters: number): TestFleet {
  const maxQubits = { f32: 30, f64: 29 };
  const lane = (id: LaneId, kind: Lane['kind']): Lane => ({
    id,
    kind,
    pools: [id],
    maxQubits: kind === 'small' ? { f32: 14, f64: 14 } : maxQubits,
    isOpen: true,
    isSoftware: kind !== 'adapter',
  });
  const adapters = Array.from({ length: numAdapters }, (_, i): LaneId => `adapter-${i}`);
  const lanes = [lane('wide', 'wide'), ...adapters.map((id) => lane(id, 'adapter'))];
  if (numThreads > 0) lanes.unshift(lane('small', 'small'));
  return {
    lanes,
    slots: new Map(lanes.map(({ id, kind }) => [id, kind === 'small' ? numThreads : 1])),
    devices: Array.from({ length: 48 }, (_, i) => ({
      id: `gpu-${i}`,
      adapter: adapters[i % adapters.length],
      budgetBytes: 2 ** 36,
      isOpen: true,
    })),
    speeds: new Map(lanes.map(({ id }) => [id, 1])),
    fleetRunsOn: 'adapter-or-cpu',
    maxSmallQubits: 14,
  };
}

/** A driver with streams until a time; `numStarted` counts each key's runs. */
function withStreams(
  fleet: TestFleet,
  streams: readonly Stream[],
  until: number,
  options: DriverOptions = {},
) {
  const startedMs = new Map<string, number>();
  let number = 0;
  const submit = ({ next, backlog, ...like }: Stream) => {
    driver.submit(plainTask(`${like.key} ${number++}`, { ...like, ...next?.() }));
  };
  const driver = new SchedulerDriver(fleet, {
    ageingMs: NEVER,
    ...options,
    afterDispatch: (dispatches, now) => {
      for (const { lane, runs } of dispatches) {
        for (const { key, work } of runs) {
          const ms = driver.scheduler.estimates.expectedMs(lane, work);
          startedMs.set(key, (startedMs.get(key) ?? 0) + ms);
          const stream = streams.find((other) => other.key === key);
          if (stream !== undefined && now < until) submit(stream);
        }
      }
      options.afterDispatch?.(dispatches, now);
    },
  });
  for (const stream of streams) {
    driver.at(0, () => {
      for (let i = 0; i < stream.backlog; i++) submit(stream);
    });
  }
  return { driver, startedMs };
}

const onFleet = { processor: 'gpu-fleet', mayRunOn: 'adapter-or-cpu', needsDevice: true } as const;
/** About 40 ms on an adapter of plainFleet, up to 250 with a gate cost of 3000. */
const wide = { numQubits: 22, gateCost: 600 };

/** Of each run of a dispatch. */
function expectedMs(driver: SchedulerDriver, { lane, runs }: Dispatch<TestTask>) {
  return runs.map(({ work }) => driver.scheduler.estimates.expectedMs(lane, work));
}

describe('two keys that always wait at one level', () => {
  test.each([
    ['on alike adapters', 3, 20_000, 0, { ...onFleet, ...wide }],
    ['and a list a thread on threads', 0, 600, 2 * LIST_MS, { numQubits: 4 }],
  ])('are served alike to within a run of each %s', (_, numAdapters, until, slack, like) => {
    for (const seed of seeds(3)) {
      const random = new RandomStream(seed);
      const next = () => ({ gateCost: (like.numQubits > 10 ? 3000 : 3e6) * random.uniform() });
      const stream = (key: string) => ({ ...like, key, backlog: 100, next });
      let largest = 0;
      let least = 0;
      let most = 0;
      const streams = [stream('a'), stream('b')];
      const { driver, startedMs } = withStreams(plainFleet(2, numAdapters), streams, until, {
        afterDispatch: (dispatches, now) => {
          if (now > until) return;
          for (const dispatch of dispatches) {
            largest = Math.max(largest, ...expectedMs(driver, dispatch));
          }
          const difference = (startedMs.get('a') ?? 0) - (startedMs.get('b') ?? 0);
          least = Math.min(least, difference);
          most = Math.max(most, difference);
        },
      });
      // What goes ahead of both now and then gives neither a turn.
      for (let i = 0; i < 100; i++) {
        const urgent = plainTask(`urgent ${i}`, { ...like, key: 'c', level: 0 });
        driver.at(until * random.uniform(), () => driver.submit(urgent));
      }
      driver.run();
      expect(startedMs.get('a')).toBeGreaterThan(50 * largest);
      expect(most - least).toBeLessThanOrEqual(2 * largest + slack + 1e-6);
    }
  });
});

describe("a key's flood of hundreds", () => {
  /** About 1 ms. */
  const small = { numQubits: 4, gateCost: 3e6 };
  const others: Readonly<Record<string, readonly Stream[]>> = {
    none: [],
    'that run on the CPU': [{ ...wide, numQubits: 24, key: 'c', level: 3, backlog: 5 }],
    'that are long': [{ ...small, gateCost: 9e6, key: 'c', level: 3, backlog: 5 }],
  };
  const cases = [
    ['small', { ...onFleet, ...small }, 'small', { ...onFleet, ...small }, 2],
    ['wide', { ...onFleet, ...wide }, 'wide', { ...onFleet, ...wide }, 2],
    ['small', { ...onFleet, ...small }, 'wide', { ...onFleet, ...wide }, 0],
    ['wide', { ...onFleet, ...wide }, 'small', { ...onFleet, ...small }, 0],
    ['small', { ...small }, "the fleet's small", { ...onFleet, ...small }, 2],
    ["the fleet's small", { ...onFleet, ...small }, 'small', { ...small }, 2],
  ] as const;
  const table = cases.flatMap(([name, flood, otherName, single, numThreads]) =>
    Object.entries(others).map(
      ([other, streams]) => [name, otherName, other, flood, single, numThreads, streams] as const,
    ),
  );

  test.each(table)(
    "of %s runs delays another key's %s ones by two lists or runs each, with others %s",
    (_, __, ___, flood, single, numThreads, streams) => {
      let waitingId = '';
      let numAhead = 0;
      const until = 660;
      const all = [...streams, { ...flood, key: 'a', backlog: 300 }];
      const { driver } = withStreams(plainFleet(numThreads, 2), all, until, {
        afterDispatch: (dispatches) => {
          if (driver.scheduler.isWaiting(waitingId)) {
            numAhead += dispatches.filter(({ runs }) => runs[0]?.key === 'a').length;
          }
        },
      });
      // What is urgent goes first and takes half of an adapter's time.
      for (let at = 0; at < until; at += 80) {
        const urgent = plainTask(`urgent ${at}`, { ...onFleet, ...wide, key: 'd', level: 0 });
        driver.at(at, () => driver.submit(urgent));
      }
      const aheadOf: number[] = [];
      for (let at = 10; at + 160 < until; at += 160) {
        driver.at(at, () => {
          waitingId = `b ${at}`;
          driver.submit(plainTask(waitingId, { ...single, key: 'b' }));
          numAhead = 0;
        });
        driver.at(at + 159, () => {
          expect(driver.scheduler.isWaiting(waitingId)).toBe(false);
          aheadOf.push(numAhead);
        });
      }
      driver.run();
      expect(aheadOf).toHaveLength(4);
      expect(Math.max(...aheadOf)).toBeLessThanOrEqual(2);
    },
  );
});

test('a flood that has waited for long does not go ahead of what others send meanwhile', () => {
  const random = new RandomStream(9);
  const next = () => ({ gateCost: 3000 * random.uniform() });
  const { driver } = withStreams(plainFleet(1, 1), [], 0, { ageingMs: 500 });
  for (let i = 0; i < 300; i++) {
    driver.submit(
      plainTask(`flood ${i}`, { ...onFleet, ...wide, ...next(), key: 'flood', level: 3 }),
    );
  }
  const asked: [string, number][] = [];
  for (const [i, level] of [3, 2, 3, 2].entries()) {
    const at = 600 + 700 * i;
    driver.at(at, () => {
      const run = plainTask(`single ${i}`, { ...onFleet, ...wide, ...next(), key: `${i}`, level });
      asked.push([run.id, at]);
      driver.submit(run);
    });
  }
  driver.run();
  for (const [id, at] of asked) {
    const startedAt = driver.starts.find((start) => start.id === id)?.at ?? NEVER;
    const between = driver.starts.filter((start) => start.at >= at && start.at < startedAt);
    expect(between.length).toBeLessThanOrEqual(2);
  }
  const [last] = driver.starts.filter(({ id }) => id.startsWith('flood')).slice(-1);
  expect(last?.at).toBeGreaterThan(3000);
});

describe('a run of the lowest level', () => {
  /**
   * With J other keys that always wait at the highest level and S slots, the first run of a key has risen
   * to that level after 5 ageings, and the key's next one an ageing after each start. From then on each
   * other key is given no more than one run of cost c does, and two of its own largest, so it starts
   * after J·(c + 2m) / S has been served, and m for a slot.
   */
  test.each([
    [1, 2],
    [3, 1],
    [4, 4],
  ])('starts within the bound against %i keys that are never through on %i adapters', (J, S) => {
    const ageingMs = 500;
    const random = new RandomStream(J);
    const next = () => ({ gateCost: 3000 * random.uniform() });
    const streams = Array.from({ length: J }, (_, i) => {
      return { ...onFleet, ...wide, key: `busy ${i}`, level: 0, backlog: 8, next };
    });
    let largest = 0;
    const { driver } = withStreams(plainFleet(1, S), streams, 60_000, {
      ageingMs,
      afterDispatch: (dispatches) => {
        for (const dispatch of dispatches) {
          largest = Math.max(largest, ...expectedMs(driver, dispatch));
        }
      },
    });
    const costs: number[] = [];
    driver.at(1000, () => {
      for (let i = 0; i < 20; i++) {
        const run = plainTask(`late ${i}`, {
          ...onFleet,
          ...wide,
          ...next(),
          key: 'late',
          level: 5,
        });
        costs.push(driver.scheduler.estimates.expectedMs('adapter-0', run.work));
        driver.submit(run);
      }
    });
    driver.run();
    let bound = 4 * ageingMs;
    for (const [i, c] of costs.entries()) {
      const started = driver.starts.find(({ id }) => id === `late ${i}`)?.at ?? NEVER;
      bound += ageingMs + (J * (c + 2 * largest)) / S + largest;
      expect(started - 1000).toBeLessThanOrEqual(bound);
      expect(started - 1000).toBeGreaterThan(4 * ageingMs);
    }
  });
});
